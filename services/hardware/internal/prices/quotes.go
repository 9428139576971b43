package prices

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// MaxQuotes is how many questions may be asked at once.
const MaxQuotes = lookup.MaxListed

const (
	// abandonAfter is how long a look-up continues for a client that does not come back,
	// and how long its outcome is returned if it is not kept.
	abandonAfter = time.Minute
	// grace is what an answer takes that another replica has.
	grace = 200 * time.Millisecond
	// maxPending bounds the look-ups that one process has under way for people who come
	// back, together with those whose outcome it still returns. They fill the queue for ten minutes.
	maxPending = 500
)

// Quote is what is known about one of several questions: its answer, or why there is
// none. It has neither while the look-up is under way.
type Quote struct {
	Answer *Answer
	Fault  *fault.Error
	Place  lookup.Place // in the queue; zero if it is not queued, or not known to be
	Found  *Price       // what the search shows of the product; may be nil
}

// IsPending reports whether the look-up is under way.
func (q Quote) IsPending() bool { return q.Answer == nil && q.Fault == nil }

// ProductName is the name of the product as far as it has been found, else empty.
func (q Quote) ProductName() string {
	switch {
	case q.Answer != nil:
		return q.Answer.Value.ProductName
	case q.Found != nil:
		return q.Found.ProductName
	}
	return ""
}

// Quotes answers several questions with what is known at once. What is not known is
// looked up for as long as a client comes back for it.
type Quotes struct {
	prices *Prices
	places func(ctx context.Context, keys ...string) []lookup.Place // in the queue, of look-ups by their names
	log    *slog.Logger

	mu      sync.Mutex
	pending map[string]*pending
}

// pending is a look-up that a client comes back for, and its outcome.
type pending struct {
	done   chan struct{}
	answer *Answer // answer, err and ended are set when done is closed
	err    error
	ended  time.Time
	forget *time.Timer
}

// outcome is how p ended; neither answer nor fault if it may be looked up again, because the
// time for which the source refused requests is over.
func (p *pending) outcome(now time.Time) Quote {
	f := fault.From(p.err)
	if f != nil && f.RetryAfter > 0 {
		rest := f.RetryAfter - now.Sub(p.ended)
		if rest <= 0 {
			return Quote{}
		}
		f = f.After(rest)
	}
	return Quote{Answer: p.answer, Fault: f}
}

// NewQuotes returns Quotes. places returns the places of look-ups in the queue, by their keys.
func NewQuotes(p *Prices, places func(context.Context, ...string) []lookup.Place, log *slog.Logger) *Quotes {
	return &Quotes{prices: p, places: places, log: log, pending: map[string]*pending{}}
}

// Ask returns what is known about queries now, and continues the look-ups that it started
// before. Questions that differ in letter case are one.
func (s *Quotes) Ask(ctx context.Context, c lookup.Caller, queries []catalog.Query) []Quote {
	quotes, begun := make([]Quote, len(queries)), false
	for i, q := range queries {
		if quotes[i] = s.outcome(q); quotes[i].IsPending() {
			begun = s.begin(ctx, c, q) || begun
		}
	}
	if begun {
		s.allow(ctx, queries, grace)
		for i, q := range queries {
			if quotes[i].IsPending() {
				quotes[i] = s.outcome(q)
			}
		}
	}
	s.setProgress(ctx, queries, quotes)
	return quotes
}

// begin looks q up in the background, unless that is under way. It reports whether the
// look-up is a new one.
func (s *Quotes) begin(ctx context.Context, c lookup.Caller, q catalog.Query) bool {
	key := s.prices.Key(q)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p, ok := s.pending[key]; ok {
		select {
		case <-p.done: // its outcome is returned until it is removed
			if !p.outcome(s.prices.Now()).IsPending() {
				return false
			}
		default:
			p.forget.Reset(abandonAfter)
			return false
		}
	}
	if len(s.pending) >= maxPending {
		return false
	}
	c.Class = lookup.Listed
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	p := &pending{done: make(chan struct{})}
	p.forget = time.AfterFunc(abandonAfter, func() { cancel(); s.remove(key, p) })
	s.pending[key] = p
	go s.lookUp(ctx, c, q, p)
	return true
}

// remove removes p, unless the look-up has been started again.
func (s *Quotes) remove(key string, p *pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending[key] == p {
		delete(s.pending, key)
	}
}

func (s *Quotes) lookUp(ctx context.Context, c lookup.Caller, q catalog.Query, p *pending) {
	p.answer, _, p.err = s.prices.Get(ctx, c, q)
	p.ended = s.prices.Now()
	if p.err != nil && !errors.Is(p.err, context.Canceled) {
		s.log.WarnContext(ctx, "quote look-up failed", "error", p.err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p.forget.Reset(abandonAfter)
	close(p.done)
}

// allow gives the look-ups of queries a short time to end.
func (s *Quotes) allow(ctx context.Context, queries []catalog.Query, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for _, q := range queries {
		if p := s.underWay(q); p != nil {
			select {
			case <-p.done:
			case <-ctx.Done():
				return
			}
		}
	}
}

func (s *Quotes) underWay(q catalog.Query) *pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pending[s.prices.Key(q)]
}

// outcome is the answer to q, or how its look-up failed; neither while that is under way.
func (s *Quotes) outcome(q catalog.Query) Quote {
	if a, ok := s.prices.Kept(q); ok {
		return Quote{Answer: a}
	}
	if p := s.underWay(q); p != nil {
		select {
		case <-p.done:
			return p.outcome(s.prices.Now())
		default:
		}
	}
	return Quote{}
}

// setProgress says of the quotes without an outcome how far their look-ups have come.
func (s *Quotes) setProgress(ctx context.Context, queries []catalog.Query, quotes []Quote) {
	var open []int
	var keys []string
	for i, q := range queries {
		if !quotes[i].IsPending() {
			continue
		}
		key, found := s.prices.progress(q)
		quotes[i].Found = found
		open, keys = append(open, i), append(keys, key)
	}
	if len(open) == 0 {
		return
	}
	for n, place := range s.places(ctx, keys...) {
		quotes[open[n]].Place = place
	}
}

// Step names the step that the look-up of q has come to, by which its place in the queue is
// asked for.
func (p *Prices) Step(q catalog.Query) string {
	key, _ := p.progress(q)
	return key
}

// progress is the name of the step that the look-up of q has come to, and what the one
// before it found. The price that a search found is returned for as long as offers are.
func (p *Prices) progress(q catalog.Query) (key string, found *Price) {
	m, ok := p.Matches.Kept(p.Key(q))
	if !ok || m.Value.Number == "" {
		return p.Key(q), nil
	}
	if m.Value.ProductName == "" {
		return m.Value.Key, nil
	}
	price := m.Value.Price
	if p.Now().Sub(m.FetchedAt) >= p.TTL {
		price.PriceLow, price.OfferCount = 0, 0
	}
	return m.Value.Key, &price
}
