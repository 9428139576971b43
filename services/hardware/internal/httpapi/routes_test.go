package httpapi_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestRoutesAreTheDocumentedOnes(t *testing.T) {
	s := newCanned(t, 0)
	var routes []string
	for _, route := range s.echo.Routes() {
		routes = append(routes, route.Method+" "+route.Path)
	}
	checker.RequireRoutes(t, routes)
}

var known = []string{"/api/benchmark/gpu", "/api/benchmark/x?limit=abc", "/api/prices/ceneo?q=abc", "/api/prices/x"}

func TestOptions(t *testing.T) {
	for _, path := range known {
		s := newCanned(t, 0)
		answer := s.do(http.MethodOptions, path)
		if answer.Code != 204 || answer.Body.Len() > 0 {
			t.Errorf("%s: answer %d %s", path, answer.Code, answer.Body)
		}
		requireAllow(t, answer)
		if len(s.families)+len(s.queries) > 0 {
			t.Errorf("%s: looked up", path)
		}
	}
}

func TestOtherMethods(t *testing.T) {
	for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "INVENTED", "get"} {
		for _, path := range known {
			s := newCanned(t, 0)
			answer := s.do(method, path)
			requireFailure(t, answer, 405, "method_not_allowed")
			requireAllow(t, answer)
			if len(s.families)+len(s.queries) > 0 {
				t.Errorf("%s %s: looked up", method, path)
			}
		}
	}
}

func requireAllow(t *testing.T, answer *httptest.ResponseRecorder) {
	t.Helper()
	if got := answer.Header()["Allow"]; len(got) != 1 || got[0] != "OPTIONS, GET, HEAD" {
		t.Errorf("Allow: %q", got)
	}
}

func TestUnknownPaths(t *testing.T) {
	paths := []string{
		"/", "/api", "/api/", "/api/benchmark", "/api/benchmark/", "/api/prices", "/api/prices/?q=abc",
		"/api/benchmark/gpu/", "/api/benchmark/gpu/rows", "/api/prices/ceneo/", "/api/prices/ceneo/x/y?q=abc",
		"//api/benchmark/gpu", "/api//benchmark/gpu", "/api/benchmark//gpu", "/api/benchmark/gpu//",
		"/API/benchmark/gpu", "/api/Benchmark/gpu", "/api%2Fbenchmark/gpu", "/v1/api/benchmark/gpu",
		"/metrics", "/healthz", "/readyz", "/favicon.ico",
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			s := newCanned(t, 0)
			for _, method := range []string{"GET", "POST", "OPTIONS", "INVENTED"} {
				requireFailure(t, s.do(method, path), 404, "not_found")
			}
			if answer := s.do(http.MethodHead, path); answer.Code != 404 || answer.Body.Len() > 0 {
				t.Errorf("HEAD: %d %s", answer.Code, answer.Body)
			}
			if len(s.families)+len(s.queries) > 0 {
				t.Error("looked up")
			}
		})
	}
}

// TestHeadIsGetWithoutBody asks a real server, which writes the headers itself.
func TestHeadIsGetWithoutBody(t *testing.T) {
	s := newCanned(t, time.Hour)
	server := httptest.NewServer(s)
	defer server.Close()
	paths := map[string]int{ // path → status
		"/api/benchmark/gpu": 200, "/api/benchmark/gpu?limit=1": 200, "/api/prices/ceneo?q=rtx+4070": 200,
		"/api/benchmark/x": 400, "/api/benchmark/gpu?limit=x": 400, "/api/prices/ceneo": 400, "/api/prices/x": 404, "/x": 404,
	}
	for path, status := range paths {
		get, content := fetch(t, http.MethodGet, server.URL+path)
		head, nothing := fetch(t, http.MethodHead, server.URL+path)
		if get.StatusCode != status || head.StatusCode != status || nothing != "" || content == "" {
			t.Errorf("%s: GET %d, HEAD %d %q, want %d", path, get.StatusCode, head.StatusCode, nothing, status)
		}
		if written := s.do(http.MethodHead, path).Body.Len(); written > 0 {
			t.Errorf("%s: HEAD hands %d bytes to the server", path, written)
		}
		names := []string{"Cache-Control", "ETag", "Cache-Status"}
		if status == 200 {
			names = append(names, "Content-Type", "Content-Length")
			if get.ContentLength != int64(len(content)) {
				t.Errorf("%s: Content-Length %d of %d bytes", path, get.ContentLength, len(content))
			}
		}
		for _, name := range names {
			if a, b := get.Header[name], head.Header[name]; strings.Join(a, "|") != strings.Join(b, "|") {
				t.Errorf("%s: %s is %q with GET, %q with HEAD", path, name, a, b)
			}
		}
	}
}

func fetch(t *testing.T, method, address string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(content)
}
