// Package trail is the audit trail: an append-only table of who did what to which
// connection, company or user. It contains no secrets, and of people only their
// numbers, which are pseudonyms once the person is erased.
package trail

import (
	"context"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
)

// Entry is a line of the trail. The database refuses to change one, except to empty its
// detail, and to delete one of the last 30 days. Its numbers outlive the rows that they
// name.
type Entry struct {
	At          time.Time // the zero time is now
	CompanyID   int64     `gorm:"default:null"` // 0: none
	UserID      *int64    // of the user who acted; nil: Actor, or the service itself
	Actor       string    // who acted at the command line
	AboutUserID int64     `gorm:"default:null"` // the user whom it concerns; 0: none
	// Action is connect, disconnect, select_page, select_location, refresh,
	// reconnect_required, revoke, erase, lose_page, deauthorize, webhook add and the like,
	// or what a command did, as "user set-role".
	Action string
	provider.Pair
	Detail    string
	RequestID string
}

// TableName implements gorm's schema.Tabler.
func (Entry) TableName() string { return "audit_trail" }

// MinRetention is the shortest retention of the trail.
const MinRetention = 31 * 24 * time.Hour

// Search selects lines of the trail. Zero fields do not restrict it, except Limit.
type Search struct {
	CompanyID int64
	UserID    int64 // by or about that user
	Since     time.Time
	Until     time.Time // exclusive
	Offset    int       // of the first line
	Limit     int
}

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
	if !s.Until.IsZero() {
		query = query.Where("at < ?", database.Instant(s.Until))
	}
	var entries []Entry
	err := query.Order("id DESC").Offset(s.Offset).Limit(max(s.Limit, 0)).Find(&entries).Error
	for i := range entries {
		entries[i].At = entries[i].At.UTC()
	}
	return entries, err
}
