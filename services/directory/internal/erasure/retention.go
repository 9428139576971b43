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

// pruneBatch bounds a deletion, so that it never locks out others for long.
const pruneBatch = 1000

// The statements delete a batch of rows before a time, oldest first.
const (
	pruneReadings = `DELETE FROM social_statistics_history WHERE id IN
		(SELECT id FROM social_statistics_history WHERE synced_at < ? ORDER BY synced_at LIMIT ?)`
	pruneAudits = `DELETE FROM profile_audits WHERE id IN
		(SELECT id FROM profile_audits old WHERE audit_date < ? AND EXISTS
			(SELECT 1 FROM profile_audits newer WHERE newer.company_id = old.company_id AND newer.id > old.id)
		ORDER BY audit_date LIMIT ?)`
	pruneTrail = `DELETE FROM audit_trail WHERE id IN (SELECT id FROM audit_trail WHERE at < ? ORDER BY at LIMIT ?)`
)

// Prune deletes what is older than r says, in batches. A failure of one kind does not keep
// the others; a later run repeats it.
func Prune(ctx context.Context, db *database.DB, r Retention, now time.Time) (err error) {
	for _, kind := range []struct {
		statement string
		keep      time.Duration
	}{{pruneReadings, r.Readings}, {pruneAudits, r.Audits}, {pruneTrail, r.Trail}} {
		if kind.keep != 0 {
			err = errors.Join(err, prune(ctx, db, kind.statement, now.Add(-kind.keep), pruneBatch))
		}
	}
	if r.Readings != 0 {
		_, days := db.DeleteInBatches(ctx, "performance_days", "day < ?", now.Add(-r.Readings).UTC().Format(time.DateOnly))
		err = errors.Join(err, days)
	}
	return err
}

func prune(ctx context.Context, db *database.DB, statement string, before time.Time, batch int) error {
	for {
		result := db.Write(ctx).Exec(statement, database.Instant(before), batch)
		if result.Error != nil {
			return fmt.Errorf("prune: %w", result.Error)
		}
		if result.RowsAffected < int64(batch) {
			return nil
		}
	}
}
