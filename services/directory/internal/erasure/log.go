package erasure

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"backend.example/services/internal/kit/settings"
)

// Log records what was erased, for operators who restore a backup: a file of JSON lines
// that is only ever appended to. It contains digests and no names. Several processes may
// append to it, on several machines too if its volume has locks on files: without one,
// some network file systems would let them write over each other.
type Log struct {
	path string
	log  *slog.Logger
}

// NewLog returns the log at path, which is made with the first erasure. log gets a
// warning about a line that a crash tore.
func NewLog(path string, log *slog.Logger) *Log { return &Log{path, log} }

// Check returns an error unless Append can write to the file, or make it. It changes nothing.
func (l *Log) Check() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_RDWR, 0) // #nosec G304 -- the operator names the file
	if errors.Is(err, fs.ErrNotExist) {
		return settings.CheckFolder(filepath.Dir(l.path))
	}
	if err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	return f.Close()
}

// Append adds e; it is on the disk when Append returns.
func (l *Log) Append(e Erasure) error {
	text, err := json.Marshal(Erasure{e.At.UTC(), e.Kind, e.Subject})
	if err != nil {
		return err
	}
	if err := l.append(append(text, '\n')); err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	return nil
}

func (l *Log) append(line []byte) error {
	folder := filepath.Dir(l.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	// NFS locks only what may be written
	lock := flock.New(l.path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return err
	}
	defer func() { _ = lock.Close() }()
	// #nosec G304 -- the operator names the file
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	isTorn, err := endsTorn(f)
	if isTorn {
		line = append([]byte("\n"), line...)
	}
	if err == nil {
		_, err = f.Write(line)
	}
	return errors.Join(err, f.Sync(), f.Close(), syncFolder(folder))
}

// endsTorn reports whether f ends without a line break, because of a crash.
func endsTorn(f *os.File) (bool, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return false, err
	}
	last := make([]byte, 1)
	_, err = f.ReadAt(last, size-1)
	return last[0] != '\n', err
}

// syncFolder keeps the name of a new file through a loss of power.
func syncFolder(path string) error {
	f, err := os.Open(path) // #nosec G304 -- as above
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// All reads the erasures, in the order of the file. A missing file is an error, and so is a
// line that cannot be read, since what it says would not be erased again, except one that a
// crash tore: its Append never returned, so that nothing was erased.
func (l *Log) All() (all []Erasure, err error) {
	content, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no erasure log %s: restore it, if anything was erased: %w", l.path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("erasure log: %w", err)
	}
	n := 0
	for text := range bytes.Lines(content) {
		n++
		found, whole, ok := readLine(text)
		if !ok {
			return nil, fmt.Errorf("erasure log: %s: line %d is no erasure", l.path, n)
		}
		if !whole {
			l.log.Warn("a line of the erasure log is torn and left out: its erasure had not begun", "file", l.path)
		}
		all = append(all, found...)
	}
	return all, nil
}

const (
	lineStart = `{"at":`
	// nul is what some file systems leave at the end of a file after a loss of power.
	nul = "\x00"
)

// readLine reads a line, which in concatenated logs may begin with the torn or unfinished last line
// of the log before. whole reports whether nothing was torn, and ok whether there is nothing else.
func readLine(text []byte) (found []Erasure, whole, ok bool) {
	whole = !bytes.Contains(text, []byte(nul))
	for i, part := range bytes.Split(text, []byte(lineStart)) {
		part = bytes.Trim(part, nul+"\r\n")
		if i > 0 {
			part = append([]byte(lineStart), part...)
		}
		if len(part) == 0 {
			continue
		}
		if err := json.NewDecoder(bytes.NewReader(part)).Decode(new(Erasure)); errors.Is(err, io.ErrUnexpectedEOF) {
			whole = false // it is the beginning of a line
			continue
		}
		var e Erasure
		if err := json.Unmarshal(part, &e); err != nil || e.Kind == "" || e.Subject == "" {
			return nil, false, false
		}
		found = append(found, e)
	}
	return found, whole, true
}
