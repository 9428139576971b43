package directory

import (
	"context"
	"log/slog"
	"time"
)

// Retention says how long what is dated is kept; 0 is for ever.
type Retention struct {
	Readings time.Duration // of statistics; the current one is kept
	Audits   time.Duration // the newest of each company is kept
	Trail    time.Duration
}

// RetentionStore deletes at most n old rows at a time, and returns how many it has.
type RetentionStore interface {
	DeleteReadingsBefore(ctx context.Context, t time.Time, n int) (int64, error)
	DeleteAuditsBefore(ctx context.Context, t time.Time, n int) (int64, error)
	DeleteTrailBefore(ctx context.Context, t time.Time, n int) (int64, error)
}

// pruneBatch bounds a deletion, so that it never locks out others for long.
const pruneBatch = 1000

// Prune deletes what is older than r says, in batches. What fails is logged: a later
// run does it.
func Prune(ctx context.Context, store RetentionStore, r Retention, now time.Time, log *slog.Logger) {
	for _, kind := range []struct {
		name   string
		keep   time.Duration
		remove func(context.Context, time.Time, int) (int64, error)
	}{
		{"readings", r.Readings, store.DeleteReadingsBefore},
		{"audits", r.Audits, store.DeleteAuditsBefore},
		{"trail", r.Trail, store.DeleteTrailBefore},
	} {
		if kind.keep == 0 {
			continue
		}
		for {
			n, err := kind.remove(ctx, now.Add(-kind.keep), pruneBatch)
			if err != nil {
				log.WarnContext(ctx, "old rows not deleted", "what", kind.name, "error", err)
			}
			if err != nil || n < pruneBatch {
				break
			}
		}
	}
}
