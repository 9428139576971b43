package scan

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
)

var pages, profile = provider.PagesPair, provider.ProfilePair

// fleet is many companies with one connected page each, in memory, at a provider that
// takes its time to respond. It is for the clock of a bubble.
type fleet struct {
	respond func(ctx context.Context) error

	mu      sync.Mutex
	busy    bool
	order   map[Task][]item // what was done longest ago comes first
	paused  time.Time
	resumed []string // keys of the pauses that were ended
	calls   int
	begin   time.Time
	longest time.Duration // between two syncs of a company
}

func newFleet(companies int) *fleet {
	f := &fleet{respond: respondAfter(time.Second), order: map[Task][]item{}, begin: time.Now()}
	for id := range int64(companies) {
		i := item{position: position{ID: id + 1}, CompanyID: id + 1, Pair: pages}
		f.order[Renewal], f.order[Sync] = append(f.order[Renewal], i), append(f.order[Sync], i)
	}
	return f
}

func respondAfter(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// service is the scan of one replica. Each renewal is one call, each sync two.
func (f *fleet) service(workers int) *Service {
	call := func(ctx context.Context, _ int64) (bool, error) { return true, f.call(ctx) }
	return &Service{queue: f, exclusively: f.exclusively, Options: Options{
		Connection: func(_ context.Context, companyID int64, p provider.Pair) (connection.Connection, error) {
			return connection.Connection{ID: companyID, CompanyID: companyID, Pair: p, Active: true,
				UserAccessToken: "user"}, nil
		},
		Renew: func(ctx context.Context, c connection.Connection) (connection.Connection, error) {
			c.UserAccessToken = "next"
			return c, f.call(ctx)
		},
		Steps:   map[provider.Pair][]Step{pages: {{Name: "read", Run: call}, {Name: "sync", Run: call}}},
		Workers: workers, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}}
}

func (f *fleet) call(ctx context.Context) error {
	f.mu.Lock()
	f.calls++
	f.mu.Unlock()
	if err := f.respond(ctx); err != nil {
		return provider.Temporary(err)
	}
	return nil
}

func (f *fleet) exclusively(ctx context.Context, _ string, fn func(context.Context) error) (bool, error) {
	f.mu.Lock()
	busy := f.busy
	f.busy = true
	f.mu.Unlock()
	if busy {
		return false, nil
	}
	defer func() { f.mu.Lock(); f.busy = false; f.mu.Unlock() }()
	return true, fn(ctx)
}

func (i item) compare(p position) int { return cmp.Or(i.At.Compare(p.At), cmp.Compare(i.ID, p.ID)) }

func (f *fleet) next(_ context.Context, t Task, before, now time.Time, after position, n int) (next []item, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Before(f.paused) {
		return nil, nil
	}
	from, _ := slices.BinarySearchFunc(f.order[t], position{after.At, after.ID + 1}, item.compare)
	for _, i := range f.order[t][from:] {
		if len(next) == n || !i.At.Before(before) {
			break
		}
		next = append(next, i)
	}
	return next, nil
}

func (f *fleet) count(_ context.Context, t Task, before time.Time) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, _ := slices.BinarySearchFunc(f.order[t], position{At: before}, item.compare)
	return n, nil
}

// resetAhead has nothing to do: the bubble has one clock.
func (*fleet) resetAhead(context.Context, Task, time.Time) (int64, error) { return 0, nil }

// claim has nothing to do: there is one run at a time.
func (*fleet) claim(context.Context, Task, item, time.Time, time.Time) (bool, error) {
	return true, nil
}

func (f *fleet) release(_ context.Context, t Task, i item, _ time.Time, done *time.Time) error {
	if done == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	from := slices.IndexFunc(f.order[t], func(other item) bool { return other.ID == i.ID })
	marked := f.order[t][from]
	others := slices.Delete(f.order[t], from, from+1)
	if t == Sync {
		f.longest = max(f.longest, f.waited(marked))
	}
	marked.At = *done
	to, _ := slices.BinarySearchFunc(others, marked.position, item.compare)
	f.order[t] = slices.Insert(others, to, marked)
	return nil
}

// waited returns how long ago a company had its turn, or the fleet began.
func (f *fleet) waited(i item) time.Duration {
	if i.At.IsZero() {
		return time.Since(f.begin)
	}
	return time.Since(i.At)
}

func (f *fleet) lastPause(context.Context, pause) (time.Duration, time.Time, error) {
	return 0, time.Time{}, nil
}

func (f *fleet) resume(_ context.Context, key string, _ time.Time) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.resumed = append(f.resumed, key)
	return false, nil
}

func (f *fleet) pause(ctx context.Context, p pause) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() == nil {
		f.paused = p.until
	}
	return ctx.Err()
}
