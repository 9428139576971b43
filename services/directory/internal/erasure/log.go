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
)

// Log records what was erased, for operators who restore a backup: a file of JSON lines
// that is only ever appended to. It contains digests and no names. Several processes may append to it, on several machines too
// if its volume has locks on files: without one, some network file systems would let them
// write over each other.
type Log struct {
	path string
	log  *slog.Logger
	sync func(*os.File) error // (*os.File).Sync
}

// NewLog returns the log at path, which is made with the first erasure. log gets a
// warning about a line that a crash tore.
func NewLog(path string, log *slog.Logger) *Log {
	return &Log{path, log, (*os.File).Sync}
}

// Append adds e; it is on the disk when Append returns.
func (l *Log) Append(e Erasure) (err error) {
	text, err := json.Marshal(Erasure{e.At.UTC(), e.Kind, e.Subject})
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
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600) // #nosec G304 -- the operator names the file
	if err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	if err = l.endLine(f); err == nil {
		_, err = f.Write(append(text, '\n'))
	}
	if err = errors.Join(err, l.sync(f), f.Close(), l.syncFolder()); err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	return nil
}

// endLine makes f end with a whole line. What a crash tore is taken away: its Append
// never returned, so that nothing was erased.
func (l *Log) endLine(f *os.File) error {
	content, err := io.ReadAll(f)
	whole, rest := lastLine(content)
	switch {
	case err != nil || len(rest) == 0:
		return err
	case torn(rest):
		l.warn()
		return f.Truncate(int64(len(whole)))
	}
	_, err = f.WriteString("\n")
	return err
}

// lastLine cuts off what follows the last line break.
func lastLine(content []byte) (whole, rest []byte) {
	end := bytes.LastIndexByte(content, '\n') + 1
	return content[:end], content[end:]
}

// torn reports whether text is the beginning of a line.
func torn(text []byte) bool {
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(new(Erasure)), io.ErrUnexpectedEOF)
}

func (l *Log) warn() {
	l.log.Warn("the last line of the erasure log is torn and left out: its erasure had not begun", "file", l.path)
}

// syncFolder keeps the name of a new file through a loss of power.
func (l *Log) syncFolder() error {
	f, err := os.Open(filepath.Dir(l.path)) // #nosec G304 -- as above
	if err != nil {
		return err
	}
	return errors.Join(l.sync(f), f.Close())
}

// All reads the erasures, oldest first. A file that is not there holds none; a line
// that cannot be read is an error, since what it says would not be erased again, except
// a last one that a crash tore.
func (l *Log) All() (all []Erasure, err error) {
	content, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("erasure log: %w", err)
	}
	if whole, rest := lastLine(content); torn(rest) {
		l.warn()
		content = whole
	}
	n := 0
	for text := range bytes.Lines(content) {
		n++
		var e Erasure
		if err := json.Unmarshal(text, &e); err != nil || e.Kind == "" || e.Subject == "" {
			return nil, fmt.Errorf("erasure log: %s: line %d is no erasure", l.path, n)
		}
		all = append(all, e)
	}
	return all, nil
}
