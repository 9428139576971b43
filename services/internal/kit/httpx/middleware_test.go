package httpx_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
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

func TestRequestID(t *testing.T) {
	for kept, ids := range map[bool][]string{
		true: {"abc-DEF_0.9", "x", strings.Repeat("a", 64)},
		false: {
			strings.Repeat("a", 65), "", "a\nlevel=ERROR", "a\r\nSet-Cookie: x=1", `a","level":"ERROR`, "a b", "<script>",
			"${jndi:ldap://x}", "../../etc/passwd", "\x1b[31m", "a\x00", "żółw",
		},
	} {
		for _, sent := range ids {
			s := newService()
			var seen string
			s.GET("/it", func(c echo.Context) error {
				seen = httpx.RequestID(c)
				return io.EOF
			})
			r := httptest.NewRequest(http.MethodGet, "/it", nil)
			r.Header["X-Request-Id"] = []string{sent}
			returned := s.do(r).Header().Get("X-Request-Id")
			if kept && seen != sent || !kept && (seen == sent || len(seen) < 16) {
				t.Errorf("id = %q for %q, want kept %t", seen, sent, kept)
			}
			if entries := s.log.entries(t); returned != seen || len(entries) != 1 || entries[0]["request_id"] != seen {
				t.Errorf("%q: handler sees %q, client %q, log %v", sent, seen, returned, entries)
			}
		}
	}
}

func TestNoSniffOnAllResponses(t *testing.T) {
	s := newService()
	for _, path := range []string{"/", "/no-such-path"} {
		if got := s.get(path).Header().Values("X-Content-Type-Options"); len(got) != 1 || got[0] != "nosniff" {
			t.Errorf("%s: %q", path, got)
		}
	}
}

func TestGeneratedRequestIDsDiffer(t *testing.T) {
	s := newService()
	first, second := s.get("/").Header().Get("X-Request-Id"), s.get("/").Header().Get("X-Request-Id")
	if first == "" || first == second {
		t.Errorf("ids = %q, %q, want two different ones", first, second)
	}
}

func TestPanicIsAnsweredAndLoggedOnce(t *testing.T) {
	for name, value := range map[string]any{"text": "secret boom", "error": io.ErrUnexpectedEOF} {
		t.Run(name, func(t *testing.T) {
			s := newService()
			s.GET("/it", func(echo.Context) error { panic(value) })
			answer := s.get("/it")
			if body := decode(t, answer); answer.Code != 500 || body.Code != "internal" {
				t.Errorf("answer = %d %+v, want 500 internal", answer.Code, body)
			}
			for _, leak := range []string{"boom", "EOF", "goroutine", ".go", "panic"} {
				if strings.Contains(answer.Body.String(), leak) {
					t.Errorf("body %s holds %q", answer.Body, leak)
				}
			}
			entries := s.log.entries(t)
			if len(entries) != 1 {
				t.Fatalf("%d log lines, want 1: %v", len(entries), entries)
			}
			stack, _ := entries[0]["stack"].(string)
			if entries[0]["level"] != "ERROR" || !strings.Contains(stack, "middleware_test.go") {
				t.Errorf("logged %v, want an error with the stack", entries[0])
			}
			if id := entries[0]["request_id"]; id != answer.Header().Get("X-Request-Id") || entries[0]["route"] != "/it" {
				t.Errorf("logged for request %v on %v", id, entries[0]["route"])
			}
		})
	}
}

func TestAbortHandlerIsNotRecovered(t *testing.T) {
	s := newService()
	s.GET("/it", func(echo.Context) error { panic(http.ErrAbortHandler) })
	defer func() {
		if r, ok := recover().(error); !ok || !errors.Is(r, http.ErrAbortHandler) {
			t.Errorf("recovered %v, want http.ErrAbortHandler", r)
		}
		if entries := s.log.entries(t); len(entries) != 0 {
			t.Errorf("logged %v, want nothing", entries)
		}
	}()
	s.get("/it")
}

func TestBodyLimit(t *testing.T) {
	s := newService()
	s.POST("/it", func(c echo.Context) error {
		content, err := io.ReadAll(c.Request().Body)
		if err != nil {
			return err
		}
		return c.String(http.StatusOK, string(content))
	})
	s.POST("/bind", func(c echo.Context) error {
		var into struct{ Name string }
		if err := c.Bind(&into); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	})
	server := httptest.NewServer(s)
	defer server.Close()

	fits := strings.Repeat("a", bodyLimit)
	tests := []struct {
		name, path string
		body       io.Reader
		status     int
		closed     bool
	}{
		{"at the limit", "/it", strings.NewReader(fits), 200, false},
		{"over the limit", "/it", strings.NewReader(fits + "a"), 413, true},
		{"over the limit, of unknown length", "/it", io.MultiReader(strings.NewReader(fits), strings.NewReader("a")), 413, true},
		{"over the limit while binding", "/bind", strings.NewReader(`{"name":"` + fits + `"}`), 413, true},
		{"no body", "/it", nil, 200, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			answer, err := server.Client().Post(server.URL+test.path, "application/json", test.body)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			if answer.StatusCode != test.status || answer.Close != test.closed {
				t.Errorf("status = %d, connection closed %t; want %d, %t", answer.StatusCode, answer.Close, test.status, test.closed)
			}
		})
	}
}

func TestClientIPTrustsOnlyProxies(t *testing.T) {
	clientIP := httpx.ClientIP([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/64")})
	tests := []struct{ peer, forwarded, want string }{
		{"10.1.2.3:80", "198.51.100.7", "198.51.100.7"},
		{"10.1.2.3:80", "1.1.1.1, 198.51.100.7", "198.51.100.7"},
		{"10.1.2.3:80", "1.1.1.1, 198.51.100.7, 10.1.9.9", "198.51.100.7"},
		{"[fd00::1]:80", "2001:db8::7", "2001:db8::7"},
		{"10.1.2.3:80", "", "10.1.2.3"},
		{"10.1.2.3:80", "1.1.1.1, nonsense", "10.1.2.3"},
		{"10.2.2.3:80", "1.1.1.1", "10.2.2.3"},
		{"127.0.0.1:80", "1.1.1.1", "127.0.0.1"},
		{"198.51.100.7:80", "10.1.2.3", "198.51.100.7"},
	}
	for _, test := range tests {
		r := httptest.NewRequest("POST", "/", nil)
		r.RemoteAddr = test.peer
		if test.forwarded != "" {
			r.Header.Set("X-Forwarded-For", test.forwarded)
		}
		if got := clientIP(r); got != test.want {
			t.Errorf("%s for %q: %q, want %q", test.peer, test.forwarded, got, test.want)
		}
	}
}

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
