package trail

import (
	"context"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
)

// Record adds a line in the transaction of what it reports.
func Record(tx *gorm.DB, e Entry) error {
	if e.At.IsZero() {
		e.At = tx.NowFunc()
	}
	e.At = database.Instant(e.At)
	return tx.Create(&e).Error
}

// Find lists the newest lines that match, newest first.
func Find(ctx context.Context, db *database.DB, s Search) ([]Entry, error) {
	query := db.Read(ctx)
	if s.CompanyID != 0 {
		query = query.Where("company_id = ?", s.CompanyID)
	}
	if s.UserID != 0 {
		query = query.Where("(user_id = ? OR about_user_id = ?)", s.UserID, s.UserID)
	}
	if !s.Since.IsZero() {
		query = query.Where("at >= ?", database.Instant(s.Since))
	}
	var entries []Entry
	err := query.Order("id DESC").Limit(max(s.Limit, 0)).Find(&entries).Error
	for i := range entries {
		entries[i].At = entries[i].At.UTC()
	}
	return entries, err
}
