// Package scan renews the credentials of all connections and reads through them, the least
// recently scanned first: a job for each connection and task.
package scan

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Options configure a Service.
type Options struct {
	DB      *database.DB
	Readers         // whose requests wait for those of people
	People  Readers // for what a person has just connected
	Workers int     // connections that Run processes at once for each task
	Log     *slog.Logger
}

// Service scans the connections. It is safe for concurrent use.
type Service struct {
	Options
	queue  *jobs.Queue
	streak streak
}

// New returns a Service.
func New(options Options) *Service {
	return &Service{Options: options, queue: jobs.New(options.DB), streak: streak{failed: map[provider.Name]int{}}}
}

// task is one of the two of a scan. Each has its own queue, so that renewals never wait behind
// syncs, and its own columns in oauth_tokens, which no other package writes.
type task struct {
	name                                  string
	scannedAt, pausedUntil, pausedSeconds string
	stops                                 string // joins provider_stops s with the connections t that they concern
}

var (
	renewals = &task{"renewal", "renewal_scanned_at", "renewal_stopped_until", "renewal_stopped_seconds",
		"s.provider = t.provider"}
	syncs = &task{"sync", "sync_scanned_at", "sync_stopped_until", "sync_stopped_seconds",
		"s.provider IN (t.provider, t.provider || '/' || t.service)"}
)

func (t *task) job(p position) river.JobArgs {
	if t == renewals {
		return jobs.Renewal{ConnectionID: p.ID, CompanyID: p.CompanyID}
	}
	return jobs.Sync{ConnectionID: p.ID, CompanyID: p.CompanyID}
}

// Progress is how far the syncs of a scan are.
type Progress struct {
	Done   int // connections
	Total  int
	Failed int // steps
}

// Result is the outcome of a scan.
type Result struct {
	Connections int `json:"connections"` // processed
	Renewed     int `json:"renewed"`     // credentials
	Synced      int `json:"synced"`      // accounts that were read
	Skipped     int `json:"skipped"`     // connections that need their user
	Failed      int `json:"failed"`      // steps
	Left        int `json:"left"`        // connections for a later scan
}

type run struct {
	*Service
	progress func(Progress) // may be nil

	mu     sync.Mutex
	total  int // for progress
	result Result
}

// AddWorkers makes w do the jobs of scans.
func (s *Service) AddWorkers(w *jobs.Workers) { (&run{Service: s}).addTo(w) }

func (r *run) addTo(w *jobs.Workers) {
	jobs.Add(w, func(ctx context.Context, job *river.Job[jobs.Renewal]) error {
		return work(ctx, r, renewals, job, job.Args.ConnectionID)
	})
	jobs.Add(w, func(ctx context.Context, job *river.Job[jobs.Sync]) error {
		return work(ctx, r, syncs, job, job.Args.ConnectionID)
	})
}

// Run scans every active connection once and works its jobs itself, beside a service that may do
// some of them. A failure does not affect other connections; what a provider refuses is paused. The
// jobs of a scan that is interrupted remain. The error is that of the database or of ctx, with the
// result until then.
func (s *Service) Run(ctx context.Context, progress func(Progress)) (Result, error) {
	begin, r := s.DB.Now(), &run{Service: s, progress: progress}
	for _, t := range []*task{renewals, syncs} {
		if err := s.insertDue(ctx, t, begin, math.MaxInt); err != nil {
			return r.result, err
		}
	}
	var err error
	if r.total, err = s.countDue(ctx, begin); err != nil {
		return r.result, err
	}
	workers := jobs.NewScanWorkers(s.Workers).WithPeriodic()
	r.addTo(workers)
	if err := s.queue.Drain(ctx, workers, s.Log); err != nil {
		return r.result, err
	}
	r.result.Left, err = s.countDue(ctx, begin)
	return r.result, err
}

// scheduleMax jobs of a task wait at most, so that a backlog waits in the order of the connections.
const scheduleMax = 2000

// Schedule inserts the jobs of the connections that were not scanned for an interval.
func (s *Service) Schedule(ctx context.Context, interval time.Duration) error {
	for _, t := range []*task{renewals, syncs} {
		waiting, err := s.queue.CountAvailable(ctx, t.job(position{}).Kind())
		if err != nil {
			return err
		}
		if waiting >= scheduleMax/2 {
			continue
		}
		if err := s.insertDue(ctx, t, s.DB.Now().Add(-interval), scheduleMax); err != nil {
			return err
		}
	}
	return nil
}

// insertDue inserts the jobs of up to n connections whose task was last done before a time.
func (s *Service) insertDue(ctx context.Context, t *task, before time.Time, n int) error {
	if err := s.resetAhead(ctx, t); err != nil {
		return err
	}
	var after position
	for done := 0; done < n; {
		next, err := s.next(ctx, t, before, after)
		if err != nil || len(next) == 0 {
			return err
		}
		args := make([]river.JobArgs, len(next))
		for i, p := range next {
			args[i] = t.job(p)
		}
		insert := func(tx *gorm.DB) error { return s.queue.Insert(tx, args...) }
		if err := s.DB.Transaction(ctx, insert); err != nil {
			return err
		}
		after = next[len(next)-1]
		done += len(next)
	}
	return nil
}

type position struct {
	At        time.Time // when the task was last done; longAgo if never
	ID        int64     // of the connection
	CompanyID int64
}

var longAgo = time.Unix(0, 0).UTC()

// next lists the connections after a position, the longest ago first, without those that are
// paused.
func (s *Service) next(ctx context.Context, t *task, before time.Time, after position) (list []position, err error) {
	now := database.Instant(s.DB.Now())
	err = s.DB.Read(ctx).Table("oauth_tokens t").Select("id, company_id, "+t.scannedAt+" AS at").
		Where("is_active AND "+t.scannedAt+" < ?", database.Instant(before)).
		Where("("+t.scannedAt+", id) > (?, ?)", database.Instant(after.At), after.ID).
		Where(t.pausedUntil+" <= ?", now).
		Where("NOT EXISTS (SELECT 1 FROM provider_stops s WHERE "+t.stops+" AND s.stopped_until > ?)", now).
		Where("NOT EXISTS (SELECT 1 FROM provider_incidents i WHERE "+incidentOf+" AND i.paused_until > ?)",
			t == renewals, now).
		Order(t.scannedAt + ", id").Limit(scheduleMax).Scan(&list).Error
	return list, err
}

// clockTolerance is how much the clocks of two replicas may differ.
const clockTolerance = time.Minute

func (s *Service) resetAhead(ctx context.Context, t *task) error {
	result := s.DB.Write(ctx).Table("oauth_tokens").
		Where("is_active AND "+t.scannedAt+" > ?", database.Instant(s.DB.Now().Add(clockTolerance))).
		UpdateColumn(t.scannedAt, longAgo)
	if result.RowsAffected > 0 {
		s.Log.WarnContext(ctx, "connections were scanned in the future: they are due now", "connections",
			result.RowsAffected, "task", t.name)
	}
	return result.Error
}

func (s *Service) countDue(ctx context.Context, before time.Time) (int, error) {
	var n int64
	err := s.DB.Read(ctx).Table("oauth_tokens").
		Where("is_active AND sync_scanned_at < ?", database.Instant(before)).Count(&n).Error
	return int(n), err
}

// Backlog is how far the syncs of scans are behind.
type Backlog struct {
	Due    int // connections that were not synced since a time
	Ahead  int // connections that were synced in the future, when a clock was ahead; the next scan makes them due
	Oldest time.Time
}

// Backlog counts the connections that were not synced since a time. Oldest is when the least
// recently synced one was synced, or connected if it never was; zero if nothing is connected.
func (s *Service) Backlog(ctx context.Context, since time.Time) (b Backlog, err error) {
	if b.Due, err = s.countDue(ctx, since); err != nil {
		return b, err
	}
	var ahead int64
	now := s.DB.Now()
	err = s.DB.Read(ctx).Table("oauth_tokens").
		Where("is_active AND sync_scanned_at > ?", database.Instant(now.Add(clockTolerance))).Count(&ahead).Error
	if err != nil {
		return b, err
	}
	b.Ahead = int(ahead)
	var oldest struct{ SyncScannedAt, CreatedAt time.Time }
	err = s.DB.Read(ctx).Table("oauth_tokens").Select("sync_scanned_at, created_at").
		Where("is_active AND sync_scanned_at <= ?", database.Instant(now)).Order("sync_scanned_at, id").Limit(1).
		Scan(&oldest).Error
	if b.Oldest = oldest.SyncScannedAt.UTC(); oldest.CreatedAt.After(b.Oldest) {
		b.Oldest = oldest.CreatedAt.UTC()
	}
	return b, err
}

const (
	// timeLimit bounds the work on one connection. It is shorter than the timeout of the job, so
	// that the end can be recorded.
	timeLimit = 80 * time.Second
	// turnPause is how long a connection waits whose requests had no turn.
	turnPause = 30 * time.Second
)

var errTimeLimit = errors.New("the work on one connection took too long")

// work runs a task on a connection, or snoozes until the end of a pause. The connection is marked
// in the transaction that ends the job: a worker that was frozen, whose job was given to another
// one, marks nothing.
func work[T river.JobArgs](ctx context.Context, r *run, t *task, job *river.Job[T], connectionID int64) error {
	begin := r.DB.Now()
	now, err := r.stateOf(ctx, t, connectionID)
	if err != nil || now.CompanyID == 0 {
		return err
	}
	if wait := now.Until.Sub(begin); wait > 0 {
		return river.JobSnooze(wait)
	}
	done := r.do(ctx, t, now, begin)
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) { // the process ends
		return river.JobSnooze(0)
	}
	ctx = context.WithoutCancel(ctx)
	if t == syncs {
		r.reportProgress()
	}
	if !done {
		now, err = r.stateOf(ctx, t, connectionID)
		if err != nil {
			return err
		}
		return river.JobSnooze(max(now.Until.Sub(r.DB.Now()), turnPause))
	}
	return r.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := jobs.Complete(tx, job); err != nil {
			return err
		}
		return r.mark(tx, t, connectionID)
	})
}

func (r *run) do(ctx context.Context, t *task, now state, begin time.Time) (done bool) {
	limited, cancel := context.WithTimeoutCause(ctx, timeLimit, errTimeLimit)
	defer cancel()
	c, err := r.Connections.Active(limited, now.CompanyID, now.Pair)
	if fault.Is(err, connection.CodeNoConnection) { // disconnected since
		return true
	}
	if err != nil {
		r.fail(ctx, now.CompanyID, "read "+now.Pair.String(), err)
		return true
	}
	if c.ReconnectReason != "" {
		if t == syncs {
			r.add(func(result *Result) { result.Skipped++ })
		}
		return true
	}
	if t == renewals {
		return r.renew(limited, c, begin)
	}
	return r.sync(limited, c, begin)
}

func (r *run) renew(ctx context.Context, c connection.Connection, begin time.Time) (done bool) {
	fresh, err := r.Connections.RenewEarly(ctx, c)
	if err != nil {
		done, _ = r.failed(ctx, c, renewals, "renew", err)
		return done
	}
	if fresh.UserToken() != c.UserToken() {
		r.add(func(result *Result) { result.Renewed++ })
		r.succeeded(ctx, c.Pair.Provider, begin, string(c.Pair.Provider)) // a renewal uses no API of a service
	}
	return true
}

// sync runs the steps of c. A part that was read is not read again after each pause.
func (r *run) sync(ctx context.Context, c connection.Connection, begin time.Time) (done bool) {
	for _, s := range stepsOf(c) {
		worked, err := r.read(ctx, s, c)
		if err != nil {
			done, paused := r.failed(ctx, c, syncs, string(s), err)
			isOver := !done || paused || fault.Is(err, provider.CodeReconnect)
			if isOver && !worked {
				return done
			}
			continue
		}
		if worked {
			r.add(func(result *Result) { result.Synced++ })
			r.succeeded(ctx, c.Pair.Provider, begin, string(c.Pair.Provider), c.Pair.String())
		}
	}
	return true
}

func (s *Service) mark(tx *gorm.DB, t *task, connectionID int64) error {
	return tx.Table("oauth_tokens").Where("id = ?", connectionID).UpdateColumns(map[string]any{
		t.scannedAt: database.Instant(s.DB.Now()), t.pausedSeconds: 0,
	}).Error
}

func (r *run) add(change func(*Result)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.result)
}

func (r *run) reportProgress() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Connections++
	if r.progress != nil {
		r.progress(Progress{Done: r.result.Connections, Total: r.total, Failed: r.result.Failed})
	}
}

// fail counts and logs a failure, unless the process ends.
func (r *run) fail(ctx context.Context, companyID int64, step string, err error) {
	if ctx.Err() != nil {
		return
	}
	r.add(func(result *Result) { result.Failed++ })
	r.Log.WarnContext(ctx, "scan step failed", "company", companyID, "step", step, "error", err)
}
