// Package requestlog owns the memory of what clients asked of the stand-ins:
// a bounded ring of entries, written by a wrapping handler and read by the
// control address. It never changes an answer and knows no site.
package requestlog

import (
	"net/http"
	"sync"
	"time"
)

// maxText bounds, in bytes, the texts of a client that an entry keeps.
const maxText = 2048

// Entry is one request as it reached a stand-in.
type Entry struct {
	Seq             int64     `json:"seq"` // counts from 1 since the start
	Site            string    `json:"site"`
	Method          string    `json:"method"`
	Path            string    `json:"path"` // path and query as sent, still encoded; secrets are masked
	UserAgent       string    `json:"user_agent"`
	ArrivedAt       time.Time `json:"arrived_at"`        // UTC
	ArrivedUnixNano int64     `json:"arrived_unix_nano"` // the same moment
	Status          int       `json:"status"`            // 0: unanswered, or the connection was cut
	Finished        bool      `json:"finished"`          // false while the answer is under way
}

// Log keeps the newest entries. It is safe for concurrent use.
type Log struct {
	now func() time.Time

	mu       sync.Mutex
	seq      int64
	ring     []*Entry // oldest first from start on
	capacity int
}

// New returns an empty log of at most capacity entries. It panics when
// capacity is not positive.
func New(capacity int, now func() time.Time) *Log {
	if capacity < 1 {
		panic("requestlog: capacity must be positive")
	}
	return &Log{now: now, capacity: capacity}
}

// Record wraps next: the arrival is taken before anything else happens, and
// the status is added when next returns, also by a panic.
func (l *Log) Record(site string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived := l.now().UTC()
		entry := l.add(site, arrived, r)
		recorder := &recorder{ResponseWriter: w}
		defer func() { l.finish(entry, recorder, recover()) }()
		next.ServeHTTP(recorder, r)
	})
}

// Entries returns copies, oldest first; an empty site means all of them.
func (l *Log) Entries(site string) []Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries := make([]Entry, 0, len(l.ring))
	for _, entry := range l.ring {
		if site == "" || entry.Site == site {
			entries = append(entries, *entry)
		}
	}
	return entries
}

// Clear forgets the entries; the count goes on.
func (l *Log) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ring = nil
}

func (l *Log) add(site string, arrived time.Time, r *http.Request) *Entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seq++
	entry := &Entry{
		Seq: l.seq, Site: site, Method: r.Method,
		Path: cut(mask(r.RequestURI)), UserAgent: cut(r.UserAgent()),
		ArrivedAt: arrived, ArrivedUnixNano: arrived.UnixNano(),
	}
	if len(l.ring) == l.capacity {
		l.ring = l.ring[1:]
	}
	l.ring = append(l.ring, entry)
	return entry
}

// finish stores the status and lets a panic of the handler go on: a cut
// connection is a panic with http.ErrAbortHandler.
func (l *Log) finish(entry *Entry, recorder *recorder, panicked any) {
	l.mu.Lock()
	entry.Status = recorder.final(panicked)
	entry.Finished = true
	l.mu.Unlock()
	if panicked != nil {
		panic(panicked)
	}
}

func cut(text string) string {
	if len(text) > maxText {
		return text[:maxText]
	}
	return text
}
