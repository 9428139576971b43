package scan

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
)

// position is the place of a connection in the order of a task: the one that was done
// longest ago comes first.
type position struct {
	At time.Time // when the task was last done; long ago if never
	ID int64     // of the connection
}

// item is a connection that is to be scanned.
type item struct {
	position
	CompanyID int64
	provider.Pair
}

// queue stores when each connection was scanned, and what is paused. A test of the
// schedule replaces it by one in memory, which has room for 100,000 connections.
type queue interface {
	// next lists up to n active connections after a position whose task was last done
	// before a time, without those that are paused at now.
	next(ctx context.Context, t Task, before, now time.Time, after position, n int) ([]item, error)
	// count counts the same from the beginning, including those that are paused.
	count(ctx context.Context, t Task, before time.Time) (int, error)
	// mark records that a task was done.
	mark(ctx context.Context, t Task, connectionID int64, at time.Time) error
	// pause stores a pause. One that is over has no effect.
	pause(ctx context.Context, p pause) error
}

// queries is the queue in the database: columns of oauth_tokens, which no other statement
// writes, and the table provider_stops.
type queries struct{ db *database.DB }

// columns are those of a task.
type columns struct{ scannedAt, pausedUntil string }

var columnsOf = map[Task]columns{
	Renewal: {"renewal_scanned_at", "renewal_stopped_until"},
	Sync:    {"sync_scanned_at", "sync_stopped_until"},
}

func (s queries) next(ctx context.Context, t Task, before, now time.Time, after position, n int) (items []item, err error) {
	column := columnsOf[t]
	var rows []struct {
		ID, CompanyID int64
		Provider      provider.Name
		Service       provider.Service
		At            time.Time
	}
	err = s.db.Read(ctx).Table("oauth_tokens").
		Select("id, company_id, provider, service, "+column.scannedAt+" AS at").
		Where("is_active AND "+column.scannedAt+" < ?", database.Instant(before)).
		Where("("+column.scannedAt+", id) > (?, ?)", database.Instant(after.At), after.ID).
		Where(column.pausedUntil+" <= ?", database.Instant(now)).
		Where("NOT EXISTS (SELECT 1 FROM provider_stops s WHERE s.provider = oauth_tokens.provider AND s.stopped_until > ?)", database.Instant(now)).
		Order(column.scannedAt + ", id").Limit(max(n, 0)).Scan(&rows).Error
	for _, r := range rows {
		items = append(items, item{position{r.At.UTC(), r.ID}, r.CompanyID, provider.Pair{Provider: r.Provider, Service: r.Service}})
	}
	return items, err
}

func (s queries) count(ctx context.Context, t Task, before time.Time) (int, error) {
	var n int64
	err := s.db.Read(ctx).Table("oauth_tokens").
		Where("is_active AND "+columnsOf[t].scannedAt+" < ?", database.Instant(before)).Count(&n).Error
	return int(n), err
}

func (s queries) mark(ctx context.Context, t Task, connectionID int64, at time.Time) error {
	return s.db.Write(ctx).Table("oauth_tokens").Where("id = ?", connectionID).
		UpdateColumn(columnsOf[t].scannedAt, database.Instant(at)).Error
}

func (s queries) pause(ctx context.Context, p pause) error {
	if p.whole {
		row := map[string]any{"provider": p.provider, "stopped_until": database.Instant(p.until)}
		return s.db.Write(ctx).Table("provider_stops").Clauses(clause.OnConflict{
			Columns: []clause.Column{{Name: "provider"}}, DoUpdates: clause.AssignmentColumns([]string{"stopped_until"}),
		}).Create(row).Error
	}
	paused := s.db.Write(ctx).Table("oauth_tokens")
	if p.personID == "" {
		paused = paused.Where("id = ?", p.connectionID)
	} else {
		paused = paused.Where("provider_user_id <> '' AND provider_user_id = ? AND provider = ?", p.personID, p.provider)
		if p.accountID != "" {
			paused = paused.Where("account_id = ?", p.accountID)
		}
	}
	return paused.UpdateColumn(columnsOf[p.task].pausedUntil, database.Instant(p.until)).Error
}

// Due counts the connections that were not synced since a time.
func (s *Service) Due(ctx context.Context, since time.Time) (int, error) {
	return s.queue.count(ctx, Sync, since)
}

// Oldest returns when the least recently synced connection was synced before now, or
// connected if it never was. It is zero if nothing is connected.
func (s *Service) Oldest(ctx context.Context, now time.Time) (time.Time, error) {
	var rows []struct{ SyncScannedAt, CreatedAt time.Time }
	err := s.DB.Read(ctx).Table("oauth_tokens").Select("sync_scanned_at, created_at").
		Where("is_active AND sync_scanned_at <= ?", database.Instant(now)).Order("sync_scanned_at, id").Limit(1).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	if rows[0].CreatedAt.After(rows[0].SyncScannedAt) {
		return rows[0].CreatedAt.UTC(), nil
	}
	return rows[0].SyncScannedAt.UTC(), nil
}
