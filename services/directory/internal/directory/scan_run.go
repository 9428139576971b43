package directory

import (
	"context"
	"errors"
	"sync"
	"time"

	"backend.example/services/internal/kit/fault"
)

// scanLimit bounds the work on one connection, so that a scan ends although calls
// hang.
const scanLimit = 2 * time.Minute

var errScanLimit = errors.New("the work on one connection took too long")

// scanRun is one run of a Scan.
type scanRun struct {
	ScanOptions
	before   func() time.Time // what was done before is to be done again
	enough   <-chan struct{}  // begin nothing more; nil: no end but that of the list
	progress func(ScanProgress)
	stops    stops

	mu     sync.Mutex
	total  int // for progress alone
	result ScanResult
}

// all does both tasks at once. The first error of the store ends both.
func (r *scanRun) all(ctx context.Context) error {
	var err error
	if r.progress != nil {
		if r.total, err = r.Store.CountToScan(ctx, ScanSync, r.before()); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var lanes sync.WaitGroup
	lanes.Go(func() { r.lane(ctx, cancel, ScanRenewal, r.renew) })
	lanes.Go(func() { r.lane(ctx, cancel, ScanSync, r.sync) })
	lanes.Wait()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	r.result.Left, err = r.Store.CountToScan(ctx, ScanSync, r.before())
	return err
}

// lane hands the connections of one task to its workers.
func (r *scanRun) lane(ctx context.Context, cancel context.CancelCauseFunc, task ScanTask, do func(context.Context, Connection) (done bool)) {
	items := make(chan ScanItem)
	var workers sync.WaitGroup
	for range r.Workers {
		workers.Go(func() {
			for item := range items {
				if err := r.item(ctx, task, item, do); err != nil {
					cancel(err)
				}
			}
		})
	}
	if err := r.feed(ctx, task, items); err != nil {
		cancel(err)
	}
	close(items)
	workers.Wait()
}

// feed lists few connections at a time: what was stopped meanwhile is not among the
// next ones.
func (r *scanRun) feed(ctx context.Context, task ScanTask, items chan<- ScanItem) error {
	var after ScanPosition
	for {
		next, err := r.Store.NextToScan(ctx, task, r.before(), r.OAuth.now(), after, r.Workers)
		if err != nil || len(next) == 0 {
			return err
		}
		for _, item := range next {
			select {
			case items <- item:
				after = item.ScanPosition
			case <-r.enough:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// item does the task on one connection and notes it, unless it has to be done later.
func (r *scanRun) item(ctx context.Context, task ScanTask, item ScanItem, do func(context.Context, Connection) bool) error {
	if r.stops.hold(item.Pair.Provider, r.OAuth.now()) {
		return nil
	}
	limited, cancel := context.WithTimeoutCause(ctx, scanLimit, errScanLimit)
	defer cancel()
	done := true
	c, err := r.OAuth.Active(limited, item.CompanyID, item.Pair)
	switch {
	case fault.Is(err, CodeNoConnection): // disconnected since
	case err != nil:
		r.fail(ctx, item.CompanyID, "read "+item.Pair.String(), err)
	default:
		done = do(limited, c)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if task == ScanSync {
		r.tell()
	}
	if !done {
		return nil
	}
	return r.Store.MarkScanned(ctx, task, item.ID, r.OAuth.now())
}

// renew renews the credential of c where it ends soon.
func (r *scanRun) renew(ctx context.Context, c Connection) bool {
	if c.ReconnectReason != "" {
		return true
	}
	fresh, err := r.OAuth.RenewEarly(ctx, c)
	if err == nil && fresh.UserToken() != c.UserToken() {
		r.add(func(result *ScanResult) { result.Renewed++ })
		r.stops.answered(c.Pair.Provider)
	}
	return r.note(ctx, c, ScanRenewal, "renew", err)
}

// sync reads what c is connected for.
func (r *scanRun) sync(ctx context.Context, c Connection) bool {
	if c.ReconnectReason != "" {
		r.add(func(result *ScanResult) { result.Skipped++ })
		return true
	}
	done := true
	for _, step := range r.syncs(c) {
		err := step.sync(ctx, c.CompanyID)
		if err == nil {
			r.add(func(result *ScanResult) { result.Synced++ })
			r.stops.answered(c.Pair.Provider)
		}
		if errors.Is(err, errNothing) {
			continue
		}
		done = r.note(ctx, c, ScanSync, step.name, err)
		if !done || fault.Is(err, CodeReconnect) || r.stops.hold(c.Pair.Provider, r.OAuth.now()) {
			break
		}
	}
	return done
}

// syncStep is one reading.
type syncStep struct {
	name string
	sync func(ctx context.Context, companyID int64) error
}

// errNothing says that there was nothing to read: it does not exist, or is not due.
var errNothing = errors.New("nothing to read")

// syncs are the readings that c is connected for, which count for nobody's limit.
func (r *scanRun) syncs(c Connection) []syncStep {
	var steps []syncStep
	for _, step := range r.Steps[c.Pair] {
		if step.Chosen == ChosenNothing || step.Chosen == c.Chosen {
			steps = append(steps, syncStep{step.Name, func(ctx context.Context, companyID int64) error {
				worked, err := step.Run(ctx, companyID)
				if err == nil && !worked {
					return errNothing
				}
				return err
			}})
		}
	}
	return steps
}

func (r *scanRun) add(change func(*ScanResult)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.result)
}

// tell counts a connection, and tells how far the run is.
func (r *scanRun) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.result.Connections++
	if r.progress != nil {
		r.progress(ScanProgress{Done: r.result.Connections, Total: r.total, Failed: r.result.Failed})
	}
}

// fail counts and logs what went wrong, unless the run itself was ended.
func (r *scanRun) fail(ctx context.Context, companyID int64, step string, err error) {
	if ctx.Err() != nil {
		return
	}
	r.add(func(result *ScanResult) { result.Failed++ })
	r.Log.WarnContext(ctx, "scan step failed", "company", companyID, "step", step, "error", err)
}
