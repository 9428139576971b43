package web_test

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/web"
)

func TestProbe(t *testing.T) {
	health := web.NewHealth(nil)
	server := httptest.NewServer(health.AdminHandler(prometheus.NewRegistry()))
	addr := strings.TrimPrefix(server.URL, "http://")
	if err := web.Probe(t.Context(), addr); err != nil {
		t.Errorf("ready: %v", err)
	}
	health.Drain()
	if err := web.Probe(t.Context(), addr); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("draining: %v, want the status", err)
	}
	server.Close()
	if err := web.Probe(t.Context(), addr); err == nil || errors.Is(err, t.Context().Err()) {
		t.Errorf("no server: %v, want its refusal", err)
	}
}
