// Package jobs is the queue of work that outlives its request: River
// (https://riverqueue.com/docs) in the directory's database. A job is inserted in the
// transaction that causes it. Rows of ours say what to do; River alone says when, how often and
// by which replica. A job may run twice at once, when a replica was frozen and its job was given
// to another one.
package jobs

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivertype"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/telemetry"
)

const (
	workers         = 8
	deliveryWorkers = 20
	poll            = time.Second
	// cooldown is the least time between two looks for jobs while more wait than workers.
	cooldown = 10 * time.Millisecond
	// rescueAfter is when a job of a killed replica is given to another one; longer than the
	// timeout of any kind that uses a provider.
	rescueAfter = 100 * time.Second
	// defaultTimeout is for River's check that rescueAfter is longer; each kind has its own.
	defaultTimeout = time.Minute
)

// Queue inserts jobs, and lists them. It is safe for concurrent use.
type Queue struct {
	db     *database.DB
	client *river.Client[*sql.Tx]
	driver riverdriver.Driver[*sql.Tx]
}

// New returns the queue in a database. It reads and changes nothing.
func New(db *database.DB) *Queue {
	var driver riverdriver.Driver[*sql.Tx] = riversqlite.New(db.WritePool())
	if db.IsPostgres() {
		driver = riverdatabasesql.New(db.WritePool())
	}
	client, err := river.NewClient(driver, &river.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err) // the settings above are not valid
	}
	return &Queue{db: db, client: client, driver: driver}
}

// Insert inserts jobs in the transaction tx, except those with whose arguments one is
// unfinished. One that is snoozed becomes due at once.
func (q *Queue) Insert(tx *gorm.DB, args ...river.JobArgs) error { return q.insert(tx, args, true) }

// Ensure is Insert, though one that is snoozed keeps its time.
func (q *Queue) Ensure(tx *gorm.DB, args ...river.JobArgs) error { return q.insert(tx, args, false) }

// EnsureEach is Ensure for the job of each row that a query of a transaction selects by its key.
func EnsureEach[K any](q *Queue, rows *gorm.DB, key string, job func(K) river.JobArgs) error {
	var keys []K
	if err := rows.Pluck(key, &keys).Error; err != nil {
		return err
	}
	args := make([]river.JobArgs, len(keys))
	for i, k := range keys {
		args[i] = job(k)
	}
	return q.Ensure(rows, args...)
}

func (q *Queue) insert(tx *gorm.DB, args []river.JobArgs, hurry bool) error {
	sqlTx, err := transactionOf(tx)
	if err != nil || len(args) == 0 {
		return err
	}
	params := make([]river.InsertManyParams, len(args))
	for i, a := range args {
		params[i] = river.InsertManyParams{Args: a, InsertOpts: insertOptions(a.Kind())}
	}
	ctx := tx.Statement.Context
	inserted, err := q.client.InsertManyTx(ctx, sqlTx, params)
	if err != nil {
		return fmt.Errorf("jobs: insert %s: %w", args[0].Kind(), err)
	}
	for _, i := range inserted {
		if !hurry || !i.UniqueSkippedAsDuplicate || !isSnoozed(i.Job) {
			continue
		}
		if _, err := q.client.JobRetryTx(ctx, sqlTx, i.Job.ID); err != nil {
			return fmt.Errorf("jobs: hurry %s: %w", i.Job.Kind, err)
		}
	}
	return nil
}

func transactionOf(tx *gorm.DB) (*sql.Tx, error) {
	sqlTx, ok := tx.Statement.ConnPool.(*sql.Tx)
	if !ok {
		return nil, errors.New("jobs: not in a transaction")
	}
	return sqlTx, nil
}

// Hurry makes the snoozed jobs of some kinds due at once, in tx.
func (q *Queue) Hurry(tx *gorm.DB, kinds ...string) error {
	sqlTx, err := transactionOf(tx)
	if err != nil {
		return err
	}
	ctx := tx.Statement.Context
	for params := river.NewJobListParams().Kinds(kinds...).States(rivertype.JobStateScheduled).First(maxListed); ; {
		found, err := q.client.JobListTx(ctx, sqlTx, params)
		if err != nil {
			return fmt.Errorf("jobs: hurry: %w", err)
		}
		for _, job := range found.Jobs {
			if _, err := q.client.JobRetryTx(ctx, sqlTx, job.ID); err != nil {
				return fmt.Errorf("jobs: hurry %s: %w", job.Kind, err)
			}
		}
		if len(found.Jobs) < maxListed {
			return nil
		}
		params = params.After(found.LastCursor)
	}
}

// Count is how many jobs of a kind are in a state.
type Count struct {
	Kind, State string
	Jobs        int64
	// Due is the time since when the job has been due that has waited longest for a worker;
	// zero if none does.
	Due time.Time
}

// Counts returns the unfinished jobs, and those that were given up, by kind and state.
func (q *Queue) Counts(ctx context.Context) (list []Count, err error) {
	states := append([]rivertype.JobState{rivertype.JobStateDiscarded}, unfinished...)
	err = q.db.Read(ctx).Table("river_job").Select("kind, state, COUNT(*) AS jobs").Where("state IN ?", states).
		Group("kind, state").Scan(&list).Error
	if err != nil {
		return nil, err
	}
	for i, c := range list {
		if c.State != string(rivertype.JobStateAvailable) {
			continue
		}
		params := river.NewJobListParams().Kinds(c.Kind).States(rivertype.JobStateAvailable).
			OrderBy(river.JobListOrderByScheduledAt, river.SortOrderAsc).First(1)
		oldest, err := q.client.JobList(ctx, params)
		if err != nil {
			return nil, err
		}
		if len(oldest.Jobs) > 0 && isDue(oldest.Jobs[0]) {
			list[i].Due = oldest.Jobs[0].ScheduledAt
		}
	}
	return list, nil
}

func isDue(job *rivertype.JobRow) bool { return !job.ScheduledAt.After(time.Now()) }

// CountAvailable counts the jobs of a kind that wait for a worker.
func (q *Queue) CountAvailable(ctx context.Context, kind string) (n int64, err error) {
	err = q.db.Read(ctx).Table("river_job").
		Where("state = 'available' AND queue = ?", insertOptions(kind).Queue).Count(&n).Error
	return n, err
}

// isSnoozed reports whether a job waits, though not after a failure. A short snooze leaves it
// available.
func isSnoozed(job *rivertype.JobRow) bool {
	waits := job.State == rivertype.JobStateScheduled || job.State == rivertype.JobStateAvailable
	return waits && job.ScheduledAt.After(time.Now())
}

// Complete makes job, which runs, finished in tx. An Insert of the same arguments in another
// transaction waits for the end of tx, and inserts a new job then.
func Complete[T river.JobArgs](tx *gorm.DB, job *river.Job[T]) error {
	sqlTx, err := transactionOf(tx)
	if err != nil {
		return err
	}
	_, err = river.JobCompleteTx[riverdriver.Driver[*sql.Tx]](tx.Statement.Context, sqlTx, job)
	return err
}

// CodeNoJob is the fault of a job that does not exist.
var CodeNoJob = fault.NewCode(fault.NotFound, "no_job", "Nie znaleziono zadania.",
	"there is no such job; directory jobs list has them")

// Retry makes a job due at once. The fault is CodeNoJob.
func (q *Queue) Retry(ctx context.Context, id int64) error {
	_, err := q.client.JobRetry(ctx, id)
	return notFound(err)
}

// Cancel ends a job, also one that is running. The fault is CodeNoJob.
func (q *Queue) Cancel(ctx context.Context, id int64) error {
	_, err := q.client.JobCancel(ctx, id)
	return notFound(err)
}

// Get returns a job. The fault is CodeNoJob.
func (q *Queue) Get(ctx context.Context, id int64) (*rivertype.JobRow, error) {
	job, err := q.client.JobGet(ctx, id)
	return job, notFound(err)
}

func notFound(err error) error {
	if errors.Is(err, river.ErrNotFound) {
		return CodeNoJob.Fault()
	}
	return err
}

// maxListed is how many jobs List returns.
const maxListed = 1000

// List returns the unfinished jobs and those that were given up, the oldest first.
func (q *Queue) List(ctx context.Context) ([]*rivertype.JobRow, error) {
	states := append([]rivertype.JobState{rivertype.JobStateDiscarded}, unfinished...)
	found, err := q.client.JobList(ctx, river.NewJobListParams().States(states...).First(maxListed))
	if err != nil {
		return nil, err
	}
	return found.Jobs, nil
}

// IsLast reports whether no attempt follows this one.
func IsLast(job *rivertype.JobRow) bool { return job.Attempt >= job.MaxAttempts }

// Workers are the functions that do the jobs of each kind.
type Workers struct {
	bundle   *river.Workers
	queues   map[string]river.QueueConfig
	periodic []*river.PeriodicJob
}

// NewWorkers returns no workers yet, for every kind but Sync.
func NewWorkers() *Workers {
	return &Workers{bundle: river.NewWorkers(), queues: map[string]river.QueueConfig{
		river.QueueDefault: {MaxWorkers: workers}, queues[Deliveries{}.Kind()]: {MaxWorkers: deliveryWorkers},
	}}
}

// NewScanWorkers returns no workers yet, for n jobs of the kind Sync alone.
func NewScanWorkers(n int) *Workers {
	w := &Workers{bundle: river.NewWorkers(), queues: map[string]river.QueueConfig{}}
	return w.WithScans(n)
}

// WithScans makes w also do n jobs of the kind Sync at once.
func (w *Workers) WithScans(n int) *Workers {
	w.queues[queues[Sync{}.Kind()]] = river.QueueConfig{MaxWorkers: n}
	return w
}

// WithPeriodic makes w insert the periodic jobs while its client leads. Every program that does
// jobs has to, because it may lead.
func (w *Workers) WithPeriodic() *Workers {
	for _, p := range periodic {
		construct := func() (river.JobArgs, *river.InsertOpts) { return p.args, insertOptions(p.args.Kind()) }
		w.periodic = append(w.periodic, river.NewPeriodicJob(
			river.PeriodicInterval(p.interval), construct, &river.PeriodicJobOpts{RunOnStart: true}))
	}
	return w
}

// Add makes work do the jobs of a kind.
func Add[T river.JobArgs](w *Workers, work func(ctx context.Context, job *river.Job[T]) error) {
	river.AddWorker(w.bundle, &worker[T]{work: work})
}

type worker[T river.JobArgs] struct {
	river.WorkerDefaults[T]
	work func(ctx context.Context, job *river.Job[T]) error
}

// Work implements river.Worker.
func (w *worker[T]) Work(ctx context.Context, job *river.Job[T]) error { return w.work(ctx, job) }

// Timeout implements river.Worker.
func (w *worker[T]) Timeout(job *river.Job[T]) time.Duration { return policies[job.Kind].timeout }

// NextRetry implements river.Worker.
func (w *worker[T]) NextRetry(job *river.Job[T]) time.Time {
	return time.Now().Add(policies[job.Kind].pause(job.Attempt))
}

// Run works until ctx ends. Then it waits for the jobs under way, for at most stopTimeout.
// Each attempt is traced and counted.
func (q *Queue) Run(ctx context.Context, w *Workers, log *slog.Logger, tracing *telemetry.Tracing,
	metrics *metrics.Metrics,
) error {
	for kind := range policies {
		metrics.StartJobs(kind)
	}
	client, err := river.NewClient(q.driver, &river.Config{
		Queues: w.queues, Workers: w.bundle, PeriodicJobs: w.periodic, SkipUnknownJobCheck: true,
		PollOnly: true, FetchPollInterval: poll, FetchCooldown: cooldown, JobTimeout: defaultTimeout,
		RescueStuckJobsAfter: rescueAfter,
		SoftStopTimeout:      stopTimeout, Logger: slog.New(warnings{log.Handler()}),
		Middleware: []rivertype.Middleware{&observer{log: log, tracing: tracing, metrics: metrics}},
	})
	if err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	if err := client.Start(ctx); err != nil {
		return fmt.Errorf("jobs: %w", err)
	}
	<-client.Stopped()
	return nil
}

const stopTimeout = 20 * time.Second

// Drain does the jobs of w that are due and those that they insert, until none is left, or
// until ctx ends. It is for commands and tests.
func (q *Queue) Drain(ctx context.Context, w *Workers, log *slog.Logger) error {
	working, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- q.Run(working, w, log, nil, metrics.New(nil)) }()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return cmp.Or(err, ctx.Err())
		case <-tick.C:
		}
		busy, err := q.isBusy(working, slices.Collect(maps.Keys(w.queues)))
		if err != nil || !busy {
			stop()
			return errors.Join(err, <-done)
		}
	}
}

// isBusy counts, because PostgreSQL reads the whole table for a prepared EXISTS: it expects to
// find a row soon.
func (q *Queue) isBusy(ctx context.Context, queues []string) (bool, error) {
	var n int64
	err := q.db.Read(ctx).Table("river_job").
		Where("queue IN ? AND state IN ('running', 'available') AND (state = 'running' OR scheduled_at <= ?)",
			queues, database.Instant(time.Now())).Count(&n).Error
	return n > 0, err
}
