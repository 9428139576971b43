package fake

import (
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Reply is a scripted response, for what the fixtures do not have.
type Reply struct {
	Status int         // 0: 200
	Header http.Header // besides the type, which is JSON
	Body   string
}

// SetReply scripts the response to requests of a method and an encoded path, for example "GET /v25.0/me/accounts".
// Parameters behind the path have to be in the query of the request: "GET /v25.0/me/accounts?limit=100". Of several
// replies that fit, the one with the longest pattern is sent.
func (f *Fake) SetReply(pattern string, reply Reply) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies[pattern] = reply
}

func (f *Fake) scripted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reply, found := f.replyTo(r)
		if !found {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=UTF-8")
		for name, values := range reply.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(max(reply.Status, http.StatusOK))
		_, _ = io.WriteString(w, reply.Body)
	})
}

func (f *Fake) replyTo(r *http.Request) (reply Reply, found bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	longest := ""
	for pattern := range f.replies {
		if len(pattern) > len(longest) && fits(pattern, r) {
			longest = pattern
		}
	}
	reply, found = f.replies[longest]
	return reply, found
}

func fits(pattern string, r *http.Request) bool {
	address, query, _ := strings.Cut(pattern, "?")
	if address != r.Method+" "+r.URL.EscapedPath() {
		return false
	}
	wanted, err := url.ParseQuery(query)
	if err != nil {
		return false
	}
	for name := range wanted {
		if r.URL.Query().Get(name) != wanted.Get(name) {
			return false
		}
	}
	return true
}
