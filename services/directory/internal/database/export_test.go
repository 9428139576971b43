package database

import (
	"context"
	"io/fs"
)

// MoveInBatches is Move with batches of so many rows.
var MoveInBatches = moveInBatches

// Migrations are those of all databases.
var Migrations fs.FS = migrationFiles

// Acquire waits for the named lock over all processes.
func (db *DB) Acquire(ctx context.Context, name string) (release func(), err error) {
	return db.engine.acquire(ctx, name)
}
