// Package memory sets how much memory the garbage collector may use. How much suits a
// service is measured by the service.
package memory

import (
	"math"
	"runtime/debug"
)

// Tune sets what GOGC and GOMEMLIMIT would, and leaves alone what the operator has set.
// percent is how much garbage is allowed beside what is kept, limit is in bytes.
func Tune(percent int, limit int64) {
	const unset = 100
	if before := debug.SetGCPercent(percent); before != unset {
		debug.SetGCPercent(before)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(limit)
	}
}
