package prices_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
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

// ask returns where the answer came from, or how it failed.
func (p *process) ask(t *testing.T, text string, c catalog.Category) string {
	t.Helper()
	q, err := catalog.ParseQuery(text, c)
	if err != nil {
		t.Fatal(err)
	}
	_, via, err := p.Get(t.Context(), lookup.Caller{}, q)
	return string(via) + codeOf(err)
}

func (s *shop) expectAsked(t *testing.T, times int) {
	t.Helper()
	if n := len(s.asked); n != times {
		t.Errorf("the aggregator was asked %d times, want %d", n, times)
	}
}

// failFourTimes makes the next failure the one that pauses the aggregator.
func (p *process) failFourTimes(ctx context.Context) {
	for range 4 {
		p.breaker.Fail(ctx, "shop", "")
	}
}

// reported returns what a look-up has reported to the breaker since failFourTimes: a
// success, nothing, or a pause, which is one of 30 s after another failure.
func (p *process) reported(ctx context.Context) string {
	if rest := p.breaker.Rest(ctx, "shop"); rest > 0 {
		return "pause of " + rest.String()
	}
	p.breaker.Fail(ctx, "shop", "")
	if p.breaker.Rest(ctx, "shop") > 0 {
		return "nothing"
	}
	return "success"
}

func TestQueriesThatDifferInLetterCaseShareAnAnswer(t *testing.T) {
	shop := &shop{finding: twoOffers}
	p := newProcess(shop)
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
	shop.expectAsked(t, 5)
	if want := (catalog.Query{Text: "RTX 4070 ŻÓŁTA", Category: "gpu"}); shop.asked[1] != want {
		t.Errorf("asked for %+v, want %+v", shop.asked[1], want)
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
				shop, at := &shop{finding: tt.finding}, time.Now()
				p := newProcess(shop)
				p.failFourTimes(t.Context())
				a, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "dysk"})
				if err != nil || !a.FetchedAt.Equal(at) || a.Shareable != tt.kept || a.Fresh(at.Add(day-1)) != tt.kept || a.Fresh(at.Add(day)) {
					t.Errorf("%+v, %v; want kept for a day: %v", a, err, tt.kept)
				}
				if got := p.reported(t.Context()); got != "success" {
					t.Errorf("reported %s to the breaker, want success", got)
				}
				time.Sleep(day - 1)
				again, lookups := "source", 2
				if tt.kept {
					again, lookups = "local", 1
				}
				expectVia(t, p.ask(t, "dysk", ""), again)
				shop.expectAsked(t, lookups)
				p.lookups.expect(t, "metrics of look-ups", slices.Repeat([]string{tt.outcome}, lookups)...)
				p.answered.expect(t, "metrics of answers", "source", again)
			})
		})
	}
}

func TestFailuresAreReportedToTheBreaker(t *testing.T) {
	full := fault.New(fault.Unavailable, "throttle_queue_full", "").After(8 * time.Second)
	for _, tt := range []struct {
		name, code string
		err        error
		reported   string
	}{
		{"blocked", "source_blocked", lookup.Blocked(errAway, 0), "pause of 10m0s"},
		{"blocked until a time that has passed", "source_blocked", lookup.Blocked(errAway, -time.Minute), "pause of 10m0s"},
		{"blocked for a while", "source_blocked", lookup.Blocked(errAway, 90*time.Second), "pause of 1m30s"},
		{"blocked for a day", "source_blocked", lookup.Blocked(errAway, day), "pause of 24h0m0s"},
		{"blocked for a year", "source_blocked", lookup.Blocked(errAway, 365*day), "pause of 24h0m0s"},
		{"wrapped", "source_blocked", fmt.Errorf("page 2: %w", lookup.Blocked(errAway, time.Minute)), "pause of 1m0s"},
		{"closed by robots.txt", "source_disallowed", lookup.Disallowed(errAway), "nothing"},
		{"unreadable, or redirected elsewhere", "source_changed", lookup.Changed(errAway), "nothing"},
		{"unreachable", "source_unavailable", lookup.Unreachable(errAway), "pause of 30s"},
		{"no such address", "source_unavailable", lookup.NotAnswered(errAway), "nothing"},
		{"slow", "source_timeout", lookup.Slow(errAway), "pause of 30s"},
		{"its turn did not come", "throttle_queue_full", full, "nothing"},
		{"cancelled", "internal", context.Canceled, "nothing"},
		{"a fault of our own", "internal", errAway, "nothing"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProcess(&shop{err: tt.err})
				p.failFourTimes(t.Context())
				_, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "dysk"})
				delay := fault.From(tt.err).RetryAfter
				if tt.code == "source_blocked" { // the pause that it begins
					delay = p.breaker.Rest(t.Context(), "shop")
				}
				if got := fault.From(err); codeOf(err) != tt.code || got.RetryAfter != delay {
					t.Errorf("%v after %v, want %s after %v", err, got.RetryAfter, tt.code, delay)
				}
				if got := p.reported(t.Context()); got != tt.reported {
					t.Errorf("reported %s to the breaker, want %s", got, tt.reported)
				}
				p.lookups.expect(t, "metrics of look-ups", tt.code)
				p.answered.expect(t, "metrics of answers", tt.code)
			})
		})
	}
}

// Five failures in a row pause the aggregator, unless a single query causes them.
func TestFailuresOfOneQueryCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(&shop{err: lookup.Unreachable(errAway)})
		for range 10 {
			expectVia(t, p.ask(t, "dysk", ""), "source_unavailable")
		}
		for _, text := range []string{"cpu", "gpu", "ram", "ssd"} {
			expectVia(t, p.ask(t, text, ""), "source_unavailable")
		}
		expectVia(t, p.ask(t, "hdd", ""), "source_paused")
	})
}

// What was not asked of the aggregator says nothing about it.
func TestAQueryWithNothingToSearchForIsNotReported(t *testing.T) {
	p := newProcess(&shop{finding: prices.Finding{ProductURL: "https://prices.example/;szukaj-a", NotAsked: true}})
	p.failFourTimes(t.Context())
	a, _, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "a//"})
	if err != nil || a.Value.Note == "" || a.Shareable {
		t.Errorf("%+v, %v", a, err)
	}
	if got := p.reported(t.Context()); got != "nothing" {
		t.Errorf("reported %s to the breaker", got)
	}
	p.lookups.expect(t, "metrics of look-ups", "nothing_matched")
}

func TestAPausedAggregatorIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shop := &shop{finding: twoOffers}
		p := newProcess(shop)
		p.breaker.Pause(t.Context(), "shop", time.Minute)
		time.Sleep(20 * time.Second)
		_, via, err := p.Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "dysk"})
		f := fault.From(err)
		if f == nil || via != "" || f.Code != "source_paused" || f.Kind != fault.Unavailable || f.RetryAfter != 40*time.Second {
			t.Errorf("%q, %v; want source_paused for 40 s", via, err)
		}
		shop.expectAsked(t, 0)
		p.lookups.expect(t, "metrics of look-ups")
		p.answered.expect(t, "metrics of answers", "source_paused")
		time.Sleep(40 * time.Second)
		expectVia(t, p.ask(t, "dysk", ""), "source")
	})
}

func TestACallerThatLeavesIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProcess(&shop{finding: twoOffers, takes: 3 * time.Second})
		p.failFourTimes(t.Context())
		ctx, leave := context.WithTimeout(t.Context(), time.Second)
		defer leave()
		if _, _, err := p.Get(ctx, lookup.Caller{}, catalog.Query{Text: "dysk"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v, want the caller's own error", err)
		}
		if rest := p.breaker.Rest(t.Context(), "shop"); rest > 0 {
			t.Errorf("the aggregator is paused for %v", rest)
		}
		expectVia(t, p.ask(t, "dysk", ""), "collapsed")
		if got := p.reported(t.Context()); got != "success" {
			t.Errorf("reported %s to the breaker when the look-up ended", got)
		}
	})
}

func TestLookupsCarryTheirKey(t *testing.T) {
	shop := &shop{finding: twoOffers}
	p := newProcess(shop)
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
	if want := []string{p.Key(one), p.Key(other)}; !slices.Equal(shop.keys, want) || want[0] == want[1] {
		t.Errorf("look-ups named %q, want %q", shop.keys, want)
	}
}

func expectVia(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("answered via %q, want %q", got, want)
	}
}

func TestAPriceSaysWhatWasFoundAndWhen(t *testing.T) {
	for name, tt := range map[string]struct {
		finding prices.Finding
		noted   bool
	}{
		"found":           {twoOffers, false},
		"nothing matched": {prices.Finding{ProductURL: "https://prices.example/;szukaj-x"}, true},
	} {
		before := time.Now()
		a, _, err := newProcess(&shop{finding: tt.finding}).Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "dysk"})
		if err != nil {
			t.Fatal(err)
		}
		p := a.Value
		if p.Source != "prices.example" || p.ProductURL != tt.finding.ProductURL || len(p.Offers) != len(tt.finding.Offers) {
			t.Errorf("%s: %+v", name, p)
		}
		if noted := strings.HasPrefix(p.Note, "Nie znaleziono produktu pasującego"); noted != tt.noted || !noted && p.Note != "" {
			t.Errorf("%s: note %q", name, p.Note)
		}
		if p.ScrapedAt.Before(before) || p.ScrapedAt.After(time.Now()) || !p.ScrapedAt.Equal(a.FetchedAt) {
			t.Errorf("%s: scraped at %v, fetched at %v", name, p.ScrapedAt, a.FetchedAt)
		}
	}
}

func TestLowestLeadsSomewhere(t *testing.T) {
	p := prices.Price{Finding: twoOffers}
	if got := p.Lowest(); got != p.Offers[0] {
		t.Errorf("with a link: %+v", got)
	}
	p.Offers = p.Offers[1:]
	if got := p.Lowest(); got.URL != p.ProductURL || got.Store != "b.example" || p.Offers[0].URL != "" {
		t.Errorf("without a link: %+v, and the offer is %+v", got, p.Offers[0])
	}
}

func TestSizeGrowsWithTheOffers(t *testing.T) {
	text := strings.Repeat("x", 1000)
	bare := prices.Price{}.Size()
	offer := prices.Offer{Store: text, StoreLabel: text, Title: text, URL: text}
	other := prices.Alternative{ProductName: text, ProductURL: text}
	found := prices.Finding{ProductName: text, ProductURL: text, Offers: []prices.Offer{offer, offer}, Alternatives: []prices.Alternative{other, other}}
	if got := (prices.Price{Source: text, Note: text, Finding: found}).Size() - bare; got < 16_200 || got > 16_300 {
		t.Errorf("16000 bytes of text and the structs of two offers and two alternatives count %d", got)
	}
}

// quoteOf has an offer for each "shop price".
func quoteOf(offers ...string) prices.Quote {
	price := prices.Price{Finding: prices.Finding{ProductName: "product", ProductURL: "https://aggregator.example/1"}}
	for _, text := range offers {
		var o prices.Offer
		if _, err := fmt.Sscan(text, &o.Store, &o.Price); err != nil {
			panic(err)
		}
		o.StoreLabel = strings.ToUpper(o.Store)
		price.Offers = append(price.Offers, o)
	}
	return prices.Quote{Answer: &prices.Answer{Value: price}}
}

func TestCompare(t *testing.T) {
	failed := prices.Quote{Fault: fault.New(fault.Upstream, "source_unavailable", "")}
	tests := map[string]struct {
		quotes []prices.Quote
		split  string
		shops  []string
	}{
		"nothing":           {nil, "0 of 0 shops: 0.00", nil},
		"without an answer": {[]prices.Quote{failed, {}, quoteOf()}, "0 of 0 shops: 0.00", nil},
		"one": {
			[]prices.Quote{quoteOf("a 10", "b 12")}, "1 of 1 shops: 10.00",
			[]string{"a A 1: 10.00", "b B 1: 12.00"},
		},
		"split is cheaper": {
			[]prices.Quote{quoteOf("a 10", "b 12"), failed, quoteOf("c 1", "b 2", "a 5")}, "2 of 2 shops: 11.00",
			[]string{"b B 2: 14.00", "a A 2: 15.00", "c C 1: 1.00"},
		},
		"the same twice, and two offers of a shop": {
			[]prices.Quote{quoteOf("a 0.1", "a 0.2"), quoteOf("a 0.1", "a 0.2"), quoteOf("a 0.1")}, "3 of 1 shops: 0.30",
			[]string{"a A 3: 0.30"},
		},
		"equal sums": {
			[]prices.Quote{quoteOf("b 3", "a 3")}, "1 of 1 shops: 3.00",
			[]string{"a A 1: 3.00", "b B 1: 3.00"},
		},
	}
	for name, test := range tests {
		got := prices.Compare(test.quotes)
		if split := fmt.Sprintf("%d of %d shops: %.2f", got.Split.Count, got.Split.Stores(), got.Split.Sum); split != test.split {
			t.Errorf("%s: split %s, want %s", name, split, test.split)
		}
		var shops []string
		for _, p := range got.Shops {
			shops = append(shops, fmt.Sprintf("%s %s %d: %.2f", p.Store, p.StoreLabel, p.Count, p.Sum))
		}
		if !slices.Equal(shops, test.shops) {
			t.Errorf("%s: shops %q, want %q", name, shops, test.shops)
		}
	}
}

func TestComparedOffersKeepTheirPlaces(t *testing.T) {
	got := prices.Compare([]prices.Quote{{}, quoteOf("a 10", "b 12")})
	if o := got.Split.Offers; len(o) != 2 || o[0] != nil || o[1].Store != "a" || o[1].URL != "https://aggregator.example/1" {
		t.Errorf("split %+v", o)
	}
	if o := got.Shops[1].Offers; len(o) != 2 || o[0] != nil || o[1].Price != 12 {
		t.Errorf("shop b %+v", o)
	}
}

func TestDeliveryIsOneParcelFromEachShop(t *testing.T) {
	offer := func(store string, price, delivered float64) *prices.Offer {
		return &prices.Offer{Store: store, Price: price, PriceWithDelivery: delivered}
	}
	tests := map[string]struct {
		offers []*prices.Offer
		want   float64
		exact  bool
	}{
		"nothing":       {nil, 0, false},
		"not bought":    {[]*prices.Offer{nil}, 0, false},
		"free":          {[]*prices.Offer{offer("a", 10, 10)}, 0, true},
		"the dearest":   {[]*prices.Offer{offer("a", 10, 15.10), nil, offer("a", 20, 30.2), offer("a", 5, 5)}, 10.2, true},
		"two shops":     {[]*prices.Offer{offer("a", 10, 15.1), offer("b", 20, 30.2)}, 15.3, true},
		"one is silent": {[]*prices.Offer{offer("a", 10, 15), offer("b", 20, 0)}, 5, false},
	}
	for name, test := range tests {
		p := prices.Purchase{Offers: test.offers}
		if got, exact := p.Delivery(); got != test.want || exact != test.exact {
			t.Errorf("%s: %v, %v", name, got, exact)
		}
	}
}

func TestOffersInAnotherFormAreRefused(t *testing.T) {
	var offer prices.Offer
	if err := json.Unmarshal([]byte(`{"available":"soon"}`), &offer); err == nil {
		t.Errorf("read as %+v", offer)
	}
}
