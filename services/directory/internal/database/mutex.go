package database

import (
	"context"
	"sync"
)

// keyedMutex is a mutex for each name. The zero value is ready for use.
type keyedMutex struct {
	mu    sync.Mutex
	names map[string]*namedMutex
}

type namedMutex struct {
	locked chan struct{} // holds an element while the lock is held
	users  int           // those who have it or want it
}

// lock takes the mutex of a name. With wait it waits for it; without, ok reports
// whether it was free.
func (k *keyedMutex) lock(ctx context.Context, name string, wait bool) (unlock func(), ok bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, err
	}
	m := k.enter(name)
	if !wait {
		select {
		case m.locked <- struct{}{}:
		default:
			k.leave(name, m)
			return nil, false, nil
		}
	} else {
		select {
		case m.locked <- struct{}{}:
		case <-ctx.Done():
			k.leave(name, m)
			return nil, false, ctx.Err()
		}
	}
	return func() { <-m.locked; k.leave(name, m) }, true, nil
}

func (k *keyedMutex) enter(name string) *namedMutex {
	k.mu.Lock()
	defer k.mu.Unlock()
	m, ok := k.names[name]
	if !ok {
		m = &namedMutex{locked: make(chan struct{}, 1)}
		if k.names == nil {
			k.names = map[string]*namedMutex{}
		}
		k.names[name] = m
	}
	m.users++
	return m
}

// leave removes a name that is not in use any more.
func (k *keyedMutex) leave(name string, m *namedMutex) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m.users--; m.users == 0 {
		delete(k.names, name)
	}
}
