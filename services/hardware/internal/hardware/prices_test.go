package hardware_test

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
	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

// shop is an aggregator that says the same to everybody, and counts.
type shop struct {
	finding hardware.Finding
	err     error
	takes   time.Duration
	asked   []catalog.Query
}

func (*shop) Name() string   { return "shop" }
func (*shop) Domain() string { return "prices.example" }

func (s *shop) Find(_ context.Context, q catalog.Query) (hardware.Finding, error) {
	s.asked = append(s.asked, q)
	time.Sleep(s.takes)
	return s.finding, s.err
}

type priceSetup struct {
	*hardware.Prices
	shop     *shop
	breaker  *breaker
	observer *observer
}

func newPrices(s *shop) priceSetup {
	b, o := newBreaker(), &observer{}
	return priceSetup{hardware.NewPrices(s, newStore().replica(), b, o, day, time.Now), s, b, o}
}

// ask returns where the answer came from, or how it failed, and its body.
func (p priceSetup) ask(t *testing.T, text string, c catalog.Category) (outcome, body string) {
	t.Helper()
	q, err := catalog.ParseQuery(text, c)
	if err != nil {
		t.Fatal(err)
	}
	a, via, err := p.Get(t.Context(), q)
	if err != nil {
		return codeOf(err), ""
	}
	head, tail := a.PriceBody(nil, q.Text)
	return string(via), string(head) + string(tail)
}

func (p priceSetup) expectAsked(t *testing.T, times int) {
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
		via, body := p.ask(t, tt.text, tt.category)
		expectVia(t, via, tt.via)
		if echo := strings.Join(strings.Fields(tt.text), " "); !strings.HasPrefix(body, `{"query":"`+echo+`","source":"prices.example"`) {
			t.Errorf("%q is answered with %s", tt.text, body)
		}
	}
	p.expectAsked(t, 5)
	if want := (catalog.Query{Text: "RTX 4070 ŻÓŁTA", Category: "gpu"}); p.shop.asked[1] != want {
		t.Errorf("asked for %+v, want %+v", p.shop.asked[1], want)
	}
}

func TestOnlyAnswersWithOffersAreKept(t *testing.T) {
	for name, tt := range map[string]struct {
		finding hardware.Finding
		outcome string
		kept    bool
	}{
		"found":                    {twoOffers, "shop found", true},
		"nothing matched":          {hardware.Finding{ProductURL: "https://prices.example/;szukaj-x"}, "shop nothing_matched", false},
		"a product without offers": {hardware.Finding{ProductName: "X", OfferCount: 3}, "shop found", false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, at := newPrices(&shop{finding: tt.finding}), time.Now()
				a, _, err := p.Get(t.Context(), catalog.Query{Text: "dysk"})
				if err != nil || !a.FetchedAt.Equal(at) || a.Shareable != tt.kept || a.Fresh(at.Add(day-1)) != tt.kept || a.Fresh(at.Add(day)) {
					t.Errorf("%+v, %v; want kept for a day: %v", a, err, tt.kept)
				}
				time.Sleep(day - 1)
				again, lookups := "source", 2
				if tt.kept {
					again, lookups = "local", 1
				}
				via, _ := p.ask(t, "dysk", "")
				expectVia(t, via, again)
				p.expectAsked(t, lookups)
				p.breaker.told.expect(t, "breaker", slices.Repeat([]string{"succeed shop"}, lookups)...)
				p.observer.lookups.expect(t, "metrics of look-ups", slices.Repeat([]string{tt.outcome}, lookups)...)
				p.observer.answered.expect(t, "metrics of answers", "price source", "price "+again)
			})
		})
	}
}

func TestFailuresTellTheBreakerWhatTheyMean(t *testing.T) {
	full := fault.New(fault.Unavailable, "throttle_queue_full", "").After(8 * time.Second)
	for _, tt := range []struct {
		name string
		err  error
		code string
		told []string
	}{
		{"blocked", upstream.Blocked(errAway, 0), "source_blocked", []string{"pause shop 10m0s"}},
		{"blocked until a time that has passed", upstream.Blocked(errAway, -time.Minute), "source_blocked", []string{"pause shop 10m0s"}},
		{"blocked for a while", upstream.Blocked(errAway, 90*time.Second), "source_blocked", []string{"pause shop 1m30s"}},
		{"blocked for a day", upstream.Blocked(errAway, day), "source_blocked", []string{"pause shop 24h0m0s"}},
		{"blocked for a year", upstream.Blocked(errAway, 365*day), "source_blocked", []string{"pause shop 24h0m0s"}},
		{"wrapped", fmt.Errorf("page 2: %w", upstream.Blocked(errAway, time.Minute)), "source_blocked", []string{"pause shop 1m0s"}},
		{"changed", upstream.Changed(errAway), "source_changed", []string{"fail shop"}},
		{"unreachable", upstream.Unreachable(errAway), "source_unavailable", []string{"fail shop"}},
		{"slow", upstream.Slow(errAway), "source_timeout", []string{"fail shop"}},
		{"its turn did not come", full, "throttle_queue_full", nil},
		{"cancelled", context.Canceled, "internal", nil},
		{"a fault of our own", errAway, "internal", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPrices(&shop{err: tt.err})
				_, _, err := p.Get(t.Context(), catalog.Query{Text: "dysk"})
				if codeOf(err) != tt.code || fault.From(err).RetryAfter != fault.From(tt.err).RetryAfter {
					t.Errorf("%v, want %s and the delay of %v", err, tt.code, tt.err)
				}
				p.breaker.told.expect(t, "breaker", tt.told...)
				p.observer.lookups.expect(t, "metrics of look-ups", "shop "+tt.code)
				p.observer.answered.expect(t, "metrics of answers", "price "+tt.code)
			})
		})
	}
}

func TestAPausedAggregatorIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrices(&shop{finding: twoOffers})
		p.breaker.Pause(t.Context(), "shop", time.Minute)
		time.Sleep(20 * time.Second)
		_, via, err := p.Get(t.Context(), catalog.Query{Text: "dysk"})
		f := fault.From(err)
		if f == nil || via != "" || f.Code != "source_paused" || f.Kind != fault.Unavailable || f.RetryAfter != 40*time.Second {
			t.Errorf("%q, %v; want source_paused for 40 s", via, err)
		}
		p.expectAsked(t, 0)
		p.observer.lookups.expect(t, "metrics of look-ups")
		p.observer.answered.expect(t, "metrics of answers", "price source_paused")
		time.Sleep(40 * time.Second)
		outcome, _ := p.ask(t, "dysk", "")
		expectVia(t, outcome, "source")
	})
}

func TestCallersThatLeaveSayNothingToTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrices(&shop{finding: twoOffers, takes: 3 * time.Second})
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if _, _, err := p.Get(ctx, catalog.Query{Text: "dysk"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the caller's own error", err)
		}
		p.breaker.told.expect(t, "breaker, when the caller left")
		via, _ := p.ask(t, "dysk", "")
		expectVia(t, via, "collapsed")
		p.breaker.told.expect(t, "breaker, when the look-up ended", "succeed shop")
	})
}

func TestAnUnknownAggregatorIsAFault(t *testing.T) {
	p := newPrices(&shop{})
	if got := p.Aggregators(); !slices.Equal(got, []string{"shop"}) {
		t.Errorf("aggregators %q", got)
	}
	if err := p.CheckAggregator("shop"); err != nil {
		t.Errorf("shop: %v", err)
	}
	for _, name := range []string{"", "Shop", "other"} {
		if err := p.CheckAggregator(name); codeOf(err) != "unknown_aggregator" || fault.From(err).Kind != fault.NotFound {
			t.Errorf("%q: %v, want the fault unknown_aggregator", name, err)
		}
	}
}

// naming is an aggregator that notes which look-up it is asked for.
type naming struct {
	shop
	names []string
}

func (n *naming) Find(ctx context.Context, q catalog.Query) (hardware.Finding, error) {
	n.names = append(n.names, hardware.LookupOf(ctx))
	return n.shop.Find(ctx, q)
}

func TestLookupsCarryTheirName(t *testing.T) {
	n := &naming{shop: shop{finding: twoOffers}}
	p := hardware.NewPrices(n, newStore().replica(), newBreaker(), &observer{}, day, time.Now)
	one, other := catalog.Query{Text: "RTX 4070"}, catalog.Query{Text: "rtx 4070", Category: "gpu"}
	for _, q := range []catalog.Query{one, other} {
		if _, ok := p.Kept(q); ok {
			t.Errorf("%+v: kept before it was asked for", q)
		}
		if _, _, err := p.Get(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		if a, ok := p.Kept(q); !ok || a == nil {
			t.Errorf("%+v: not kept", q)
		}
	}
	if want := []string{p.LookupName(one), p.LookupName(other)}; !slices.Equal(n.names, want) || want[0] == want[1] {
		t.Errorf("look-ups named %q, want %q", n.names, want)
	}
	if hardware.LookupOf(t.Context()) != "" {
		t.Error("a name without a look-up")
	}
}
