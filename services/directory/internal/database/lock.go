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

// Lock waits for the lock of a name. The caller has to be quick, and to release it.
func (db *DB) Lock(ctx context.Context, name string) (*Lock, error) {
	unlock, err := db.engine.guard(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return db.locked(ctx, unlock)
}

// LockSlowly is Lock for a caller that calls an external service meanwhile. All that wait for one
// service share a few connections of the pool, so that a service that hangs takes no more.
func (db *DB) LockSlowly(ctx context.Context, name, service string) (*Lock, error) {
	unlock, err := db.engine.guardSlowly(ctx, name, service)
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	return db.locked(ctx, unlock)
}

func (db *DB) locked(ctx context.Context, unlock func()) (*Lock, error) {
	l := &Lock{read: db.Read(ctx), write: db.Write(ctx), unlock: unlock}
	if !db.IsPostgres() {
		return l, nil
	}
	tx, err := l.Begin()
	if err != nil {
		unlock()
		return nil, err
	}
	l.read = tx
	return l, nil
}

// Read returns a handle for reading the row. On PostgreSQL the lock on the row keeps other
// processes out.
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
type keyedMutex struct {
	mu    sync.Mutex
	names map[string]*namedMutex
}

type namedMutex struct {
	locked chan struct{} // holds an element while the lock is held
	users  int           // those who have it or want it
}

func (k *keyedMutex) lock(ctx context.Context, name string) (unlock func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m := k.enter(name)
	select {
	case m.locked <- struct{}{}:
		return func() { <-m.locked; k.leave(name, m) }, nil
	case <-ctx.Done():
		k.leave(name, m)
		return nil, ctx.Err()
	}
}

func (k *keyedMutex) enter(name string) *namedMutex {
	k.mu.Lock()
	defer k.mu.Unlock()
	m, ok := k.names[name]
	if !ok {
		m = &namedMutex{locked: make(chan struct{}, 1)}
		if k.names == nil {
			k.names = map[string]*namedMutex{}
		}
		k.names[name] = m
	}
	m.users++
	return m
}

func (k *keyedMutex) leave(name string, m *namedMutex) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m.users--; m.users == 0 {
		delete(k.names, name)
	}
}

const lockRetry = 10 * time.Millisecond

// fileLocks are locks of the operating system on empty files, which end with the process that has
// them. The files stay.
type fileLocks struct {
	folder string
	mutex  keyedMutex // one goroutine of this process at a time tries to lock a file
}

func (f *fileLocks) acquire(ctx context.Context, name string) (release func(), err error) {
	unlock, err := f.mutex.lock(ctx, name)
	if err != nil {
		return nil, err
	}
	file, err := f.lock(ctx, name)
	if err != nil {
		unlock()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() {
		_ = file.Close() // ends the lock
		unlock()
	}, nil
}

func (f *fileLocks) lock(ctx context.Context, name string) (*flock.Flock, error) {
	file, err := f.file(name)
	if err != nil {
		return nil, err
	}
	_, err = file.TryLockContext(ctx, lockRetry)
	return file, err
}

func (f *fileLocks) file(name string) (*flock.Flock, error) {
	if err := os.MkdirAll(f.folder, 0o700); err != nil {
		return nil, err
	}
	return flock.New(filepath.Join(f.folder, url.PathEscape(name))), nil
}

var errAlone = errors.New("the database is being moved: wait until that is done")

// share takes a lock that any number of processes may have at once.
func (f *fileLocks) share(name string) (*flock.Flock, error) {
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
