package main

import (
	"context"
	"time"
)

const (
	cleanupInterval = time.Hour
	// limitRetention is longer than the longest window of a limit.
	limitRetention = 8 * 24 * time.Hour
)

// cleanUp deletes expired sessions and limit entries in each interval, until ctx
// ends.
func (a *app) cleanUp(ctx context.Context, interval time.Duration) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := a.sessions.Sweep(ctx); err != nil {
			a.log.WarnContext(ctx, "old sessions not deleted", "error", err)
		}
		if _, err := a.store.DeleteLimitEntriesBefore(ctx, time.Now().Add(-limitRetention)); err != nil {
			a.log.WarnContext(ctx, "old uses of limits not deleted", "error", err)
		}
	}
}
