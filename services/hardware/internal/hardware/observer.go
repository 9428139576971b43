package hardware

import (
	"time"
)

// Observer is told what the domain does, for metrics.
type Observer interface {
	// Answered reports one answer of kind "ranking" or "price": the layer it came
	// from, or the error that it failed with.
	Answered(kind string, via Via, err error)
	// LookedUp reports one look-up at an external source that ended at the given
	// time: "found", "nothing_matched" or the code of its fault.
	LookedUp(source, outcome string, at time.Time)
}
