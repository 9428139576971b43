package database

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how long a process waits before it tries again to lock a file that
// another process has locked.
const lockRetry = 10 * time.Millisecond

// fileLocks are named locks over the processes of one machine. Each is a lock of
// the operating system on an empty file, which ends with the process that has it.
// The files stay.
type fileLocks struct {
	folder string
	mutex  keyedMutex // one goroutine of this process at a time tries to lock a file
}

func (f *fileLocks) acquire(ctx context.Context, name string, wait bool) (release func(), ok bool, err error) {
	unlock, ok, err := f.mutex.lock(ctx, name, wait)
	if !ok {
		return nil, false, err
	}
	file, ok, err := f.lockFile(ctx, name, wait)
	if !ok {
		unlock()
		if err != nil {
			err = fmt.Errorf("lock %s: %w", name, err)
		}
		return nil, false, err
	}
	return func() {
		_ = file.Close() // ends the lock
		unlock()
	}, true, nil
}

func (f *fileLocks) lockFile(ctx context.Context, name string, wait bool) (file *flock.Flock, ok bool, err error) {
	if file, err = f.file(name); err != nil {
		return nil, false, err
	}
	if wait {
		ok, err = file.TryLockContext(ctx, lockRetry)
	} else {
		ok, err = file.TryLock()
	}
	return file, ok, err
}

// file is the one that stands for a lock, and is made when it is locked.
func (f *fileLocks) file(name string) (*flock.Flock, error) {
	if err := os.MkdirAll(f.folder, 0o700); err != nil {
		return nil, err
	}
	return flock.New(filepath.Join(f.folder, url.PathEscape(name))), nil
}

// errAlone says that another process uses the database exclusively.
var errAlone = errors.New("the database is being moved: wait until that is done")

// share takes a lock that any number of processes may have at once.
func (f *fileLocks) share(name string) (*flock.Flock, error) {
	file, err := f.file(name)
	if err != nil {
		return nil, err
	}
	ok, err := file.TryRLock()
	if err == nil && !ok {
		err = errAlone
	}
	return file, err
}
