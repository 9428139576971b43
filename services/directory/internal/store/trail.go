package store

import (
	"context"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/trail"
)

// Record adds a line to the audit trail.
func (s *Store) Record(ctx context.Context, e trail.Entry) error {
	return trail.Record(s.Write(ctx), e)
}

func (s *Store) record(tx *gorm.DB, e trail.Entry) error { return trail.Record(tx, e) }

// Trail lists the newest lines that fit, newest first.
func (s *Store) Trail(ctx context.Context, search trail.Search) ([]trail.Entry, error) {
	return trail.Find(ctx, s.DB, search)
}
