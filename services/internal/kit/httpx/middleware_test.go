package httpx_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/httpx"
)

func TestRequestID(t *testing.T) {
	tests := []struct {
		name, sent string
		kept       bool
	}{
		{"plain", "abc-DEF_0.9", true},
		{"one byte", "x", true},
		{"64 bytes", strings.Repeat("a", 64), true},
		{"65 bytes", strings.Repeat("a", 65), false},
		{"none", "", false},
		{"line break", "a\nlevel=ERROR", false},
		{"carriage return", "a\r\nSet-Cookie: x=1", false},
		{"quote", `a","level":"ERROR`, false},
		{"space", "a b", false},
		{"markup", "<script>", false},
		{"substitution", "${jndi:ldap://x}", false},
		{"path", "../../etc/passwd", false},
		{"escape sequence", "\x1b[31m", false},
		{"NUL", "a\x00", false},
		{"letter beyond ASCII", "żółw", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newService()
			var seen string
			s.GET("/it", func(c echo.Context) error {
				seen = httpx.RequestID(c)
				return io.EOF
			})
			r := httptest.NewRequest(http.MethodGet, "/it", nil)
			r.Header["X-Request-Id"] = []string{test.sent}
			returned := s.do(r).Header().Get("X-Request-Id")

			if test.kept && seen != test.sent || !test.kept && (seen == test.sent || len(seen) < 16) {
				t.Errorf("id = %q for %q, want kept %t", seen, test.sent, test.kept)
			}
			if entries := s.log.entries(t); returned != seen || len(entries) != 1 || entries[0]["request_id"] != seen {
				t.Errorf("handler sees %q, client %q, log %v", seen, returned, entries)
			}
		})
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
