package upstream

import (
	"maps"
	"sync"
)

// Counter counts what happened at a site, in groups, as its state shows. It is safe
// for concurrent use.
type Counter struct {
	groups []string

	mu     sync.Mutex
	counts map[string]map[string]int
}

// NewCounter returns a counter of the groups with nothing counted.
func NewCounter(groups ...string) *Counter {
	return &Counter{groups: groups, counts: make(map[string]map[string]int)}
}

// Add counts one event, e.g. Add("token_requests", "refresh_token").
func (c *Counter) Add(group, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts[group] == nil {
		c.counts[group] = make(map[string]int)
	}
	c.counts[group][name]++
}

// Counts returns a copy by group and name. Groups without events are empty.
func (c *Counter) Counts() map[string]map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := make(map[string]map[string]int)
	for _, group := range c.groups {
		counts[group] = map[string]int{}
		maps.Copy(counts[group], c.counts[group])
	}
	return counts
}

// Clear sets every count to zero.
func (c *Counter) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.counts)
}
