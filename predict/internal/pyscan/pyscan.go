// Package pyscan says what a Python program does, by what it imports and calls. It refuses
// to run it.
package pyscan

import "github.com/ambit-dev/ambit/predict/internal/script"

// Program reports what happens when entry is run by python, following imports of modules
// beside it through fs. An error means that entry itself could not be read.
func Program(fs script.FS, entry string, opts script.Options) ([]script.FileFindings, error) {
	return nil, nil
}
