package cache

import (
	"context"
	"sync"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// Memory is the shared store of a service without Redis, which has one replica.
type Memory[V lookup.Value] struct {
	answers *Local
	now     func() time.Time
	publish func(key string, o lookup.Outcome[V])

	mu     sync.Mutex
	claims map[string]claim
}

type claim struct {
	owner string
	until time.Time
}

// NewMemory returns a Memory that keeps its answers in the bounded copy of the process
// and passes every outcome to publish.
func NewMemory[V lookup.Value](answers *Local, now func() time.Time, publish func(string, lookup.Outcome[V])) *Memory[V] {
	return &Memory[V]{answers: answers, now: now, publish: publish, claims: map[string]claim{}}
}

// Claim implements lookup.SharedStore.
func (m *Memory[V]) Claim(_ context.Context, key, owner string, lease time.Duration) (lookup.Claim[V], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if a, ok := m.answer(key); ok && a.Shareable && a.Fresh(now) {
		return lookup.Claim[V]{Kept: a}, nil
	}
	if c, ok := m.claims[key]; ok && now.Before(c.until) && c.owner != owner {
		return lookup.Claim[V]{}, nil
	}
	m.claims[key] = claim{owner: owner, until: now.Add(lease)}
	return lookup.Claim[V]{Mine: true}, nil
}

func (m *Memory[V]) answer(key string) (*lookup.Answer[V], bool) {
	value, _ := m.answers.Get(key)
	a, ok := value.(*lookup.Answer[V])
	return a, ok
}

// Renew implements lookup.SharedStore.
func (m *Memory[V]) Renew(_ context.Context, key, owner string, lease time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if c := m.claims[key]; c.owner == owner && now.Before(c.until) {
		m.claims[key] = claim{owner: owner, until: now.Add(lease)}
	}
	return nil
}

// Settle implements lookup.SharedStore.
func (m *Memory[V]) Settle(_ context.Context, key, owner string, o lookup.Outcome[V]) error {
	m.mu.Lock()
	if m.claims[key].owner == owner {
		delete(m.claims, key)
	}
	if o.Answer != nil && o.Answer.Shareable {
		m.answers.Put(key, o.Answer, o.Answer.Size())
	}
	m.mu.Unlock()
	m.publish(key, o)
	return nil
}
