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
	sync func(*os.File) error // (*os.File).Sync
}

// NewLog returns the log at path, which is made with the first erasure. log gets a
// warning about a line that a crash tore.
func NewLog(path string, log *slog.Logger) *Log {
	return &Log{path, log, (*os.File).Sync}
}

// Check returns an error unless Append can write to the file, or make it. It changes nothing.
func (l *Log) Check() error {
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_RDWR, 0) // #nosec G304 -- the operator names the file
	if err == nil {
		return f.Close()
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = settings.CheckFolder(filepath.Dir(l.path))
	}
	if err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	return nil
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
	// NFS locks only what may be written
	lock := flock.New(l.path, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	if err := lock.Lock(); err != nil {
		return fmt.Errorf("erasure log: %w", err)
	}
	defer func() { _ = lock.Close() }()
	// #nosec G304 -- the operator names the file
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
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
	whole, rest, err := lastLine(f)
	text := bytes.TrimRight(rest, nul)
	switch {
	case err != nil || len(rest) == 0:
		return err
	case len(text) == 0 || torn(text):
		l.warn()
		return f.Truncate(whole)
	case len(text) < len(rest):
		err = f.Truncate(whole + int64(len(text)))
	}
	if err == nil {
		_, err = f.WriteString("\n")
	}
	return err
}

// nul is what some file systems leave at the end of a file after a loss of power.
const nul = "\x00"

// tailSize is how much of the end of a log is read at once.
const tailSize = 4096

// lastLine returns the length of f up to its last line break, and what follows. It reads
// no more of f than that.
func lastLine(f *os.File) (whole int64, rest []byte, err error) {
	whole, err = f.Seek(0, io.SeekEnd)
	for err == nil && whole > 0 {
		tail := make([]byte, min(whole, tailSize))
		if _, err = f.ReadAt(tail, whole-int64(len(tail))); err != nil {
			break
		}
		end := bytes.LastIndexByte(tail, '\n') + 1
		rest = append(tail[end:], rest...)
		if whole -= int64(len(tail) - end); end > 0 {
			break
		}
	}
	return whole, rest, err
}

// torn reports whether text is the beginning of a line.
func torn(text []byte) bool {
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(new(Erasure)), io.ErrUnexpectedEOF)
}

func (l *Log) warn() {
	l.log.Warn("a line of the erasure log is torn and left out: its erasure had not begun", "file", l.path)
}

// syncFolder keeps the name of a new file through a loss of power.
func (l *Log) syncFolder() error {
	f, err := os.Open(filepath.Dir(l.path)) // #nosec G304 -- as above
	if err != nil {
		return err
	}
	return errors.Join(l.sync(f), f.Close())
}

// All reads the erasures, in the order of the file. A missing file is an error, and so is a
// line that cannot be read, since what it says would not be erased again, except one that a
// crash tore. That one need not be the last, because logs may be concatenated.
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
			l.warn()
		}
		all = append(all, found...)
	}
	return all, nil
}

// lineStart begins each line that Append writes.
const lineStart = `{"at":`

// readLine reads the erasures of a line. In concatenated logs it may begin with the torn or
// unfinished last line of the log before. whole reports whether nothing was torn, and ok
// whether there is nothing else.
func readLine(text []byte) (found []Erasure, whole, ok bool) {
	whole = !bytes.Contains(text, []byte(nul))
	for i, part := range bytes.Split(text, []byte(lineStart)) {
		part = bytes.Trim(part, nul+"\r\n")
		if i > 0 {
			part = append([]byte(lineStart), part...)
		}
		var e Erasure
		switch err := json.Unmarshal(part, &e); {
		case len(part) == 0:
		case err == nil && e.Kind != "" && e.Subject != "":
			found = append(found, e)
		case torn(part):
			whole = false
		default:
			return nil, false, false
		}
	}
	return found, whole, true
}
