package clitest

import "syscall"

// FullDisk takes as many writes as it says, and fails then.
type FullDisk int

// Write implements io.Writer.
func (d *FullDisk) Write(text []byte) (int, error) {
	if *d--; *d < 0 {
		return 0, syscall.ENOSPC
	}
	return len(text), nil
}
