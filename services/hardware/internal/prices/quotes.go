package prices

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace"
)

// MaxQuotes is how many queries may be asked at once, and how many look-ups of a client wait in a process.
const MaxQuotes = 20

const (
	grace = 200 * time.Millisecond
	// maxRunning bounds the look-ups of a process for clients that come back.
	maxRunning = 500
	// wantedFor is how long a look-up continues for a client that does not come back.
	wantedFor = time.Minute
)

// Quote is what is known about one of several queries: its answer or a fault, neither while it is looked up.
type Quote struct {
	Answer *Answer
	Fault  *fault.Error
	Place  pace.Place // in the queue of this process
	Found  *Price     // by the search; may be nil
}

// IsPending reports whether the look-up is under way.
func (q Quote) IsPending() bool { return q.Answer == nil && q.Fault == nil }

// ProductName is the name of the product as far as it has been found.
func (q Quote) ProductName() string {
	switch {
	case q.Answer != nil:
		return q.Answer.Value.ProductName
	case q.Found != nil:
		return q.Found.ProductName
	}
	return ""
}

// Quotes answers several queries with what is known at once. What is not known is looked up while a client comes
// back for it, at whichever replica: each that is asked has the query in its queue, and finds the answer if another
// was faster.
type Quotes struct {
	prices *Prices
	log    *slog.Logger

	mu      sync.Mutex
	running map[string]*running // by key
}

type running struct {
	client string
	wanted *time.Timer
	done   chan struct{}
	ended  time.Time // set, with quote, when done is closed
	quote  Quote
}

// NewQuotes returns Quotes.
func NewQuotes(p *Prices, log *slog.Logger) *Quotes {
	return &Quotes{prices: p, log: log, running: map[string]*running{}}
}

// Ask returns what is known about queries now, and continues the look-ups that it started before. Those beyond the
// share of a client begin once others have ended.
func (s *Quotes) Ask(ctx context.Context, c lookup.Caller, queries []catalog.Query) []Quote {
	c.Class = pace.Listed
	quotes := make([]Quote, len(queries))
	looked := make([]*running, len(queries))
	for i, q := range queries {
		if a, ok := s.prices.Kept(q); ok {
			quotes[i].Answer = a
			continue
		}
		looked[i] = s.start(ctx, c, q)
	}
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	for i, r := range looked {
		if r == nil {
			continue
		}
		select {
		case <-r.done:
			quotes[i] = r.quote
		case <-ctx.Done():
		}
	}
	for i, q := range queries {
		if quotes[i].IsPending() {
			quotes[i].Place, quotes[i].Found = s.prices.Place(q), s.prices.found(q)
		}
	}
	return quotes
}

func (s *Quotes) start(ctx context.Context, c lookup.Caller, q catalog.Query) *running {
	s.mu.Lock()
	defer s.mu.Unlock()
	now, key := time.Now(), s.prices.Key(q)
	r := s.running[key]
	if r != nil && (r.ended.IsZero() || now.Sub(r.ended) < lookup.Remembered) {
		r.wanted.Reset(wantedFor)
		return r
	}
	if s.room(c, now) <= 0 {
		return nil
	}
	ctx, drop := context.WithCancel(context.WithoutCancel(ctx))
	r = &running{client: c.Client, wanted: time.AfterFunc(wantedFor, drop), done: make(chan struct{})}
	s.running[key] = r
	go s.run(ctx, c, q, r)
	return r
}

func (s *Quotes) room(c lookup.Caller, now time.Time) int {
	own, all := 0, 0
	for key, r := range s.running {
		if !r.ended.IsZero() {
			if now.Sub(r.ended) >= lookup.Remembered {
				delete(s.running, key)
			}
			continue
		}
		all++
		if r.client == c.Client {
			own++
		}
	}
	return min(MaxQuotes-own, maxRunning-all)
}

func (s *Quotes) run(ctx context.Context, c lookup.Caller, q catalog.Query, r *running) {
	a, _, err := s.prices.Get(ctx, c, q)
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "quote look-up failed", "error", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		delete(s.running, s.prices.Key(q))
	}
	r.wanted.Stop()
	r.ended, r.quote = time.Now(), Quote{Answer: a}
	if err != nil {
		r.quote = Quote{Fault: fault.From(err)}
	}
	close(r.done)
}

// Place returns where the look-up of q waits in the queue of this process.
func (p *Prices) Place(q catalog.Query) pace.Place {
	key := p.Key(q)
	if m, ok := p.matches.Kept(key); ok && m.Value.Number != "" {
		key = m.Value.Key
	}
	return p.gate.Queue.Place(key)
}

// found returns what the search for q has found, or nil. Its price is returned for as long as offers are.
func (p *Prices) found(q catalog.Query) *Price {
	m, ok := p.matches.Kept(p.Key(q))
	if !ok || m.Value.Number == "" || m.Value.ProductName == "" {
		return nil
	}
	price := m.Value.Price
	if p.Now().Sub(m.FetchedAt) >= p.TTL {
		price.PriceLow, price.OfferCount = 0, 0
	}
	return &price
}
