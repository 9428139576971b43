package directory

import "time"

// Limit allows a subject at most Max uses of Kind in any span of Window. One kind
// has one Window: what is older may be forgotten.
type Limit struct {
	Kind    string // what is counted, e.g. "audit"
	Subject string // who uses it, e.g. a user's id or an address
	Max     int
	Window  time.Duration
}

// LimitState is where a subject stands with a Limit.
type LimitState struct {
	OK         bool          // the use was allowed; of a look only: one would be
	Left       int           // uses that remain
	RetryAfter time.Duration // until the next use is allowed; zero when OK
}
