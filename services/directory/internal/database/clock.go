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

// nextSlot reserves a slot, in milliseconds. The last slot lies at most as many intervals back as the
// burst; one far ahead means that the clock was set back.
var nextSlot = strings.NewReplacer("{widest}", `CASE
		WHEN excluded.widest_ms >= slots.widest_ms OR excluded.given_ms - slots.given_ms > 60000
		THEN excluded.widest_ms ELSE slots.widest_ms END`).Replace(`
	INSERT INTO slots (name, last_ms, widest_ms, given_ms) VALUES (@name, {now} + @interval, @interval, {now})
	ON CONFLICT (name) DO UPDATE SET
		last_ms = {widest} + CASE
			WHEN slots.last_ms - excluded.given_ms > 1000 * ({widest}) THEN excluded.given_ms
			WHEN slots.last_ms < excluded.given_ms - @burst * ({widest}) THEN excluded.given_ms - @burst * ({widest})
			ELSE slots.last_ms END,
		given_ms = CASE
			WHEN excluded.widest_ms >= slots.widest_ms OR excluded.given_ms - slots.given_ms > 60000
			THEN excluded.given_ms ELSE slots.given_ms END,
		widest_ms = {widest}
	RETURNING last_ms - {now}`)

// Next implements pace.Clock. The interval is rounded up to a millisecond.
func (c *Clock) Next(ctx context.Context, key string, interval time.Duration, burst int) (time.Time, error) {
	statement := strings.ReplaceAll(nextSlot, "{now}", "@now")
	begin := time.Now()
	var milliseconds int64
	err := c.db.Write(ctx).Raw(statement, map[string]any{
		"name": key, "interval": (interval + time.Millisecond - 1).Milliseconds(), "burst": burst,
		"now": c.db.engine.clock(),
	}).Scan(&milliseconds).Error
	if err != nil {
		return time.Time{}, err
	}
	took := time.Since(begin)
	return begin.Add(took / 2).Add(time.Duration(max(milliseconds, 0)) * time.Millisecond), nil
}
