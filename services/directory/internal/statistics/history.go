package statistics

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
)

// chartReadings is how many readings a chart goes back.
const chartReadings = 90

// Reading is the newest reading of a company's service.
type Reading[T any] struct {
	CompanyID int64
	Service   provider.Service
	AccountID string
	Count     int       `gorm:"column:followers"` // followers, or the clicks of a website
	Data      *T        `gorm:"serializer:json"`  // nil if there is no reading yet
	SyncedAt  time.Time // zero if there is no reading yet
	Days      meta.Days `gorm:"-"` // only for Save: the figures by day
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

// metricDay is a row of metric_days.
type metricDay struct {
	CompanyID int64            `gorm:"primaryKey;autoIncrement:false"`
	Service   provider.Service `gorm:"primaryKey"`
	AccountID string           `gorm:"primaryKey"`
	Metric    string           `gorm:"primaryKey"`
	Day       string           `gorm:"primaryKey"`
	Value     int64
}

// TableName implements gorm's schema.Tabler.
func (metricDay) TableName() string { return "metric_days" }

// Save adds a dated count and the figures by day, and makes r the newest reading unless there
// is a newer one. Figures of a day that are stored already are replaced.
func Save[T any](ctx context.Context, db *database.DB, r Reading[T]) error {
	var days []metricDay
	for _, metric := range slices.Sorted(maps.Keys(r.Days)) { // in one order, against deadlocks
		for _, day := range slices.Sorted(maps.Keys(r.Days[metric])) {
			value := int64(math.Round(r.Days[metric][day]))
			days = append(days, metricDay{r.CompanyID, r.Service, r.AccountID, metric, day, value})
		}
	}
	return save(ctx, db, r, days)
}

const saveBatch = 200

func save[T, Day any](ctx context.Context, db *database.DB, r Reading[T], days []Day) error {
	r.SyncedAt = database.Instant(r.SyncedAt)
	dated := point{CompanyID: r.CompanyID, Service: r.Service, AccountID: r.AccountID, Followers: r.Count,
		SyncedAt: r.SyncedAt}
	return db.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&dated).Error; err != nil {
			return err
		}
		if err := tx.Clauses(clause.OnConflict{UpdateAll: true}).CreateInBatches(days, saveBatch).Error; err != nil {
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

// Read returns the newest reading and the counts of its account, oldest first.
func Read[T any](ctx context.Context, db *database.DB, companyID int64, s provider.Service) (Reading[T], []Point,
	error) {
	r, err := Latest[T](ctx, db, companyID, s)
	if err != nil || r.Data == nil {
		return r, nil, err
	}
	var rows []point
	err = of(db.Read(ctx), companyID, s).Order("synced_at DESC, id DESC").Limit(chartReadings).Find(&rows).Error
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

// Days returns the figures of each metric of an account from first to last, oldest first.
func (s *Service) Days(ctx context.Context, companyID int64, service provider.Service, account string, first,
	last time.Time) (map[string][]Point, error) {
	var rows []metricDay
	err := of(s.db.Read(ctx), companyID, service).Where("account_id = ? AND day BETWEEN ? AND ?", account,
		first.Format(time.DateOnly), last.Format(time.DateOnly)).Order("day").Find(&rows).Error
	points := map[string][]Point{}
	for _, row := range rows {
		points[row.Metric] = appendDay(points[row.Metric], row.Day, int(row.Value))
	}
	return points, err
}

// appendDay adds a point, unless day is not written as 2026-11-20.
func appendDay(points []Point, day string, count int) []Point {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return points
	}
	return append(points, Point{At: at, Count: count})
}
