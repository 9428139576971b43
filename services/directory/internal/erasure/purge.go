package erasure

import (
	"context"
	"time"
)

const (
	purgeInterval = time.Minute
	purgeTimeout  = 10 * time.Minute
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
	return s.Store.Write(ctx).Create(&purgeRequest{RequestedAt: s.Store.At(s.Now())}).Error
}

// Purge removes the bytes of what was deleted if that was requested, and reports whether
// it did. If it fails, the request stays. One replica at a time does it.
func (s *Service) Purge(ctx context.Context) (purged bool, err error) {
	_, err = s.Store.Exclusively(ctx, "purge", func(ctx context.Context) error {
		var ids []int64
		if err := s.Store.Read(ctx).Model(&purgeRequest{}).Pluck("id", &ids).Error; err != nil || len(ids) == 0 {
			return err
		}
		if err := s.Store.Purge(ctx); err != nil {
			return err
		}
		purged = true
		return s.Store.Write(ctx).Where("id IN ?", ids).Delete(&purgeRequest{}).Error
	})
	return purged, err
}

// Run carries out requested deletions, at once in the replica that got the request, and
// purges, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(purgeInterval)
	defer tick.Stop()
	for {
		limited, cancel := context.WithTimeout(ctx, purgeTimeout)
		if err := s.CarryOut(limited); err != nil && ctx.Err() == nil {
			s.Log.ErrorContext(ctx, "data of a person not deleted; it is tried again", "error", err)
		}
		if _, err := s.Purge(limited); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "deleted bytes not removed; it is tried again", "error", err)
		}
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-s.requested:
		case <-tick.C:
		}
	}
}
