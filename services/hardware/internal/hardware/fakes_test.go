package hardware_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

var (
	errAway = errors.New("away")
	quiet   = slog.New(slog.DiscardHandler)
	timing  = hardware.DefaultTiming()
)

// codeOf is the code of err's fault, "" without an error.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// local is a LocalCache without a bound.
type local struct{ m sync.Map }

func (l *local) Get(key string) (*hardware.Answer, bool) {
	a, ok := l.m.Load(key)
	if !ok {
		return nil, false
	}
	return a.(*hardware.Answer), true
}

func (l *local) Put(key string, a *hardware.Answer) { l.m.Store(key, a) }

// store is a SharedStore, and the messages between the replicas that use it.
type store struct {
	mu       sync.Mutex
	kept     map[string]*hardware.Answer
	claims   map[string]lease
	replicas []*hardware.Lookups
	calls    map[string]int
	away     map[string]bool // calls that fail
	mute     bool            // messages are lost
	hang     bool            // claims are not answered
}

type lease struct {
	owner string
	until time.Time
}

func newStore() *store {
	return &store{kept: map[string]*hardware.Answer{}, claims: map[string]lease{}, calls: map[string]int{}, away: map[string]bool{}}
}

// replica is one more process that uses the store.
func (s *store) replica() *hardware.Lookups {
	l := hardware.NewLookups(&local{}, s, timing, time.Now, quiet)
	s.replicas = append(s.replicas, l)
	return l
}

func (s *store) fail(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away[call] = true
}

func (s *store) called(call string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[call]
}

func (s *store) enter(ctx context.Context, call string) error {
	s.calls[call]++
	if s.away[call] {
		return errAway
	}
	return ctx.Err()
}

func (s *store) Claim(ctx context.Context, key, owner string, d time.Duration) (hardware.Claim, error) {
	if s.hang {
		<-ctx.Done()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.enter(ctx, "claim"); err != nil {
		return hardware.Claim{}, err
	}
	if a := s.kept[key]; a != nil && a.Fresh(time.Now()) {
		return hardware.Claim{Kept: a}, nil
	}
	if c, ok := s.claims[key]; ok && c.owner != owner && time.Now().Before(c.until) {
		return hardware.Claim{}, nil
	}
	s.claims[key] = lease{owner, time.Now().Add(d)}
	return hardware.Claim{Mine: true}, nil
}

func (s *store) Renew(ctx context.Context, key, owner string, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.enter(ctx, "renew"); err != nil {
		return err
	}
	if s.claims[key].owner == owner {
		s.claims[key] = lease{owner, time.Now().Add(d)}
	}
	return nil
}

func (s *store) Settle(ctx context.Context, key, owner string, o hardware.Outcome) error {
	s.mu.Lock()
	err, mute := s.enter(ctx, "settle"), s.mute
	if err == nil && s.claims[key].owner == owner {
		delete(s.claims, key)
	}
	if err == nil && o.Answer != nil && o.Answer.Shareable {
		s.kept[key] = o.Answer
	}
	s.mu.Unlock()
	if err != nil || mute {
		return err
	}
	for _, l := range s.replicas {
		l.Deliver(key, o)
	}
	return nil
}

// notes are what a fake was told, in order.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

func (n *notes) expect(t *testing.T, what string, want ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Equal(n.lines, want) {
		t.Errorf("%s: %q, want %q", what, n.lines, want)
	}
}

// breaker is a Breaker that lets one caller at a time try after a pause.
type breaker struct {
	told  notes
	mu    sync.Mutex
	until map[string]time.Time
}

func newBreaker() *breaker { return &breaker{until: map[string]time.Time{}} }

func (b *breaker) Allow(_ context.Context, name string) (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	until, paused := b.until[name]
	if rest := time.Until(until); paused && rest > 0 {
		return rest, false
	}
	if paused {
		b.until[name] = time.Now().Add(20 * time.Second)
	}
	return 0, true
}

func (b *breaker) Pause(_ context.Context, name string, d time.Duration) {
	b.told.add(fmt.Sprintf("pause %s %s", name, d))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until[name] = time.Now().Add(d)
}

func (b *breaker) Fail(_ context.Context, name string) { b.told.add("fail " + name) }

func (b *breaker) Succeed(_ context.Context, name string) {
	b.told.add("succeed " + name)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.until, name)
}

// observer is an Observer.
type observer struct{ answered, lookups notes }

func (o *observer) Answered(kind string, via hardware.Via, err error) {
	o.answered.add(fmt.Sprint(kind, " ", via, codeOf(err)))
}

func (o *observer) LookedUp(source, outcome string, at time.Time) {
	if !at.Equal(time.Now()) {
		outcome += " at a wrong time"
	}
	o.lookups.add(source + " " + outcome)
}
