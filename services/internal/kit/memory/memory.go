// Package memory sets how much memory the garbage collector may use.
package memory

import (
	"math"
	"runtime/debug"
)

// Tune sets the defaults of GOGC, in percent, and GOMEMLIMIT, in bytes, unless the operator has set them.
func Tune(percent int, limit int64) {
	const unset = 100 // the default of the runtime; an operator's own GOGC=100 looks the same
	if before := debug.SetGCPercent(percent); before != unset {
		debug.SetGCPercent(before)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // -1 only reads the limit
		debug.SetMemoryLimit(limit)
	}
}
