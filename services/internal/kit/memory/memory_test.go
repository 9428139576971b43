package memory_test

import (
	"math"
	"runtime/debug"
	"testing"

	"backend.example/services/internal/kit/memory"
)

func TestTune(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	for _, tt := range []struct {
		name                 string
		percent, wantPercent int
		limit, wantLimit     int64
	}{
		{"nothing is set", 100, 800, math.MaxInt64, 200 << 20},
		{"the operator has set both", 50, 50, 1 << 30, 1 << 30},
	} {
		debug.SetGCPercent(tt.percent)
		debug.SetMemoryLimit(tt.limit)
		memory.Tune(800, 200<<20)
		if gotPercent, gotLimit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); gotPercent != tt.wantPercent ||
			gotLimit != tt.wantLimit {
			t.Errorf("%s: %d%% and %d bytes, want %d%% and %d", tt.name, gotPercent, gotLimit, tt.wantPercent,
				tt.wantLimit)
		}
	}
}
