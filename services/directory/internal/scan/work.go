package scan

import (
	"context"
	"errors"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const (
	// timeLimit bounds the work on one connection, so that calls that hang take no worker for
	// long. It is shorter than the timeout of the job, so that the end can be recorded.
	timeLimit = 80 * time.Second
	// turnPause is how long a connection waits whose requests had no turn.
	turnPause = 30 * time.Second
)

var errTimeLimit = errors.New("the work on one connection took too long")

// work runs a task on a connection. It snoozes until the end of a pause. The connection is
// marked in the transaction that ends the job: a worker that was frozen meanwhile, whose job
// was given to another one, marks nothing.
func work[T river.JobArgs](ctx context.Context, r *run, t Task, job *river.Job[T], connectionID int64) error {
	now, err := r.stateOf(ctx, t, connectionID)
	if err != nil || !now.active {
		return err
	}
	if wait := now.pausedUntil.Sub(r.Now()); wait > 0 {
		return river.JobSnooze(wait)
	}
	done := r.do(ctx, t, now)
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) { // the process ends
		return river.JobSnooze(0)
	}
	ctx = context.WithoutCancel(ctx)
	if t == Sync {
		r.reportProgress()
	}
	if done {
		return r.DB.Transaction(ctx, func(tx *gorm.DB) error {
			if err := jobs.Complete(tx, job); err != nil {
				return err
			}
			return r.mark(tx, t, connectionID)
		})
	}
	if now, err = r.stateOf(ctx, t, connectionID); err != nil {
		return err
	}
	return river.JobSnooze(max(now.pausedUntil.Sub(r.Now()), turnPause))
}

// do runs the task on one connection, for as long as that may take.
func (r *run) do(ctx context.Context, t Task, now state) (done bool) {
	limited, cancel := context.WithTimeoutCause(ctx, timeLimit, errTimeLimit)
	defer cancel()
	c, err := r.Connection(limited, now.CompanyID, now.Pair)
	if fault.Is(err, connection.CodeNoConnection) { // disconnected since
		return true
	}
	if err != nil {
		r.fail(ctx, now.CompanyID, "read "+now.Pair.String(), err)
		return true
	}
	if t == Renewal {
		return r.renew(limited, c, now)
	}
	return r.sync(limited, c, now)
}

// renew renews the credential of c if it expires soon.
func (r *run) renew(ctx context.Context, c connection.Connection, now state) (done bool) {
	if c.ReconnectReason != "" {
		return true
	}
	fresh, err := r.Renew(ctx, c)
	if err != nil {
		done, _ = r.failed(ctx, c, Renewal, "renew", err)
		return done
	}
	if fresh.UserToken() != c.UserToken() {
		r.add(func(result *Result) { result.Renewed++ })
		r.succeeded(ctx, c.Pair, now.endedPauses)
	}
	return true
}

// sync runs the steps of c. A part that was read is not read again after each pause.
func (r *run) sync(ctx context.Context, c connection.Connection, now state) (done bool) {
	if c.ReconnectReason != "" {
		r.add(func(result *Result) { result.Skipped++ })
		return true
	}
	for _, step := range r.Steps[c.Pair] {
		if step.Chosen != connection.ChosenNothing && step.Chosen != c.Chosen {
			continue
		}
		worked, err := step.Run(ctx, c.CompanyID)
		if err != nil {
			done, paused := r.failed(ctx, c, Sync, step.Name, err)
			isOver := !done || paused || fault.Is(err, provider.CodeReconnect)
			if isOver && !worked {
				return done
			}
			continue
		}
		if worked {
			r.add(func(result *Result) { result.Synced++ })
			r.succeeded(ctx, c.Pair, now.endedPauses)
		}
	}
	return true
}
