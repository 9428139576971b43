package main

import (
	"context"
	"time"

	"backend.example/services/directory/internal/erasure"
)

// pruner returns a function that deletes what is older than the settings say. A scan calls
// it at its end, under the lock of the scan. Scans run far more often than rows expire, so
// it does that once in a cleanupInterval, and always the first time.
func (a *app) pruner() func(context.Context) {
	keep := erasure.Retention{Readings: a.cfg.KeepReadings, Audits: a.cfg.KeepAudits, Trail: a.cfg.KeepTrail}
	var pruned time.Time // protected by the lock of the scan
	return func(ctx context.Context) {
		if now := time.Now(); now.Sub(pruned) >= cleanupInterval {
			erasure.Prune(ctx, a.store.DB, keep, now, a.log)
			pruned = now
		}
	}
}
