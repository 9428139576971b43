package memory_test

import (
	"math"
	"runtime/debug"
	"testing"

	"backend.example/services/internal/kit/memory"
)

func TestTuneKeepsWhatTheOperatorHasSet(t *testing.T) {
	const gogc, memoryLimit = 800, 200 << 20 // the service's own defaults
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	for _, tt := range []struct {
		name                 string
		percent, wantPercent int
		limit, wantLimit     int64
	}{
		{"nothing is set", 100, gogc, math.MaxInt64, memoryLimit},
		{"the operator has set both", 50, 50, 1 << 30, 1 << 30},
	} {
		debug.SetGCPercent(tt.percent)
		debug.SetMemoryLimit(tt.limit)
		memory.Tune(gogc, memoryLimit)
		if got := debug.SetGCPercent(100); got != tt.wantPercent {
			t.Errorf("%s: GOGC is %d%%, want %d%%", tt.name, got, tt.wantPercent)
		}
		if got := debug.SetMemoryLimit(-1); got != tt.wantLimit {
			t.Errorf("%s: GOMEMLIMIT is %d bytes, want %d", tt.name, got, tt.wantLimit)
		}
	}
}
