// Package hardwaretest holds the fakes that tests of several packages share. No package
// of the service imports it.
package hardwaretest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// Quiet drops what is logged.
var Quiet = slog.New(slog.DiscardHandler)

// ErrAway is the error of calls that a test lets fail.
var ErrAway = errors.New("away")

// Store is a lookup.SharedStore, and the messages between the replicas that use it.
type Store[V lookup.Value] struct {
	Now     func() time.Time             // time.Now unless set
	Mute    bool                         // messages are lost
	Hang    bool                         // claims are not answered
	Holder  func(key string)             // acts for a replica outside the test that holds every claim
	Settled func(o lookup.Outcome[V])    // is called with each outcome
	Kept    map[string]*lookup.Answer[V] // shareable answers
	deliver []func(string, lookup.Outcome[V])

	mu     sync.Mutex
	claims map[string]lease
	calls  map[string]int
	away   map[string]bool
}

type lease struct {
	owner string
	until time.Time
}

// NewStore returns an empty Store.
func NewStore[V lookup.Value]() *Store[V] {
	return &Store[V]{Now: time.Now, Kept: map[string]*lookup.Answer[V]{}, claims: map[string]lease{}, calls: map[string]int{}, away: map[string]bool{}}
}

// Replica adds one more process that uses the store; what o lacks is filled in.
func (s *Store[V]) Replica(o lookup.Options[V]) *lookup.Layers[V] {
	if o.Local == nil {
		o.Local = lookup.NewLocal(8 << 20)
	}
	o.Shared, o.Timing, o.Now, o.Log = s, lookup.DefaultTiming(), s.Now, Quiet
	l := lookup.New(o)
	s.deliver = append(s.deliver, l.Deliver)
	return l
}

// Fail lets a call fail from now on: "claim", "peek", "renew", "release" or "settle".
func (s *Store[V]) Fail(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away[call] = true
}

// Calls is how often a call was made.
func (s *Store[V]) Calls(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[call]
}

// ClaimElsewhere is a claim of a replica outside the test.
func (s *Store[V]) ClaimElsewhere(key string, d time.Duration) {
	s.claims[key] = lease{"elsewhere", s.Now().Add(d)}
}

// Claims is how many claims there are.
func (s *Store[V]) Claims() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.claims)
}

func (s *Store[V]) enter(ctx context.Context, call string) error {
	s.calls[call]++
	if s.away[call] {
		return ErrAway
	}
	return ctx.Err()
}

// Claim implements lookup.SharedStore.
func (s *Store[V]) Claim(ctx context.Context, key, owner string, d, rest time.Duration) (lookup.Claim[V], error) {
	if s.Hang {
		<-ctx.Done()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.enter(ctx, "claim"); err != nil {
		return lookup.Claim[V]{}, err
	}
	if s.Holder != nil {
		s.Holder(key)
		return lookup.Claim[V]{}, nil
	}
	if a := s.Kept[key]; a != nil && a.Fresh(s.Now().Add(rest)) {
		return lookup.Claim[V]{Kept: a}, nil
	}
	if c, ok := s.claims[key]; ok && c.owner != owner && s.Now().Before(c.until) {
		return lookup.Claim[V]{}, nil
	}
	s.claims[key] = lease{owner, s.Now().Add(d)}
	return lookup.Claim[V]{Mine: true}, nil
}

// Renew implements lookup.SharedStore.
func (s *Store[V]) Renew(ctx context.Context, key, owner string, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.enter(ctx, "renew"); err != nil {
		return err
	}
	if s.claims[key].owner == owner {
		s.claims[key] = lease{owner, s.Now().Add(d)}
	}
	return nil
}

// Release implements lookup.SharedStore.
func (s *Store[V]) Release(ctx context.Context, key, owner string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.enter(ctx, "release"); err != nil {
		return err
	}
	if s.claims[key].owner == owner {
		delete(s.claims, key)
	}
	return nil
}

// Settle implements lookup.SharedStore.
func (s *Store[V]) Settle(ctx context.Context, key, owner string, o lookup.Outcome[V]) error {
	s.mu.Lock()
	err := s.enter(ctx, "settle")
	if err == nil && s.claims[key].owner == owner {
		delete(s.claims, key)
	}
	if err == nil && o.Answer != nil && o.Answer.Shareable {
		s.Kept[key] = o.Answer
	}
	s.mu.Unlock()
	if s.Settled != nil {
		s.Settled(o)
	}
	if err != nil || s.Mute {
		return err
	}
	for _, deliver := range s.deliver {
		deliver(key, o)
	}
	return nil
}
