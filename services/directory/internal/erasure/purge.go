package erasure

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
)

// purgeRequest is a row of purges: deleted rows whose bytes are still in the files of the
// database.
type purgeRequest struct {
	ID          int64
	RequestedAt time.Time
}

// TableName implements gorm's schema.Tabler.
func (purgeRequest) TableName() string { return "purges" }

// requestPurge makes a job remove the bytes of what was deleted, which takes long and waits for
// locks.
func (s *Service) requestPurge(tx *gorm.DB) error {
	if err := tx.Create(&purgeRequest{RequestedAt: tx.NowFunc()}).Error; err != nil {
		return err
	}
	return jobs.New(s.Store.DB).Insert(tx, jobs.Purge{})
}

// Purge removes the bytes of what was deleted if that was requested, and reports whether
// it did. If it fails, the request stays.
func (s *Service) Purge(ctx context.Context) (purged bool, err error) {
	var ids []int64
	if err := s.Store.Read(ctx).Model(&purgeRequest{}).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
		return false, err
	}
	if err := s.Store.Purge(ctx); err != nil {
		return false, err
	}
	return true, s.Store.Write(ctx).Where("id IN ?", ids).Delete(&purgeRequest{}).Error
}

// Schedule inserts the jobs of deletions and purges that wait without one.
func (s *Service) Schedule(tx *gorm.DB) error {
	queue, deletions := jobs.New(s.Store.DB), tx.Model(&Deletion{}).Where(waiting).Limit(1)
	err := jobs.EnsureEach(queue, deletions, "code", func(string) river.JobArgs { return jobs.Deletions{} })
	if err != nil {
		return err
	}
	purges := tx.Model(&purgeRequest{}).Limit(1)
	return jobs.EnsureEach(queue, purges, "id", func(int64) river.JobArgs { return jobs.Purge{} })
}

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
		{"performance_days", "day", "day < ?", r.Readings},
		{"metric_days", "day", "day < ?", r.Readings},
	} {
		if kind.keep == 0 {
			continue
		}
		until := any(database.Instant(now.Add(-kind.keep)))
		if kind.dated == "day" {
			until = now.Add(-kind.keep).UTC().Format(time.DateOnly)
		}
		if _, failed := db.DeleteInBatches(ctx, kind.table, kind.dated, kind.condition, until); failed != nil {
			err = errors.Join(err, fmt.Errorf("prune %s: %w", kind.table, failed))
		}
	}
	return err
}
