package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

const beyondIntegers = "1000000000000000000000000000000"

func TestLimit(t *testing.T) {
	tests := map[string]int{ // query → number of rows
		"":                                 200,
		"?":                                200,
		"?limit=1":                         1,
		"?limit=499":                       499,
		"?limit=501":                       500,
		"?limit=9223372036854775807":       500,
		"?limit=" + beyondIntegers:         500,
		"?limit=%2B" + beyondIntegers:      500,
		"?limit=%2B5":                      5,
		"?limit=007":                       7,
		"?limit=5&limit=abc":               5,
		"?lim%69t=5":                       5,
		"?LIMIT=5":                         200,
		"?limits=5&a=%zz&%zz=1&&=&limit=5": 5,
	}
	for query, want := range tests {
		t.Run(query, func(t *testing.T) {
			s := newService(t, 0)
			s.ranking = ranking(600, now)
			if strings.Contains(query, beyondIntegers) {
				s.unchecked()
			}
			answer := s.get("/api/benchmark/gpu" + query)
			if b := read(t, answer); answer.Code != 200 || b.Count != want || len(b.Rows) != want {
				t.Errorf("answer %d, count %d, %d rows; want %d", answer.Code, b.Count, len(b.Rows), want)
			}
		})
	}
}

// Package catalog tests which texts are queries.
func TestQueryIsEchoedAsItIsLookedUp(t *testing.T) {
	tests := map[string]string{ // query → text
		"q=RTX+4070%20SUPER":              "RTX 4070 SUPER",
		"q=%20%20rtx%09%0A4070%C2%A0x%20": "rtx 4070 x",
		"q=%C5%81%C3%B3d":                 "Łód",
		"q=2/3;4":                         "2/3;4",
		"q=2%2F3%3B4":                     "2/3;4",
		"q=a%2Bb%26c%3Dd%25e":             "a+b&c=d%e",
		"q=a=b":                           "a=b",
		`q=2.5"+\"x\`:                     `2.5" \"x\`,
		"q=%22%5C%5Cu0041%3C%3E%27":       `"\\u0041<>'`,
		"q=abc&q=x":                       "abc",
		"%71=abc&Q=defg":                  "abc",
		"x=%zz&%zz=1&;&q=abc":             "abc",
	}
	for query, want := range tests {
		t.Run(query, func(t *testing.T) {
			s := newService(t, 0)
			if strings.Contains(query, ";") {
				s.unchecked() // the checker takes a bare ";" for an error
			}
			answer := s.get(priceOf + query)
			if b := read(t, answer); answer.Code != 200 || b.Query != want || b.ProductName != card().ProductName {
				t.Errorf("answer %d %s", answer.Code, answer.Body)
			}
			if !slices.Equal(s.queries, []catalog.Query{{Text: want}}) {
				t.Errorf("looked up %+v", s.queries)
			}
		})
	}
}

func TestEveryFamilyAndCategoryIsLookedUp(t *testing.T) {
	for _, name := range catalog.Families() {
		s := newService(t, 0)
		b := read(t, s.get("/api/benchmark/"+name))
		if b.Family != name || b.Source != "userbenchmark.com" || !slices.Equal(s.families, []catalog.Family{catalog.Family(name)}) {
			t.Errorf("%s: %+v; looked up %v", name, b, s.families)
		}
	}
	for _, name := range append(catalog.Categories(), "") {
		s := newService(t, 0)
		answer := s.get(priceOf + "q=abc&category=" + name)
		if answer.Code != 200 || !slices.Equal(s.queries, []catalog.Query{{Text: "abc", Category: catalog.Category(name)}}) {
			t.Errorf("%q: answer %d; looked up %+v", name, answer.Code, s.queries)
		}
	}
}

// In the order of the checks: the path, then q or limit, then category.
func TestParametersRefused(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for _, tt := range []struct {
		code, message string
		status        int
		paths         []string
		allowed       []string
	}{
		{
			code: "unknown_type", message: "Nieznany rodzaj podzespołu.",
			status: 400, allowed: []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"},
			paths: []string{
				"/api/benchmark/CPU?limit=abc", "/api/benchmark/CPU?limit=%zz", "/api/benchmark/gpu%20", "/api/benchmark/g%2Fpu",
				"/api/benchmark/%ff", "/api/benchmark/;", "/api/benchmark/:type", "/api/benchmark/" + long,
			},
		},
		{
			code: "unknown_aggregator", message: "Nieznana porównywarka cen.",
			status: 404, allowed: []string{"ceneo"},
			paths: []string{
				"/api/prices/skapiec?q=a&category=x", "/api/prices/skapiec?q=%zz", "/api/prices/CENEO?q=abc", "/api/prices/ceneo%20?q=abc",
				"/api/prices/cen%2Feo?q=abc", "/api/prices/%00?q=abc", "/api/prices/" + long + "?q=abc",
			},
		},
		{
			code: "unknown_category", message: "Nieznana kategoria produktów.",
			status: 400, allowed: []string{"cpu", "gpu", "ram", "storage", "motherboard", "psu", "cooling", "case"},
			paths: []string{priceOf + "q=abc&category=x&category=gpu", priceOf + "q=abc&category=GPU", priceOf + "q=abc&category=%FF"},
		},
		{code: "query_too_short", message: "Wpisz co najmniej 3 znaki.", status: 400, paths: []string{
			"/api/prices/ceneo", priceOf + "category=gpu", priceOf + "Q=abc", priceOf + "q", priceOf + "q=%C5%82%C5%82",
			priceOf + "q=++a%20%20", priceOf + "q=ab&q=abc", priceOf + "a;q=abc", priceOf + "q=a&category=x",
		}},
		{code: "query_too_long", message: "Zapytanie może mieć najwyżej 200 znaków.", status: 400, paths: []string{priceOf + "q=" + long}},
		{code: "invalid_query", message: "Zapytanie zawiera niedozwolone znaki.", status: 400, paths: []string{priceOf + "q=abc%00", priceOf + "q=%C5abc"}},
		{code: "invalid_query", message: "Zapytanie musi zawierać litery lub cyfry.", status: 400, paths: []string{priceOf + "q=---"}},
		{code: "invalid_query_string", message: "Parametry adresu są nieprawidłowo zakodowane.", status: 400, paths: []string{
			priceOf + "q=abc%zz", priceOf + "q=abc%", priceOf + "q=abc%2", priceOf + "q=a&category=%zz",
			"/api/benchmark/gpu?limit=5%", "/api/benchmark/gpu?a=%zz&limit=%zz",
		}},
		{code: "invalid_limit", message: "Parametr limit musi być liczbą całkowitą nie mniejszą niż 1.", status: 400, paths: []string{
			"/api/benchmark/gpu?limit", "/api/benchmark/gpu?limit=", "/api/benchmark/gpu?limit=0", "/api/benchmark/gpu?limit=-1",
			"/api/benchmark/gpu?limit=-" + beyondIntegers, "/api/benchmark/gpu?limit=1.5", "/api/benchmark/gpu?limit=+5", // a space and 5
			"/api/benchmark/gpu?limit=0x10", "/api/benchmark/gpu?limit=1_000", "/api/benchmark/gpu?limit=5;6", "/api/benchmark/gpu?limit=abc&limit=5",
		}},
	} {
		for _, path := range tt.paths {
			t.Run(path[:min(len(path), 60)], func(t *testing.T) {
				s := newService(t, 0)
				b := requireFailure(t, s.get(path), tt.status, tt.code)
				if b.Error != tt.message || !slices.Equal(b.Allowed, tt.allowed) || len(s.families)+len(s.queries) > 0 {
					t.Errorf("%q, allowed %v; looked up %v, %v", b.Error, b.Allowed, s.families, s.queries)
				}
			})
		}
	}
}

// The kit tests that causes stay in the log.
func TestFaultsOfALookup(t *testing.T) {
	cause := errors.New("dial tcp 10.0.3.7:6379")
	tests := []struct {
		name       string
		err        error
		status     int
		code       string
		retryAfter string
	}{
		{"unreachable", lookup.Unreachable(cause), 502, "source_unavailable", ""},
		{"blocked", lookup.Blocked(cause, 90*time.Second), 502, "source_blocked", "90"},
		{"closed by robots.txt", lookup.Disallowed(cause), 502, "source_disallowed", ""},
		{"changed", fmt.Errorf("find: %w", lookup.Changed(cause)), 502, "source_changed", ""},
		{"slow", lookup.Slow(fmt.Errorf("%w: %w", cause, context.DeadlineExceeded)), 504, "source_timeout", ""},
		{"paused", lookup.Paused(61 * time.Second), 503, "source_paused", "61"},
		{"queue full", fault.Wrap(cause, fault.Unavailable, "throttle_queue_full", "Kolejka.").After(2500 * time.Millisecond), 503, "throttle_queue_full", "3"},
		{"unclassified", cause, 500, "internal", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			paths := []string{priceOf + "q=abc"}
			if tt.code == "internal" {
				paths = append(paths, rankingOf) // for every other failure a ranking has a copy
			}
			for _, path := range paths {
				s := newService(t, 0)
				s.err = tt.err
				answer := s.get(path)
				b := requireFailure(t, answer, tt.status, tt.code)
				if got := answer.Header().Get("Retry-After"); got != tt.retryAfter || len(b.Allowed) > 0 {
					t.Errorf("%s: Retry-After %q, want %q; allowed %v", path, got, tt.retryAfter, b.Allowed)
				}
			}
		})
	}
}

func TestRoutesAreTheDocumentedOnes(t *testing.T) {
	s := newService(t, 0)
	var routes []string
	for _, route := range s.echo.Routes() {
		routes = append(routes, route.Method+" "+route.Path)
	}
	checker.RequireRoutes(t, routes)
}

func TestOtherMethods(t *testing.T) {
	for path, allow := range map[string]string{
		rankingOf: "OPTIONS, GET, HEAD", "/api/benchmark/x?limit=abc": "OPTIONS, GET, HEAD", priceOf + "q=abc": "OPTIONS, GET, HEAD",
		"/api/prices/x": "OPTIONS, GET, HEAD", quotesPath: "OPTIONS, POST",
	} {
		methods := []string{"OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "INVENTED", "get", "POST"}
		if path == quotesPath {
			methods[len(methods)-1] = "GET"
		}
		for _, method := range methods {
			s := newService(t, 0)
			answer := s.do(method, path)
			if method != "OPTIONS" {
				requireFailure(t, answer, 405, "method_not_allowed")
			} else if answer.Code != 204 || answer.Body.Len() > 0 {
				t.Errorf("%s %s: answer %d %s", method, path, answer.Code, answer.Body)
			}
			if got := answer.Header()["Allow"]; len(got) != 1 || got[0] != allow || len(s.families)+len(s.queries) > 0 {
				t.Errorf("%s %s: Allow %q; looked up %v, %v", method, path, got, s.families, s.queries)
			}
		}
	}
}

func TestUnknownPaths(t *testing.T) {
	for _, path := range []string{
		"/", "/api", "/api/", "/api/benchmark", "/api/benchmark/", "/api/prices", "/api/prices/?q=abc",
		"/api/benchmark/gpu/", "/api/benchmark/gpu/rows", "/api/prices/ceneo/", "/api/prices/ceneo/x/y?q=abc",
		"//api/benchmark/gpu", "/api/benchmark//gpu", "/API/benchmark/gpu", "/api%2Fbenchmark/gpu", "/v1/api/benchmark/gpu",
		"/metrics", "/healthz", "/readyz", "/favicon.ico",
	} {
		s := newService(t, 0)
		for _, method := range []string{"GET", "POST", "OPTIONS", "INVENTED"} {
			requireFailure(t, s.do(method, path), 404, "not_found")
		}
		if len(s.families)+len(s.queries) > 0 {
			t.Errorf("%s: looked up", path)
		}
	}
}

func TestHeadIsGetWithoutBody(t *testing.T) {
	s := newService(t, time.Hour)
	for path, status := range map[string]int{
		"/api/benchmark/gpu": 200, rankingOf: 200, priceOf + "q=rtx+4070": 200,
		"/api/benchmark/x": 400, "/api/benchmark/gpu?limit=x": 400, "/api/prices/ceneo": 400, "/api/prices/x": 404, "/x": 404,
	} {
		get, head := s.get(path), s.do(http.MethodHead, path)
		if get.Code != status || head.Code != status || get.Body.Len() == 0 || head.Body.Len() > 0 {
			t.Errorf("%s: GET %d, HEAD %d %s, want %d", path, get.Code, head.Code, head.Body, status)
		}
		for _, h := range []http.Header{get.Header(), head.Header()} {
			delete(h, "X-Request-Id")
			if status != 200 {
				delete(h, "Content-Type") // of the body
			}
		}
		if !maps.EqualFunc(get.Header(), head.Header(), func(a, b []string) bool { return a[0] == b[0] }) {
			t.Errorf("%s: headers %v with GET, %v with HEAD", path, get.Header(), head.Header())
		}
	}
}
