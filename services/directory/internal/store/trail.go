package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/directory"
)

// entryRow is a line of audit_trail. The database refuses to change or delete one.
type entryRow struct {
	ID        int64
	At        time.Time
	CompanyID int64
	UserID    *int64
	Action    string
	Provider  directory.Provider
	Service   directory.Service
	Detail    string
	RequestID string
}

// TableName implements gorm's schema.Tabler.
func (entryRow) TableName() string { return "audit_trail" }

// Record adds a line to the audit trail.
func (s *Store) Record(ctx context.Context, e directory.Entry) error {
	return failure("record", s.record(s.write.WithContext(ctx), e), nil)
}

func (s *Store) record(tx *gorm.DB, e directory.Entry) error {
	return tx.Create(&entryRow{
		At: s.at(e.At), CompanyID: e.CompanyID, UserID: e.UserID, Action: e.Action, Provider: e.Pair.Provider,
		Service: e.Pair.Service, Detail: e.Detail, RequestID: e.RequestID,
	}).Error
}

// Trail lists the n newest lines about a company, newest first.
func (s *Store) Trail(ctx context.Context, companyID int64, n int) ([]directory.Entry, error) {
	var rows []entryRow
	err := s.read.WithContext(ctx).Where("company_id = ?", companyID).Order("id DESC").Limit(max(n, 0)).Find(&rows).Error
	if err != nil {
		return nil, failure("read trail", err, nil)
	}
	entries := make([]directory.Entry, 0, len(rows))
	for _, row := range rows {
		entries = append(entries, directory.Entry{
			At: row.At.UTC(), CompanyID: row.CompanyID, UserID: row.UserID, Action: row.Action,
			Pair: directory.Pair{Provider: row.Provider, Service: row.Service}, Detail: row.Detail, RequestID: row.RequestID,
		})
	}
	return entries, nil
}
