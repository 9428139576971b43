package statistics

import (
	"context"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
)

// length is how many readings a chart goes back.
const length = 90

// Reading is the newest reading of a company's service.
type Reading[T any] struct {
	CompanyID int64
	Service   provider.Service
	AccountID string       // at the provider
	Count     int          `gorm:"column:followers"` // followers, or the clicks of a website
	Data      *T           `gorm:"serializer:json"`  // nil if there is no reading yet
	SyncedAt  time.Time    // zero if there is no reading yet
	Days      DailyFigures `gorm:"-"` // to be saved with the reading
}

// TableName implements gorm's schema.Tabler.
func (Reading[T]) TableName() string { return "social_statistics" }

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

func of(query *gorm.DB, companyID int64, s provider.Service) *gorm.DB {
	return query.Where("company_id = ? AND service = ?", companyID, s)
}

// Save adds a dated count and the figures by day, and makes r the newest reading unless there
// is a newer one.
func Save[T any](ctx context.Context, db *database.DB, r Reading[T]) error {
	r.SyncedAt = database.Instant(r.SyncedAt)
	dated := point{CompanyID: r.CompanyID, Service: r.Service, AccountID: r.AccountID, Followers: r.Count,
		SyncedAt: r.SyncedAt}
	return db.Transaction(ctx, func(tx *gorm.DB) error {
		err := tx.Create(&dated).Error
		if err != nil {
			return err
		}
		if err = saveDays(tx, r.CompanyID, r.Service, r.AccountID, r.Days); err != nil {
			return err
		}
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "company_id"}, {Name: "service"}},
			DoUpdates: clause.AssignmentColumns([]string{"account_id", "followers", "data", "synced_at"}),
			Where: clause.Where{
				Exprs: []clause.Expression{gorm.Expr("social_statistics.synced_at <= excluded.synced_at")},
			},
		}).Create(&r).Error
	})
}

// Latest returns the newest reading; it has no data if there is none.
func Latest[T any](ctx context.Context, db *database.DB, companyID int64, s provider.Service) (r Reading[T],
	err error) {
	err = of(db.Read(ctx), companyID, s).Take(&r).Error
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return Reading[T]{}, nil
	}
	r.SyncedAt = r.SyncedAt.UTC()
	return r, err
}

// Read returns the newest reading and the counts of its account, oldest first. Counts of
// an account that the company had before are left out.
func Read[T any](ctx context.Context, db *database.DB, companyID int64, s provider.Service) (Reading[T], []Point,
	error) {
	r, err := Latest[T](ctx, db, companyID, s)
	if err != nil || r.Data == nil {
		return r, nil, err
	}
	var rows []point
	err = of(db.Read(ctx), companyID, s).Order("synced_at DESC, id DESC").Limit(length).Find(&rows).Error
	if err != nil {
		return Reading[T]{}, nil, err
	}
	var points []Point
	for _, row := range slices.Backward(rows) {
		if row.AccountID == r.AccountID {
			points = append(points, Point{At: row.SyncedAt.UTC(), Count: row.Followers})
		}
	}
	return r, points, nil
}
