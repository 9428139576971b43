package telemetry

import (
	"log/slog"
	"sync"
	"time"
)

// reportEvery is the shortest time between two lines about failures of tracing.
const reportEvery = time.Minute

// reporter logs failures of tracing, but not all of them: while a collector is away,
// every batch fails.
type reporter struct {
	log     *slog.Logger
	mu      sync.Mutex
	last    time.Time
	skipped int // errors since the last line
}

// Handle implements otel.ErrorHandler.
func (r *reporter) Handle(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() && time.Since(r.last) < reportEvery {
		r.skipped++
		return
	}
	r.log.Warn("tracing", "error", err, "not_logged", r.skipped)
	r.last, r.skipped = time.Now(), 0
}
