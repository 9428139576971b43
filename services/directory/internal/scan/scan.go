// Package scan renews the credentials of all connections and runs the steps that read
// through them, the least recently scanned first: a job for each connection and task.
package scan

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
)

// Options configure a Service.
type Options struct {
	DB *database.DB
	// Connection returns the active connection of a company, or the fault no_connection.
	Connection func(ctx context.Context, companyID int64, p provider.Pair) (connection.Connection, error)
	// Renew returns the connection with a credential that is renewed if it expires soon.
	Renew   func(ctx context.Context, c connection.Connection) (connection.Connection, error)
	Steps   map[provider.Pair][]Step
	Workers int // connections that Run processes at once for each task
	Now     func() time.Time
	Log     *slog.Logger
}

// Step reads something through the connections of a pair. It is exempt from rate limits.
type Step struct {
	Name   string
	Chosen connection.Chosen // choice that the connection needs, if any
	// Run reports whether something was read and stored; with an error, only a part was.
	Run func(ctx context.Context, companyID int64) (worked bool, err error)
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

// Task is one of the two task types of a scan. Each has its own queue, so that renewals
// never wait behind syncs.
type Task uint8

// The tasks.
const (
	Renewal Task = iota // renews the credential
	Sync                // runs the steps
)

// String returns the name of t in logs.
func (t Task) String() string {
	if t == Renewal {
		return "renewal"
	}
	return "sync"
}

// job returns the arguments of the job of a connection.
func (t Task) job(c position) river.JobArgs {
	if t == Renewal {
		return jobs.Renewal{ConnectionID: c.ID, CompanyID: c.CompanyID}
	}
	return jobs.Sync{ConnectionID: c.ID, CompanyID: c.CompanyID}
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

// run does the jobs of scans in a process, and counts what they do.
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
		return work(ctx, r, Renewal, job, job.Args.ConnectionID)
	})
	jobs.Add(w, func(ctx context.Context, job *river.Job[jobs.Sync]) error {
		return work(ctx, r, Sync, job, job.Args.ConnectionID)
	})
}

// Run scans every active connection once and works its jobs itself, beside a service that
// may do some of them. A failure is logged and counted, and does not affect other
// connections. What a provider refuses is paused. The jobs of a scan that is interrupted
// remain; a service or the next scan does them. progress may be nil. The error is that of
// the database or of ctx, with the result until then.
func (s *Service) Run(ctx context.Context, progress func(Progress)) (Result, error) {
	begin, r := s.Now(), &run{Service: s, progress: progress}
	for _, t := range []Task{Renewal, Sync} {
		if err := s.insertDue(ctx, t, begin, 0); err != nil {
			return r.result, err
		}
	}
	var err error
	if r.total, err = s.countDue(ctx, Sync, begin); err != nil {
		return r.result, err
	}
	workers := jobs.NewScanWorkers(s.Workers).WithPeriodic()
	r.addTo(workers)
	if err := s.queue.Drain(ctx, workers, s.Log); err != nil {
		return r.result, err
	}
	r.result.Left, err = s.countDue(ctx, Sync, begin)
	return r.result, err
}

// Schedule inserts the jobs of the connections that were not scanned for an interval.
func (s *Service) Schedule(ctx context.Context, interval time.Duration) error {
	for _, t := range []Task{Renewal, Sync} {
		waiting, err := s.queue.CountAvailable(ctx, t.job(position{}).Kind())
		if err != nil {
			return err
		}
		if waiting >= scheduleMax/2 {
			continue
		}
		if err := s.insertDue(ctx, t, s.Now().Add(-interval), scheduleMax); err != nil {
			return err
		}
	}
	return nil
}

// scheduleMax is how many jobs of a task Schedule inserts, so that a backlog waits in the order
// of the connections. A transaction inserts no more.
const scheduleMax = 2000

// insertDue inserts the jobs of up to n connections whose task was last done before a time,
// of all if n is 0. One that waits for the end of a pause that was lifted is hurried.
func (s *Service) insertDue(ctx context.Context, t Task, before time.Time, n int) error {
	if err := s.resetAhead(ctx, t); err != nil {
		return err
	}
	var after position
	for done := 0; n == 0 || done < n; {
		next, err := s.next(ctx, t, before, after, scheduleMax)
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

func (r *run) add(change func(*Result)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.result)
}

// reportProgress counts a connection, and reports how far the run is.
func (r *run) reportProgress() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Connections++
	if r.progress != nil {
		r.progress(Progress{Done: r.result.Connections, Total: r.total, Failed: r.result.Failed})
	}
}

// fail counts and logs a failure, unless the run itself was ended.
func (r *run) fail(ctx context.Context, companyID int64, step string, err error) {
	if ctx.Err() != nil {
		return
	}
	r.add(func(result *Result) { result.Failed++ })
	r.Log.WarnContext(ctx, "scan step failed", "company", companyID, "step", step, "error", err)
}
