package httpx_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/httpx"
)

func TestBuildIsAMetric(t *testing.T) {
	registry := prometheus.NewRegistry()
	httpx.RegisterBuild(registry, "demo", build.Info{Version: "v1.4.0", Commit: "abc", Date: "2026-11-21"})
	answer := httptest.NewRecorder()
	new(httpx.Health).AdminHandler(registry).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	want := `demo_build_info{commit="abc",goversion="` + runtime.Version() + `",version="v1.4.0"} 1`
	if !strings.Contains(string(body), want) {
		t.Errorf("the metrics lack %s:\n%s", want, body)
	}
}
