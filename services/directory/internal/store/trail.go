package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
)

// entryRow is a line of audit_trail. The database refuses to change one, except
// to empty its detail, and to delete one of the last 30 days. Its numbers outlive the rows that they name.
type entryRow struct {
	ID          int64
	At          time.Time
	CompanyID   *int64
	UserID      *int64
	Action      string
	Provider    directory.Provider
	Service     directory.Service
	Detail      string
	RequestID   string
	AboutUserID *int64
	Actor       string
}

// TableName implements gorm's schema.Tabler.
func (entryRow) TableName() string { return "audit_trail" }

// Record adds a line to the audit trail.
func (s *Store) Record(ctx context.Context, e directory.Entry) error {
	return failure("record", s.record(s.Write(ctx), e), nil)
}

func (s *Store) record(tx *gorm.DB, e directory.Entry) error {
	return tx.Create(&entryRow{
		At: s.At(e.At), CompanyID: optionalID(e.CompanyID), UserID: e.UserID, Action: e.Action, Provider: e.Pair.Provider,
		Service: e.Pair.Service, Detail: e.Detail, RequestID: e.RequestID, AboutUserID: optionalID(e.AboutUserID), Actor: e.Actor,
	}).Error
}

// Trail lists the newest lines that fit, newest first.
func (s *Store) Trail(ctx context.Context, search directory.TrailSearch) ([]directory.Entry, error) {
	query := s.Read(ctx)
	if search.CompanyID != 0 {
		query = query.Where("company_id = ?", search.CompanyID)
	}
	if search.UserID != 0 {
		query = query.Where("(user_id = ? OR about_user_id = ?)", search.UserID, search.UserID)
	}
	if !search.Since.IsZero() {
		query = query.Where("at >= ?", database.Instant(search.Since))
	}
	var rows []entryRow
	if err := query.Order("id DESC").Limit(max(search.Limit, 0)).Find(&rows).Error; err != nil {
		return nil, failure("read trail", err, nil)
	}
	entries := make([]directory.Entry, 0, len(rows))
	for _, row := range rows {
		entries = append(entries, row.entry())
	}
	return entries, nil
}

func (r *entryRow) entry() directory.Entry {
	return directory.Entry{
		At: r.At.UTC(), CompanyID: idOrNone(r.CompanyID), UserID: r.UserID, Actor: r.Actor, AboutUserID: idOrNone(r.AboutUserID),
		Action: r.Action, Pair: directory.Pair{Provider: r.Provider, Service: r.Service}, Detail: r.Detail, RequestID: r.RequestID,
	}
}
