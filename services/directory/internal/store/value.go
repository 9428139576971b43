package store

import "time"

// instant is t as the databases keep it: UTC, microseconds. What is compared with
// a column has to be one, too.
func instant(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// optional is instant for a time that may be absent.
func optional(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	kept := instant(*t)
	return &kept
}

// optionalID is the column of an id that may be absent, which is 0 in the domain.
func optionalID(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// idOrNone is the reverse of optionalID.
func idOrNone(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}

// at is instant for a time to store; a zero t is now.
func (s *Store) at(t time.Time) time.Time {
	if t.IsZero() {
		t = s.now()
	}
	return instant(t)
}
