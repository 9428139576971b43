package lookup

import (
	"github.com/maypok86/otter/v2"
)

// Local is this process's own copy of what was looked up.
type Local struct {
	entries *otter.Cache[string, entry]
}

type entry struct {
	value any
	bytes int
}

// NewLocal returns a Local of about maxBytes at most, in which the keys that are read
// often stay.
func NewLocal(maxBytes uint64) *Local {
	return &Local{entries: otter.Must(&otter.Options[string, entry]{
		MaximumWeight: maxBytes,
		Weigher: func(key string, e entry) uint32 {
			return uint32(len(key) + e.bytes) // #nosec G115 -- bodies are capped far below 4 GiB
		},
	})}
}

// Get returns the value of key, expired or not.
func (l *Local) Get(key string) (any, bool) {
	e, ok := l.entries.GetIfPresent(key)
	return e.value, ok
}

// Put keeps value, which takes that many bytes, in the place of any other of key.
func (l *Local) Put(key string, value any, bytes int) {
	l.entries.Set(key, entry{value: value, bytes: bytes})
}

// Remove removes the value of key.
func (l *Local) Remove(key string) { l.entries.Invalidate(key) }
