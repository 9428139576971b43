package main

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestTuneGarbageCollector(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	tests := []struct {
		name                 string
		percent, wantPercent int
		processors           int
		limit, wantLimit     int64
	}{
		{"nothing is set", 100, 400, 2, math.MaxInt64, 80 << 20},
		{"nothing is set, and four logins at once", 100, 400, 8, math.MaxInt64, 140 << 20},
		{"the operator has set both", 50, 50, 8, 200 << 20, 200 << 20},
	}
	for _, test := range tests {
		debug.SetGCPercent(test.percent)
		debug.SetMemoryLimit(test.limit)
		tuneGarbageCollector(concurrentHashes(test.processors))
		if p, l := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); p != test.wantPercent || l != test.wantLimit {
			t.Errorf("%s: %d percent and %d bytes, want %d and %d", test.name, p, l, test.wantPercent, test.wantLimit)
		}
	}
}
