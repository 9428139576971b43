package prices

import (
	"context"
	"crypto/rand"
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
	// grace is what an answer takes that another replica has.
	grace = 200 * time.Millisecond
	// maxRunning bounds the look-ups that one process runs for clients that come back. A
	// client has at most MaxQuotes of them.
	maxRunning = 500
	// holdEvery is how often they are noted as running.
	holdEvery = BoardLease / 3
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

// Queue is where look-ups wait for their turns.
type Queue interface {
	// Places returns the places of look-ups, by their keys.
	Places(ctx context.Context, keys ...string) []lookup.Place
	// Raise moves look-ups that c has joined to the places that c would have now, where
	// those are better.
	Raise(ctx context.Context, c lookup.Caller, keys ...string) (waiting int)
}

// Quotes answers several questions with what is known at once. What is not known is
// looked up for as long as a client comes back for it, to whichever replica.
type Quotes struct {
	prices *Prices
	queue  Queue
	shared Board // of all replicas
	local  Board // used while shared is unavailable
	owner  string
	log    *slog.Logger

	mu      sync.Mutex
	running map[string]*running // by key
}

// running is a look-up that this process runs.
type running struct {
	client string
	queued chan struct{} // receives when the look-up has a place in the queue
	done   chan struct{}
	quote  Quote // set when done is closed
}

// NewQuotes returns Quotes. shared is nil if this process is the only one.
func NewQuotes(p *Prices, queue Queue, shared Board, log *slog.Logger) *Quotes {
	local := NewLocalBoard()
	if shared == nil {
		shared = local
	}
	return &Quotes{prices: p, queue: queue, shared: shared, local: local, owner: rand.Text(), log: log, running: map[string]*running{}}
}

// Ask returns what is known about queries now, and continues the look-ups that it started
// before. Questions that differ in letter case are one. Look-ups beyond the share of a client
// begin once others have ended.
func (s *Quotes) Ask(ctx context.Context, c lookup.Caller, queries []catalog.Query) []Quote {
	c.Class = lookup.Listed
	quotes, known := make([]Quote, len(queries)), map[string]Quote{}
	var open []catalog.Query
	for i, q := range queries {
		if a, ok := s.prices.Kept(q); ok {
			quotes[i].Answer = a
		} else if _, again := known[s.prices.Key(q)]; !again {
			known[s.prices.Key(q)] = Quote{}
			open = append(open, q)
		}
	}
	if len(open) == 0 {
		return quotes
	}
	begun := s.begin(ctx, c, open, known)
	wait(ctx, begun, grace)
	for i, q := range queries {
		if quotes[i].Answer != nil {
			continue
		}
		key := s.prices.Key(q)
		quotes[i] = known[key]
		if r := begun[key]; r != nil && r.isDone() {
			quotes[i] = r.quote
			if a, ok := s.prices.Kept(q); ok {
				quotes[i] = Quote{Answer: a}
			}
		}
	}
	s.setProgress(ctx, c, queries, quotes)
	return quotes
}

// begin adds what is known of queries, and runs those that no replica runs, in their order.
func (s *Quotes) begin(ctx context.Context, c lookup.Caller, queries []catalog.Query, known map[string]Quote) (begun map[string]*running) {
	wants := s.wants(c, queries)
	notes, err := s.shared.Ask(ctx, s.owner, wants)
	if err != nil {
		s.log.WarnContext(ctx, "shared quotes unavailable; using this process's own", "error", err)
		notes, _ = s.local.Ask(ctx, s.owner, wants) // never fails
	}
	begun = map[string]*running{}
	var last *running
	for i, note := range notes {
		key := wants[i].Key
		if note.Outcome != nil {
			known[key] = quoteOf(note)
		} else if note.Mine {
			if r := s.start(c, key); r != nil {
				go s.run(context.WithoutCancel(ctx), c, queries[i], r, last)
				begun[key], last = r, r
			}
		}
	}
	return begun
}

// wants says of each query whether this process may begin to look it up: it does already, or
// the client has room.
func (s *Quotes) wants(c lookup.Caller, queries []catalog.Query) []Want {
	s.mu.Lock()
	defer s.mu.Unlock()
	wants, room := make([]Want, len(queries)), s.room(c)
	for i, q := range queries {
		wants[i].Key = s.prices.Key(q)
		if s.running[wants[i].Key] != nil {
			wants[i].MayBegin = true
		} else if room > 0 {
			wants[i].MayBegin = true
			room--
		}
	}
	return wants
}

// room is how many more look-ups this process may run for c. The caller holds the lock.
func (s *Quotes) room(c lookup.Caller) int {
	room := MaxQuotes
	for _, r := range s.running {
		if r.client == c.Client {
			room--
		}
	}
	return min(room, maxRunning-len(s.running))
}

// start notes a look-up, nil if it runs already or the client has no room.
func (s *Quotes) start(c lookup.Caller, key string) *running {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[key] != nil || s.room(c) <= 0 {
		return nil
	}
	r := &running{client: c.Client, queued: make(chan struct{}, 1), done: make(chan struct{})}
	s.running[key] = r
	return r
}

// run looks q up, once the one before has its place in the queue.
func (s *Quotes) run(ctx context.Context, c lookup.Caller, q catalog.Query, r, before *running) {
	ctx, drop := context.WithCancel(ctx)
	defer drop()
	key := s.prices.Key(q)
	release := s.holding(ctx, key, drop)
	if before != nil {
		select {
		case <-before.queued:
		case <-before.done:
		}
	}
	c.Queued = r.queued
	a, _, err := s.prices.Get(ctx, c, q)
	r.quote = Quote{Answer: a, Fault: fault.From(err)}
	release()
	keep := keepFor(a, err)
	if err != nil && keep > 0 {
		s.log.WarnContext(ctx, "quote look-up failed", "error", err)
	}
	s.end(context.WithoutCancel(ctx), key, Outcome{Answer: a, Fault: r.quote.Fault}, keep)
	s.mu.Lock()
	delete(s.running, key)
	s.mu.Unlock()
	close(r.done)
}

// holding runs hold until the returned function is called.
func (s *Quotes) holding(ctx context.Context, key string, drop func()) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.hold(ctx, key, drop)
	}()
	return func() { cancel(); <-done }
}

// hold keeps a look-up for as long as clients come back for it, and then drops it.
func (s *Quotes) hold(ctx context.Context, key string, drop func()) {
	for left := WantedFor; left > 0; {
		pause := min(left, holdEvery)
		if !sleep(ctx, pause) {
			return
		}
		rest, err := s.shared.Hold(ctx, s.owner, key, left-pause)
		if err != nil && ctx.Err() == nil {
			rest, _ = s.local.Hold(ctx, s.owner, key, left-pause) // never fails
		}
		left = rest
	}
	drop()
}

func (s *Quotes) end(ctx context.Context, key string, o Outcome, keep time.Duration) {
	if err := s.shared.End(ctx, s.owner, key, o, keep); err != nil {
		_ = s.local.End(ctx, s.owner, key, o, keep) // never fails
	}
}

// keepFor is how long the end of a look-up is returned to clients that come back: no time if
// it is in the cache, or costs the source no request to find out again.
func keepFor(a *Answer, err error) time.Duration {
	f := fault.From(err)
	switch {
	case f == nil && (a.Shareable || a.Value.NotAsked):
		return 0
	case f == nil:
		return WantedFor
	case errors.Is(err, lookup.ErrNotAsked), errors.Is(err, context.Canceled), f.Code == lookup.CodePaused:
		return 0
	}
	return returnedFor(f)
}

// returnedFor is how long a fault is returned: it says when to come again.
func returnedFor(f *fault.Error) time.Duration {
	if f.RetryAfter > 0 {
		return min(f.RetryAfter, WantedFor)
	}
	return WantedFor
}

// quoteOf is how a look-up ended. What a fault says of the time to wait is as of now.
func quoteOf(n Note) Quote {
	f := n.Outcome.Fault
	if f != nil && f.RetryAfter > 0 {
		f = f.After(f.RetryAfter - (returnedFor(f) - n.Rest))
	}
	return Quote{Answer: n.Outcome.Answer, Fault: f}
}

func (r *running) isDone() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// wait gives look-ups a short time to end.
func wait(ctx context.Context, all map[string]*running, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for _, r := range all {
		select {
		case <-r.done:
		case <-ctx.Done():
			return
		}
	}
}

// setProgress says of the quotes without an outcome how far their look-ups have come. Those
// that c has joined it raises.
func (s *Quotes) setProgress(ctx context.Context, c lookup.Caller, queries []catalog.Query, quotes []Quote) {
	var open []int
	var keys, joined []string
	for i, q := range queries {
		if !quotes[i].IsPending() {
			continue
		}
		key, found := s.prices.progress(q)
		quotes[i].Found = found
		open, keys = append(open, i), append(keys, key)
		if !s.isOwn(c, q) {
			joined = append(joined, key)
		}
	}
	if len(open) == 0 {
		return
	}
	if len(joined) > 0 {
		s.queue.Raise(ctx, c, joined...)
	}
	for n, place := range s.queue.Places(ctx, keys...) {
		quotes[open[n]].Place = place
	}
}

// isOwn reports whether this process looks q up for c.
func (s *Quotes) isOwn(c lookup.Caller, q catalog.Query) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.running[s.prices.Key(q)]
	return r != nil && r.client == c.Client
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
