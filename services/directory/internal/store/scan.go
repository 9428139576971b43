package store

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/directory"
)

// providerStopRow makes scans leave a whole provider alone.
type providerStopRow struct {
	Provider     directory.Provider `gorm:"primaryKey"`
	StoppedUntil time.Time
}

// TableName implements gorm's schema.Tabler.
func (providerStopRow) TableName() string { return "provider_stops" }

// scanColumns are the columns of oauth_tokens that hold the order of a task and its
// stops. No other write touches them.
type scanColumns struct{ scannedAt, stoppedUntil string }

var scanColumnsOf = map[directory.ScanTask]scanColumns{
	directory.ScanRenewal: {"renewal_scanned_at", "renewal_stopped_until"},
	directory.ScanSync:    {"sync_scanned_at", "sync_stopped_until"},
}

// NextToScan lists the next n active connections behind a position whose task was last
// done before a time, those that were done longest ago first. It leaves out what a stop
// concerns at now.
func (s *Store) NextToScan(ctx context.Context, t directory.ScanTask, before, now time.Time, after directory.ScanPosition, n int,
) ([]directory.ScanItem, error) {
	column := scanColumnsOf[t]
	var rows []struct {
		ID        int64
		CompanyID int64
		Provider  directory.Provider
		Service   directory.Service
		At        time.Time
	}
	err := s.Read(ctx).Model(&connectionRow{}).
		Select("id, company_id, provider, service, "+column.scannedAt+" AS at").
		Where("is_active AND "+column.scannedAt+" < ?", database.Instant(before)).
		Where("("+column.scannedAt+", id) > (?, ?)", database.Instant(after.At), after.ID).
		Where(column.stoppedUntil+" <= ?", database.Instant(now)).
		Where("NOT EXISTS (SELECT 1 FROM provider_stops s WHERE s.provider = oauth_tokens.provider AND s.stopped_until > ?)", database.Instant(now)).
		Order(column.scannedAt + ", id").Limit(max(n, 0)).Scan(&rows).Error
	items := make([]directory.ScanItem, 0, len(rows))
	for _, row := range rows {
		items = append(items, directory.ScanItem{
			ScanPosition: directory.ScanPosition{At: row.At.UTC(), ID: row.ID}, CompanyID: row.CompanyID,
			Pair: directory.Pair{Provider: row.Provider, Service: row.Service},
		})
	}
	return items, failure("list connections to scan", err, nil)
}

// CountToScan counts the active connections whose task was last done before a time.
func (s *Store) CountToScan(ctx context.Context, t directory.ScanTask, before time.Time) (int, error) {
	var n int64
	err := s.Read(ctx).Model(&connectionRow{}).
		Where("is_active AND "+scanColumnsOf[t].scannedAt+" < ?", database.Instant(before)).Count(&n).Error
	return int(n), failure("count connections to scan", err, nil)
}

// MarkScanned notes that a task was done.
func (s *Store) MarkScanned(ctx context.Context, t directory.ScanTask, connectionID int64, at time.Time) error {
	err := s.Write(ctx).Model(&connectionRow{}).Where("id = ?", connectionID).
		UpdateColumn(scanColumnsOf[t].scannedAt, database.Instant(at)).Error
	return failure("note scan", err, nil)
}

// StopScan keeps a stop. One that is over has no effect, and stays until the next one.
func (s *Store) StopScan(ctx context.Context, stop directory.ScanStop) error {
	if stop.Whole {
		row := providerStopRow{Provider: stop.Provider, StoppedUntil: database.Instant(stop.Until)}
		return failure("stop provider", s.Write(ctx).Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "provider"}}, DoUpdates: clause.AssignmentColumns([]string{"stopped_until"}),
		}).Create(&row).Error, nil)
	}
	concerned := s.Write(ctx).Model(&connectionRow{})
	if stop.UserID == "" {
		concerned = concerned.Where("id = ?", stop.ConnectionID)
	} else {
		concerned = concerned.Where("provider_user_id <> '' AND provider_user_id = ? AND provider = ?", stop.UserID, stop.Provider)
		if stop.AccountID != "" {
			concerned = concerned.Where("account_id = ?", stop.AccountID)
		}
	}
	return failure("stop scan", concerned.UpdateColumn(scanColumnsOf[stop.Task].stoppedUntil, database.Instant(stop.Until)).Error, nil)
}

// OldestScan is when the connection whose syncs were done longest before now had them,
// or was connected if it never had. It is zero where nothing is connected.
func (s *Store) OldestScan(ctx context.Context, now time.Time) (time.Time, error) {
	var rows []struct{ SyncScannedAt, CreatedAt time.Time }
	err := s.Read(ctx).Model(&connectionRow{}).Select("sync_scanned_at, created_at").
		Where("is_active AND sync_scanned_at <= ?", database.Instant(now)).Order("sync_scanned_at, id").Limit(1).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return time.Time{}, failure("look for the oldest scan", err, nil)
	}
	if rows[0].CreatedAt.After(rows[0].SyncScannedAt) {
		return rows[0].CreatedAt.UTC(), nil
	}
	return rows[0].SyncScannedAt.UTC(), nil
}

// CountBroken counts, of each pair that has any, the active connections whose credential
// is lost until their user connects again. Those that lack a permission or their choice
// are not among them.
func (s *Store) CountBroken(ctx context.Context) (map[directory.Pair]int, error) {
	var rows []struct {
		Provider directory.Provider
		Service  directory.Service
		Broken   int
	}
	err := s.Read(ctx).Model(&connectionRow{}).Select("provider, service, COUNT(*) AS broken").
		Where("is_active AND reconnect_reason <> ''").Group("provider, service").Scan(&rows).Error
	counts := map[directory.Pair]int{}
	for _, row := range rows {
		counts[directory.Pair{Provider: row.Provider, Service: row.Service}] = row.Broken
	}
	return counts, failure("count broken connections", err, nil)
}
