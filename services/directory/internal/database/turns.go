package database

import (
	"context"
	"time"
)

// turnsAhead is later than any turns that are taken now can last.
const turnsAhead = time.Hour

// TakeTurns takes a length of time from a name that all replicas share, by the clock of
// the database: what is taken follows one another, and may reach at most room into the
// future. If it does not fit, nothing is taken, and wait is how long until it may. The
// name is a row of the leases, which ends with what was taken.
func (db *DB) TakeTurns(ctx context.Context, name string, length, room time.Duration) (wait time.Duration, err error) {
	taken, ahead := length.Milliseconds(), (turnsAhead - length).Milliseconds()
	result := db.Write(ctx).Exec(`INSERT INTO leases (name, holder, expires_ms) VALUES (?, '', ? + ?)
		ON CONFLICT (name) DO UPDATE SET expires_ms =
			CASE WHEN leases.expires_ms < excluded.expires_ms - ? OR leases.expires_ms > excluded.expires_ms + ?
			THEN excluded.expires_ms ELSE leases.expires_ms + ? END
		WHERE leases.expires_ms <= excluded.expires_ms + ? OR leases.expires_ms > excluded.expires_ms + ?`,
		name, db.clock(), taken, taken, ahead, taken, (room - 2*length).Milliseconds(), ahead)
	if result.Error != nil || result.RowsAffected == 1 {
		return 0, result.Error
	}
	var milliseconds int64
	err = db.Read(ctx).Raw("SELECT expires_ms - ? FROM leases WHERE name = ?", db.clock(), name).Scan(&milliseconds).Error
	return max(time.Duration(milliseconds)*time.Millisecond+length-room, time.Millisecond), err
}
