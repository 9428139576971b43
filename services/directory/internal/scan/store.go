package scan

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
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

const (
	// claimLength is longer than the work on a connection may take, with a renewal of its
	// credential, which is finished once it has begun. The claim of a killed run expires then.
	claimLength = timeLimit + time.Minute
	// clockTolerance is how much the clocks of two replicas may differ.
	clockTolerance = time.Minute
)

// queue stores when each connection was scanned, and what is paused. A test of the
// schedule replaces it by one in memory, for the clock of the test.
type queue interface {
	// next lists up to n active connections after a position whose task was last done
	// before a time, without those that are paused at now.
	next(ctx context.Context, t Task, before, now time.Time, after position, n int) ([]item, error)
	// count counts the same from the beginning, including those that are paused.
	count(ctx context.Context, t Task, before time.Time) (int, error)
	// resetAhead makes due what was done in the future of now, when a clock was ahead, and
	// counts it.
	resetAhead(ctx context.Context, t Task, now time.Time) (int64, error)
	// claim reserves an item until a time. It reports false if another run has claimed it,
	// or done it since it was listed.
	claim(ctx context.Context, t Task, i item, now, until time.Time) (bool, error)
	// release ends the claim that holds until a time. done, unless it is nil, is when the
	// task was done. Nothing is written if another run has claimed the item meanwhile.
	release(ctx context.Context, t Task, i item, until time.Time, done *time.Time) error
	// lastPause returns how long what p concerns was paused since its last success, and the
	// end of the last pause.
	lastPause(ctx context.Context, p pause) (total time.Duration, until time.Time, err error)
	// resume forgets the pause of a whole provider or service if it is over at now.
	resume(ctx context.Context, key string, now time.Time) (ended bool, err error)
	// pause stores a pause. One that is over has no effect.
	pause(ctx context.Context, p pause) error
}

// queries is the queue in the database: columns of oauth_tokens, which no other statement
// writes, and the table provider_stops.
type queries struct{ db *database.DB }

// columns are those of a task.
type columns struct{ scannedAt, claimedUntil, pausedUntil, pausedSeconds string }

var columnsOf = map[Task]columns{
	Renewal: {"renewal_scanned_at", "renewal_claimed_until", "renewal_stopped_until", "renewal_stopped_seconds"},
	Sync:    {"sync_scanned_at", "sync_claimed_until", "sync_stopped_until", "sync_stopped_seconds"},
}

// longAgo is the value of the columns before they are written.
var longAgo = time.Unix(0, 0).UTC()

// everPaused is the condition that a connection was ever paused, of the indexes of the pauses.
const everPaused = " > '1970-01-01 00:00:00+00:00' AND "

// unclaimed restricts a query to what no run works on at now. A claim that is longer than
// any is of a clock that was ahead.
func (c columns) unclaimed(query *gorm.DB, now time.Time) *gorm.DB {
	return query.Where("("+c.claimedUntil+" <= ? OR "+c.claimedUntil+" > ?)",
		database.Instant(now), database.Instant(now.Add(claimLength+clockTolerance)))
}

// stopOf joins the pauses of providers, and those of services, which are stored under the
// name of the pair, with what they concern.
var stopOf = map[Task]string{
	Renewal: "s.provider = oauth_tokens.provider",
	Sync:    "s.provider IN (oauth_tokens.provider, oauth_tokens.provider || '/' || oauth_tokens.service)",
}

// noIncident leaves out what an app-wide failure pauses.
const noIncident = `NOT EXISTS (SELECT 1 FROM provider_incidents i WHERE i.provider = oauth_tokens.provider
	AND i.paused_until > ? AND
	(i.whole OR i.service = oauth_tokens.service OR i.kind = 'renewal' AND ?))`

func (s queries) next(ctx context.Context, t Task, before, now time.Time, after position, n int) (items []item,
	err error) {
	column := columnsOf[t]
	var rows []struct {
		ID, CompanyID int64
		Provider      provider.Name
		Service       provider.Service
		At            time.Time
	}
	err = column.unclaimed(s.db.Read(ctx), now).Table("oauth_tokens").
		Select("id, company_id, provider, service, "+column.scannedAt+" AS at").
		Where("is_active AND "+column.scannedAt+" < ?", database.Instant(before)).
		Where("("+column.scannedAt+", id) > (?, ?)", database.Instant(after.At), after.ID).
		Where(column.pausedUntil+" <= ?", database.Instant(now)).
		Where("NOT EXISTS (SELECT 1 FROM provider_stops s WHERE "+stopOf[t]+" AND s.stopped_until > ?)",
			database.Instant(now)).
		Where(noIncident, database.Instant(now), t == Renewal).
		Order(column.scannedAt + ", id").Limit(max(n, 0)).Scan(&rows).Error
	for _, r := range rows {
		items = append(
			items,
			item{position{r.At.UTC(), r.ID}, r.CompanyID, provider.Pair{Provider: r.Provider, Service: r.Service}},
		)
	}
	return items, err
}

func (s queries) count(ctx context.Context, t Task, before time.Time) (int, error) {
	var n int64
	err := s.db.Read(ctx).Table("oauth_tokens").
		Where("is_active AND "+columnsOf[t].scannedAt+" < ?", database.Instant(before)).Count(&n).Error
	return int(n), err
}

func (s queries) resetAhead(ctx context.Context, t Task, now time.Time) (int64, error) {
	column := columnsOf[t].scannedAt
	result := s.db.Write(ctx).Table("oauth_tokens").
		Where("is_active AND "+column+" > ?", database.Instant(now.Add(clockTolerance))).
		UpdateColumn(column, longAgo)
	return result.RowsAffected, result.Error
}

func (s queries) claim(ctx context.Context, t Task, i item, now, until time.Time) (bool, error) {
	column := columnsOf[t]
	result := column.unclaimed(s.db.Write(ctx), now).Table("oauth_tokens").
		Where("id = ? AND "+column.scannedAt+" = ?", i.ID, database.Instant(i.At)).
		UpdateColumn(column.claimedUntil, database.Instant(until))
	return result.RowsAffected == 1, result.Error
}

func (s queries) release(ctx context.Context, t Task, i item, until time.Time, done *time.Time) error {
	column := columnsOf[t]
	changes := map[string]any{column.claimedUntil: longAgo}
	if done != nil {
		changes[column.scannedAt] = database.Instant(*done)
		changes[column.pausedSeconds] = 0
	}
	return s.db.Write(ctx).Table("oauth_tokens").
		Where("id = ? AND "+column.claimedUntil+" = ?", i.ID, database.Instant(until)).UpdateColumns(changes).Error
}

// connections selects what p concerns.
func (p pause) connections(query *gorm.DB) *gorm.DB {
	query = query.Table("oauth_tokens")
	if p.personID == "" {
		return query.Where("id = ?", p.connectionID)
	}
	query = query.Where("provider_user_id <> '' AND provider_user_id = ? AND provider = ?", p.personID, p.provider)
	if p.accountID != "" {
		query = query.Where("account_id = ?", p.accountID)
	}
	return query
}

func (s queries) lastPause(ctx context.Context, p pause) (time.Duration, time.Time, error) {
	var last []struct {
		Seconds int64
		Until   time.Time
	}
	var err error
	if p.whole {
		err = s.db.Read(ctx).Table("provider_stops").Select("stopped_seconds AS seconds, stopped_until AS until").
			Where("provider = ?", p.key()).Scan(&last).Error
	} else {
		column := columnsOf[p.task]
		err = p.connections(s.db.Read(ctx)).Select(column.pausedSeconds+" AS seconds, "+column.pausedUntil+" AS until").
			Where("id = ?", p.connectionID).Scan(&last).Error
	}
	if err != nil || len(last) == 0 {
		return 0, time.Time{}, err
	}
	return time.Duration(last[0].Seconds) * time.Second, last[0].Until, nil
}

func (s queries) resume(ctx context.Context, key string, now time.Time) (bool, error) {
	result := s.db.Write(ctx).Exec("DELETE FROM provider_stops WHERE provider = ? AND stopped_until <= ?", key,
		database.Instant(now))
	return result.RowsAffected > 0, result.Error
}

func (s queries) pause(ctx context.Context, p pause) error {
	until, seconds := database.Instant(p.until), int64(p.total/time.Second)
	if p.whole {
		row := map[string]any{"provider": p.key(), "stopped_until": until, "stopped_seconds": seconds}
		return s.db.Write(ctx).Table("provider_stops").Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "provider"}},
			DoUpdates: clause.AssignmentColumns([]string{"stopped_until", "stopped_seconds"}),
		}).Create(row).Error
	}
	column := columnsOf[p.task]
	return p.connections(s.db.Write(ctx)).
		UpdateColumns(map[string]any{column.pausedUntil: until, column.pausedSeconds: seconds}).Error
}

// Due counts the connections that were not synced since a time.
func (s *Service) Due(ctx context.Context, since time.Time) (int, error) {
	return s.queue.count(ctx, Sync, since)
}

// Ahead counts the connections that were synced in the future of now, when a clock was
// ahead. The next run makes them due.
func (s *Service) Ahead(ctx context.Context, now time.Time) (int, error) {
	var n int64
	err := s.DB.Read(ctx).Table("oauth_tokens").
		Where("is_active AND sync_scanned_at > ?", database.Instant(now.Add(clockTolerance))).Count(&n).Error
	return int(n), err
}

// Oldest returns when the least recently synced connection was synced before now, or
// connected if it never was. It is zero if nothing is connected.
func (s *Service) Oldest(ctx context.Context, now time.Time) (time.Time, error) {
	var rows []struct{ SyncScannedAt, CreatedAt time.Time }
	err := s.DB.Read(ctx).Table("oauth_tokens").Select("sync_scanned_at, created_at").
		Where("is_active AND sync_scanned_at <= ?", database.Instant(now)).Order("sync_scanned_at, id").Limit(1).
		Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return time.Time{}, err
	}
	if rows[0].CreatedAt.After(rows[0].SyncScannedAt) {
		return rows[0].CreatedAt.UTC(), nil
	}
	return rows[0].SyncScannedAt.UTC(), nil
}

// Pauses lists the pauses at this moment, those of providers and services first.
func (s *Service) Pauses(ctx context.Context) (list []Pause, err error) {
	now := database.Instant(s.Now())
	err = s.DB.Read(ctx).Table("provider_stops").Select("provider, stopped_until AS until").
		Where("stopped_until > ?", now).Order("provider").Scan(&list).Error
	for i, p := range list {
		name, service, _ := strings.Cut(string(p.Provider), "/")
		list[i].Provider, list[i].Service = provider.Name(name), provider.Service(service)
	}
	if err == nil {
		var paused []Pause
		err = s.DB.Read(ctx).Table("provider_incidents").
			Select("provider, CASE WHEN whole THEN '' ELSE service END AS service, "+
				"CASE WHEN kind = ? AND NOT whole THEN ? ELSE '' END AS task, paused_until AS until", incident.Renewal,
				Renewal.String()).
			Where("paused_until > ?", now).Order("provider, service, kind").Scan(&paused).Error
		list = append(list, paused...)
	}
	for _, t := range []Task{Renewal, Sync} {
		if err != nil {
			return nil, err
		}
		var paused []Pause
		column := columnsOf[t].pausedUntil
		err = s.DB.Read(ctx).Table("oauth_tokens").Select("provider, service, company_id, "+column+" AS until").
			Where("is_active AND "+column+everPaused+column+" > ?", now).Order("company_id, id").Scan(&paused).Error
		for _, p := range paused {
			p.Task = t.String()
			list = append(list, p)
		}
	}
	return list, err
}

// Lift ends all pauses at a provider, and returns their number.
func (s *Service) Lift(ctx context.Context, by trail.Entry, p provider.Name) (n int64, err error) {
	now := database.Instant(s.Now())
	err = s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		for _, place := range [][2]string{
			{"provider_stops", "stopped_until"}, {"provider_incidents", "paused_until"},
			{"oauth_tokens", columnsOf[Renewal].pausedUntil}, {"oauth_tokens", columnsOf[Sync].pausedUntil},
		} {
			table, column := place[0], place[1]
			result := tx.Table(table).Where("(provider = ? OR provider LIKE ?) AND "+column+everPaused+column+" > ?", p,
				p+"/%", now).UpdateColumn(column, longAgo)
			if result.Error != nil {
				return result.Error
			}
			n += result.RowsAffected
		}
		if n == 0 {
			return nil
		}
		by.Action, by.Pair.Provider = "pause lift", p
		return trail.Record(tx, by)
	})
	if err == nil && n > 0 {
		s.Log.InfoContext(ctx, "pauses lifted", "provider", p, "pauses", n)
	}
	return n, err
}
