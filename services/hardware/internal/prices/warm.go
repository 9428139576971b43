package prices

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
)

const (
	warmAfter = time.Minute      // after the start of the process
	warmEvery = 10 * time.Minute // between two rounds over all products
	// warmLease is how long a replica leads the warming without a sign of life.
	warmLease = 15 * time.Minute
	// warmQuiet is how long this process has to be without a look-up for a user: a request in
	// idle time takes the turn of a user who comes right after it.
	warmQuiet = 30 * time.Second
)

// warmer keeps prices known that nobody has asked for yet.
type warmer struct {
	*Prices
	owner    string
	known    map[string]bool      // by the key of the query
	notAgain map[string]time.Time // until when products without a price are left alone
}

// KeepWarm keeps the prices of products known until ctx ends. They are looked up in turns
// that are idle, and read again in the last hour before they expire. Every replica reads
// those that are in Redis, and one of them asks the source. progress is called with the
// number of products and how many of them this process has a price of.
func (p *Prices) KeepWarm(ctx context.Context, products func(context.Context) []catalog.Query, progress func(known, all int)) {
	w := &warmer{Prices: p, owner: rand.Text(), known: map[string]bool{}, notAgain: map[string]time.Time{}}
	for rest := warmAfter; sleep(ctx, rest); rest = warmEvery {
		w.leads(ctx)
		queries := products(ctx)
		wanted := map[string]bool{}
		for _, q := range queries {
			wanted[p.Key(q)] = true
		}
		maps.DeleteFunc(w.known, func(key string, _ bool) bool { return !wanted[key] })
		for _, q := range queries {
			if w.keep(ctx, q) {
				w.known[p.Key(q)] = true
			} else {
				delete(w.known, p.Key(q))
			}
			progress(len(w.known), len(wanted))
		}
	}
}

// sleep reports whether d has passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// leads reports whether this replica is the one that asks the source.
func (w *warmer) leads(ctx context.Context) bool {
	return w.Matches.Lead(ctx, "warm:"+w.Domain, w.owner, warmLease)
}

// askedAt is when this process last asked the source for a user.
func (p *Prices) askedAt() time.Time { return time.Unix(0, p.userAsked.Load()) }

// keep looks q up unless its price is fresh, and reports whether it is known now. It waits
// for idle turns as long as this replica leads.
func (w *warmer) keep(ctx context.Context, q catalog.Query) (known bool) {
	for {
		if a, _ := w.held(q); a != nil && a.Fresh(w.Now().Add(w.ahead())) {
			return true
		}
		key, leads := w.Key(q), w.leads(ctx)
		leads = leads && !w.Now().Before(w.notAgain[key])
		if rest := w.askedAt().Add(warmQuiet).Sub(w.Now()); leads && rest > 0 && sleep(ctx, rest) {
			continue
		}
		a, err := w.look(ctx, q, leads)
		switch {
		case leads && errors.Is(err, lookup.ErrNotAsked):
			if sleep(ctx, busyPause) {
				continue
			}
		case leads && err != nil:
			w.notAgain[key] = w.Now().Add(failedPause)
		case leads && !a.Shareable: // nothing matched, or no shop sells it
			w.notAgain[key] = w.Now().Add(w.TTL)
		}
		_, known = w.Peek(q)
		return known
	}
}

// look takes the two steps, or reads what is in Redis if this replica does not lead. Each
// step needs an idle turn of its own, so that none waits in the queue.
func (w *warmer) look(ctx context.Context, q catalog.Query, leads bool) (*Answer, error) {
	c := lookup.Caller{Class: lookup.Idle}
	m, err := w.Matches.Refresh(ctx, w.Key(q), c, w.ahead(), ifLeading(leads, func(ctx context.Context, r *lookup.Request) (*lookup.Answer[Match], error) {
		return w.search(ctx, r, q)
	}))
	if err != nil {
		return nil, err
	}
	if m.Value.Number == "" {
		return AnswerOf(m), nil
	}
	a, err := w.Offers.Refresh(ctx, m.Value.Key, c, w.ahead(), ifLeading(leads, func(ctx context.Context, r *lookup.Request) (*Answer, error) {
		return w.open(ctx, r, m)
	}))
	if err != nil {
		return nil, err
	}
	if searched := w.Now().Sub(m.FetchedAt) < searchedLately; w.judge(q, m, a.Value.ProductName, searched) == meant || !leads {
		return a, nil
	}
	a, _, err = w.find(ctx, c, q, true)
	return a, err
}

// errNotLeading is why a replica leaves a look-up to another one.
var errNotLeading = errors.New("another replica asks the source")

// ifLeading returns load, or what asks the source nothing.
func ifLeading[V lookup.Value](leads bool, load lookup.Load[V]) lookup.Load[V] {
	if leads {
		return load
	}
	return func(context.Context, *lookup.Request) (*lookup.Answer[V], error) {
		return nil, lookup.Abandoned(errNotLeading)
	}
}
