package database

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
)

// acquire takes an advisory lock that ends with a transaction, on a connection of its
// own. A lock of the session would not do: a pooler between, as PgBouncer, gives the
// session to another client after each statement, with the lock.
func (p *postgresEngine) acquire(ctx context.Context, name string, wait bool) (func(), bool, error) {
	conn, err := p.pool.Conn(ctx)
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", name, err)
	}
	tx, locked, err := lockAdvisory(ctx, conn, advisoryKey(name), wait)
	release := func() {
		if tx != nil {
			_ = tx.Rollback() // where that fails, the connection is gone, and the lock with it
		}
		_ = conn.Close() // goes back to the pool
	}
	if err != nil || !locked {
		release()
	}
	if err != nil {
		return nil, false, fmt.Errorf("lock %s: %w", name, err)
	}
	return release, locked, nil
}

// lockAdvisory leaves the transaction open, idle for as long as the lock is wanted,
// also when ctx ends before.
func lockAdvisory(ctx context.Context, conn *sql.Conn, key int64, wait bool) (tx *sql.Tx, locked bool, err error) {
	if tx, err = conn.BeginTx(context.WithoutCancel(ctx), nil); err != nil {
		return nil, false, err
	}
	if _, err = tx.ExecContext(ctx, "SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
		return tx, false, err
	}
	if wait {
		_, err = tx.ExecContext(ctx, "SELECT pg_advisory_xact_lock($1)", key)
		return tx, true, err
	}
	err = tx.QueryRowContext(ctx, "SELECT pg_try_advisory_xact_lock($1)", key).Scan(&locked)
	return tx, locked, err
}

// advisoryKey maps a name to the number that PostgreSQL locks by. Two names with
// one number would wait for each other without need, nothing worse.
func advisoryKey(name string) int64 {
	sum := sha256.Sum256([]byte("directory: " + name))
	return int64(binary.BigEndian.Uint64(sum[:])) // #nosec G115 -- any 64 bits do
}
