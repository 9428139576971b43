package httpapi_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardwaretest"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

// world is what the replicas of a test share: the sources, the stores, the time.
type world struct {
	now      time.Time
	rankings *hardwaretest.Store[rankings.Ranking]
	matches  *hardwaretest.Store[prices.Match]
	prices   *hardwaretest.Store[prices.Price]
	paused   time.Duration // what is left of a pause of the sources
	shop     shop
	site     site
	lastGood lastGood
	snapshot error
}

// shop is an aggregator that says the same about every query.
type shop struct {
	finding prices.Finding
	err     error
	before  func() // runs inside every look-up, unless nil
	asked   int
}

func (s *shop) Search(_ context.Context, r *lookup.Request, _ catalog.Query) (number string, found prices.Finding, err error) {
	if len(s.finding.Offers) == 0 {
		f, err := s.Product(context.Background(), r, "", 0)
		return "", f, err
	}
	return "161482093", prices.Finding{ProductName: s.finding.ProductName}, nil
}

func (s *shop) Product(context.Context, *lookup.Request, string, int) (prices.Finding, error) {
	s.asked++
	if s.before != nil {
		s.before()
	}
	return s.finding, s.err
}

// site is the benchmark site.
type site struct {
	err   error
	asked int
}

func (s *site) fetch(_ context.Context, f catalog.Family) (rankings.Ranking, error) {
	s.asked++
	return rankings.Ranking{Source: "userbenchmark.com", Rows: rows(f, 500)}, s.err
}

func newWorld() *world {
	w := &world{
		now: now, rankings: hardwaretest.NewStore[rankings.Ranking](), matches: hardwaretest.NewStore[prices.Match](), prices: hardwaretest.NewStore[prices.Price](),
		shop: shop{finding: card()}, lastGood: lastGood{},
	}
	w.rankings.Now, w.matches.Now, w.prices.Now = w.clock, w.clock, w.clock
	w.rankings.Mute, w.matches.Mute, w.prices.Mute = true, true, true // each replica asks the store itself
	return w
}

func (w *world) clock() time.Time { return w.now }

// replica is a service made of the real domain and the real local cache.
type replica struct {
	service
	local    *lookup.Local // answers
	rankings *rankings.Rankings
	prices   *prices.Prices
}

func (w *world) newReplica(t testing.TB) replica {
	t.Helper()
	local := lookup.NewLocal(8 << 20)
	answered, lookedUp := func(lookup.Via, error) {}, func(string, time.Time) {}
	r := replica{
		local: local,
		rankings: rankings.New(rankings.Options{
			Fetch: w.site.fetch, LastGood: w.lastGood, Shipped: w.shipped,
			Layers:  w.rankings.Replica(lookup.Options[rankings.Ranking]{Local: local}),
			Breaker: w, TTL: 24 * time.Hour, Answered: answered, LookedUp: lookedUp, Now: w.clock, Log: hardwaretest.Quiet,
		}),
		prices: prices.New(prices.Options{
			Aggregator: "ceneo", Domain: "ceneo.pl", Source: &w.shop,
			Matches: w.matches.Replica(lookup.Options[prices.Match]{Local: local}),
			Offers:  w.prices.Replica(lookup.Options[prices.Price]{Local: local}),
			Breaker: w, TTL: 24 * time.Hour, ProductTTL: 720 * time.Hour, Answered: answered, LookedUp: lookedUp, Now: w.clock,
		}),
	}
	r.service = newService(t, &httpapi.API{
		Ranking: r.rankings.Get, Price: r.prices.Get, Quotes: prices.NewQuotes(r.prices, nowhere, hardwaretest.Quiet).Ask,
		Caller: caller, Bodies: lookup.NewLocal(8 << 20), Aggregator: "ceneo", Now: w.clock,
	})
	return r
}

// nowhere says that no look-up is queued.
func nowhere(_ context.Context, keys ...string) []lookup.Place {
	return make([]lookup.Place, len(keys))
}

func (w *world) shipped(f catalog.Family) ([]rankings.Row, time.Time, error) {
	return rows(f, 2), now.AddDate(0, -6, 0), w.snapshot
}

// Allow and its companions implement lookup.Breaker.
func (w *world) Allow(context.Context, string) (time.Duration, bool) { return w.paused, w.paused == 0 }
func (*world) Pause(context.Context, string, time.Duration)          {}
func (*world) Fail(context.Context, string, string)                  {}
func (*world) Succeed(context.Context, string) time.Duration         { return 0 }

// calls is how often the shared stores were asked.
func (w *world) calls() int {
	return w.rankings.Calls("claim") + w.rankings.Calls("settle") + w.matches.Calls("claim") + w.matches.Calls("settle") +
		w.prices.Calls("claim") + w.prices.Calls("settle")
}

// lastGood keeps rankings for good.
type lastGood map[catalog.Family]*rankings.Answer

func (l lastGood) Load(_ context.Context, f catalog.Family) (*rankings.Answer, error) {
	if a, ok := l[f]; ok {
		return a, nil
	}
	return nil, errors.New("open /var/lib/hardware/lastgood: no such file")
}

func (l lastGood) Save(_ context.Context, f catalog.Family, a *rankings.Answer) error {
	l[f] = a
	return nil
}
