package httpx_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/httpx"
)

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
}
