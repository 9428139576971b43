package database

import (
	"context"
	"strings"
	"time"

	"backend.example/services/internal/kit/pace"
)

// Clock is the pace.Clock of all replicas, by the clock of the database: one row for each key.
type Clock struct{ db *DB }

// Clock returns the Clock of the database.
func (db *DB) Clock() *Clock { return &Clock{db: db} }

var _ pace.Clock = (*Clock)(nil)

// IsValid implements pace.Clock: what is in the database stays there.
func (c *Clock) IsValid(context.Context, string) bool { return true }

// nextSlot reserves a slot and returns how far ahead it is. Times and intervals are in milliseconds;
// excluded is what this call would insert, slots the row of the calls before.
//
// The interval between slots is widest_ms: the largest that any replica has given in the last minute
// (since given_ms). The next slot comes one interval after the last one (last_ms), which counts as at
// most @burst intervals ago, so that no more slots pile up. A last slot that is more than 1000
// intervals ahead means that the clock was set back, and counts as now.
var nextSlot = strings.NewReplacer(
	"{is widest}", "excluded.widest_ms >= slots.widest_ms OR excluded.given_ms - slots.given_ms > 60000",
	"{widest}", `CASE
		WHEN excluded.widest_ms >= slots.widest_ms OR excluded.given_ms - slots.given_ms > 60000
		THEN excluded.widest_ms ELSE slots.widest_ms END`,
).Replace(`
	INSERT INTO slots (name, last_ms, widest_ms, given_ms) VALUES (@name, @now + @interval, @interval, @now)
	ON CONFLICT (name) DO UPDATE SET
		last_ms = {widest} + CASE
			WHEN slots.last_ms - excluded.given_ms > 1000 * ({widest}) THEN excluded.given_ms
			WHEN slots.last_ms < excluded.given_ms - @burst * ({widest}) THEN excluded.given_ms - @burst * ({widest})
			ELSE slots.last_ms END,
		given_ms = CASE WHEN {is widest} THEN excluded.given_ms ELSE slots.given_ms END,
		widest_ms = {widest}
	RETURNING last_ms - @now`)

// Next implements pace.Clock. The interval is rounded up to a millisecond.
func (c *Clock) Next(ctx context.Context, key string, interval time.Duration, burst int) (time.Time, error) {
	begin := time.Now()
	var milliseconds int64
	err := c.db.Write(ctx).Raw(nextSlot, map[string]any{
		"name": key, "interval": (interval + time.Millisecond - 1).Milliseconds(), "burst": burst,
		"now": c.db.engine.clock(),
	}).Scan(&milliseconds).Error
	if err != nil {
		return time.Time{}, err
	}
	took := time.Since(begin) // the database read its clock about half-way
	return begin.Add(took / 2).Add(time.Duration(max(milliseconds, 0)) * time.Millisecond), nil
}
