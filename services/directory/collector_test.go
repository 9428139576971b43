package main

import (
	"math"
	"runtime/debug"
	"testing"
)

func TestCollectorObeysTheOperator(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	for _, tt := range []struct {
		percent, wantPercent int
		limit, wantLimit     int64
	}{
		{100, garbagePercent, math.MaxInt64, memoryLimit},
		{50, 50, 200 << 20, 200 << 20},
	} {
		debug.SetGCPercent(tt.percent)
		debug.SetMemoryLimit(tt.limit)
		relaxCollector()
		if p, l := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); p != tt.wantPercent || l != tt.wantLimit {
			t.Errorf("%d and %d became %d and %d", tt.percent, tt.limit, p, l)
		}
	}
}
