// Package memory sets how much memory the garbage collector may use.
package memory

import (
	"math"
	"runtime/debug"
)

// Tune sets the defaults of GOGC, in percent, and GOMEMLIMIT, in bytes, unless the operator has set them.
func Tune(percent int, limit int64) {
	const unset = 100
	if before := debug.SetGCPercent(percent); before != unset {
		debug.SetGCPercent(before)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit)
	}
}
