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
		limit, wantLimit     int64
	}{
		{"nothing is set", 100, 400, math.MaxInt64, 80 << 20},
		{"the operator has set both", 50, 50, 200 << 20, 200 << 20},
	}
	for _, test := range tests {
		debug.SetGCPercent(test.percent)
		debug.SetMemoryLimit(test.limit)
		tuneGarbageCollector()
		if p, l := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); p != test.wantPercent || l != test.wantLimit {
			t.Errorf("%s: %d percent and %d bytes, want %d and %d", test.name, p, l, test.wantPercent, test.wantLimit)
		}
	}
}
