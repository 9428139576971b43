package store

import (
	"context"
	"sync"
)

// gate lets one goroutine at a time through for each name. The zero value is
// ready for use.
type gate struct {
	mu    sync.Mutex
	names map[string]*turn
}

type turn struct {
	taken chan struct{} // holds an element while somebody is inside
	users int           // inside or waiting
}

// enter waits for its turn, or reports that it is not free.
func (g *gate) enter(ctx context.Context, name string, wait bool) (leave func(), ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	t := g.join(name)
	if !wait {
		select {
		case t.taken <- struct{}{}:
		default:
			g.part(name, t)
			return nil, false, nil
		}
	} else {
		select {
		case t.taken <- struct{}{}:
		case <-ctx.Done():
			g.part(name, t)
			return nil, false, ctx.Err()
		}
	}
	return func() { <-t.taken; g.part(name, t) }, true, nil
}

func (g *gate) join(name string) *turn {
	g.mu.Lock()
	defer g.mu.Unlock()
	t, ok := g.names[name]
	if !ok {
		t = &turn{taken: make(chan struct{}, 1)}
		if g.names == nil {
			g.names = map[string]*turn{}
		}
		g.names[name] = t
	}
	t.users++
	return t
}

// part forgets a name that nobody is interested in any more.
func (g *gate) part(name string, t *turn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(g.names, name)
	}
}
