package lookup_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

var (
	errAway = errors.New("away")
	quiet   = slog.New(slog.DiscardHandler)
)

// codeOf returns the code of err's fault, or "" without an error.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

// store is a lookup.SharedStore, and the messages between the replicas that use it.
type store struct {
	mute      bool // messages are lost
	hang      bool // claims are not answered
	slowRenew bool // and neither are renewals
	replicas  []*layers

	mu     sync.Mutex
	kept   map[string]*answer // shareable answers
	claims map[string]lease
	calls  map[string]int
	away   map[string]bool
}

type lease struct {
	owner string
	until time.Time
}

func newStore() *store {
	return &store{kept: map[string]*answer{}, claims: map[string]lease{}, calls: map[string]int{}, away: map[string]bool{}}
}

// replica adds one more process that uses the store.
func (s *store) replica() *layers {
	l := newLayers(s)
	s.replicas = append(s.replicas, l)
	return l
}

// newLayers returns those of a process, which is alone if shared is nil.
func newLayers(shared lookup.SharedStore[text]) *layers {
	return lookup.New(lookup.Options[text]{Local: lookup.NewLocal(8 << 20), Shared: shared, Timing: timing, Now: time.Now, Log: quiet})
}

// fail lets a call fail from now on: "claim", "renew", "release", "settle" or "forget".
func (s *store) fail(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away[call] = true
}

// countOf returns how often a call was made.
func (s *store) countOf(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[call]
}

// claimElsewhere is a claim of a replica outside the test.
func (s *store) claimElsewhere(d time.Duration) {
	s.claims["key"] = lease{"elsewhere", time.Now().Add(d)}
}

// isClaimed reports whether any claim is left.
func (s *store) isClaimed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.claims) > 0
}

// enter counts a call. The caller holds the lock.
func (s *store) enter(ctx context.Context, call string) error {
	s.calls[call]++
	if s.away[call] {
		return errAway
	}
	return ctx.Err()
}

func (s *store) Claim(ctx context.Context, key, owner string, d, rest time.Duration) (lookup.Claim[text], error) {
	if s.hang {
		<-ctx.Done()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.enter(ctx, "claim"); err != nil {
		return lookup.Claim[text]{}, err
	}
	if a := s.kept[key]; a != nil && a.Fresh(time.Now().Add(rest)) {
		return lookup.Claim[text]{Kept: a}, nil
	}
	if c, ok := s.claims[key]; ok && time.Now().Before(c.until) { // only Renew prolongs it
		return lookup.Claim[text]{Mine: c.owner == owner}, nil
	}
	s.claims[key] = lease{owner, time.Now().Add(d)}
	return lookup.Claim[text]{Mine: true}, nil
}

func (s *store) Renew(ctx context.Context, key, owner string, d time.Duration) error {
	if s.slowRenew {
		<-ctx.Done()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.enter(ctx, "renew")
	if err == nil && s.claims[key].owner == owner {
		s.claims[key] = lease{owner, time.Now().Add(d)}
	}
	return err
}

func (s *store) Release(ctx context.Context, key, owner string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end(ctx, "release", key, owner)
}

func (s *store) Settle(ctx context.Context, key, owner string, o outcome) error {
	s.mu.Lock()
	err := s.end(ctx, "settle", key, owner)
	if err == nil && o.Answer != nil && o.Answer.Shareable {
		s.kept[key] = o.Answer
	}
	s.mu.Unlock()
	if err != nil || s.mute {
		return err
	}
	for _, replica := range s.replicas {
		replica.Deliver(key, o)
	}
	return nil
}

func (s *store) Forget(ctx context.Context, key string) (*answer, error) {
	s.mu.Lock()
	err := s.enter(ctx, "forget")
	kept := s.kept[key]
	if err == nil {
		delete(s.kept, key)
	}
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	for _, replica := range s.replicas {
		replica.Deliver(key, outcome{Forgotten: true})
	}
	return kept, nil
}

// end ends owner's claim. The caller holds the lock.
func (s *store) end(ctx context.Context, call, key, owner string) error {
	err := s.enter(ctx, call)
	if err == nil && s.claims[key].owner == owner {
		delete(s.claims, key)
	}
	return err
}
