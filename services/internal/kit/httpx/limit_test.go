package httpx_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/httpx"
)

// A client has five seconds' worth of requests at once. Others, also behind the same proxy,
// are not affected, and pages of other origins can read the refusal.
func TestRateLimitsEachClient(t *testing.T) {
	e := httpx.New(httpx.Options{
		Log: slog.New(slog.DiscardHandler), Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "demo"),
		ErrorBody: errorBody,
		CORS:      httpx.CORS{Origins: []string{httpx.AnyOrigin}, Paths: []string{"/"}},
		Rate:      httpx.Rate{PerSecond: 1, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}},
	})
	e.GET("/", func(c echo.Context) error { return c.NoContent(http.StatusOK) })
	get := func(client string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("X-Forwarded-For", client)
		answer := httptest.NewRecorder()
		e.ServeHTTP(answer, r)
		return answer
	}
	for range 5 {
		if answer := get("2001:db8:0:100::1"); answer.Code != http.StatusOK {
			t.Fatalf("status %d within the limit", answer.Code)
		}
	}
	refused := get("2001:db8:0:1ff::2")
	got := []string{refused.Header().Get("Retry-After"), refused.Header().Get("Access-Control-Allow-Origin"),
		decode(t, refused).Code}
	if diff := cmp.Diff([]string{"1", "*", "too_many_requests"}, got); diff != "" ||
		refused.Code != http.StatusTooManyRequests {
		t.Errorf("status %d: %s", refused.Code, diff)
	}
	if answer := get("2001:db8:0:200::1"); answer.Code != http.StatusOK {
		t.Errorf("another client: status %d", answer.Code)
	}
}
