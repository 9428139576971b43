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
func (m *Memory[V]) Claim(_ context.Context, key, owner string, lease, rest time.Duration) (lookup.Claim[V], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if a, ok := m.answer(key, now.Add(rest)); ok {
		return lookup.Claim[V]{Kept: a}, nil
	}
	if m.isClaimed(key, now) && m.claims[key].owner != owner {
		return lookup.Claim[V]{}, nil
	}
	m.claims[key] = claim{owner: owner, until: now.Add(lease)}
	return lookup.Claim[V]{Mine: true}, nil
}

// answer is the shareable answer of key that is fresh at a moment.
func (m *Memory[V]) answer(key string, at time.Time) (*lookup.Answer[V], bool) {
	value, _ := m.answers.Get(key)
	a, ok := value.(*lookup.Answer[V])
	if !ok || !a.Shareable || !a.Fresh(at) {
		return nil, false
	}
	return a, true
}

func (m *Memory[V]) isClaimed(key string, now time.Time) bool {
	return now.Before(m.claims[key].until)
}

// Peek implements lookup.SharedStore.
func (m *Memory[V]) Peek(_ context.Context, key string) (kept *lookup.Answer[V], claimed bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, _ = m.answer(key, m.now())
	return kept, m.isClaimed(key, m.now()), nil
}

// Release implements lookup.SharedStore.
func (m *Memory[V]) Release(_ context.Context, key, owner string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.release(key, owner)
	return nil
}

func (m *Memory[V]) release(key, owner string) {
	if m.claims[key].owner == owner {
		delete(m.claims, key)
	}
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
	m.release(key, owner)
	if o.Answer != nil && o.Answer.Shareable {
		m.answers.Put(key, o.Answer, o.Answer.Size())
	}
	m.mu.Unlock()
	m.publish(key, o)
	return nil
}
