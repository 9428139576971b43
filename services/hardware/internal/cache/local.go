// Package cache keeps encoded answers: in this process, bounded in bytes; in
// Redis, for all replicas, together with the claims on look-ups under way; and
// the last good rankings, in Redis and on disk.
//
// When an answer is fresh, and who may have it, is decided by the domain.
package cache

import (
	"github.com/maypok86/otter/v2"

	"backend.example/services/hardware/internal/hardware"
)

// Local is this process's copy of answers.
type Local struct {
	answers *otter.Cache[string, *hardware.Answer]
}

// NewLocal returns a Local that holds about maxBytes at most; what is asked for
// often stays.
func NewLocal(maxBytes uint64) *Local {
	return &Local{answers: otter.Must(&otter.Options[string, *hardware.Answer]{
		MaximumWeight: maxBytes,
		Weigher:       func(key string, a *hardware.Answer) uint32 { return uint32(len(key) + a.Size()) }, // #nosec G115 -- bodies are capped far below 4 GiB
	})}
}

// Get returns the answer of key, expired or not.
func (l *Local) Get(key string) (*hardware.Answer, bool) { return l.answers.GetIfPresent(key) }

// Put keeps a in the place of any answer of key.
func (l *Local) Put(key string, a *hardware.Answer) { l.answers.Set(key, a) }
