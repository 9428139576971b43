package httpapi_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"backend.example/services/hardware/internal/cache"
	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/hardware/internal/httpapi"
)

// world is what the replicas of a test share: the sources, the store, the time.
type world struct {
	now      time.Time
	store    *store
	shop     shop
	site     site
	lastGood lastGood
	snapshot error
	paused   time.Duration
}

func newWorld() *world {
	return &world{
		now: now, store: &store{kept: map[string]*hardware.Answer{}},
		shop: shop{finding: card()}, lastGood: lastGood{},
	}
}

// replica is a service made of the real domain and the real local cache.
type replica struct {
	service
	lookups  *hardware.Lookups
	rankings *hardware.Rankings
	prices   *hardware.Prices
}

func (w *world) newReplica(t *testing.T) replica {
	t.Helper()
	clock := func() time.Time { return w.now }
	quiet := slog.New(slog.DiscardHandler)
	r := replica{lookups: hardware.NewLookups(cache.NewLocal(8<<20), w.store, hardware.DefaultTiming(), clock, quiet)}
	r.rankings = hardware.NewRankings(&w.site, w.lastGood, w.shipped, r.lookups, w, w, 24*time.Hour, clock, quiet)
	r.prices = hardware.NewPrices(&w.shop, r.lookups, w, w, 24*time.Hour, clock)
	r.service = newService(t, &httpapi.API{Rankings: r.rankings, Prices: r.prices, Now: clock})
	return r
}

func (w *world) shipped(f catalog.Family) ([]hardware.Row, time.Time, error) {
	return rows(f, 2), now.AddDate(0, -6, 0), w.snapshot
}

// Allow and its companions implement upstream.Breaker: paused unless it is zero.
func (w *world) Allow(context.Context, string) (time.Duration, bool) { return w.paused, w.paused == 0 }
func (*world) Pause(context.Context, string, time.Duration)          {}
func (*world) Fail(context.Context, string)                          {}
func (*world) Succeed(context.Context, string)                       {}

// Answered and LookedUp implement hardware.Observer.
func (*world) Answered(string, hardware.Via, error) {}
func (*world) LookedUp(string, string, time.Time)   {}

// site is the benchmark site.
type site struct {
	err   error
	asked int
}

func (s *site) Ranking(_ context.Context, f catalog.Family) (*hardware.Answer, error) {
	s.asked++
	if s.err != nil {
		return nil, s.err
	}
	return hardware.EncodeRanking("userbenchmark.com", rows(f, 500))
}

// lastGood keeps rankings for good.
type lastGood map[catalog.Family]*hardware.Answer

func (l lastGood) Load(_ context.Context, f catalog.Family) (*hardware.Answer, error) {
	if a, ok := l[f]; ok {
		return a, nil
	}
	return nil, errors.New("open /var/lib/hardware/lastgood: no such file")
}

func (l lastGood) Save(_ context.Context, f catalog.Family, a *hardware.Answer) error {
	l[f] = a
	return nil
}

// store is the shared store in place of Redis. It counts what it is asked.
type store struct {
	mu      sync.Mutex
	calls   int
	kept    map[string]*hardware.Answer
	other   func(key string)        // acts for a replica that holds the claim
	settled chan<- hardware.Outcome // is told every outcome, unless nil
}

func (s *store) Claim(_ context.Context, key, _ string, _ time.Duration) (hardware.Claim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if s.other != nil {
		s.other(key)
		return hardware.Claim{}, nil
	}
	a := s.kept[key]
	return hardware.Claim{Kept: a, Mine: a == nil}, nil
}

func (s *store) Renew(context.Context, string, string, time.Duration) error { return nil }

func (s *store) Settle(_ context.Context, key, _ string, o hardware.Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if o.Answer != nil && o.Answer.Shareable {
		s.kept[key] = o.Answer
	}
	if s.settled != nil {
		s.settled <- o
	}
	return nil
}
