//go:build unix

package policy

import (
	"io/fs"
	"syscall"
)

// linked tells whether a file can have other names.
func linked(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || st.Nlink > 1
}
