package hardwaretest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"backend.example/services/internal/kit/fault"
)

// CodeOf is the code of err's fault, "" without an error.
func CodeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

// Notes are the calls of a fake, in order.
type Notes struct {
	mu    sync.Mutex
	lines []string
}

// Add takes one note.
func (n *Notes) Add(line string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, line)
}

// Require compares all notes with want.
func (n *Notes) Require(t *testing.T, what string, want ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.Equal(n.lines, want) {
		t.Errorf("%s: %q, want %q", what, n.lines, want)
	}
}

// Breaker is an lookup.Breaker that lets one caller at a time try after a pause.
type Breaker struct {
	Calls Notes
	mu    sync.Mutex
	until map[string]time.Time
}

// NewBreaker returns a Breaker without pauses.
func NewBreaker() *Breaker { return &Breaker{until: map[string]time.Time{}} }

// Allow implements lookup.Breaker.
func (b *Breaker) Allow(_ context.Context, name string) (time.Duration, bool) {
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

// Pause implements lookup.Breaker.
func (b *Breaker) Pause(_ context.Context, name string, d time.Duration) {
	b.Calls.Add(fmt.Sprintf("pause %s %s", name, d))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.until[name] = time.Now().Add(d)
}

// Fail implements lookup.Breaker.
func (b *Breaker) Fail(_ context.Context, name, _ string) { b.Calls.Add("fail " + name) }

// Succeed implements lookup.Breaker.
func (b *Breaker) Succeed(_ context.Context, name string) time.Duration {
	b.Calls.Add("succeed " + name)
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.until, name)
	return 0
}
