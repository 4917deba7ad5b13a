package record

import "golang.org/x/sys/unix"

func (f osFile) DataSync() error { return unix.Fdatasync(int(f.Fd())) }
