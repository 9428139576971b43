package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// errSecret is a cause that must stay in the log.
var errSecret = errors.New(`dial tcp 10.0.3.7:6379: redis://:hunter2@db.inner/0: SELECT * FROM keys at /srv/source/session.go:41`)

// throttled is what the throttle answers when its queue is full.
func throttled() *fault.Error {
	return fault.Wrap(errSecret, fault.Unavailable, "throttle_queue_full", "Zbyt wiele zapytań oczekuje w kolejce.").After(2500 * time.Millisecond)
}

func TestPriceFaults(t *testing.T) {
	tests := []struct {
		name       string
		err        error
		status     int
		code       string
		retryAfter string
	}{
		{"unreachable", lookup.Unreachable(errSecret), 502, "source_unavailable", ""},
		{"blocked", lookup.Blocked(errSecret, 0), 502, "source_blocked", "600"},
		{"blocked for a while", lookup.Blocked(errSecret, 90*time.Second), 502, "source_blocked", "90"},
		{"closed by robots.txt", lookup.Disallowed(errSecret), 502, "source_disallowed", ""},
		{"changed", fmt.Errorf("find: %w", lookup.Changed(errSecret)), 502, "source_changed", ""},
		{"slow", lookup.Slow(errSecret), 504, "source_timeout", ""},
		{"deadline", fmt.Errorf("%w: %w", errSecret, context.DeadlineExceeded), 504, "source_timeout", ""},
		{"queue full", throttled(), 503, "throttle_queue_full", "3"},
		{"unclassified", errSecret, 500, "internal", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld()
			w.shop.err = test.err
			requireFault(t, w.newReplica(t), priceOf+"q=abc", test.status, test.code, test.retryAfter)
			if len(w.prices.Kept) > 0 {
				t.Error("a failure was kept")
			}
		})
	}
}

func TestPausedSource(t *testing.T) {
	w := newWorld()
	w.paused = 61 * time.Second
	requireFault(t, w.newReplica(t), priceOf+"q=abc", 503, "source_paused", "61")
	if w.shop.asked > 0 {
		t.Error("a paused source was asked")
	}
}

func TestPanicInALookUp(t *testing.T) {
	w := newWorld()
	w.shop.before = func() { panic(errSecret) }
	requireFault(t, w.newReplica(t), priceOf+"q=abc", 500, "internal", "")
}

func TestRankingWithoutAnyFallback(t *testing.T) {
	w := newWorld()
	w.site.err, w.snapshot = lookup.Changed(errSecret), errSecret
	requireFault(t, w.newReplica(t), rankingOf, 500, "internal", "")
}

// requireFault asks twice, with GET and with HEAD.
func requireFault(t *testing.T, r replica, path string, status int, code, retryAfter string) {
	t.Helper()
	answer := r.get(path)
	b := requireFailure(t, answer, status, code)
	if b.Error == "" || len(b.Allowed) > 0 {
		t.Errorf("body %s", answer.Body)
	}
	if logged := strings.Count(r.log.String(), "\n"); logged != 1 || !strings.Contains(r.log.String(), code) {
		t.Errorf("%d lines in the log: %s", logged, r.log)
	}
	head := r.do(http.MethodHead, path)
	if head.Code != status || head.Body.Len() > 0 {
		t.Errorf("HEAD: %d %s", head.Code, head.Body)
	}
	for _, a := range []*httptest.ResponseRecorder{answer, head} {
		if got := a.Header().Get("Retry-After"); got != retryAfter {
			t.Errorf("Retry-After %q, want %q", got, retryAfter)
		}
		requireNoLeak(t, a)
	}
}

func requireNoLeak(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	all := fmt.Sprint(answer.Header(), answer.Body)
	for _, word := range []string{"10.0.3.7", "hunter2", "redis", "inner", "SELECT", "/srv", ".go", "/var", "panic", "goroutine"} {
		if strings.Contains(all, word) {
			t.Errorf("the answer shows %q: %s", word, all)
		}
	}
}
