// Package scan renews the credentials of all connections and reads through them, the least
// recently scanned first: a job for each connection.
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
	Readers         // for scans: their requests wait for those of people
	People  Readers // for what a person has just connected
	Workers int     // connections that Run processes at once
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

// Progress is how far a scan is.
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
func (s *Service) AddWorkers(w *jobs.Workers) { jobs.Add(w, (&run{Service: s}).work) }

// Run scans every active connection once and works its jobs itself, beside a service that may do
// some of them. A failure does not affect other connections; what a provider refuses is paused. The
// jobs of a scan that is interrupted remain. The error is that of the database or of ctx, with the
// result until then.
func (s *Service) Run(ctx context.Context, progress func(Progress)) (Result, error) {
	begin, r := s.DB.Now(), &run{Service: s, progress: progress}
	if err := s.insertDue(ctx, begin, math.MaxInt); err != nil {
		return r.result, err
	}
	var err error
	if r.total, err = s.countDue(ctx, begin); err != nil {
		return r.result, err
	}
	workers := jobs.NewScanWorkers(s.Workers).WithPeriodic()
	jobs.Add(workers, r.work)
	if err := s.queue.Drain(ctx, workers, s.Log); err != nil {
		return r.result, err
	}
	r.result.Left, err = s.countDue(ctx, begin)
	return r.result, err
}

// scheduleMax is how many jobs are inserted at once. A larger backlog stays in the order in which the
// connections were scanned.
const scheduleMax = 2000

// Schedule inserts the jobs of the connections that were not scanned for an interval.
func (s *Service) Schedule(ctx context.Context, interval time.Duration) error {
	waiting, err := s.queue.CountAvailable(ctx, jobs.Sync{}.Kind())
	if err != nil || waiting >= scheduleMax/2 {
		return err
	}
	return s.insertDue(ctx, s.DB.Now().Add(-interval), scheduleMax)
}

// insertDue inserts the jobs of up to n connections that were last scanned before a time.
func (s *Service) insertDue(ctx context.Context, before time.Time, n int) error {
	if err := s.resetAhead(ctx); err != nil {
		return err
	}
	var after position
	for done := 0; done < n; {
		next, err := s.next(ctx, before, after)
		if err != nil || len(next) == 0 {
			return err
		}
		args := make([]river.JobArgs, len(next))
		for i, p := range next {
			args[i] = jobs.Sync{ConnectionID: p.ID, CompanyID: p.CompanyID}
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

// position is a connection's place in the order in which they are scanned.
type position struct {
	ScannedAt time.Time // longAgo if never
	ID        int64     // of the connection
	CompanyID int64
}

var longAgo = time.Unix(0, 0).UTC()

// next lists the connections after a position, the longest ago first, without those that are
// paused.
func (s *Service) next(ctx context.Context, before time.Time, after position) (list []position, err error) {
	err = s.DB.Read(ctx).Table("oauth_tokens t").Select("id, company_id, scanned_at").
		Where("is_active AND scanned_at < ?", database.Instant(before)).
		Where("(scanned_at, id) > (?, ?)", database.Instant(after.ScannedAt), after.ID).
		Where("NOT EXISTS (SELECT 1 FROM scan_pauses p WHERE "+concerns+" AND p.until > ?)",
			database.Instant(s.DB.Now())).
		Order("scanned_at, id").Limit(scheduleMax).Scan(&list).Error
	return list, err
}

// clockTolerance is how much the clocks of two replicas may differ.
const clockTolerance = time.Minute

// resetAhead makes connections due that seem to have been scanned in the future: the clock was set back.
func (s *Service) resetAhead(ctx context.Context) error {
	result := s.DB.Write(ctx).Table("oauth_tokens").
		Where("is_active AND scanned_at > ?", database.Instant(s.DB.Now().Add(clockTolerance))).
		UpdateColumn("scanned_at", longAgo)
	if result.RowsAffected > 0 {
		s.Log.WarnContext(ctx, "connections were scanned in the future: they are due now", "connections",
			result.RowsAffected)
	}
	return result.Error
}

func (s *Service) countDue(ctx context.Context, before time.Time) (int, error) {
	var n int64
	err := s.DB.Read(ctx).Table("oauth_tokens").
		Where("is_active AND scanned_at < ?", database.Instant(before)).Count(&n).Error
	return int(n), err
}

// Backlog counts the connections that were not scanned since a time. oldest is when the least
// recently scanned one was scanned, or connected if it never was; zero if nothing is connected.
func (s *Service) Backlog(ctx context.Context, since time.Time) (due int, oldest time.Time, err error) {
	if due, err = s.countDue(ctx, since); err != nil {
		return due, oldest, err
	}
	var first struct{ ScannedAt, CreatedAt time.Time }
	err = s.DB.Read(ctx).Table("oauth_tokens").Select("scanned_at, created_at").
		Where("is_active AND scanned_at <= ?", database.Instant(s.DB.Now())).Order("scanned_at, id").Limit(1).
		Scan(&first).Error
	if oldest = first.ScannedAt.UTC(); first.CreatedAt.After(oldest) {
		oldest = first.CreatedAt.UTC()
	}
	return due, oldest, err
}

const (
	// timeLimit bounds the work on one connection. It is shorter than the timeout of the job, so
	// that the end can be recorded.
	timeLimit = 80 * time.Second
	// turnPause is how long a connection waits whose requests had no turn.
	turnPause = 30 * time.Second
)

var errTimeLimit = errors.New("the work on one connection took too long")

// work scans a connection, or snoozes until the end of a pause. The connection is marked in the
// transaction that ends the job: a worker that was frozen, whose job was given to another one,
// marks nothing.
func (r *run) work(ctx context.Context, job *river.Job[jobs.Sync]) error {
	id, begin := job.Args.ConnectionID, r.DB.Now()
	now, err := r.stateOf(ctx, id)
	if err != nil || now.CompanyID == 0 {
		return err
	}
	if wait := now.Until.Sub(begin); wait > 0 {
		return river.JobSnooze(wait)
	}
	done := r.do(ctx, now, begin)
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) { // the process ends
		return river.JobSnooze(0)
	}
	ctx = context.WithoutCancel(ctx)
	r.reportProgress()
	if !done {
		now, err = r.stateOf(ctx, id)
		if err != nil {
			return err
		}
		return river.JobSnooze(max(now.Until.Sub(r.DB.Now()), turnPause))
	}
	return r.DB.Transaction(ctx, func(tx *gorm.DB) error {
		if err := jobs.Complete(tx, job); err != nil {
			return err
		}
		return r.mark(tx, id)
	})
}

// state is what decides whether a connection is scanned now.
type state struct {
	CompanyID int64 // 0 if it is not active
	provider.Pair
	Until time.Time // of the longest pause; zero without one
}

func (s *Service) stateOf(ctx context.Context, connectionID int64) (now state, err error) {
	err = s.DB.Read(ctx).Table("oauth_tokens t").Select("t.company_id, t.provider, t.service, p.until").
		Joins("LEFT JOIN scan_pauses p ON "+concerns).Where("t.is_active AND t.id = ?", connectionID).
		Order("p.until DESC").Limit(1).Scan(&now).Error
	return now, err
}

// do runs the steps on a connection. A part that was read is not read again after each pause.
func (r *run) do(ctx context.Context, now state, begin time.Time) (done bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeLimit, errTimeLimit)
	defer cancel()
	c, err := r.Connections.Active(ctx, now.CompanyID, now.Pair)
	if fault.Is(err, connection.CodeNoConnection) { // disconnected since
		return true
	}
	if err != nil {
		r.fail(ctx, now.CompanyID, "read "+now.Pair.String(), err)
		return true
	}
	if c.ReconnectReason != "" {
		r.add(func(result *Result) { result.Skipped++ })
		return true
	}
	for _, at := range append([]step{renewal}, stepsOf(c)...) {
		worked, err := r.read(ctx, at, c)
		if err != nil {
			done, paused := r.failed(ctx, c, at, err)
			lost := at != renewal && fault.Is(err, provider.CodeReconnect)
			isOver := !done || paused || lost
			if isOver && !worked {
				return done
			}
			continue
		}
		if !worked {
			continue
		}
		if at == renewal {
			r.add(func(result *Result) { result.Renewed++ })
			r.succeeded(ctx, c.Pair.Provider, begin) // a renewal uses no API of a service
			continue
		}
		r.add(func(result *Result) { result.Synced++ })
		r.succeeded(ctx, c.Pair.Provider, begin, c.Pair.Service)
	}
	return true
}

// mark stores that a connection was scanned, and forgets its pauses that are over.
func (s *Service) mark(tx *gorm.DB, connectionID int64) error {
	now := database.Instant(s.DB.Now())
	if err := tx.Where("connection_id = ? AND until <= ?", connectionID, now).Delete(&pause{}).Error; err != nil {
		return err
	}
	return tx.Table("oauth_tokens").Where("id = ?", connectionID).UpdateColumn("scanned_at", now).Error
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
