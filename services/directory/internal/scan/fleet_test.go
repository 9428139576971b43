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
	order   map[Task][]item // with gaps where an item moved on
	begin   map[Task]int    // of order; what is before has moved on
	place   map[Task][]int  // in order, by connection
	paused  time.Time
	calls   int
	synced  []time.Time // by company, last
	longest time.Duration
}

func newFleet(companies int) *fleet {
	f := &fleet{
		respond: respondAfter(time.Second),
		order:   map[Task][]item{}, begin: map[Task]int{}, place: map[Task][]int{},
		synced: make([]time.Time, companies+1),
	}
	for _, task := range []Task{Renewal, Sync} {
		f.place[task] = make([]int, companies+1)
		for i := range int64(companies) {
			f.place[task][i+1] = int(i)
			f.order[task] = append(f.order[task], item{position: position{ID: i + 1}, CompanyID: i + 1, Pair: pages})
		}
	}
	for i := range f.synced {
		f.synced[i] = time.Now()
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
	read := func(ctx context.Context, _ int64) (bool, error) { return true, f.call(ctx) }
	return &Service{queue: f, exclusively: f.exclusively, Options: Options{
		Connection: func(_ context.Context, companyID int64, p provider.Pair) (connection.Connection, error) {
			return connection.Connection{ID: companyID, CompanyID: companyID, Pair: p, Active: true, UserAccessToken: "user"}, nil
		},
		Renew: func(ctx context.Context, c connection.Connection) (connection.Connection, error) {
			c.UserAccessToken = "next"
			return c, f.call(ctx)
		},
		Steps: map[provider.Pair][]Step{pages: {{Name: "read", Run: read}, {Name: "sync", Run: func(ctx context.Context, companyID int64) (bool, error) {
			err := f.call(ctx)
			if err == nil {
				f.noteSync(companyID)
			}
			return true, err
		}}}},
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

// noteSync records how long the company had to wait.
func (f *fleet) noteSync(companyID int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.longest = max(f.longest, time.Since(f.synced[companyID]))
	f.synced[companyID] = time.Now()
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

func (f *fleet) next(_ context.Context, t Task, before, now time.Time, after position, n int) (next []item, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Before(f.paused) {
		return nil, nil
	}
	order := f.order[t]
	for f.begin[t] < len(order) && order[f.begin[t]].ID == 0 {
		f.begin[t]++
	}
	from, _ := slices.BinarySearchFunc(order[f.begin[t]:], after, func(i item, after position) int {
		return cmp.Or(i.At.Compare(after.At), cmp.Compare(i.CompanyID, after.ID+1))
	})
	for _, item := range order[f.begin[t]+from:] {
		if len(next) == n || !item.At.Before(before) {
			break
		}
		if item.ID != 0 {
			next = append(next, item)
		}
	}
	return next, nil
}

func (f *fleet) count(_ context.Context, t Task, before time.Time) (n int, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, item := range f.order[t][f.begin[t]:] {
		if item.ID != 0 && item.At.Before(before) {
			n++
		}
	}
	return n, nil
}

func (f *fleet) mark(_ context.Context, t Task, id int64, at time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	item := f.order[t][f.place[t][id]]
	f.order[t][f.place[t][id]].ID = 0
	item.At = at
	order := append(f.order[t], item)
	to := len(order) - 1
	for ; to > 0 && order[to-1].At.Equal(at) && order[to-1].CompanyID > id; to-- {
		order[to] = order[to-1]
		f.place[t][order[to].CompanyID] = to
	}
	order[to], f.place[t][id], f.order[t] = item, to, order
	return nil
}

func (f *fleet) pause(_ context.Context, p pause) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.paused = p.until
	return nil
}
