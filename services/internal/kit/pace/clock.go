package pace

import (
	"context"
	"sync"
	"time"
)

// Clock gives out slots for requests. The slots of a key are at least interval apart, but after a pause up to burst
// of them may be used at once. If callers give different intervals, the largest of the last minute counts. An
// unknown key counts as just used. Each implementation passes the cases of package pacetest.
type Clock interface {
	// Next reserves the next slot of key and returns when it is, by the clock of this process. A caller that
	// reaches it too late reserves another one.
	Next(ctx context.Context, key string, interval time.Duration, burst int) (time.Time, error)
	// IsValid reports whether the last slot of key may still be used. It may not if the clock has lost what it
	// stored.
	IsValid(ctx context.Context, key string) bool
}

const (
	// widestFor is how long a large interval applies to callers that give a smaller one.
	widestFor = time.Minute
	// maxAhead is in intervals. A last slot further ahead means that the clock was set back. It counts as just used,
	// or else requests would wait until the clock reaches it.
	maxAhead = 1000
)

// Memory is the Clock of a single process. Its time never goes back, but a test can move it.
type Memory struct {
	mu   sync.Mutex
	keys map[string]*slots
}

type slots struct {
	last   time.Time     // the last slot
	widest time.Duration // the interval that applies
	given  time.Time     // when a caller last gave widest
}

// Next implements Clock.
func (m *Memory) Next(_ context.Context, key string, interval time.Duration, burst int) (time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	s := m.keys[key]
	if s == nil {
		if m.keys == nil {
			m.keys = map[string]*slots{}
		}
		s = &slots{last: now}
		m.keys[key] = s
	}
	if interval >= s.widest || now.Sub(s.given) > widestFor {
		s.widest, s.given = interval, now
	}
	if s.last.Sub(now) > maxAhead*s.widest {
		s.last = now
	}
	// A pause earns as many slots as the burst: they lie in the past, and can be used at once.
	if earliest := now.Add(-time.Duration(burst) * s.widest); s.last.Before(earliest) {
		s.last = earliest
	}
	s.last = s.last.Add(s.widest)
	if s.last.Before(now) {
		return now, nil
	}
	return s.last, nil
}

// IsValid implements Clock.
func (m *Memory) IsValid(context.Context, string) bool { return true }
