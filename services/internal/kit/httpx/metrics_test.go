package httpx_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

func TestRequestsCountByRouteMethodAndFinalStatus(t *testing.T) {
	s := newService()
	s.GET("/companies/:slug", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	s.POST("/companies/:slug", func(echo.Context) error { return fault.New(fault.Limited, "limited", "Limit.") })
	s.GET("/broken", func(echo.Context) error { return io.EOF })
	s.GET("/panics", func(echo.Context) error { panic("boom") })
	for _, request := range []struct{ method, path string }{
		{"GET", "/companies/a"}, {"GET", "/companies/b"}, {"POST", "/companies/c"}, {"GET", "/broken"}, {"GET", "/panics"},
		{"GET", "/x1"}, {"GET", "/x2"}, {"GET", "/wp-admin/setup.php"}, {"DELETE", "/broken"},
		{"BREW", "/x3"}, {"PROPFIND", "/x4"}, {"BREW", "/companies/a"},
	} {
		s.do(httptest.NewRequest(request.method, request.path, nil))
	}
	const count = `demo_http_request_duration_seconds_count{method="%s",route="%s",status="%d"} %d`
	want := []string{
		fmt.Sprintf(count, "DELETE", "/broken", 405, 1),
		fmt.Sprintf(count, "GET", "/broken", 500, 1),
		fmt.Sprintf(count, "GET", "/companies/:slug", 204, 2),
		fmt.Sprintf(count, "GET", "/panics", 500, 1),
		fmt.Sprintf(count, "GET", "none", 404, 3),
		fmt.Sprintf(count, "POST", "/companies/:slug", 429, 1),
		fmt.Sprintf(count, "other", "/companies/:slug", 405, 1),
		fmt.Sprintf(count, "other", "none", 404, 2),
		"demo_http_requests_in_flight 0",
	}
	if got := s.metrics(t); !slices.Equal(got, want) {
		t.Errorf("metrics:\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestRequestsInFlight(t *testing.T) {
	s := newService()
	var during []string
	s.GET("/it", func(echo.Context) error {
		during = s.metrics(t)
		panic("boom")
	})
	s.get("/it")
	if want := []string{"demo_http_requests_in_flight 1"}; !slices.Equal(during, want) {
		t.Errorf("metrics during the request: %q, want %q", during, want)
	}
	if after := s.metrics(t); after[len(after)-1] != "demo_http_requests_in_flight 0" {
		t.Errorf("metrics after the request: %q", after)
	}
}

// Buckets range from half a millisecond to more than a minute.
func TestDurationBuckets(t *testing.T) {
	s := newService()
	s.get("/it")
	families, err := s.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	buckets := families[0].GetMetric()[0].GetHistogram().GetBucket()
	if first, last := buckets[0].GetUpperBound(), buckets[len(buckets)-1].GetUpperBound(); first != .0005 || last != 65 {
		t.Errorf("buckets from %v to %v seconds", first, last)
	}
}

// metrics returns the request metrics of the admin endpoint.
func (s service) metrics(t *testing.T) (lines []string) {
	t.Helper()
	answer := httptest.NewRecorder()
	httpx.NewHealth(nil).AdminHandler(s.registry).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Errorf("metrics = %d", answer.Code)
	}
	for line := range strings.Lines(answer.Body.String()) {
		if strings.Contains(line, "_count{") || strings.HasPrefix(line, "demo_http_requests_in_flight") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

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
