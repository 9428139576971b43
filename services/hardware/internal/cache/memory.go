package cache

import (
	"context"
	"sync"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

// Memory is the shared store of replicas that live in one process, which is what
// a service without Redis is.
type Memory struct {
	kept *Local
	now  func() time.Time
	tell func(key string, o hardware.Outcome)

	mu     sync.Mutex
	claims map[string]claim
}

type claim struct {
	owner string
	until time.Time
}

// NewMemory returns a Memory that keeps its answers in kept, the bounded copy of
// the process, and sends every outcome to tell.
func NewMemory(kept *Local, now func() time.Time, tell func(string, hardware.Outcome)) *Memory {
	return &Memory{kept: kept, now: now, tell: tell, claims: map[string]claim{}}
}

// Claim implements hardware.SharedStore.
func (m *Memory) Claim(_ context.Context, key, owner string, lease time.Duration) (hardware.Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if a, ok := m.kept.Get(key); ok && a.Shareable && a.Fresh(now) {
		return hardware.Claim{Kept: a}, nil
	}
	if c, ok := m.claims[key]; ok && now.Before(c.until) && c.owner != owner {
		return hardware.Claim{}, nil
	}
	m.claims[key] = claim{owner: owner, until: now.Add(lease)}
	return hardware.Claim{Mine: true}, nil
}

// Renew implements hardware.SharedStore.
func (m *Memory) Renew(_ context.Context, key, owner string, lease time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	if c := m.claims[key]; c.owner == owner && now.Before(c.until) {
		m.claims[key] = claim{owner: owner, until: now.Add(lease)}
	}
	return nil
}

// Settle implements hardware.SharedStore.
func (m *Memory) Settle(_ context.Context, key, owner string, o hardware.Outcome) error {
	m.mu.Lock()
	if m.claims[key].owner == owner {
		delete(m.claims, key)
	}
	if o.Answer != nil && o.Answer.Shareable {
		m.kept.Put(key, o.Answer)
	}
	m.mu.Unlock()
	m.tell(key, o)
	return nil
}
