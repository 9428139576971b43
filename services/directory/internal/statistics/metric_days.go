package statistics

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/provider"
)

// DailyFigures are the figures of each metric by the day that they cover, e.g. "2026-11-20".
type DailyFigures map[string]map[string]float64

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

// saveDays stores figures of an account. Those that are stored already are replaced.
func saveDays(tx *gorm.DB, companyID int64, s provider.Service, account string, figures DailyFigures) error {
	var rows []metricDay
	for _, metric := range slices.Sorted(maps.Keys(figures)) { // in one order, against deadlocks
		for _, day := range slices.Sorted(maps.Keys(figures[metric])) {
			value := int64(math.Round(figures[metric][day]))
			rows = append(rows, metricDay{companyID, s, account, metric, day, value})
		}
	}
	return tx.Clauses(clause.OnConflict{UpdateAll: true}).CreateInBatches(rows, saveBatch).Error
}

// Days returns the figures of each metric of an account from first to last, oldest first.
func (s *Service) Days(ctx context.Context, companyID int64, service provider.Service, account string, first,
	last time.Time) (map[string][]Point, error) {
	var rows []metricDay
	err := of(s.db.Read(ctx), companyID, service).Where("account_id = ? AND day BETWEEN ? AND ?", account,
		first.Format(time.DateOnly), last.Format(time.DateOnly)).Order("day").Find(&rows).Error
	points := map[string][]Point{}
	for _, row := range rows {
		if at, err := time.Parse(time.DateOnly, row.Day); err == nil {
			points[row.Metric] = append(points[row.Metric], Point{At: at, Count: int(row.Value)})
		}
	}
	return points, err
}
