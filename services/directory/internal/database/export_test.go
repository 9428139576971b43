package database

import (
	"context"
	"database/sql"
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

// UsePool makes what needs no gorm use another pool: moves, migrations and their lock.
func (db *DB) UsePool(pool *sql.DB) {
	db.pools = append([]*sql.DB{pool}, db.pools...)
	if server, ok := db.engine.(*postgresEngine); ok {
		server.pool = pool
	}
}
