package main

import (
	"math"
	"runtime/debug"
)

// What the garbage collector may use where GOGC and GOMEMLIMIT do not say otherwise.
// Little is kept between requests: with the runtime's own setting, which bounds the
// garbage by what is kept, every few dozen of them pay for a collection.
const (
	garbagePercent = 400
	memoryLimit    = 80 << 20 // bytes; a flood of logins comes near it
)

func relaxCollector() {
	const unset = 100
	if before := debug.SetGCPercent(garbagePercent); before != unset {
		debug.SetGCPercent(before)
	}
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(memoryLimit)
	}
}
