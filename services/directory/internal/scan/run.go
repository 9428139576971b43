package scan

import (
	"context"
	"errors"
	"sync"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// timeLimit bounds the work on one connection, so that a scan ends although calls hang.
const timeLimit = 2 * time.Minute

// giveBackLimit bounds the end of a run that was interrupted.
const giveBackLimit = 5 * time.Second

var errTimeLimit = errors.New("the work on one connection took too long")

// run is one run of a Service.
type run struct {
	*Service
	before   func() time.Time // what was done before is due
	enough   <-chan struct{}  // begin nothing more; nil if only the end of the list ends the run
	progress func(Progress)
	pauses   pauses

	mu     sync.Mutex
	total  int // for progress
	result Result
}

// all runs both tasks at once. The first error of the database ends both.
func (r *run) all(ctx context.Context) error {
	err := r.resetAhead(ctx)
	if err != nil {
		return err
	}
	if r.progress != nil {
		if r.total, err = r.queue.count(ctx, Sync, r.before()); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var tasks sync.WaitGroup
	tasks.Go(func() { r.task(ctx, cancel, Renewal, r.renew) })
	tasks.Go(func() { r.task(ctx, cancel, Sync, r.sync) })
	tasks.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	r.result.Left, err = r.queue.count(ctx, Sync, r.before())
	return err
}

// resetAhead makes due what was scanned by a clock that was ahead.
func (r *run) resetAhead(ctx context.Context) error {
	for _, t := range []Task{Renewal, Sync} {
		n, err := r.queue.resetAhead(ctx, t, r.Now())
		if err != nil {
			return err
		}
		if n > 0 {
			r.Log.WarnContext(ctx, "connections were scanned in the future: they are due now", "connections", n, "task",
				t.String())
		}
	}
	return nil
}

// task distributes the connections of one task to its workers.
func (r *run) task(ctx context.Context, cancel context.CancelCauseFunc, t Task,
	do func(context.Context, connection.Connection) (done bool)) {
	items := make(chan item)
	var workers sync.WaitGroup
	for range r.Workers {
		workers.Go(func() {
			for i := range items {
				if err := r.process(ctx, t, i, do); err != nil {
					cancel(err)
				}
			}
		})
	}
	if err := r.feed(ctx, t, items); err != nil {
		cancel(err)
	}
	close(items)
	workers.Wait()
}

// feed lists few connections at a time, so that what is paused meanwhile is left out.
func (r *run) feed(ctx context.Context, t Task, items chan<- item) error {
	var after position
	for {
		next, err := r.queue.next(ctx, t, r.before(), r.Now(), after, r.Workers)
		if err != nil || len(next) == 0 {
			return err
		}
		for _, i := range next {
			select {
			case items <- i:
				after = i.position
			case <-r.enough:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// process claims one connection, runs the task on it and marks it, unless it has to be done
// later. It does nothing if another run was faster.
func (r *run) process(ctx context.Context, t Task, i item, do func(context.Context, connection.Connection) bool) error {
	now := r.Now()
	if r.pauses.isPaused(i.Pair, t, now) {
		return nil
	}
	until := now.Add(claimLength)
	claimed, err := r.queue.claim(ctx, t, i, now, until)
	if err != nil || !claimed {
		return err
	}
	done := r.work(ctx, i, do)
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), r.giveBack(ctx, t, i, until))
	}
	if t == Sync {
		r.reportProgress()
	}
	if !done {
		return r.queue.release(ctx, t, i, until, nil)
	}
	return r.queue.release(ctx, t, i, until, new(r.Now()))
}

// giveBack ends the claim of an interrupted run, so that the next one need not wait.
func (r *run) giveBack(ctx context.Context, t Task, i item, until time.Time) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackLimit)
	defer cancel()
	return r.queue.release(ctx, t, i, until, nil)
}

// work runs the task on one connection, for as long as that may take.
func (r *run) work(ctx context.Context, i item, do func(context.Context, connection.Connection) bool) (done bool) {
	limited, cancel := context.WithTimeoutCause(ctx, timeLimit, errTimeLimit)
	defer cancel()
	c, err := r.Connection(limited, i.CompanyID, i.Pair)
	switch {
	case fault.Is(err, connection.CodeNoConnection): // disconnected since
		return true
	case err != nil:
		r.fail(ctx, i.CompanyID, "read "+i.Pair.String(), err)
		return true
	}
	return do(limited, c)
}

// renew renews the credential of c if it expires soon.
func (r *run) renew(ctx context.Context, c connection.Connection) (done bool) {
	if c.ReconnectReason != "" {
		return true
	}
	fresh, err := r.Renew(ctx, c)
	if err == nil && fresh.UserToken() != c.UserToken() {
		r.add(func(result *Result) { result.Renewed++ })
		r.succeeded(ctx, c.Pair, Renewal)
	}
	return r.finish(ctx, c, Renewal, "renew", err)
}

// sync runs the steps of c.
func (r *run) sync(ctx context.Context, c connection.Connection) (done bool) {
	if c.ReconnectReason != "" {
		r.add(func(result *Result) { result.Skipped++ })
		return true
	}
	done = true
	for _, step := range r.Steps[c.Pair] {
		if step.Chosen != connection.ChosenNothing && step.Chosen != c.Chosen {
			continue
		}
		worked, err := step.Run(ctx, c.CompanyID)
		if err == nil && !worked {
			continue
		}
		if err == nil {
			r.add(func(result *Result) { result.Synced++ })
			r.succeeded(ctx, c.Pair, Sync)
		}
		done = r.finish(ctx, c, Sync, step.Name, err) || worked // a part is not read again after each pause
		if err != nil && worked {
			continue
		}
		if !done || fault.Is(err, provider.CodeReconnect) || r.pauses.isPaused(c.Pair, Sync, r.Now()) {
			break
		}
	}
	return done
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
