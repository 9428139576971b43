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

// at is instant for a time to store; a zero t is now.
func (s *Store) at(t time.Time) time.Time {
	if t.IsZero() {
		t = s.now()
	}
	return instant(t)
}
