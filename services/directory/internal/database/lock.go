package database

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"gorm.io/gorm"
)

// Lock is the exclusive use of the row that a name stands for, over all processes.
type Lock struct {
	read   *gorm.DB
	write  *gorm.DB
	tx     *gorm.DB // nil before Begin
	unlock func()
}

// Lock waits for the lock of a name, whose holder has to be quick.
func (db *DB) Lock(ctx context.Context, name string) (*Lock, error) {
	return db.LockSlowly(ctx, name, "")
}

// LockSlowly is Lock for a caller that calls an external service meanwhile. All that wait for one
// service share a few connections of the pool, so that a service that hangs takes no more.
func (db *DB) LockSlowly(ctx context.Context, name, service string) (*Lock, error) {
	unlock, err := db.engine.guard(ctx, name, service)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	l := &Lock{read: db.Read(ctx), write: db.Write(ctx), unlock: unlock}
	if !db.IsPostgres() {
		return l, nil
	}
	if l.read, err = l.Begin(); err != nil {
		unlock()
		return nil, err
	}
	return l, nil
}

// Read returns a handle for reading the row, which it locks on PostgreSQL.
func (l *Lock) Read() *gorm.DB { return ForUpdate(l.read) }

// Begin returns the transaction for writing, until Commit the same.
func (l *Lock) Begin() (*gorm.DB, error) {
	if l.tx != nil {
		return l.tx, nil
	}
	tx := l.write.Begin()
	if tx.Error != nil {
		return nil, tx.Error
	}
	l.tx = tx
	return tx, nil
}

// Commit ends the transaction. Nothing may be read or written after it.
func (l *Lock) Commit() error {
	tx := l.tx
	l.tx = nil
	return tx.Commit().Error
}

// Release ends the lock, and rolls back what was not committed.
func (l *Lock) Release() {
	if l.tx != nil {
		l.tx.Rollback()
	}
	l.unlock()
}

// Queue makes the transactions that call it with the same name follow one another.
func (db *DB) Queue(tx *gorm.DB, name string) error { return db.engine.queue(tx, name) }

// keyedMutex is a mutex for each name. The zero value is ready for use.
type keyedMutex struct{ held sync.Map } // by name: a channel that is closed when the name is free again

func (k *keyedMutex) lock(ctx context.Context, name string) (unlock func(), err error) {
	own := make(chan struct{})
	for {
		held, taken := k.held.LoadOrStore(name, own)
		if !taken {
			return func() { k.held.Delete(name); close(own) }, nil
		}
		select {
		case <-held.(chan struct{}):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

const lockRetry = 10 * time.Millisecond

// fileLocks are locks of the operating system on empty files, which end with the process that has
// them. They also keep goroutines of one process apart. The files stay.
type fileLocks struct{ folder string }

func (f fileLocks) acquire(ctx context.Context, name string) (release func(), err error) {
	file, err := f.file(name)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	if _, err := file.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() { _ = file.Close() }, nil
}

func (f fileLocks) file(name string) (*flock.Flock, error) {
	if err := os.MkdirAll(f.folder, 0o700); err != nil {
		return nil, err
	}
	return flock.New(filepath.Join(f.folder, url.PathEscape(name))), nil
}

var errAlone = errors.New("the database is being moved: wait until that is done")

// share takes a lock that any number of processes may have at once.
func (f fileLocks) share(name string) (*flock.Flock, error) {
	file, err := f.file(name)
	if err != nil {
		return nil, err
	}
	ok, err := file.TryRLock()
	if err != nil {
		return file, err
	}
	if !ok {
		return file, errAlone
	}
	return file, nil
}
