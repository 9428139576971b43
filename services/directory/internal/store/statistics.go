package store

import (
	"context"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
)

// statisticsRow is the current reading of a service of a company.
type statisticsRow struct {
	CompanyID int64             `gorm:"primaryKey;autoIncrement:false"`
	Service   directory.Service `gorm:"primaryKey"`
	AccountID string
	Followers int
	Data      string
	SyncedAt  time.Time
	FailedAt  *time.Time
}

// TableName implements gorm's schema.Tabler.
func (statisticsRow) TableName() string { return "social_statistics" }

// pastStatisticsRow is what charts want of a dated reading.
type pastStatisticsRow struct {
	ID        int64
	CompanyID int64
	Service   directory.Service
	AccountID string
	Followers int
	SyncedAt  time.Time
}

// TableName implements gorm's schema.Tabler.
func (pastStatisticsRow) TableName() string { return "social_statistics_history" }

// SaveStatistics adds a dated reading; it becomes the current one unless that is
// younger.
func (s *Store) SaveStatistics(ctx context.Context, reading directory.Statistics) error {
	data, err := encodeReading(reading)
	if err != nil {
		return failure("save statistics", err, nil)
	}
	row := statisticsRow{
		CompanyID: reading.CompanyID, Service: reading.Service, AccountID: reading.AccountID, Followers: reading.Followers,
		Data: data, SyncedAt: s.At(reading.SyncedAt),
	}
	past := pastStatisticsRow{
		CompanyID: row.CompanyID, Service: row.Service, AccountID: row.AccountID, Followers: row.Followers,
		SyncedAt: row.SyncedAt,
	}
	err = s.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&past).Error; err != nil {
			return err
		}
		return tx.Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "company_id"}, {Name: "service"}},
			DoUpdates: clause.AssignmentColumns([]string{"account_id", "followers", "data", "synced_at"}),
			Where:     clause.Where{Exprs: []clause.Expression{gorm.Expr("social_statistics.synced_at <= excluded.synced_at")}},
		}).Create(&row).Error
	})
	return failure("save statistics", err, nil)
}

// NoteFailedSync keeps when a sync failed. Without a reading there is nothing to keep it with.
func (s *Store) NoteFailedSync(ctx context.Context, companyID int64, service directory.Service, at time.Time) error {
	err := s.Write(ctx).Model(&statisticsRow{}).Where("company_id = ? AND service = ?", companyID, service).
		UpdateColumn("failed_at", database.Instant(at)).Error
	return failure("note failed sync", err, nil)
}

// LatestStatistics returns the current reading, or the fault no_statistics.
func (s *Store) LatestStatistics(ctx context.Context, companyID int64, service directory.Service) (directory.Statistics, error) {
	var row statisticsRow
	query := s.Read(ctx).Where("company_id = ? AND service = ?", companyID, service)
	if err := query.Take(&row).Error; err != nil {
		return directory.Statistics{}, failure("read statistics", err, directory.CodeNoStatistics.Fault())
	}
	reading := directory.Statistics{
		CompanyID: row.CompanyID, Service: row.Service, AccountID: row.AccountID, Followers: row.Followers, SyncedAt: row.SyncedAt.UTC(),
	}
	if row.FailedAt != nil && row.FailedAt.After(row.SyncedAt) {
		reading.FailedAt = row.FailedAt.UTC()
	}
	return reading, failure("read statistics", decodeReading(&reading, row.Data), nil)
}

// StatisticsHistory lists the n newest readings, newest first, without their data.
func (s *Store) StatisticsHistory(ctx context.Context, companyID int64, service directory.Service, n int) ([]directory.Statistics, error) {
	var rows []pastStatisticsRow
	err := s.Read(ctx).Where("company_id = ? AND service = ?", companyID, service).
		Order("synced_at DESC, id DESC").Limit(max(n, 0)).Find(&rows).Error
	if err != nil {
		return nil, failure("list statistics", err, nil)
	}
	readings := make([]directory.Statistics, 0, len(rows))
	for _, row := range rows {
		readings = append(readings, directory.Statistics{
			CompanyID: row.CompanyID, Service: row.Service, AccountID: row.AccountID, Followers: row.Followers, SyncedAt: row.SyncedAt.UTC(),
		})
	}
	return readings, nil
}
