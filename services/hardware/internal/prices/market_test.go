package prices_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/throttle"
	"backend.example/services/internal/kit/fault"
)

// market is an aggregator that knows a product for every query in means.
type market struct {
	means    map[string]string // folded query → number of the product
	nameless bool              // the site redirects to the product, so that a search has no row
	rows     map[string]string // number → its name in a search
	pages    map[string]string // number → its name on its page
	soldOut  bool              // no page has an offer

	mu       sync.Mutex
	turn     func(context.Context, *lookup.Request) error // waited for before every request, unless nil
	requests []string                                     // searches by their query, pages by their number
}

// nothing is the result of a search without a hit.
var nothing = prices.Finding{ProductURL: "https://prices.example/;szukaj-x"}

func (m *market) Search(ctx context.Context, r *lookup.Request, q catalog.Query) (string, prices.Finding, error) {
	if err := m.request(ctx, r, q.Folded()); err != nil {
		return "", prices.Finding{}, err
	}
	number, ok := m.means[q.Folded()]
	if !ok || m.nameless {
		return number, nothing, nil
	}
	other := prices.Alternative{ProductName: "another of " + q.Folded()}
	return number, prices.Finding{ProductName: m.rows[number], PriceLow: 90, OfferCount: 3, Alternatives: []prices.Alternative{other}}, nil
}

func (m *market) Product(ctx context.Context, r *lookup.Request, number string, shops int) (prices.Finding, error) {
	if err := m.request(ctx, r, number); err != nil {
		return prices.Finding{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.soldOut {
		return prices.Finding{ProductName: m.pages[number]}, nil
	}
	return prices.Finding{
		ProductName: m.pages[number], ProductURL: "https://prices.example/" + number, OfferCount: shops, PriceLow: 99, PriceHigh: 99,
		Offers: []prices.Offer{{Store: "a.example", StoreLabel: "A", Price: 99}},
	}, nil
}

// setTurn lets every request from now on wait for turn.
func (m *market) setTurn(turn func(context.Context, *lookup.Request) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn = turn
}

func (m *market) request(ctx context.Context, r *lookup.Request, what string) error {
	m.mu.Lock()
	turn := m.turn
	m.mu.Unlock()
	r.MarkQueued()
	if turn != nil {
		if err := turn(ctx, r); err != nil {
			return err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests = append(m.requests, what)
	return nil
}

// cards is a market with one card that is asked for in three ways.
func cards() *market {
	const name = "MSI GeForce RTX 4070 SUPER 12GB"
	return &market{
		means: map[string]string{"rtx 4070 super": "7", "geforce rtx 4070 super": "7", "msi 4070 super": "7"},
		rows:  map[string]string{"7": name}, pages: map[string]string{"7": name},
	}
}

// sellOut lets no page have an offer from now on.
func (m *market) sellOut() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.soldOut = true
}

// drain returns the requests since it was called last.
func (m *market) drain() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	requests := m.requests
	m.requests = nil
	return requests
}

func (m *market) expect(t *testing.T, when string, want ...string) {
	t.Helper()
	if got := m.drain(); !slices.Equal(got, want) {
		t.Errorf("%s: requests %q, want %q", when, got, want)
	}
}

// process is a process without others, and what it reported.
type process struct {
	*prices.Prices
	breaker           *throttle.Breaker
	answered, lookups notes
}

func newProcess(source prices.Source) *process {
	return newReplica(source, newLayers[prices.Match](nil, nil), newLayers[prices.Price](nil, nil))
}

func newReplica(source prices.Source, matches *lookup.Layers[prices.Match], offers *lookup.Layers[prices.Price]) *process {
	p := &process{breaker: throttle.NewBreaker(quiet)}
	p.Prices = prices.New(prices.Options{
		Aggregator: "shop", Domain: "prices.example", Host: "prices.example", Source: source,
		Matches: matches, Offers: offers,
		Breaker: p.breaker, TTL: day, ProductTTL: 30 * day, Now: time.Now,
		Answered: func(via lookup.Via, err error) { p.answered.add(string(via) + codeOf(err)) },
		LookedUp: func(outcome string, _ time.Time) { p.lookups.add(outcome) },
	})
	return p
}

// newLayers returns those of a process, which is alone if shared is nil and has no queue if pacer is.
func newLayers[V lookup.Value](shared lookup.SharedStore[V], pacer *throttle.Pacer) *lookup.Layers[V] {
	o := lookup.Options[V]{Local: lookup.NewLocal(8 << 20), Shared: shared, Timing: lookup.DefaultTiming(), Now: time.Now, Log: quiet}
	if pacer != nil {
		o.Join = pacer.Join
	}
	return lookup.New(o)
}

var quiet = slog.New(slog.DiscardHandler)

// errAway is why the aggregator does not respond.
var errAway = errors.New("away")

// codeOf returns the code of err's fault, or "" without an error.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

// notes are the calls of a function, in order.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

func (n *notes) expect(t *testing.T, what string, want ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Equal(n.lines, want) {
		t.Errorf("%s: %q, want %q", what, n.lines, want)
	}
}

// named asks for a product and returns the name of what was found.
func named(t *testing.T, p *process, text string) string {
	t.Helper()
	q, err := catalog.ParseQuery(text, "")
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := p.Get(t.Context(), lookup.Caller{}, q)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(a.Value.Note, "Nie znaleziono") {
		return "nothing"
	}
	return a.Value.ProductName
}
