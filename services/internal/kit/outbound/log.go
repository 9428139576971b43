package outbound

import (
	"log/slog"
	"net/http"
	"time"
)

// Logged returns next with a line in log for each call: WARN for one that got no response or a
// status of 400 and above, otherwise DEBUG. It contains the host, the method, the status, the
// seconds until the response's header, and the cause. It contains neither path nor query, which
// may identify people or hold a token.
func Logged(next http.RoundTripper, log *slog.Logger) http.RoundTripper {
	return &logged{next, log}
}

type logged struct {
	next http.RoundTripper
	log  *slog.Logger
}

// RoundTrip implements http.RoundTripper.
func (l *logged) RoundTrip(r *http.Request) (*http.Response, error) {
	start := time.Now()
	resp, err := l.next.RoundTrip(r)
	log := l.log.With("host", r.URL.Host, "method", r.Method, "seconds", time.Since(start).Seconds())
	switch {
	case err != nil:
		log.WarnContext(r.Context(), "call failed", "error", err)
	case resp.StatusCode >= http.StatusBadRequest:
		log.WarnContext(r.Context(), "call failed", "status", resp.StatusCode)
	default:
		log.DebugContext(r.Context(), "call answered", "status", resp.StatusCode)
	}
	return resp, err
}
