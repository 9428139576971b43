package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	sqlitedriver "modernc.org/sqlite"
	sqlitecode "modernc.org/sqlite/lib"
)

const (
	// lockRetry is how long a process waits before it asks another one again.
	lockRetry = 10 * time.Millisecond
)

// fileLocks are named locks over the processes of one machine. A lock is an
// empty SQLite file on which a transaction holds the exclusive lock: that works
// on every system, and ends with the process. The files stay.
type fileLocks struct {
	folder string
	gate   gate // one goroutine of this process at a time asks for the file
}

func (f *fileLocks) acquire(ctx context.Context, name string, wait bool) (func(), bool, error) {
	leave, ok, err := f.gate.enter(ctx, name, wait)
	if !ok {
		return nil, false, err
	}
	release, ok, err := f.poll(ctx, name, wait)
	if !ok {
		leave()
		return nil, false, err
	}
	return func() { release(); leave() }, true, nil
}

func (f *fileLocks) poll(ctx context.Context, name string, wait bool) (func(), bool, error) {
	for {
		release, err := f.try(name)
		switch {
		case err == nil:
			return release, true, nil
		case !isBusy(err):
			return nil, false, fmt.Errorf("lock %s: %w", name, err)
		case !wait:
			return nil, false, nil
		}
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-time.After(lockRetry):
		}
	}
}

func (f *fileLocks) try(name string) (func(), error) {
	if err := os.MkdirAll(f.folder, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(f.folder, url.PathEscape(name))
	pool, err := sql.Open("sqlite", sqliteDSN(path, "exclusive", "busy_timeout(0)"))
	if err != nil {
		return nil, err
	}
	tx, err := pool.Begin()
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	return func() {
		_ = tx.Rollback() // nothing was written
		_ = pool.Close()
	}, nil
}

func isBusy(err error) bool {
	var e *sqlitedriver.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlitecode.SQLITE_BUSY
}
