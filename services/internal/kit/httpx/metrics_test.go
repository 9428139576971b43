package httpx_test

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
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
	want := map[string]uint64{
		"GET /companies/:slug 204":   2,
		"POST /companies/:slug 429":  1,
		"GET /broken 500":            1,
		"GET /panics 500":            1,
		"GET none 404":               3,
		"DELETE /broken 405":         1,
		"other none 404":             2,
		"other /companies/:slug 405": 1,
	}
	if got := s.series(t); !maps.Equal(got, want) {
		t.Errorf("series:\n got %v\nwant %v", got, want)
	}
}

func TestRequestsInFlight(t *testing.T) {
	s := newService()
	during := -1.0
	s.GET("/it", func(echo.Context) error {
		during = s.gauge(t, "demo_http_requests_in_flight")
		panic("boom")
	})
	s.get("/it")
	if after := s.gauge(t, "demo_http_requests_in_flight"); during != 1 || after != 0 {
		t.Errorf("in flight = %g during, %g after the request, want 1 and 0", during, after)
	}
}

// series gives the number of requests by "method route status".
func (s service) series(t *testing.T) map[string]uint64 {
	t.Helper()
	families, err := s.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, family := range families {
		if family.GetName() != "demo_http_request_duration_seconds" {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			counts[labels["method"]+" "+labels["route"]+" "+labels["status"]] = metric.GetHistogram().GetSampleCount()
		}
	}
	return counts
}

func (s service) gauge(t *testing.T, name string) float64 {
	t.Helper()
	families, err := s.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		if family.GetName() == name {
			return family.GetMetric()[0].GetGauge().GetValue()
		}
	}
	t.Fatalf("no metric %s", name)
	return 0
}
