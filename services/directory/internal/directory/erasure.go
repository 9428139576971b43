package directory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// ErasureKind is what was erased.
type ErasureKind string

// The kinds of erasures.
const (
	ErasedUser    ErasureKind = "user"
	ErasedCompany ErasureKind = "company"
	ErasedPerson  ErasureKind = "person" // somebody at a provider, in all connections
)

// Erasure says that something was erased, and when. A restored backup holds it once
// more: what has the same Subject is erased again.
type Erasure struct {
	At   time.Time
	Kind ErasureKind
	// Subject is a digest that only the thing's own record leads to. A user's and a
	// company's hold the moment in which they were added, so that another one who
	// gets the number after a restore is not meant.
	Subject string
}

// UserErasure is that of u, now.
func UserErasure(u User, now time.Time) Erasure {
	return erasureOf(now, ErasedUser, u.ID, moment(u.CreatedAt))
}

// companyErasure is that of c, now.
func companyErasure(c Company, now time.Time) Erasure {
	return erasureOf(now, ErasedCompany, c.ID, moment(c.CreatedAt))
}

// Person is somebody at a provider who granted access.
type Person struct {
	Provider Provider
	ID       string
}

// PersonErasure is that of p, now.
func PersonErasure(p Person, now time.Time) Erasure {
	return erasureOf(now, ErasedPerson, p.Provider, p.ID)
}

func erasureOf(now time.Time, kind ErasureKind, parts ...any) Erasure {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q", kind, parts))
	return Erasure{At: now, Kind: kind, Subject: hex.EncodeToString(sum[:])}
}

// moment is a time as every database keeps it.
func moment(t time.Time) string { return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano) }
