package main

import (
	"math"
	"runtime/debug"
)

// The settings of the garbage collector where GOGC and GOMEMLIMIT do not set it.
// The service keeps little memory between requests, and the runtime's default
// allows as much garbage as memory is kept. With the default it would collect
// after every few dozen requests.
const (
	garbagePercent = 400
	memoryLimit    = 80 << 20 // bytes; many logins at once come near it
)

// tuneGarbageCollector leaves alone what the operator has set.
func tuneGarbageCollector() {
	const unset = 100
	if before := debug.SetGCPercent(garbagePercent); before != unset {
		debug.SetGCPercent(before)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memoryLimit)
	}
}
