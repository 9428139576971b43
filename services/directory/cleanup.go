package main

import (
	"context"
	"time"

	"backend.example/services/directory/internal/limit"
)

const (
	cleanupInterval = time.Hour
	// limitRetention is longer than the longest window of a limit.
	limitRetention = 8 * 24 * time.Hour
	// deliveryRetention is longer than a delivery is tried.
	deliveryRetention = 14 * 24 * time.Hour
)

// cleanUp deletes expired sessions, limit entries and old deliveries in each
// interval, until ctx ends.
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
		if _, err := limit.New(a.store.DB).DeleteBefore(ctx, time.Now().Add(-limitRetention)); err != nil {
			a.log.WarnContext(ctx, "old uses of limits not deleted", "error", err)
		}
		if _, err := a.webhooks.DeleteBefore(ctx, time.Now().Add(-deliveryRetention)); err != nil {
			a.log.WarnContext(ctx, "old deliveries not deleted", "error", err)
		}
	}
}
