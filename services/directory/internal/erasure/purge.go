package erasure

import (
	"context"
	"time"

	"gorm.io/gorm"

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

// requestPurge makes Purge remove the bytes of what was deleted, in any replica and after
// any restart. A request does not wait for that: it takes long, and waits for locks.
func (s *Service) requestPurge(ctx context.Context) error {
	return s.Store.Transaction(ctx, s.storePurge)
}

func (s *Service) storePurge(tx *gorm.DB) error {
	if err := tx.Create(&purgeRequest{RequestedAt: s.Store.At(s.Now())}).Error; err != nil {
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
	var deletions, purges int64
	if err := tx.Model(&pendingDeletion{}).Count(&deletions).Error; err != nil {
		return err
	}
	if err := tx.Model(&purgeRequest{}).Count(&purges).Error; err != nil {
		return err
	}
	queue := jobs.New(s.Store.DB)
	if deletions > 0 {
		if err := queue.Insert(tx, jobs.Deletions{}); err != nil {
			return err
		}
	}
	if purges > 0 {
		return queue.Insert(tx, jobs.Purge{})
	}
	return nil
}
