// Package tally owns the counters of a stand-in: how often something happened, in
// groups, as the state on the control address shows it. What is worth counting is
// for the stand-in to decide.
package tally

import (
	"maps"
	"sync"
)

// Tally counts. Its zero value is ready, and it is safe for concurrent use.
type Tally struct {
	mu     sync.Mutex
	counts map[string]map[string]int
}

// Add counts one event, e.g. Add("token_requests", "refresh_token").
func (t *Tally) Add(group, name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = make(map[string]map[string]int)
	}
	if t.counts[group] == nil {
		t.counts[group] = make(map[string]int)
	}
	t.counts[group][name]++
}

// Count returns a copy of a group by name: an empty map before its first event.
func (t *Tally) Count(group string) map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts[group] == nil {
		return map[string]int{}
	}
	return maps.Clone(t.counts[group])
}

// Clear sets every counter to zero.
func (t *Tally) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts = nil
}
