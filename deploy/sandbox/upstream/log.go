package upstream

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	logCapacity = 10_000 // requests that are kept; the oldest make room
	maxText     = 2048   // bytes that are kept of a text of a client
)

// Request is one request as it reached a site.
type Request struct {
	Site            string    `json:"site"`
	Method          string    `json:"method"`
	Path            string    `json:"path"` // path and query as sent, still encoded; secrets are masked
	UserAgent       string    `json:"user_agent"`
	ArrivedAt       time.Time `json:"arrived_at"`        // UTC
	ArrivedUnixNano int64     `json:"arrived_unix_nano"` // the same moment
	Status          int       `json:"status"`            // 0: unanswered, or the connection was cut
	Finished        bool      `json:"finished"`          // false while the answer is under way
}

// Log keeps the newest requests of a site. It is safe for concurrent use.
type Log struct {
	site string
	now  func() time.Time

	mu       sync.Mutex
	requests []*Request // oldest first
}

// NewLog returns an empty log of the named site.
func NewLog(site string, now func() time.Time) *Log { return &Log{site: site, now: now} }

// Record wraps next: the arrival is taken before anything else happens, and the status
// is added when next returns. A cut connection is a panic with http.ErrAbortHandler,
// which goes on.
func (l *Log) Record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived := l.now().UTC()
		request := &Request{
			Site: l.site, Method: r.Method, Path: cut(mask(r.RequestURI)), UserAgent: cut(r.UserAgent()),
			ArrivedAt: arrived, ArrivedUnixNano: arrived.UnixNano(),
		}
		l.add(request)
		recorder := &recorder{ResponseWriter: w}
		defer func() {
			panicked := recover()
			l.finish(request, recorder.status, panicked != nil)
			if panicked != nil {
				panic(panicked)
			}
		}()
		next.ServeHTTP(recorder, r)
	})
}

// Requests returns copies, oldest first.
func (l *Log) Requests() []Request {
	l.mu.Lock()
	defer l.mu.Unlock()
	requests := make([]Request, 0, len(l.requests))
	for _, request := range l.requests {
		requests = append(requests, *request)
	}
	return requests
}

// Clear forgets the requests.
func (l *Log) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = nil
}

func (l *Log) add(request *Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.requests) == logCapacity {
		l.requests = l.requests[1:]
	}
	l.requests = append(l.requests, request)
}

// finish stores the status. A handler that returns without a word has sent 200.
func (l *Log) finish(request *Request, status int, cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if status == 0 && !cut {
		status = http.StatusOK
	}
	request.Status, request.Finished = status, true
}

func cut(text string) string { return text[:min(len(text), maxText)] }

// mask replaces the values of secret query parameters; everything else stays as the
// client sent it, still encoded.
func mask(target string) string {
	path, query, found := strings.Cut(target, "?")
	if !found {
		return target
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		if name, value, _ := strings.Cut(pair, "="); value != "" && secret(name) {
			pairs[i] = name + "=***"
		}
	}
	return path + "?" + strings.Join(pairs, "&")
}

// secret reports whether the values of a parameter, its name still encoded, are codes,
// tokens or keys of any of the providers.
func secret(name string) bool {
	if plain, err := url.QueryUnescape(name); err == nil {
		name = plain
	}
	switch strings.ToLower(name) {
	case "code", "code_verifier", "client_secret", "token", "access_token", "refresh_token", "id_token",
		"fb_exchange_token", "input_token", "appsecret_proof", "key":
		return true
	}
	return false
}

// recorder notes the status that a handler sends.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(body []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(body)
}
