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
	free    int            // callers that may begin to work now
	waiting []*waiter      // in order of arrival
	given   int            // turns so far, which numbers them
	last    map[string]int // number of the last turn by site and by network; forgotten when no caller waits
}

type waiter struct {
	site, network string
	turn          chan struct{} // is closed when the waiter may work
}

// take waits for a turn, which the caller gives back, or returns the cause of the end of ctx.
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

// next gives free turns to those whose site, and then whose network, has waited longest for one.
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
