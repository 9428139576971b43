package main

import (
	"math"
	"runtime/debug"
	"testing"
)

// TestMemoryOfTheDefaultCache fits the container of the deployments.
func TestMemoryOfTheDefaultCache(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	t.Cleanup(func() { debug.SetGCPercent(percent); debug.SetMemoryLimit(limit) })
	cfg, err := loadConfig(nil)
	if err != nil {
		t.Fatal(err)
	}
	tuneGarbageCollector(cfg)
	if got := debug.SetMemoryLimit(-1); got != 200<<20 || debug.SetGCPercent(100) != garbagePercent {
		t.Errorf("the limit is %d bytes, want 200 MiB, with %d%%", got, garbagePercent)
	}
}
