package fake

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const maxText = 2048 // bytes that are kept of a text of a client

// Request is one request as it reached a site.
type Request struct {
	Site      string    `json:"site"`
	Method    string    `json:"method"`
	Path      string    `json:"path"` // path and query as sent, still encoded; secrets are masked
	UserAgent string    `json:"user_agent"`
	ArrivedAt time.Time `json:"arrived_at"` // UTC
}

func (f *Fake) record(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := Request{
			Site: f.Name, Method: r.Method, Path: clip(mask(r.RequestURI)), UserAgent: clip(r.UserAgent()),
			ArrivedAt: f.Now().UTC(),
		}
		f.mu.Lock()
		if len(f.requests) == capacity {
			f.requests = f.requests[1:]
		}
		f.requests = append(f.requests, request)
		f.mu.Unlock()
		next.ServeHTTP(w, r)
	})
}

// Requests returns the newest requests, oldest first.
func (f *Fake) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// ClearRequests empties the log.
func (f *Fake) ClearRequests() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests = nil
}

func clip(text string) string { return text[:min(len(text), maxText)] }

// mask replaces the values of parameters that are codes, tokens or keys. Everything else stays as the client sent
// it.
func mask(target string) string {
	secret := []string{
		"code", "code_verifier", "client_secret", "token", "access_token", "refresh_token", "id_token",
		"fb_exchange_token", "input_token", "appsecret_proof", "key",
	}
	path, query, found := strings.Cut(target, "?")
	if !found {
		return target
	}
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		plain, _ := url.QueryUnescape(name)
		if value != "" && slices.Contains(secret, strings.ToLower(plain)) {
			pairs[i] = name + "=***"
		}
	}
	return path + "?" + strings.Join(pairs, "&")
}
