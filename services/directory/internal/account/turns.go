package account

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"backend.example/services/internal/kit/network"
)

// turns lets a few callers work at a time. Those that wait take turns by site, and within a site by
// network, so that one client with many addresses does not keep others waiting.
type turns struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter      // in order of arrival
	last    map[string]int // the number of the last turn of a site or network, while callers wait
	given   int
}

type waiter struct {
	site, network string
	turn          chan struct{}
}

func (t *turns) take(ctx context.Context, client string) error {
	w := &waiter{site: network.Site(client), network: network.OfClient(client), turn: make(chan struct{})}
	t.mu.Lock()
	t.waiting = append(t.waiting, w)
	t.next()
	t.mu.Unlock()
	select {
	case <-w.turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.Index(t.waiting, w)
	if i < 0 { // the turn came at the same moment
		return nil
	}
	t.waiting = slices.Delete(t.waiting, i, i+1)
	return context.Cause(ctx)
}

func (t *turns) giveBack() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	t.next()
}

func (t *turns) next() {
	for t.free > 0 && len(t.waiting) > 0 {
		w := slices.MinFunc(t.waiting, func(a, b *waiter) int {
			return cmp.Or(cmp.Compare(t.last[a.site], t.last[b.site]),
				cmp.Compare(t.last[a.network], t.last[b.network]))
		})
		i := slices.Index(t.waiting, w)
		t.waiting = slices.Delete(t.waiting, i, i+1)
		if len(t.waiting) == 0 || t.last == nil {
			t.last = map[string]int{}
		}
		t.given++
		t.free--
		t.last[w.site] = t.given
		t.last[w.network] = t.given
		close(w.turn)
	}
}
