package httpx_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
)

// crossOrigin requests path from a page of origin, and returns the status and the headers of CORS, without their
// prefix, and Vary.
func crossOrigin(cors httpx.CORS, method, path, origin string) (status int, headers map[string]string) {
	cors.Paths = []string{"/api/"}
	s := newService(httpx.Options{CORS: cors})
	for _, prefix := range []string{"/api/", "/pages/"} {
		it := func(c echo.Context) error { return c.String(http.StatusOK, "it") }
		s.Match([]string{"GET", "POST"}, prefix+"it", it)
		s.GET(prefix+"late", func(echo.Context) error { return fault.New(fault.Limited, "late", "Za późno.") })
	}
	sent := []string{"Origin", origin}
	if origin == "" {
		sent = nil
	}
	if method == http.MethodOptions {
		sent = append(sent, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
	}
	answer := s.do(method, path, sent...)
	for name, values := range answer.Header() {
		if short, ok := strings.CutPrefix(name, "Access-Control-"); ok || name == "Vary" {
			if headers == nil {
				headers = map[string]string{}
			}
			headers[short] = strings.Join(values, ", ")
		}
	}
	return answer.Code, headers
}

const (
	app      = "https://app.example.pl"
	readable = "Cache-Status,ETag,Retry-After,X-Request-Id"
)

func TestCORSAllowsListedOriginsOnly(t *testing.T) {
	cors := httpx.CORS{Origins: []string{"http://localhost:3000", app}, Credentials: true}
	varies := map[string]string{"Vary": "Origin"}
	allowed := map[string]string{
		"Vary": "Origin", "Allow-Origin": app, "Allow-Credentials": "true", "Expose-Headers": readable,
	}
	preflight := map[string]string{
		"Vary": "Origin, Access-Control-Request-Method, Access-Control-Request-Headers", "Allow-Origin": app,
		"Allow-Credentials": "true", "Allow-Methods": "OPTIONS, GET, POST",
		"Allow-Headers": "Content-Type,If-None-Match", "Max-Age": "7200",
	}
	type row struct {
		method, path, origin string
		status               int
		want                 map[string]string
	}
	tests := []row{
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
	}
	for _, origin := range []string{
		"https://evil.example", "http://app.example.pl", app + ":8443", app + ".evil.example",
		"https://a.app.example.pl", "https://APP.example.pl", "null", "*",
	} {
		tests = append(tests,
			row{"GET", "/api/it", origin, 200, varies}, row{"OPTIONS", "/api/it", origin, 204, varies})
	}
	for _, test := range tests {
		status, headers := crossOrigin(cors, test.method, test.path, test.origin)
		if status != test.status {
			t.Errorf("%s %s from %q: status %d, want %d", test.method, test.path, test.origin, status, test.status)
		}
		if diff := cmp.Diff(test.want, headers); diff != "" {
			t.Errorf("%s %s from %q: %s", test.method, test.path, test.origin, diff)
		}
	}
}

// A cache may pass the response for one origin to another.
func TestCORSOfAnyOriginIsTheSameForAll(t *testing.T) {
	cors := httpx.CORS{Origins: []string{httpx.AnyOrigin}}
	want := map[string]string{"Allow-Origin": "*", "Expose-Headers": readable}
	for path, status := range map[string]int{"/api/it": 200, "/api/late": 429, "/api/none": 404} {
		for _, origin := range []string{"", app, "null"} {
			got, headers := crossOrigin(cors, "GET", path, origin)
			if got != status {
				t.Errorf("%s from %q: status %d, want %d", path, origin, got, status)
			}
			if diff := cmp.Diff(want, headers); diff != "" {
				t.Errorf("%s from %q: %s", path, origin, diff)
			}
		}
	}
	status, headers := crossOrigin(cors, "OPTIONS", "/api/it", app)
	got := []any{status, headers["Allow-Origin"], headers["Allow-Methods"], headers["Allow-Credentials"]}
	if diff := cmp.Diff([]any{204, app, "OPTIONS, GET, POST", ""}, got); diff != "" {
		t.Errorf("preflight: %s", diff)
	}
	for _, method := range []string{"GET", "OPTIONS"} {
		if _, headers := crossOrigin(httpx.CORS{Credentials: true}, method, "/api/it", app); headers != nil {
			t.Errorf("%s, CORS is off: got the headers %v", method, headers)
		}
	}
}

func TestRateLimitsEachClient(t *testing.T) {
	s := newService(httpx.Options{
		CORS: httpx.CORS{Origins: []string{httpx.AnyOrigin}, Paths: []string{"/"}},
		Rate: httpx.Rate{PerSecond: 1, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}},
	})
	s.GET("/", func(c echo.Context) error { return c.NoContent(http.StatusOK) })
	for range 5 {
		if answer := s.do("GET", "/", "X-Forwarded-For", "2001:db8:0:100::1"); answer.Code != http.StatusOK {
			t.Fatalf("status %d within the limit", answer.Code)
		}
	}
	refused := s.do("GET", "/", "X-Forwarded-For", "2001:db8:0:1ff::2")
	h := refused.Header()
	got := []any{refused.Code, codeOf(t, refused), h.Get("Retry-After"), h.Get("Access-Control-Allow-Origin")}
	if diff := cmp.Diff([]any{429, "too_many_requests", "1", "*"}, got); diff != "" {
		t.Error(diff)
	}
	if answer := s.do("GET", "/", "X-Forwarded-For", "2001:db8:0:200::1"); answer.Code != http.StatusOK {
		t.Errorf("another client: status %d", answer.Code)
	}
}

func TestClientIPTrustsOnlyProxies(t *testing.T) {
	clientIP := httpx.ClientIP([]netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd00::/64")})
	for _, test := range []struct{ peer, forwarded, want string }{
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
	} {
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
				t.Errorf("MatchesETag(%q, %s) = %t, want %t", header, etag, got, want)
			}
		}
	}
}

func TestCompression(t *testing.T) {
	long := strings.Repeat("0123456789", 200)
	s := newService(httpx.Options{})
	s.GET("/long", func(c echo.Context) error {
		c.Response().Header().Set("Content-Type", "text/css")
		c.Response().Header().Set("ETag", `"a"`)
		http.ServeContent(c.Response(), c.Request(), "", time.Time{}, strings.NewReader(long))
		return nil
	})
	s.GET("/short", func(c echo.Context) error { return c.String(http.StatusOK, "short") })
	s.GET("/picture", func(c echo.Context) error { return c.Blob(http.StatusOK, "image/png", []byte(long)) })
	type negotiated struct {
		Status                     int
		Encoding, ETag, Vary, Body string
	}
	for _, test := range []struct {
		request string // the path and headers
		want    negotiated
	}{
		{"/long", negotiated{200, "", `"a"`, "Accept-Encoding", long}},
		{"/long Accept-Encoding gzip", negotiated{200, "gzip", `"a-gzip"`, "Accept-Encoding", long}},
		{"/long Accept-Encoding br,gzip;q=0", negotiated{200, "", `"a"`, "Accept-Encoding", long}},
		{"/long Accept-Encoding gzip Range bytes=2-4", negotiated{206, "", `"a"`, "Accept-Encoding", "234"}},
		{"/long Accept-Encoding gzip If-None-Match \"a-gzip\"", negotiated{304, "", `"a-gzip"`, "Accept-Encoding", ""}},
		{"/long If-None-Match \"a-gzip\"", negotiated{200, "", `"a"`, "Accept-Encoding", long}},
		{"/short Accept-Encoding gzip", negotiated{200, "", "", "", "short"}},
		{"/picture Accept-Encoding gzip", negotiated{200, "", "", "", long}},
	} {
		words := strings.Fields(test.request)
		answer := s.do("GET", words[0], words[1:]...)
		h, body := answer.Header(), answer.Body.Bytes()
		if h.Get("Content-Encoding") == "gzip" {
			reader, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(reader); err != nil {
				t.Fatal(err)
			}
		}
		got := negotiated{answer.Code, h.Get("Content-Encoding"), h.Get("ETag"), h.Get("Vary"), string(body)}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.request, diff)
		}
	}
}
