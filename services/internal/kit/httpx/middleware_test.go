package httpx_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

func TestRequestID(t *testing.T) {
	for kept, ids := range map[bool][]string{
		true: {"abc-DEF_0.9", "x", strings.Repeat("a", 64)},
		false: {
			strings.Repeat("a", 65), "", "a\nlevel=ERROR", "a\r\nSet-Cookie: x=1", `a","level":"ERROR`, "a b", "a~b",
			"<script>",
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
			if (seen == sent) != kept || len(seen) < 16 && !kept {
				t.Errorf("id = %q for %q, want kept %t", seen, sent, kept)
			}
			if entries := s.log.entries(t); returned != seen || len(entries) != 1 || entries[0]["request_id"] != seen {
				t.Errorf("%q: handler sees %q, client %q, log %v", sent, seen, returned, entries)
			}
		}
	}
}

func TestHeadersOfAllResponses(t *testing.T) {
	s := newService()
	ids := map[string]bool{}
	for _, path := range []string{"/", "/no-such-path"} {
		header := s.get(path).Header()
		if got := header.Values("X-Content-Type-Options"); len(got) != 1 || got[0] != "nosniff" {
			t.Errorf("%s: %q", path, got)
		}
		ids[header.Get("X-Request-Id")] = true
	}
	if len(ids) != 2 || ids[""] {
		t.Errorf("ids %v, want two different ones", ids)
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
			if id := entries[0]["request_id"]; id != answer.Header().Get("X-Request-Id") ||
				entries[0]["route"] != "/it" {
				t.Errorf("logged for request %v on %v", id, entries[0]["route"])
			}
		})
	}
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
		{"over the limit, of unknown length", "/it", io.MultiReader(strings.NewReader(fits), strings.NewReader("a")),
			413, true},
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
				t.Errorf("status = %d, connection closed %t; want %d, %t", answer.StatusCode, answer.Close, test.status,
					test.closed)
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
		{"[::ffff:10.1.2.3]:80", "[2001:db8::7]", "2001:db8::7"},
		{"@", "198.51.100.7", ""},
		{"10.1.2.3:80", "", "10.1.2.3"},
		{"10.1.2.3:80", "1.1.1.1, nonsense", "10.1.2.3"},
		{"10.2.2.3:80", "1.1.1.1", "10.2.2.3"},
		{"127.0.0.1:80", "1.1.1.1", "127.0.0.1"},
		{"169.254.0.7:80", "1.1.1.1", "169.254.0.7"},
		{"10.1.2.3:80", "1.1.1.1, 169.254.0.7", "169.254.0.7"},
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

func TestMatchesETag(t *testing.T) {
	const etag = `"Ab1"`
	for want, headers := range map[bool][][]string{
		true: {{etag}, {"W/" + etag}, {" * "}, {`"a", ` + etag}, {`W/"a",` + "\t" + "W/" + etag + `,"b"`},
			{`"a"`, etag}},
		false: {
			nil, {""}, {`""`}, {`"a"`}, {"Ab1"}, {`"ab1"`}, {"w/" + etag}, {`"a,*,b"`}, {`"*"`}, {`"Ab1x"`}, {`"xAb1"`},
		},
	} {
		for _, header := range headers {
			if got := httpx.MatchesETag(header, etag); got != want {
				t.Errorf("If-None-Match %q matches %s: %t", header, etag, got)
			}
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
		{"GET", "/companies/a"}, {"GET", "/companies/b"}, {"POST", "/companies/c"}, {"GET", "/broken"},
		{"GET", "/panics"},
		{"GET", "/x1"}, {"GET", "/x2"}, {"GET", "/wp-admin/setup.php"}, {"DELETE", "/broken"},
		{"BREW", "/x3"}, {"PROPFIND", "/x4"}, {"BREW", "/companies/a"},
	} {
		s.do(httptest.NewRequest(request.method, request.path, nil))
	}
	const count = `demo_http_request_duration_seconds_count{method="%s",route="%s",status="%d"} %d`
	want := []string{
		`demo_http_failures_total{code="internal"} 2`,
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

// exposed returns the text of the admin endpoint for metrics.
func exposed(t *testing.T, registry *prometheus.Registry) string {
	t.Helper()
	answer := httptest.NewRecorder()
	httpx.NewHealth(nil).AdminHandler(registry).ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Errorf("metrics = %d", answer.Code)
	}
	return answer.Body.String()
}

// metrics returns the request metrics.
func (s service) metrics(t *testing.T) (lines []string) {
	t.Helper()
	for line := range strings.Lines(exposed(t, s.registry)) {
		if strings.Contains(line, "_count{") || strings.HasPrefix(line, "demo_http_failures_total") ||
			strings.HasPrefix(line, "demo_http_requests_in_flight") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// newLogged returns a service with an access log.
func newLogged() (service, *httpx.AccessLog) {
	log, registry := &journal{}, prometheus.NewRegistry()
	access := httpx.NewAccessLog(log)
	e := httpx.New(httpx.Options{Metrics: httpx.NewMetrics(registry, "demo"), AccessLog: access, BodyLimit: bodyLimit,
		ErrorBody: errorBody})
	return service{Echo: e, log: log, registry: registry}, access
}

func TestAccessLogWritesLinesAfterDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := newLogged()
		s.GET("/prices/:name", func(c echo.Context) error {
			time.Sleep(1500 * time.Microsecond)
			c.Response().Header().Set("Cache-Status", `demo; hit; detail="here"`)
			return c.String(http.StatusOK, "four")
		})
		s.fail("/fails", fault.New(fault.NotFound, "none", "Nie ma."))
		for method, target := range map[string]string{"GET": "/prices/secret?q=secret", "BREW": "/elsewhere/secret"} {
			r := httptest.NewRequest(method, target, nil)
			r.Header.Set("X-Request-Id", "id-of-"+method)
			r.Header.Set("Cookie", "session=secret")
			s.do(r)
		}
		s.get("/fails")
		if entries := s.log.entries(t); len(entries) != 0 {
			t.Fatalf("written at once: %v", entries)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()

		lines := map[any]map[string]any{}
		for _, line := range s.log.entries(t) {
			if at, err := time.Parse(time.RFC3339, line["time"].(string)); err != nil ||
				time.Since(at) > 110*time.Millisecond {
				t.Errorf("time %v, %v", line["time"], err)
			}
			delete(line, "time")
			lines[line["route"]] = line
		}
		for route, want := range map[string]map[string]any{
			"/prices/:name": {"request_id": "id-of-GET", "method": "GET", "status": 200.0, "bytes": 4.0,
				"duration_ms": 1.5, "cache": `demo; hit; detail="here"`},
			"none":   {"request_id": "id-of-BREW", "method": "other", "status": 404.0, "duration_ms": 0.0},
			"/fails": {"method": "GET", "status": 404.0, "level": "INFO", "msg": "request"},
		} {
			for field, value := range want {
				if got := lines[route][field]; got != value {
					t.Errorf("%s: %s is %v, want %v", route, field, got, value)
				}
			}
			if _, has := lines[route]["cache"]; has != (want["cache"] != nil) {
				t.Errorf("%s: cache is %v", route, lines[route]["cache"])
			}
		}
		if text := s.log.out.String(); strings.Contains(text, "secret") {
			t.Errorf("the log contains a path, query or cookie:\n%s", text)
		}

		written := len(lines)
		s.get("/fails")
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := len(s.log.entries(t)); got != written+1 {
			t.Errorf("%d lines after another request and the delay, want %d", got, written+1)
		}
	})
}
