// Package history stores what syncs read of an account at a provider: the newest
// reading with all of its data, and a dated count of each for charts.
package history

import (
	"time"

	"backend.example/services/directory/internal/provider"
)

// length is how many readings a chart goes back.
const length = 90

// Reading is the newest reading of a company's service.
type Reading[T any] struct {
	CompanyID int64
	Service   provider.Service
	AccountID string     // at the provider
	Count     int        `gorm:"column:followers"` // followers, or the clicks of a website
	Data      *T         `gorm:"serializer:json"`  // nil if there is no reading yet
	SyncedAt  time.Time  // zero if there is no reading yet
	FailedAt  *time.Time // of the last sync that failed; nil if none did
}

// TableName implements gorm's schema.Tabler.
func (Reading[T]) TableName() string { return "social_statistics" }

// Failure returns when a sync after the reading failed; it is zero if none did.
func (r Reading[T]) Failure() time.Time {
	if r.FailedAt == nil || !r.FailedAt.After(r.SyncedAt) {
		return time.Time{}
	}
	return r.FailedAt.UTC()
}

// point is the dated count of a reading.
type point struct {
	ID        int64
	CompanyID int64
	Service   provider.Service
	AccountID string
	Followers int
	SyncedAt  time.Time
}

// TableName implements gorm's schema.Tabler.
func (point) TableName() string { return "social_statistics_history" }

// Point is the count of one reading.
type Point struct {
	At    time.Time
	Count int
}
