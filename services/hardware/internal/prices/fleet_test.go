package prices_test

import (
	"context"
	"sync"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/throttle"
)

// fleet is several replicas that share the turns at an aggregator, what they look up and the look-ups
// of lists.
type fleet struct {
	shop     *fair
	matches  *sharedStore[prices.Match]
	offers   *sharedStore[prices.Price]
	replicas []*process
	quotes   []*prices.Quotes
}

func newFleet(n int, pacer *throttle.Pacer) *fleet {
	f := &fleet{shop: &fair{pacer: pacer}, matches: newSharedStore[prices.Match](), offers: newSharedStore[prices.Price]()}
	board := prices.NewLocalBoard()
	for range n {
		p := newReplica(f.shop, f.matches.replica(pacer), f.offers.replica(pacer))
		f.replicas = append(f.replicas, p)
		f.quotes = append(f.quotes, prices.NewQuotes(p.Prices, pacer, board, quiet))
	}
	return f
}

// sharedStore is a lookup.SharedStore in memory, and the messages between the replicas that
// use it. It is always available.
type sharedStore[V lookup.Value] struct {
	mu       sync.Mutex
	kept     map[string]*lookup.Answer[V]
	claims   map[string]claim
	replicas []*lookup.Layers[V]
}

type claim struct {
	owner string
	until time.Time
}

func newSharedStore[V lookup.Value]() *sharedStore[V] {
	return &sharedStore[V]{kept: map[string]*lookup.Answer[V]{}, claims: map[string]claim{}}
}

// replica adds one more process that uses the store.
func (s *sharedStore[V]) replica(pacer *throttle.Pacer) *lookup.Layers[V] {
	l := newLayers[V](s, pacer)
	s.replicas = append(s.replicas, l)
	return l
}

// Claim implements lookup.SharedStore.
func (s *sharedStore[V]) Claim(_ context.Context, key, owner string, lease, rest time.Duration) (lookup.Claim[V], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if a := s.kept[key]; a != nil && a.Fresh(now.Add(rest)) {
		return lookup.Claim[V]{Kept: a}, nil
	}
	if c, ok := s.claims[key]; ok && c.owner != owner && now.Before(c.until) {
		return lookup.Claim[V]{}, nil
	}
	s.claims[key] = claim{owner, now.Add(lease)}
	return lookup.Claim[V]{Mine: true}, nil
}

// Renew implements lookup.SharedStore.
func (s *sharedStore[V]) Renew(_ context.Context, key, owner string, lease time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claims[key].owner == owner {
		s.claims[key] = claim{owner, time.Now().Add(lease)}
	}
	return nil
}

// Release implements lookup.SharedStore.
func (s *sharedStore[V]) Release(_ context.Context, key, owner string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claims[key].owner == owner {
		delete(s.claims, key)
	}
	return nil
}

// Settle implements lookup.SharedStore.
func (s *sharedStore[V]) Settle(ctx context.Context, key, owner string, o lookup.Outcome[V]) error {
	_ = s.Release(ctx, key, owner) // never fails
	s.mu.Lock()
	if o.Answer != nil && o.Answer.Shareable {
		s.kept[key] = o.Answer
	}
	s.mu.Unlock()
	for _, replica := range s.replicas {
		replica.Deliver(key, o)
	}
	return nil
}

// Forget implements lookup.SharedStore.
func (s *sharedStore[V]) Forget(_ context.Context, key string) (*lookup.Answer[V], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.kept[key]
	delete(s.kept, key)
	return a, nil
}
