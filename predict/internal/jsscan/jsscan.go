// Package jsscan says what a JavaScript or TypeScript program does, by what it imports and
// calls. It refuses to run it.
package jsscan

import "github.com/ambit-dev/ambit/predict/internal/script"

// Program reports what happens when entry is run by node, following require, import and
// import() through fs. An error means that entry itself could not be read.
func Program(fs script.FS, entry string, opts script.Options) ([]script.FileFindings, error) {
	return nil, nil
}
