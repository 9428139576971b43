package scan

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// pause is of everything at a provider, of an API, or of one task on what a person or an account of
// that person was refused.
type pause struct {
	provider provider.Name
	service  provider.Service // of one API; empty for the whole provider, and with a connection
	// 0 if the provider or the service is paused as a whole; the fields below are empty then
	connectionID int64
	task         *task
	personID     string // at the provider; empty if only that connection is paused
	accountID    string // of the page; empty if everything that the person connected is paused
}

const (
	shortestPause = time.Minute
	longestPause  = 24 * time.Hour
	streakLimit   = 5
)

// pauseFor returns what a refusal of c pauses. A limit of the app concerns the provider,
// one of an API the service that reads it, one of a page's token that page, one of a
// user's token that user.
func pauseFor(c connection.Connection, t *task, err error) pause {
	p := pause{provider: c.Pair.Provider}
	if !fault.Is(err, provider.CodeThrottled) || provider.IsAppLimit(err) {
		return p
	}
	if provider.IsAPILimit(err) {
		p.service = c.Pair.Service
		return p
	}
	p.connectionID, p.task = c.ID, t
	p.personID = c.ProviderUserID
	if t == syncs && c.Chosen == connection.ChosenPage {
		p.accountID = c.AccountID
	}
	return p
}

func (p pause) key() string {
	if p.service == "" {
		return string(p.provider)
	}
	return provider.Pair{Provider: p.provider, Service: p.service}.String()
}

// lengthOf returns what the provider says, otherwise as long as the pauses before it together, so
// that no pause is longer than its cause has lasted.
func lengthOf(said, before time.Duration) time.Duration {
	return min(max(cmp.Or(said, before), shortestPause), longestPause)
}

type stored struct {
	Seconds int64 // of this pause and those before it, without a success since
	Until   time.Time
}

const ofPerson = "provider = ? AND provider_user_id <> '' AND provider_user_id = ?"

// rows selects the rows of p, and names their columns.
func (p pause) rows(tx *gorm.DB) (query *gorm.DB, seconds, until string) {
	if p.connectionID == 0 {
		return tx.Table("provider_stops").Where("provider = ?", p.key()), "stopped_seconds", "stopped_until"
	}
	query = tx.Table("oauth_tokens")
	switch {
	case p.personID == "":
		query = query.Where("id = ?", p.connectionID)
	case p.accountID == "":
		query = query.Where(ofPerson, p.provider, p.personID)
	default:
		query = query.Where(ofPerson, p.provider, p.personID).Where("account_id = ?", p.accountID)
	}
	return query, p.task.pausedSeconds, p.task.pausedUntil
}

func (p pause) last(tx *gorm.DB) (last stored, err error) {
	query, seconds, until := p.rows(tx)
	if p.connectionID != 0 {
		query = query.Where("id = ?", p.connectionID)
	}
	err = query.Select(seconds + " AS seconds, " + until + " AS until").Limit(1).Scan(&last).Error
	return last, err
}

func (p pause) store(tx *gorm.DB, s stored) error {
	query, seconds, until := p.rows(tx)
	columns := map[string]any{seconds: s.Seconds, until: database.Instant(s.Until)}
	result := query.UpdateColumns(columns)
	if result.Error != nil || result.RowsAffected > 0 || p.connectionID != 0 {
		return result.Error
	}
	columns["provider"] = p.key()
	return tx.Table("provider_stops").Create(columns).Error
}

// begin stores a pause, and logs it. One that is still running is not prolonged unless the provider
// says so: several calls are under way at once.
func (s *Service) begin(ctx context.Context, companyID int64, p pause, said time.Duration) error {
	running := false
	var last stored
	err := s.DB.Transaction(ctx, func(tx *gorm.DB) (err error) {
		if err := s.DB.Queue(tx, "pause "+string(p.provider)); err != nil {
			return err
		}
		if last, err = p.last(tx); err != nil {
			return err
		}
		running = last.Until.After(s.DB.Now())
		if running && said == 0 {
			return nil
		}
		length := lengthOf(said, time.Duration(last.Seconds)*time.Second)
		if last.Until = s.DB.Now().Add(length); !running {
			last.Seconds += int64(length / time.Second)
		}
		return p.store(tx, last)
	})
	if err != nil || running {
		return err
	}
	name := ""
	if p.task != nil {
		name = p.task.name
	}
	s.Log.WarnContext(ctx, "pause begins", "provider", p.key(), "whole", p.connectionID == 0, "company", companyID,
		"task", name, "until", last.Until)
	return nil
}

// failed counts and logs a failure of a step, and pauses what it concerns. The step is not done if
// it has to be repeated after the pause, or if the provider was not called.
func (r *run) failed(ctx context.Context, c connection.Connection, t *task, step string, err error,
) (done, paused bool) {
	if errors.Is(err, provider.ErrNoTurn) { // the provider was not called
		return false, false
	}
	timedOut := errors.Is(context.Cause(ctx), errTimeLimit)
	deadline, limited := ctx.Deadline()
	stoodStill := limited && provider.StoodStill(deadline)
	if ctx.Err() != nil && !timedOut {
		return false, false
	}
	ctx = context.WithoutCancel(ctx)
	r.fail(ctx, c.CompanyID, step+" "+c.Pair.String(), err)
	throttled, temporary := fault.Is(err, provider.CodeThrottled), fault.Is(err, provider.CodeTemporary) || timedOut
	if temporary && (stoodStill || errors.Is(err, provider.ErrStoodStill)) { // the provider may have answered
		return false, false
	}
	if !temporary {
		r.streak.end(c.Pair.Provider)
	}
	outage := temporary && r.streak.add(c.Pair.Provider)
	if !throttled && !outage {
		return true, false
	}
	if err := r.begin(ctx, c.CompanyID, pauseFor(c, t, err), fault.From(err).RetryAfter); err != nil {
		r.fail(ctx, c.CompanyID, "pause "+c.Pair.String(), err)
	}
	return !throttled, true
}

// succeeded ends the pauses of keys that were over when the task began: the next one is short
// again.
func (s *Service) succeeded(ctx context.Context, p provider.Name, begin time.Time, keys ...string) {
	s.streak.end(p)
	var over []string
	err := s.DB.Read(ctx).Table("provider_stops").
		Where("provider IN ? AND stopped_until <= ?", keys, database.Instant(begin)).Pluck("provider", &over).Error
	if err != nil {
		s.Log.WarnContext(ctx, "end of a pause not stored", "provider", p, "error", err)
	}
	for _, key := range over {
		result := s.DB.Write(ctx).Exec("DELETE FROM provider_stops WHERE provider = ? AND stopped_until <= ?", key,
			database.Instant(s.DB.Now()))
		if result.Error != nil {
			s.Log.WarnContext(ctx, "end of a pause not stored", "provider", key, "error", result.Error)
		}
		if result.RowsAffected > 0 {
			s.Log.InfoContext(ctx, "pause ends", "provider", key)
		}
	}
}

type streak struct {
	mu     sync.Mutex
	failed map[provider.Name]int
}

func (s *streak) add(p provider.Name) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[p] = (s.failed[p] + 1) % streakLimit
	return s.failed[p] == 0
}

func (s *streak) end(p provider.Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[p] = 0
}

// incidentOf joins provider_incidents i with connections t; its parameter is whether the task is
// renewals.
const incidentOf = "i.provider = t.provider AND (i.whole OR i.service = t.service OR i.kind = 'renewal' AND ?)"

type state struct {
	CompanyID int64 // 0 if it is not active
	provider.Pair
	Until time.Time // of the longest pause
}

func (s *Service) stateOf(ctx context.Context, t *task, connectionID int64) (longest state, err error) {
	var found []state
	const columns = "SELECT t.company_id, t.provider, t.service, "
	const ofConnection = " WHERE t.is_active AND t.id = @id"
	err = s.DB.Read(ctx).Raw(columns+t.pausedUntil+" AS until FROM oauth_tokens t"+ofConnection+
		" UNION ALL "+columns+"s.stopped_until FROM oauth_tokens t JOIN provider_stops s ON "+t.stops+ofConnection+
		" UNION ALL "+columns+"i.paused_until FROM oauth_tokens t JOIN provider_incidents i ON "+
		strings.Replace(incidentOf, "?", "@renewal", 1)+ofConnection,
		sql.Named("id", connectionID), sql.Named("renewal", t == renewals)).Scan(&found).Error
	for _, one := range found {
		if longest.CompanyID == 0 || one.Until.After(longest.Until) {
			longest = one
		}
	}
	return longest, err
}

// Pause is what scans leave out until a time: everything at a provider, a service of it, all
// renewals, or one task on one connection.
type Pause struct {
	Provider  provider.Name
	Service   provider.Service // empty if it is not one service
	CompanyID int64            // 0 if it is no single connection
	Task      string           // empty if it is every task
	Until     time.Time
}

// Pauses lists the pauses at this moment, those of providers and services first.
func (s *Service) Pauses(ctx context.Context) (list []Pause, err error) {
	err = s.DB.Read(ctx).Raw(`SELECT provider, '' AS service, 0 AS company_id, '' AS task, stopped_until AS until,
			1 AS part FROM provider_stops WHERE stopped_until > @now
		UNION ALL SELECT provider, CASE WHEN whole THEN '' ELSE service END, 0,
			CASE WHEN kind = 'renewal' AND NOT whole THEN 'renewal' ELSE '' END, paused_until, 2
			FROM provider_incidents WHERE paused_until > @now
		UNION ALL SELECT provider, service, company_id, 'renewal', renewal_stopped_until, 3 FROM oauth_tokens
			WHERE is_active AND renewal_stopped_until`+everPaused+`renewal_stopped_until > @now
		UNION ALL SELECT provider, service, company_id, 'sync', sync_stopped_until, 4 FROM oauth_tokens
			WHERE is_active AND sync_stopped_until`+everPaused+`sync_stopped_until > @now
		ORDER BY part, company_id, provider, service`,
		sql.Named("now", database.Instant(s.DB.Now()))).Scan(&list).Error
	for i, p := range list {
		// a service is stored under the name of its pair
		if name, service, isPair := strings.Cut(string(p.Provider), "/"); isPair {
			list[i].Provider, list[i].Service = provider.Name(name), provider.Service(service)
		}
	}
	return list, err
}

const everPaused = " > '1970-01-01 00:00:00+00:00' AND "

// Lift ends all pauses at a provider, and returns their number. The jobs that wait for the end
// of a pause look again at once.
func (s *Service) Lift(ctx context.Context, by trail.Entry, p provider.Name) (n int64, err error) {
	now := database.Instant(s.DB.Now())
	err = s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		for _, place := range [][2]string{
			{"provider_stops", "stopped_until"}, {"provider_incidents", "paused_until"},
			{"oauth_tokens", renewals.pausedUntil}, {"oauth_tokens", syncs.pausedUntil},
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
	if err != nil || n == 0 {
		return n, err
	}
	s.Log.InfoContext(ctx, "pauses lifted", "provider", p, "pauses", n)
	return n, nil
}
