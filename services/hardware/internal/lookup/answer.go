package lookup

import (
	"time"
)

// Value is what a source is asked for: a ranking, the product that a query means, or the
// offers of a product.
type Value interface {
	// Size is about what the value takes in memory, in bytes.
	Size() int
}

// Answer is a value together with how long it may be given out. Nothing of an answer
// changes once it is published.
type Answer[V Value] struct {
	Value V
	Lifetime
}

// Lifetime says how long an answer may be given out, and to whom.
type Lifetime struct {
	FetchedAt time.Time // when the source gave the data
	ExpiresAt time.Time // when the source is to be asked again; zero: the answer is not kept at all
	Shareable bool      // a success: other replicas and HTTP caches may keep it until ExpiresAt
}

// Fresh reports whether the answer may still be given out at now.
func (l Lifetime) Fresh(now time.Time) bool { return now.Before(l.ExpiresAt) }

// Size is about what the answer takes in memory, in bytes.
func (a *Answer[V]) Size() int { return a.Value.Size() + 128 }

// Via says where an answer came from.
type Via string

// The layers, nearest first.
const (
	ViaLocal     Via = "local"     // this process's copy
	ViaShared    Via = "shared"    // the copy that all replicas share
	ViaCollapsed Via = "collapsed" // another caller's look-up that was under way
	ViaSource    Via = "source"    // a look-up of our own
)
