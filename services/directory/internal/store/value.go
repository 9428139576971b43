package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

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

// document is a column that holds a T as JSON.
type document[T any] struct{ value T }

// Value implements driver.Valuer.
func (d document[T]) Value() (driver.Value, error) {
	encoded, err := json.Marshal(d.value)
	return string(encoded), err
}

// Scan implements sql.Scanner.
func (d *document[T]) Scan(column any) error {
	var zero T
	d.value = zero
	switch column := column.(type) {
	case string:
		return json.Unmarshal([]byte(column), &d.value)
	case []byte:
		return json.Unmarshal(column, &d.value)
	}
	return fmt.Errorf("JSON column holds %T", column)
}
