package main

import "backend.example/services/internal/kit/memory"

// The settings of the garbage collector where GOGC and GOMEMLIMIT do not set it.
// The service keeps little memory between requests, and the runtime's default
// allows as much garbage as memory is kept. With the default it would collect
// after every few dozen requests.
const garbagePercent = 400

// memoryLimit, in bytes, leaves room for what so many logins at once need, besides
// everything else: with less, the collector takes the processors from them.
func memoryLimit(hashes int) int64 { return 60<<20 + int64(hashes)*20<<20 }

func tuneGarbageCollector(hashes int) { memory.Tune(garbagePercent, memoryLimit(hashes)) }
