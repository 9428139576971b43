package directory_test

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
)

// fleet is many companies with one connected page each, in memory, at a provider that
// takes its time to answer. It is for the clock of a bubble.
type fleet struct {
	directory.ConnectionStore
	answer func(ctx context.Context) error

	mu      sync.Mutex
	busy    bool
	order   map[directory.ScanTask][]directory.ScanItem // with gaps where an item moved on
	begin   map[directory.ScanTask]int                  // of order; what is before has moved on
	place   map[directory.ScanTask][]int                // in order, by connection
	stopped time.Time
	calls   int
	synced  []time.Time // by company, last
	longest time.Duration
}

func newFleet(companies int) *fleet {
	f := &fleet{
		answer: answersAfter(time.Second),
		order:  map[directory.ScanTask][]directory.ScanItem{}, begin: map[directory.ScanTask]int{}, place: map[directory.ScanTask][]int{},
		synced: make([]time.Time, companies+1),
	}
	for _, task := range []directory.ScanTask{directory.ScanRenewal, directory.ScanSync} {
		f.place[task] = make([]int, companies+1)
		for i := range int64(companies) {
			f.place[task][i+1] = int(i)
			f.order[task] = append(f.order[task], directory.ScanItem{
				ScanPosition: directory.ScanPosition{ID: i + 1}, CompanyID: i + 1, Pair: pagesPair,
			})
		}
	}
	for i := range f.synced {
		f.synced[i] = time.Now()
	}
	return f
}

func answersAfter(d time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// scan is the scan of one replica.
func (f *fleet) scan(workers int) *directory.Scan {
	oauth := directory.NewOAuth(directory.OAuthOptions{
		Store: f, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Providers: map[directory.Provider]directory.Abilities{directory.ProviderSocial: {
			Refresh: func(ctx context.Context, _ directory.Token) (directory.Token, error) {
				end := time.Now().Add(60 * 24 * time.Hour)
				return directory.Token{AccessToken: "next", ExpiresAt: &end}, f.call(ctx)
			},
		}},
	})
	return directory.NewScan(directory.ScanOptions{
		OAuth: oauth, Steps: map[directory.Pair][]directory.ScanStep{pagesPair: {{Name: "photos", Run: f.read}, {Name: "page", Run: f.sync}}}, Store: f, Exclusively: f.exclusively, Workers: workers, Log: slog.New(slog.DiscardHandler),
	})
}

func (f *fleet) call(ctx context.Context) error {
	f.mu.Lock()
	f.calls++
	f.mu.Unlock()
	if err := f.answer(ctx); err != nil {
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

func (f *fleet) NextToScan(_ context.Context, t directory.ScanTask, before, now time.Time, after directory.ScanPosition, n int) (next []directory.ScanItem, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Before(f.stopped) {
		return nil, nil
	}
	order := f.order[t]
	for f.begin[t] < len(order) && order[f.begin[t]].ID == 0 {
		f.begin[t]++
	}
	from, _ := slices.BinarySearchFunc(order[f.begin[t]:], after, func(i directory.ScanItem, after directory.ScanPosition) int {
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

func (f *fleet) CountToScan(_ context.Context, t directory.ScanTask, before time.Time) (n int, _ error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, item := range f.order[t][f.begin[t]:] {
		if item.ID != 0 && item.At.Before(before) {
			n++
		}
	}
	return n, nil
}

func (f *fleet) MarkScanned(_ context.Context, t directory.ScanTask, id int64, at time.Time) error {
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

func (f *fleet) StopScan(_ context.Context, s directory.ScanStop) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = s.Until
	return nil
}

func (f *fleet) Connection(_ context.Context, companyID int64, p directory.Pair) (directory.Connection, error) {
	end := time.Now().Add(24 * time.Hour) // so that each renewal asks the provider
	return directory.Connection{
		ID: companyID, CompanyID: companyID, Pair: p, Active: true, Chosen: directory.ChosenPage, AccountID: "1", AccessToken: "page",
		UserAccessToken: "user", UserExpiresAt: &end,
	}, nil
}

func (f *fleet) RenewConnection(ctx context.Context, companyID int64, p directory.Pair, change func(context.Context, *directory.Connection) (*directory.Entry, error)) (directory.Connection, error) {
	c, _ := f.Connection(ctx, companyID, p)
	_, err := change(ctx, &c)
	return c, err
}

func (f *fleet) read(ctx context.Context, _ int64) (bool, error) { return true, f.call(ctx) }

// sync is read that records how long the company had to wait.
func (f *fleet) sync(ctx context.Context, companyID int64) (bool, error) {
	if err := f.call(ctx); err != nil {
		return true, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.longest = max(f.longest, time.Since(f.synced[companyID]))
	f.synced[companyID] = time.Now()
	return true, nil
}
