package main

import "backend.example/services/internal/kit/memory"

// garbagePercent is chosen by processor time per hit and memory; DECISIONS.md has the
// figures.
const garbagePercent = 200

// memoryLimit, in bytes, is 200 MiB with the default cache. It leaves room for full
// copies of answers and their garbage, in a container of 256 MiB.
func memoryLimit(cacheBytes uint64) int64 {
	return 72<<20 + 4*int64(cacheBytes) // #nosec G115 -- no machine has as much
}

func tuneGarbageCollector(cfg config) { memory.Tune(garbagePercent, memoryLimit(cfg.CacheMaxBytes)) }
