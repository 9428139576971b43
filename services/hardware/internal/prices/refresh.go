package prices

import (
	"context"
	"sync"
	"time"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/pace"
)

const (
	// refreshAhead is how long before they expire offers that people ask for are read again.
	refreshAhead = time.Hour
	// A product is asked for again and again when it was at two moments this far apart since its offers were read.
	// A page that polls counts once.
	askedTimes, askedApart = 2, 10 * time.Minute
	maxWanted              = 20_000

	refreshEvery = time.Minute
	failedPause  = 10 * time.Minute
)

type demand struct {
	mu     sync.Mutex
	wanted map[string]*wanted // by the key of the offers
}

type wanted struct {
	match     *lookup.Answer[Match]
	offers    lookup.Lifetime
	times     int
	askedAt   time.Time
	notBefore time.Time // of the next try to read it ahead
}

// note counts a query. It is part of every hit, so it takes no memory for a known product.
func (d *demand) note(m *lookup.Answer[Match], offers lookup.Lifetime, now time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.wanted[m.Value.Key]
	if w == nil {
		if len(d.wanted) >= maxWanted {
			return
		}
		w = &wanted{}
		d.wanted[m.Value.Key] = w
	}
	if w.offers != offers {
		*w = wanted{match: m, offers: offers}
	}
	if now.Sub(w.askedAt) >= askedApart {
		w.times, w.askedAt = w.times+1, now
	}
}

// due returns the product that is asked for most of those whose offers expire within ahead, or nil.
func (d *demand) due(now time.Time, ahead time.Duration) *lookup.Answer[Match] {
	d.mu.Lock()
	defer d.mu.Unlock()
	most := &wanted{}
	for key, w := range d.wanted {
		switch {
		case !w.offers.Fresh(now):
			delete(d.wanted, key)
		case w.offers.Fresh(now.Add(ahead)), w.times < askedTimes, now.Before(w.notBefore):
		case w.times > most.times:
			most = w
		}
	}
	return most.match
}

func (d *demand) settle(m *lookup.Answer[Match], a *Answer, now time.Time, ahead time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a != nil && a.Fresh(now.Add(ahead)) {
		d.wanted[m.Value.Key] = &wanted{match: m, offers: a.Lifetime}
	} else if w := d.wanted[m.Value.Key]; w != nil {
		w.notBefore = now.Add(failedPause)
	}
}

func (p *Prices) ahead() time.Duration { return min(refreshAhead, p.TTL/2) }

// RefreshAhead reads the offers that people ask for again before they expire, in idle slots, until ctx ends. Of
// several replicas, one does so.
func (p *Prices) RefreshAhead(ctx context.Context) {
	for {
		pause := time.Duration(0)
		if m := p.demand.due(p.Now(), p.ahead()); m == nil {
			pause = refreshEvery
		} else {
			p.refresh(ctx, m)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func (p *Prices) refresh(ctx context.Context, m *lookup.Answer[Match]) {
	caller := lookup.Caller{Class: pace.Idle}
	open := func(ctx context.Context, r *fetch.Request) (*Answer, error) { return p.open(ctx, r, m) }
	a, _, err := p.offers.Refresh(ctx, m.Value.Key, caller, p.ahead(), open)
	if err != nil {
		p.log.DebugContext(ctx, "offers not read ahead", "error", err)
	}
	p.demand.settle(m, a, p.Now(), p.ahead())
}
