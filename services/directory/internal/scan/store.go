package scan

import (
	"context"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// position is the place of a connection in the order of a task: the one that was done
// longest ago comes first.
type position struct {
	At        time.Time // when the task was last done; long ago if never
	ID        int64     // of the connection
	CompanyID int64
}

// clockTolerance is how much the clocks of two replicas may differ.
const clockTolerance = time.Minute

// columns are those of a task in oauth_tokens, which no other package writes.
type columns struct{ scannedAt, pausedUntil, pausedSeconds string }

var columnsOf = map[Task]columns{
	Renewal: {"renewal_scanned_at", "renewal_stopped_until", "renewal_stopped_seconds"},
	Sync:    {"sync_scanned_at", "sync_stopped_until", "sync_stopped_seconds"},
}

// longAgo is the value of the columns before they are written.
var longAgo = time.Unix(0, 0).UTC()

// everPaused is the condition that a connection was ever paused, of the indexes of the pauses.
const everPaused = " > '1970-01-01 00:00:00+00:00' AND "

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

// next lists up to n active connections after a position whose task was last done before a
// time, without those that are paused.
func (s *Service) next(ctx context.Context, t Task, before time.Time, after position, n int) (list []position,
	err error) {
	column, now := columnsOf[t], database.Instant(s.Now())
	err = s.DB.Read(ctx).Table("oauth_tokens").Select("id, company_id, "+column.scannedAt+" AS at").
		Where("is_active AND "+column.scannedAt+" < ?", database.Instant(before)).
		Where("("+column.scannedAt+", id) > (?, ?)", database.Instant(after.At), after.ID).
		Where(column.pausedUntil+" <= ?", now).
		Where("NOT EXISTS (SELECT 1 FROM provider_stops s WHERE "+stopOf[t]+" AND s.stopped_until > ?)", now).
		Where(noIncident, now, t == Renewal).
		Order(column.scannedAt + ", id").Limit(n).Scan(&list).Error
	return list, err
}

// state is what a job finds of its connection.
type state struct {
	active bool // the fields below are empty otherwise
	provider.Pair
	CompanyID   int64
	pausedUntil time.Time
	endedPauses []string // keys of the pauses of the provider and its service that are over
}

// stateOf reads the state of a connection for a task.
func (s *Service) stateOf(ctx context.Context, t Task, connectionID int64) (state, error) {
	var rows []struct {
		CompanyID int64
		Provider  provider.Name
		Service   provider.Service
		Until     time.Time
	}
	query := s.DB.Read(ctx).Table("oauth_tokens").Where("id = ? AND is_active", connectionID)
	err := query.Select("company_id, provider, service, " + columnsOf[t].pausedUntil + " AS until").Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return state{}, err
	}
	pair := provider.Pair{Provider: rows[0].Provider, Service: rows[0].Service}
	now := state{active: true, Pair: pair, CompanyID: rows[0].CompanyID, pausedUntil: rows[0].Until}
	keys := []string{string(pair.Provider), pair.String()}
	if t == Renewal { // it uses no API of a service
		keys = keys[:1]
	}
	var stops []struct {
		Provider string
		Until    time.Time
	}
	err = s.DB.Read(ctx).Table("provider_stops").Select("provider, stopped_until AS until").
		Where("provider IN ?", keys).Scan(&stops).Error
	if err != nil {
		return state{}, err
	}
	for _, stop := range stops {
		if stop.Until.After(s.Now()) {
			now.pause(stop.Until)
			continue
		}
		now.endedPauses = append(now.endedPauses, stop.Provider)
	}
	var failures []time.Time
	err = s.DB.Read(ctx).Table("provider_incidents").Where("provider = ?", pair.Provider).
		Where("whole OR service = ? OR kind = 'renewal' AND ?", pair.Service, t == Renewal).
		Pluck("paused_until", &failures).Error
	for _, until := range failures {
		now.pause(until)
	}
	return now, err
}

// pause lengthens the pause.
func (s *state) pause(until time.Time) {
	if until.After(s.pausedUntil) {
		s.pausedUntil = until
	}
}

// countDue counts the active connections whose task was last done before a time, including
// those that are paused.
func (s *Service) countDue(ctx context.Context, t Task, before time.Time) (int, error) {
	var n int64
	err := s.DB.Read(ctx).Table("oauth_tokens").
		Where("is_active AND "+columnsOf[t].scannedAt+" < ?", database.Instant(before)).Count(&n).Error
	return int(n), err
}

// resetAhead makes due what was scanned by a clock that was ahead.
func (s *Service) resetAhead(ctx context.Context, t Task) error {
	column := columnsOf[t].scannedAt
	result := s.DB.Write(ctx).Table("oauth_tokens").
		Where("is_active AND "+column+" > ?", database.Instant(s.Now().Add(clockTolerance))).
		UpdateColumn(column, longAgo)
	if result.RowsAffected > 0 {
		s.Log.WarnContext(ctx, "connections were scanned in the future: they are due now", "connections",
			result.RowsAffected, "task", t.String())
	}
	return result.Error
}

// mark records that a task was done on a connection, which ends its pause.
func (s *Service) mark(tx *gorm.DB, t Task, connectionID int64) error {
	return tx.Table("oauth_tokens").Where("id = ?", connectionID).UpdateColumns(map[string]any{
		columnsOf[t].scannedAt: database.Instant(s.Now()), columnsOf[t].pausedSeconds: 0,
	}).Error
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

// lastPause returns how long what p concerns was paused since its last success, and the end
// of the last pause.
func (*Service) lastPause(tx *gorm.DB, p pause) (total time.Duration, until time.Time, err error) {
	var last []struct {
		Seconds int64
		Until   time.Time
	}
	if p.whole {
		err = tx.Table("provider_stops").Select("stopped_seconds AS seconds, stopped_until AS until").
			Where("provider = ?", p.key()).Scan(&last).Error
	} else {
		column := columnsOf[p.task]
		err = tx.Table("oauth_tokens").Select(column.pausedSeconds+" AS seconds, "+column.pausedUntil+" AS until").
			Where("id = ?", p.connectionID).Scan(&last).Error
	}
	if err != nil || len(last) == 0 {
		return 0, time.Time{}, err
	}
	return time.Duration(last[0].Seconds) * time.Second, last[0].Until, nil
}

// removePause forgets the pause of a whole provider or service if it is over.
func (s *Service) removePause(ctx context.Context, key string) (removed bool, err error) {
	result := s.DB.Write(ctx).Exec("DELETE FROM provider_stops WHERE provider = ? AND stopped_until <= ?", key,
		database.Instant(s.Now()))
	return result.RowsAffected > 0, result.Error
}

// storePause stores a pause. One that is over has no effect.
func (*Service) storePause(tx *gorm.DB, p pause) error {
	until, seconds := database.Instant(p.until), int64(p.total/time.Second)
	if p.whole {
		row := map[string]any{"provider": p.key(), "stopped_until": until, "stopped_seconds": seconds}
		return tx.Table("provider_stops").Clauses(clause.OnConflict{
			Columns:   []clause.Column{{Name: "provider"}},
			DoUpdates: clause.AssignmentColumns([]string{"stopped_until", "stopped_seconds"}),
		}).Create(row).Error
	}
	column := columnsOf[p.task]
	return p.connections(tx).
		UpdateColumns(map[string]any{column.pausedUntil: until, column.pausedSeconds: seconds}).Error
}

// Due counts the connections that were not synced since a time.
func (s *Service) Due(ctx context.Context, since time.Time) (int, error) {
	return s.countDue(ctx, Sync, since)
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

// Lift ends all pauses at a provider, and returns their number. The jobs that wait for the end
// of a pause look again at once.
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
		if err := s.queue.Hurry(tx, jobs.Renewal{}.Kind(), jobs.Sync{}.Kind()); err != nil {
			return err
		}
		by.Action, by.Pair.Provider = "pause lift", p
		return trail.Record(tx, by)
	})
	if err == nil && n > 0 {
		s.Log.InfoContext(ctx, "pauses lifted", "provider", p, "pauses", n)
	}
	return n, err
}
