package store

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
)

// deletionRow is a line of data_deletions. It does not say whose data they were.
type deletionRow struct {
	Code        string
	RequestedAt time.Time
	DeletedAt   time.Time
}

// TableName implements gorm's schema.Tabler.
func (deletionRow) TableName() string { return "data_deletions" }

// SaveDeletion keeps a deletion, unless it is kept already.
func (s *Store) SaveDeletion(ctx context.Context, d directory.Deletion) error {
	row := deletionRow{Code: d.Code, RequestedAt: database.Instant(d.RequestedAt), DeletedAt: database.Instant(d.DeletedAt)}
	return failure("save deletion", s.Write(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error, nil)
}

// Deletion returns the deletion of a code, or the fault no_deletion.
func (s *Store) Deletion(ctx context.Context, code string) (directory.Deletion, error) {
	var row deletionRow
	if err := s.Read(ctx).Where("code = ?", code).Take(&row).Error; err != nil {
		return directory.Deletion{}, failure("read deletion", err, directory.CodeNoDeletion.Fault())
	}
	return directory.Deletion{Code: row.Code, RequestedAt: row.RequestedAt.UTC(), DeletedAt: row.DeletedAt.UTC()}, nil
}
