package telemetry

import (
	"log/slog"
	"sync"
	"time"
)

// reportEvery is the shortest time between two lines about tracing that goes wrong.
const reportEvery = time.Minute

// reporter logs what goes wrong with tracing, seldom: a collector that is away
// fails every batch.
type reporter struct {
	log    *slog.Logger
	mu     sync.Mutex
	last   time.Time
	hidden int // errors since the last line
}

// Handle implements otel.ErrorHandler.
func (r *reporter) Handle(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.last.IsZero() && time.Since(r.last) < reportEvery {
		r.hidden++
		return
	}
	r.log.Warn("tracing", "error", err, "not_logged", r.hidden)
	r.last, r.hidden = time.Now(), 0
}
