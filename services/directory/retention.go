package main

import (
	"context"
	"time"

	"backend.example/services/directory/internal/directory"
)

// thenPrune deletes what is older than the settings say at the end of each run, while
// no other replica has one.
func (a *app) thenPrune(exclusively directory.Exclusively) directory.Exclusively {
	keep := directory.Retention{Readings: a.cfg.KeepReadings, Audits: a.cfg.KeepAudits, Trail: a.cfg.KeepTrail}
	return func(ctx context.Context, name string, fn func(context.Context) error) (bool, error) {
		return exclusively(ctx, name, func(ctx context.Context) error {
			err := fn(ctx)
			directory.Prune(ctx, a.store, keep, time.Now(), a.log)
			return err
		})
	}
}
