package database

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"
	"github.com/riverqueue/river/riverdriver/riverdatabasesql"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

//go:embed migrations
var migrationFiles embed.FS

type migrationSet struct {
	dialect goose.Dialect
	folder  string
	begun   string // a query that returns whether there ever was a migration
}

// Migration is a step of the schema.
type Migration struct {
	Version   int64      `json:"version"`
	Name      string     `json:"name"`       // of its file
	AppliedAt *time.Time `json:"applied_at"` // nil if it is not applied
}

// Migrate brings the schema up to date, in one of the replicas that call it at once. A migration that
// does not get its lock soon gives way to those who use the table, and is repeated for 90 s.
func (db *DB) Migrate(ctx context.Context) error {
	return db.migrating(ctx, func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return err
	})
}

// MigrateDown takes back the newest migration, with all data in it, unless another process uses the
// database.
func (db *DB) MigrateDown(ctx context.Context) error {
	alone, err := db.engine.alone(ctx, db.pools[0])
	if err != nil {
		return fmt.Errorf("database: %w", err)
	}
	if !alone {
		return ErrInUse
	}
	return db.migrating(ctx, func(p *goose.Provider) error {
		_, err := p.Down(ctx)
		if errors.Is(err, goose.ErrNoNextVersion) {
			return nil
		}
		return err
	})
}

// CheckSchema fails when a migration is missing. It changes nothing.
func (db *DB) CheckSchema(ctx context.Context) error {
	migrations, err := db.MigrationStatus(ctx)
	if err != nil {
		return err
	}
	missing := 0
	for _, m := range migrations {
		if m.AppliedAt == nil {
			missing++
		}
	}
	if missing > 0 {
		return fmt.Errorf("%d of %d migrations are missing", missing, len(migrations))
	}
	return nil
}

// MigrationStatus lists all migrations, oldest first. It changes nothing.
func (db *DB) MigrationStatus(ctx context.Context) (migrations []Migration, err error) {
	begun := false
	if err := db.write.WithContext(ctx).Raw(db.engine.migrations().begun).Scan(&begun).Error; err != nil {
		return nil, fmt.Errorf("database: migrate: %w", err)
	}
	err = db.migrating(ctx, func(p *goose.Provider) error {
		if !begun {
			for _, source := range p.ListSources() {
				migrations = append(migrations, Migration{Version: source.Version, Name: path.Base(source.Path)})
			}
			return nil
		}
		states, err := p.Status(ctx)
		for _, state := range states {
			m := Migration{Version: state.Source.Version, Name: path.Base(state.Source.Path)}
			if state.State == goose.StateApplied {
				m.AppliedAt = new(state.AppliedAt.UTC())
			}
			migrations = append(migrations, m)
		}
		return err
	})
	return migrations, err
}

// migrating runs fn alone over all replicas.
func (db *DB) migrating(ctx context.Context, fn func(*goose.Provider) error) error {
	provider, err := db.migrator()
	if err != nil {
		return fmt.Errorf("database: migrate: %w", err)
	}
	release, err := db.engine.acquire(ctx, "migrate")
	if err != nil {
		return fmt.Errorf("database: migrate: %w", hintPooler(err))
	}
	defer release()
	for range lockTries {
		if err = fn(provider); !isLockTimeout(err) || sleep(ctx, lockPause) != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("database: migrate: %w", hintPooler(err))
	}
	return nil
}

const (
	lockTries = 45
	lockPause = 2 * time.Second
)

// isLockTimeout reports whether a migration gave up waiting for a lock, or was in a deadlock.
func isLockTimeout(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "55P03" || e.Code == "40P01")
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

func (db *DB) migrator() (*goose.Provider, error) {
	set := db.engine.migrations()
	files, err := fs.Sub(db.schema, set.folder)
	if err != nil {
		return nil, err
	}
	queue := goose.NewGoMigration(queueVersion, db.migrateQueue(rivermigrate.DirectionUp),
		db.migrateQueue(rivermigrate.DirectionDown))
	queue.Source = queueSource
	return goose.NewProvider(set.dialect, db.pools[0], files, goose.WithDisableGlobalRegistry(true),
		goose.WithGoMigrations(queue))
}

// The migration that makes the tables of River's version queueTarget.
const (
	queueVersion = 2
	queueSource  = "00002_river.go"
	queueTarget  = 8
)

// migrateQueue makes River's tables, or removes them. PostgreSQL cannot use a new value of an
// enumeration in its transaction, and SQLite has one connection, which goose holds.
func (db *DB) migrateQueue(direction rivermigrate.Direction) *goose.GoFunc {
	options := &rivermigrate.MigrateOpts{TargetVersion: queueTarget}
	if direction == rivermigrate.DirectionDown {
		options.TargetVersion = -1 // all
	}
	config := &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)}
	if db.IsPostgres() {
		return &goose.GoFunc{RunDB: func(ctx context.Context, pool *sql.DB) error {
			migrator, err := rivermigrate.New(riverdatabasesql.New(pool), config)
			if err != nil {
				return err
			}
			_, err = migrator.Migrate(ctx, direction, options)
			return err
		}}
	}
	return &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
		migrator, err := rivermigrate.New(riversqlite.New(nil), config)
		if err != nil {
			return err
		}
		//lint:ignore SA1019 the baseline is one step, which belongs to the transaction
		_, err = migrator.MigrateTx(ctx, tx, direction, options)
		return err
	}}
}
