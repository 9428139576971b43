// Package erasure keeps the log of what was erased, for those who restore a backup:
// a file of JSON lines that is only ever appended to. It holds digests and no names.
// What an erasure does belongs to package directory.
package erasure

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"backend.example/services/directory/internal/directory"
)

// Log is the file at a path. Several processes may append to it, on several machines too
// if its volume has locks on files: without one, some network file systems would let them
// write over each other.
type Log struct{ path string }

// NewLog returns the log at path, which is made with the first erasure.
func NewLog(path string) *Log { return &Log{path} }

// line is an erasure as the file holds it.
type line struct {
	At      time.Time             `json:"at"`
	Kind    directory.ErasureKind `json:"kind"`
	Subject string                `json:"subject"`
}

// Append adds e; it is on the disk when Append returns.
func (l *Log) Append(e directory.Erasure) (err error) {
	text, err := json.Marshal(line{e.At.UTC(), e.Kind, e.Subject})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	lock := flock.New(l.path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600)) // NFS locks only what may be written
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	defer func() { _ = lock.Close() }()
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600) // #nosec G304 -- the operator names the file
	if err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Sync(), f.Close(), syncFolder(filepath.Dir(l.path))); err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	return nil
}

// syncFolder keeps the name of a new file through a loss of power.
func syncFolder(path string) error {
	f, err := os.Open(path) // #nosec G304 -- as above
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// All reads the erasures, oldest first. A file that is not there holds none; a line
// that cannot be read is an error, since what it says would not be erased again.
func (l *Log) All() (all []directory.Erasure, err error) {
	f, err := os.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("erasure log: %w", err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var e line
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil || e.Kind == "" || e.Subject == "" {
			return nil, fmt.Errorf("erasure log: %s: line %d is no erasure", l.path, n)
		}
		all = append(all, directory.Erasure(e))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("erasure log: %w", err)
	}
	return all, nil
}
