package erasure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"backend.example/services/directory/internal/database"
)

// Retention is how long dated rows are kept; 0 is for ever.
type Retention struct {
	Readings time.Duration // of statistics; the current one is kept
	Audits   time.Duration // the newest of each company is kept
	Trail    time.Duration // lines of the last 30 days cannot be deleted
}

// Prune deletes what is older than r says, in batches. A failure of one kind does not keep
// the others; a later run repeats it.
func Prune(ctx context.Context, db *database.DB, r Retention, now time.Time) (err error) {
	for _, kind := range []struct {
		table, dated, condition string
		keep                    time.Duration
	}{
		{"social_statistics_history", "synced_at", "synced_at < ?", r.Readings},
		{"profile_audits", "audit_date", "audit_date < ? AND EXISTS (SELECT 1 FROM profile_audits newer WHERE " +
			"newer.company_id = profile_audits.company_id AND newer.id > profile_audits.id)", r.Audits},
		{"audit_trail", "at", "at < ?", r.Trail},
	} {
		if kind.keep == 0 {
			continue
		}
		if _, pruneErr := db.DeleteInBatches(ctx, kind.table, kind.dated, kind.condition,
			database.Instant(now.Add(-kind.keep))); pruneErr != nil {
			err = errors.Join(err, fmt.Errorf("prune %s: %w", kind.table, pruneErr))
		}
	}
	if r.Readings == 0 {
		return err
	}
	first := now.Add(-r.Readings).UTC().Format(time.DateOnly)
	for _, table := range []string{"performance_days", "metric_days"} {
		_, pruneErr := db.DeleteInBatches(ctx, table, "day", "day < ?", first)
		err = errors.Join(err, pruneErr)
	}
	return err
}
