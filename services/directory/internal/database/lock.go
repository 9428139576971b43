package database

import (
	"context"
	"fmt"

	"gorm.io/gorm"
)

// Exclusively runs fn unless another caller, in any replica, is running one under the
// same name; ran reports whether it did. A replica that loses its connection to
// PostgreSQL meanwhile loses its claim, too.
func (db *DB) Exclusively(ctx context.Context, name string, fn func(ctx context.Context) error) (ran bool, err error) {
	release, ok, err := db.engine.acquire(ctx, "exclusively "+name, false)
	if err != nil {
		return false, fmt.Errorf("database: %w", err)
	}
	if !ok {
		return false, nil
	}
	defer release()
	return true, fn(ctx)
}

// Locked runs fn in a transaction, one at a time for each name. fn has to be quick,
// and reads the row that the name stands for with ForUpdate.
func (db *DB) Locked(ctx context.Context, name string, fn func(tx *gorm.DB) error) error {
	release, err := db.engine.guard(ctx, name)
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	defer release()
	return db.Transaction(ctx, fn)
}

// LockedSlowly is Locked for an fn that calls an external service. fn reads with the
// handle and writes with commit; on PostgreSQL both are one transaction. All calls that
// wait for one service share a few connections of the pool, so that a service that hangs
// takes no more. They do not delay Locked, except for the name that fn is running for.
func (db *DB) LockedSlowly(ctx context.Context, name, service string, fn func(read *gorm.DB, commit Commit) error) error {
	return db.engine.slowly(ctx, db, name, service, fn)
}

// Queue makes the transactions that call it with the same name follow one another.
func (db *DB) Queue(tx *gorm.DB, name string) error { return db.engine.queue(tx, name) }
