package httpx_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/httpx"
)

func pass(context.Context) error { return nil }

func fail(context.Context) error { return errors.New("dial db.inner:5432: connection refused") }

func TestReadiness(t *testing.T) {
	tests := []struct {
		name   string
		checks map[string]httpx.Check
		status int
		want   map[string]string
	}{
		{"no checks", nil, 200, map[string]string{"status": "ok"}},
		{"all pass", map[string]httpx.Check{"database": pass, "redis": pass}, 200,
			map[string]string{"status": "ok", "database": "ok", "redis": "ok"}},
		{"one fails", map[string]httpx.Check{"database": fail, "redis": pass}, 503,
			map[string]string{"status": "unavailable", "database": "unavailable", "redis": "ok"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			health := httpx.NewHealth(test.checks)
			handler := admin(health)
			expectHealth(t, handler, "/readyz", test.status, test.want)
			health.Drain()
			for range 2 {
				expectHealth(t, handler, "/readyz", 503, map[string]string{"status": "draining"})
			}
			expectHealth(t, handler, "/healthz", 200, map[string]string{"status": "ok"})
		})
	}
}

func TestHangingCheckTimesOut(t *testing.T) {
	for _, heeds := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			released := make(chan struct{})
			defer close(released)
			slow := func(ctx context.Context) error {
				if heeds {
					<-ctx.Done()
					return ctx.Err()
				}
				<-released
				return nil
			}
			start := time.Now()
			expectHealth(t, admin(httpx.NewHealth(map[string]httpx.Check{"slow": slow, "database": pass})), "/readyz",
				503, map[string]string{"status": "unavailable", "slow": "unavailable", "database": "ok"})
			if took := time.Since(start); took != 2*time.Second {
				t.Errorf("a check that heeds its context %t: readiness took %s, want 2s", heeds, took)
			}
		})
	}
}

func admin(health *httpx.Health) http.Handler { return health.AdminHandler(prometheus.NewRegistry()) }

func expectHealth(t *testing.T, handler http.Handler, path string, status int, want map[string]string) {
	t.Helper()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	var got map[string]string
	if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil {
		t.Fatalf("%s answers %q: %v", path, answer.Body, err)
	}
	if answer.Code != status || !maps.Equal(got, want) {
		t.Errorf("%s = %d %v, want %d %v", path, answer.Code, got, status, want)
	}
	for name, want := range map[string]string{"Cache-Control": "no-store", "Content-Type": "application/json"} {
		if got := answer.Header().Get(name); got != want {
			t.Errorf("%s: %s = %q, want %q", path, name, got, want)
		}
	}
}

func TestProbe(t *testing.T) {
	health := httpx.NewHealth(nil)
	server := httptest.NewServer(health.AdminHandler(prometheus.NewRegistry()))
	addr := strings.TrimPrefix(server.URL, "http://")
	if err := httpx.Probe(t.Context(), addr); err != nil {
		t.Errorf("ready: %v", err)
	}
	health.Drain()
	if err := httpx.Probe(t.Context(), addr); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("draining: %v, want the status", err)
	}
	server.Close()
	if err := httpx.Probe(t.Context(), addr); err == nil || errors.Is(err, t.Context().Err()) {
		t.Errorf("no server: %v, want its refusal", err)
	}
	if err := httpx.Probe(t.Context(), "%"); err == nil || !strings.HasPrefix(err.Error(), "admin address: ") {
		t.Errorf("not an address: %v", err)
	}
}
