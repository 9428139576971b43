package prices_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardwaretest"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

const day = 24 * time.Hour

// twoOffers are what the aggregator finds.
var twoOffers = prices.Finding{
	ProductName: "RTX 4070", ProductURL: "https://prices.example/1", OfferCount: 26, PriceLow: 2649, PriceHigh: 5039.7,
	Offers: []prices.Offer{
		{Store: "a.example", StoreLabel: "A", Price: 2649.99, URL: "https://prices.example/Click?e=1"},
		{Store: "b.example", StoreLabel: "B", Price: 2700},
	},
}

// shop is an aggregator whose search says all, the same to everybody, and counts.
type shop struct {
	finding prices.Finding
	err     error
	takes   time.Duration
	asked   []catalog.Query
	keys    []string // of the look-ups that asked
}

func (s *shop) Search(ctx context.Context, r *lookup.Request, q catalog.Query) (string, prices.Finding, error) {
	s.asked, s.keys = append(s.asked, q), append(s.keys, r.Key)
	time.Sleep(s.takes)
	return "", s.finding, s.err
}

func (s *shop) Product(context.Context, *lookup.Request, string, int) (prices.Finding, error) {
	panic("the search has said all")
}

type setup struct {
	*prices.Prices
	shop              *shop
	breaker           *hardwaretest.Breaker
	answered, lookups hardwaretest.Notes
}

func newPrices(s *shop) *setup {
	p := &setup{shop: s, breaker: hardwaretest.NewBreaker()}
	p.Prices = prices.New(prices.Options{
		Aggregator: "shop", Domain: "prices.example", Source: s,
		Matches: hardwaretest.NewStore[prices.Match]().Replica(lookup.Options[prices.Match]{}),
		Breaker: p.breaker, TTL: day, Now: time.Now,
		Answered: func(via lookup.Via, err error) { p.answered.Add(string(via) + hardwaretest.CodeOf(err)) },
		LookedUp: func(outcome string, _ time.Time) { p.lookups.Add(outcome) },
	})
	return p
}

// ask returns where the answer came from, or how it failed.
func (p *setup) ask(t *testing.T, text string, c catalog.Category) string {
	t.Helper()
	q, err := catalog.ParseQuery(text, c)
	if err != nil {
		t.Fatal(err)
	}
	_, via, err := p.Get(t.Context(), lookup.Caller{}, q)
	return string(via) + hardwaretest.CodeOf(err)
}

func (p *setup) expectAsked(t *testing.T, times int) {
	t.Helper()
	if n := len(p.shop.asked); n != times {
		t.Errorf("the aggregator was asked %d times, want %d", n, times)
	}
}

func TestQueriesThatDifferInLetterCaseShareAnAnswer(t *testing.T) {
	p := newPrices(&shop{finding: twoOffers})
	for _, tt := range []struct {
		text     string
		category catalog.Category
		via      string
	}{
		{"RTX 4070 ŻÓŁTA", "", "source"},
		{"rtx  4070 żółta ", "", "local"},
		{"RTX 4070 ŻÓŁTA", "gpu", "source"},
		{"rtx 4070 żółta", "gpu", "local"},
		{"rtx 4070", "gpu", "source"},
		{"gpu:rtx 4070", "", "source"},
		{"gpurtx 4070", "", "source"},
	} {
		expectVia(t, p.ask(t, tt.text, tt.category), tt.via)
	}
	p.expectAsked(t, 5)
	if want := (catalog.Query{Text: "RTX 4070 ŻÓŁTA", Category: "gpu"}); p.shop.asked[1] != want {
		t.Errorf("asked for %+v, want %+v", p.shop.asked[1], want)
	}
}

func TestOnlyAnswersWithOffersAreKept(t *testing.T) {
	for name, tt := range map[string]struct {
		finding prices.Finding
		outcome string
		kept    bool
	}{
		"found":                    {twoOffers, "found", true},
		"nothing matched":          {prices.Finding{ProductURL: "https://prices.example/;szukaj-x"}, "nothing_matched", false},
		"a product without offers": {prices.Finding{ProductName: "X", OfferCount: 3}, "found", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, at := newPrices(&shop{finding: tt.finding}), time.Now()
				a, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "dysk"})
				if err != nil || !a.FetchedAt.Equal(at) || a.Shareable != tt.kept || a.Fresh(at.Add(day-1)) != tt.kept || a.Fresh(at.Add(day)) {
					t.Errorf("%+v, %v; want kept for a day: %v", a, err, tt.kept)
				}
				time.Sleep(day - 1)
				again, lookups := "source", 2
				if tt.kept {
					again, lookups = "local", 1
				}
				via := p.ask(t, "dysk", "")
				expectVia(t, via, again)
				p.expectAsked(t, lookups)
				p.breaker.Calls.Require(t, "breaker", slices.Repeat([]string{"succeed shop"}, lookups)...)
				p.lookups.Require(t, "metrics of look-ups", slices.Repeat([]string{tt.outcome}, lookups)...)
				p.answered.Require(t, "metrics of answers", "source", again)
			})
		})
	}
}

func TestFailuresTellTheBreakerWhatTheyMean(t *testing.T) {
	full := fault.New(fault.Unavailable, "throttle_queue_full", "").After(8 * time.Second)
	for _, tt := range []struct {
		name  string
		err   error
		code  string
		calls []string
	}{
		{"blocked", lookup.Blocked(hardwaretest.ErrAway, 0), "source_blocked", []string{"pause shop 10m0s"}},
		{"blocked until a time that has passed", lookup.Blocked(hardwaretest.ErrAway, -time.Minute), "source_blocked", []string{"pause shop 10m0s"}},
		{"blocked for a while", lookup.Blocked(hardwaretest.ErrAway, 90*time.Second), "source_blocked", []string{"pause shop 1m30s"}},
		{"blocked for a day", lookup.Blocked(hardwaretest.ErrAway, day), "source_blocked", []string{"pause shop 24h0m0s"}},
		{"blocked for a year", lookup.Blocked(hardwaretest.ErrAway, 365*day), "source_blocked", []string{"pause shop 24h0m0s"}},
		{"wrapped", fmt.Errorf("page 2: %w", lookup.Blocked(hardwaretest.ErrAway, time.Minute)), "source_blocked", []string{"pause shop 1m0s"}},
		{"closed by robots.txt", lookup.Disallowed(hardwaretest.ErrAway), "source_disallowed", nil},
		{"changed", lookup.Changed(hardwaretest.ErrAway), "source_changed", nil},
		{"unreachable", lookup.Unreachable(hardwaretest.ErrAway), "source_unavailable", []string{"fail shop"}},
		{"no such address", lookup.NotAnswered(hardwaretest.ErrAway), "source_unavailable", nil},
		{"slow", lookup.Slow(hardwaretest.ErrAway), "source_timeout", []string{"fail shop"}},
		{"its turn did not come", full, "throttle_queue_full", nil},
		{"cancelled", context.Canceled, "internal", nil},
		{"a fault of our own", hardwaretest.ErrAway, "internal", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPrices(&shop{err: tt.err})
				_, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "dysk"})
				delay := fault.From(tt.err).RetryAfter
				if tt.code == "source_blocked" { // the pause that it begins
					delay, _ = time.ParseDuration(strings.TrimPrefix(tt.calls[0], "pause shop "))
				}
				if got := fault.From(err); hardwaretest.CodeOf(err) != tt.code || got.RetryAfter != delay {
					t.Errorf("%v after %v, want %s after %v", err, got.RetryAfter, tt.code, delay)
				}
				p.breaker.Calls.Require(t, "breaker", tt.calls...)
				p.lookups.Require(t, "metrics of look-ups", tt.code)
				p.answered.Require(t, "metrics of answers", tt.code)
			})
		})
	}
}

// What was not asked of the aggregator says nothing about it.
func TestAQuestionWithNothingToSearchForTellsTheBreakerNothing(t *testing.T) {
	p := newPrices(&shop{finding: prices.Finding{ProductURL: "https://prices.example/;szukaj-a", NotAsked: true}})
	a, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "a//"})
	if err != nil || a.Value.Note == "" || a.Shareable {
		t.Errorf("%+v, %v", a, err)
	}
	p.breaker.Calls.Require(t, "breaker")
	p.lookups.Require(t, "metrics of look-ups", "nothing_matched")
}

func TestAPausedAggregatorIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrices(&shop{finding: twoOffers})
		p.breaker.Pause(t.Context(), "shop", time.Minute)
		time.Sleep(20 * time.Second)
		_, via, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "dysk"})
		f := fault.From(err)
		if f == nil || via != "" || f.Code != "source_paused" || f.Kind != fault.Unavailable || f.RetryAfter != 40*time.Second {
			t.Errorf("%q, %v; want source_paused for 40 s", via, err)
		}
		p.expectAsked(t, 0)
		p.lookups.Require(t, "metrics of look-ups")
		p.answered.Require(t, "metrics of answers", "source_paused")
		time.Sleep(40 * time.Second)
		outcome := p.ask(t, "dysk", "")
		expectVia(t, outcome, "source")
	})
}

func TestCallersThatLeaveSayNothingToTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrices(&shop{finding: twoOffers, takes: 3 * time.Second})
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if _, _, err := p.Get(ctx, lookup.Caller{}, catalog.Query{Text: "dysk"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the caller's own error", err)
		}
		p.breaker.Calls.Require(t, "breaker, when the caller left")
		via := p.ask(t, "dysk", "")
		expectVia(t, via, "collapsed")
		p.breaker.Calls.Require(t, "breaker, when the look-up ended", "succeed shop")
	})
}

func TestLookupsCarryTheirKey(t *testing.T) {
	p := newPrices(&shop{finding: twoOffers})
	one, other := catalog.Query{Text: "RTX 4070"}, catalog.Query{Text: "rtx 4070", Category: "gpu"}
	for _, q := range []catalog.Query{one, other} {
		if _, ok := p.Kept(q); ok {
			t.Errorf("%+v: kept before it was asked for", q)
		}
		if _, _, err := p.Get(t.Context(), lookup.Caller{}, q); err != nil {
			t.Fatal(err)
		}
		if a, ok := p.Kept(q); !ok || a == nil {
			t.Errorf("%+v: not kept", q)
		}
	}
	if want := []string{p.Key(one), p.Key(other)}; !slices.Equal(p.shop.keys, want) || want[0] == want[1] {
		t.Errorf("look-ups named %q, want %q", p.shop.keys, want)
	}
}

func expectVia(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("answered via %q, want %q", got, want)
	}
}
