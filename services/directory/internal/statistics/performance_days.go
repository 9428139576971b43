package statistics

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/google"
)

// figuresOfDay is a row of performance_days.
type figuresOfDay struct {
	CompanyID int64  `gorm:"primaryKey;autoIncrement:false"`
	AccountID string `gorm:"primaryKey"`
	google.PerformanceDay
}

// TableName implements gorm's schema.Tabler.
func (figuresOfDay) TableName() string { return "performance_days" }

// saveBatch bounds the values of a statement.
const saveBatch = 200

// savePerformance stores the days of p. Those that are stored already are replaced.
func (s *Service) savePerformance(ctx context.Context, companyID int64, p google.Performance) error {
	rows := make([]figuresOfDay, len(p.Days))
	for i, day := range p.Days {
		rows[i] = figuresOfDay{companyID, p.Location, day}
	}
	return s.db.Transaction(ctx, func(tx *gorm.DB) error {
		return tx.Clauses(clause.OnConflict{UpdateAll: true}).CreateInBatches(rows, saveBatch).Error
	})
}

// days returns the days of a location from first to last, oldest first.
func (s *Service) days(ctx context.Context, companyID int64, location, first,
	last string) (days []google.PerformanceDay, err error) {
	err = s.db.Read(ctx).Model(&figuresOfDay{}).Where("company_id = ? AND account_id = ? AND day BETWEEN ? AND ?",
		companyID, location, first, last).
		Order("day").Find(&days).Error
	return days, err
}
