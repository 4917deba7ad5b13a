//go:build !linux

package record

func (f osFile) DataSync() error { return f.Sync() }
