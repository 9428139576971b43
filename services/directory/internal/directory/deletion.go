package directory

import "time"

// PersonRequest is what a provider asks on behalf of somebody who granted access.
type PersonRequest struct {
	Person   Person
	IssuedAt time.Time // to the second
	Digest   string    // of the request: another one has another, and nobody can guess it
}

// before is the last moment of the second in which the request was made. What was
// granted later is not meant.
func (r PersonRequest) before() time.Time { return r.IssuedAt.Add(time.Second - time.Microsecond) }
