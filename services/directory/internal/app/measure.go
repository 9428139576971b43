package app

import (
	"context"
	"time"

	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
)

// measureInterval is how often the connections are counted.
const measureInterval = time.Minute

// measure counts the connections at once and in each interval, until ctx ends.
func (a *App) measure(ctx context.Context, shown *metrics.Connections) {
	tick := time.NewTicker(measureInterval)
	defer tick.Stop()
	for {
		state, err := a.state(ctx)
		if err == nil {
			shown.Set(state)
		} else if ctx.Err() == nil {
			a.Log.WarnContext(ctx, "connections not counted", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// state counts the connections and the work that waits.
func (a *App) state(ctx context.Context) (s metrics.State, err error) {
	if s.Jobs, err = jobs.New(a.DB).Counts(ctx); err != nil {
		return s, err
	}
	if s.Deliveries, err = a.Webhooks.Waiting(ctx); err != nil {
		return s, err
	}
	if s.Broken, err = a.Store.CountBroken(ctx); err != nil {
		return s, err
	}
	if s.Pauses, err = a.Scan.Pauses(ctx); err != nil {
		return s, err
	}
	if s.Incidents, err = a.Incidents.List(ctx); err != nil {
		return s, err
	}
	s.Revocations = map[provider.Name]metrics.Revocations{}
	for _, name := range provider.Names() {
		n, oldest, err := a.Store.PendingRevocations(ctx, name)
		if err != nil {
			return s, err
		}
		s.Revocations[name] = metrics.Revocations{Pending: n, Oldest: oldest}
	}
	now := a.Now()
	s.Interval = a.cfg.ScanInterval
	if s.Interval > 0 {
		if s.Due, err = a.Scan.Due(ctx, now.Add(-s.Interval)); err != nil {
			return s, err
		}
	}
	if s.Ahead, err = a.Scan.Ahead(ctx, now); err != nil {
		return s, err
	}
	s.Oldest, err = a.Scan.Oldest(ctx, now)
	return s, err
}
