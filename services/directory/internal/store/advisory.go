package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// unlockLimit bounds the release of an advisory lock.
const unlockLimit = 5 * time.Second

// acquire takes a session-level advisory lock on a connection of its own; it
// ends with that connection at the latest.
func (p *postgresEngine) acquire(ctx context.Context, name string, wait bool) (func(), bool, error) {
	conn, err := p.pool.Conn(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", name, err)
	}
	key, locked := advisoryKey(name), true
	if wait {
		_, err = conn.ExecContext(ctx, "SELECT pg_advisory_lock($1)", key)
	} else {
		err = conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&locked)
	}
	if err != nil {
		discard(conn) // whether the server gave the lock is unknown
		return nil, false, fmt.Errorf("lock %s: %w", name, err)
	}
	if !locked {
		return nil, false, conn.Close()
	}
	return func() { unlock(conn, key) }, true, nil
}

func unlock(conn *sql.Conn, key int64) {
	ctx, cancel := context.WithTimeout(context.Background(), unlockLimit)
	defer cancel()
	if _, err := conn.ExecContext(ctx, "SELECT pg_advisory_unlock($1)", key); err != nil {
		discard(conn)
		return
	}
	_ = conn.Close() // goes back to the pool
}

// discard ends the session together with the locks that it holds.
func discard(conn *sql.Conn) {
	err := conn.Raw(func(any) error { return driver.ErrBadConn })
	if !errors.Is(err, sql.ErrConnDone) {
		_ = conn.Close() // the pool has dropped it
	}
}

// advisoryKey maps a name to the number that PostgreSQL locks by. Two names with
// one number would wait for each other without need, nothing worse.
func advisoryKey(name string) int64 {
	sum := sha256.Sum256([]byte("directory: " + name))
	return int64(binary.BigEndian.Uint64(sum[:])) // #nosec G115 -- any 64 bits do
}
