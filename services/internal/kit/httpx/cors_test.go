package httpx_test

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// newAPI returns a service with the same routes below /api/ and /pages/.
func newAPI(cors httpx.CORS) *echo.Echo {
	cors.Paths = []string{"/api/"}
	e := httpx.New(httpx.Options{
		Log: slog.New(slog.DiscardHandler), Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "demo"),
		BodyLimit: bodyLimit,
		ErrorBody: errorBody, CORS: cors,
	})
	for _, path := range []string{"/api/", "/pages/"} {
		e.Match([]string{http.MethodGet, http.MethodPost}, path+"it", func(c echo.Context) error {
			return c.String(http.StatusOK, "it")
		})
		e.GET(
			path+"late", func(echo.Context) error {
				return fault.New(fault.Limited, "late", "Za późno.").After(time.Second)
			},
		)
	}
	return e
}

// crossOrigin sends a request of a page and returns the status and the headers of CORS, with
// Vary.
func crossOrigin(e *echo.Echo, method, path, origin string) (status int, headers map[string]string) {
	r := httptest.NewRequest(method, path, nil)
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	if method == http.MethodOptions {
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		r.Header.Set("Access-Control-Request-Headers", "content-type")
	}
	answer := httptest.NewRecorder()
	e.ServeHTTP(answer, r)
	headers = map[string]string{}
	for name, values := range answer.Header() {
		if short, ok := strings.CutPrefix(name, "Access-Control-"); ok || name == "Vary" {
			headers[short] = strings.Join(values, ", ")
		}
	}
	return answer.Code, headers
}

const (
	app      = "https://app.example.pl"
	readable = "Cache-Status,ETag,Retry-After,X-Request-Id"
)

// TestCORSOfAList has rows for requests of allowed pages, of others and of no page.
func TestCORSOfAList(t *testing.T) {
	e := newAPI(httpx.CORS{Origins: []string{"http://localhost:3000", app}, Credentials: true})
	varies := map[string]string{"Vary": "Origin"}
	allowed := map[string]string{"Vary": "Origin", "Allow-Origin": app, "Allow-Credentials": "true",
		"Expose-Headers": readable}
	preflight := map[string]string{
		"Vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers", "Allow-Origin": app,
		"Allow-Credentials": "true",
		"Allow-Methods":     "OPTIONS, GET, POST", "Allow-Headers": "Content-Type,If-None-Match", "Max-Age": "7200",
	}
	for _, test := range []struct {
		method, path, origin string
		status               int
		want                 map[string]string
	}{
		{"GET", "/api/it", app, 200, allowed},
		{"POST", "/api/it", app, 200, allowed},
		{"GET", "/api/late", app, 429, allowed},
		{"DELETE", "/api/it", app, 405, allowed},
		{"GET", "/api/none", app, 404, allowed},
		{"OPTIONS", "/api/it", app, 204, preflight},
		{"OPTIONS", "/api/none", app, 404, nil},
		{"OPTIONS", "/api/it", "", 204, varies},
		{"GET", "/api/it", "", 200, varies},
		{"GET", "/pages/it", app, 200, nil},
		{"OPTIONS", "/pages/it", app, 204, nil},
	} {
		status, headers := crossOrigin(e, test.method, test.path, test.origin)
		if status != test.status || !maps.Equal(headers, test.want) {
			t.Errorf("%s %s from %q: %d %v, want %d %v", test.method, test.path, test.origin, status, headers,
				test.status, test.want)
		}
	}
	for _, origin := range []string{
		"https://evil.example", "http://app.example.pl", app + ":8443", app + ".evil.example",
		"https://a.app.example.pl", "https://APP.example.pl", "null", "*",
	} {
		for method, status := range map[string]int{"GET": 200, "OPTIONS": 204} {
			if got, headers := crossOrigin(e, method, "/api/it", origin); got != status ||
				!maps.Equal(headers, varies) {
				t.Errorf("%s from %s: %d %v", method, origin, got, headers)
			}
		}
	}
}

// TestCORSOfAnyOrigin: a response that a cache keeps for one caller suits all others.
func TestCORSOfAnyOrigin(t *testing.T) {
	e := newAPI(httpx.CORS{Origins: []string{httpx.AnyOrigin}})
	want := map[string]string{"Allow-Origin": "*", "Expose-Headers": readable}
	for path, status := range map[string]int{"/api/it": 200, "/api/late": 429, "/api/none": 404} {
		for _, origin := range []string{"", app, "null"} {
			if got, headers := crossOrigin(e, "GET", path, origin); got != status || !maps.Equal(headers, want) {
				t.Errorf("%s from %q: %d %v, want %d %v", path, origin, got, headers, status, want)
			}
		}
	}
	status, headers := crossOrigin(e, "OPTIONS", "/api/it", app)
	got := fmt.Sprint(status, headers["Allow-Origin"], headers["Allow-Methods"], headers["Allow-Credentials"])
	if want := fmt.Sprint(204, app, "OPTIONS, GET, POST", ""); got != want {
		t.Errorf("preflight: %s, want %s", got, want)
	}
}

func TestNoCORSWithoutOrigins(t *testing.T) {
	e := newAPI(httpx.CORS{Credentials: true})
	for _, method := range []string{"GET", "OPTIONS"} {
		if _, headers := crossOrigin(e, method, "/api/it", app); len(headers) > 0 {
			t.Errorf("%s: %v", method, slices.Sorted(maps.Keys(headers)))
		}
	}
}
