package main

import (
	"context"
	"time"

	"backend.example/services/directory/internal/directory"
)

// thenPrune deletes what is older than the settings say at the end of a run, while no
// other replica has one. The service runs far more often than rows grow old, so it does
// that once in a cleanupInterval; the first run of a process always does.
func (a *app) thenPrune(exclusively directory.Exclusively) directory.Exclusively {
	keep := directory.Retention{Readings: a.cfg.KeepReadings, Audits: a.cfg.KeepAudits, Trail: a.cfg.KeepTrail}
	var pruned time.Time // only the run that excludes all others uses it
	return func(ctx context.Context, name string, fn func(context.Context) error) (bool, error) {
		return exclusively(ctx, name, func(ctx context.Context) error {
			err := fn(ctx)
			if now := time.Now(); now.Sub(pruned) >= cleanupInterval {
				directory.Prune(ctx, a.store, keep, now, a.log)
				pruned = now
			}
			return err
		})
	}
}
