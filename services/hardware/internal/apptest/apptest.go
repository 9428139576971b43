// Package apptest runs the service as package app wires it, with the sandbox's sources, a clock that the test
// moves, and the log. Every exchange with the API is checked against the contract. A fault is something that a
// source serves (SetFault), or a handler of Intercept.
package apptest

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/sandbox/ceneo"
	"backend.example/deploy/sandbox/fake"
	"backend.example/deploy/sandbox/userbenchmark"
	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
	"backend.example/services/hardware/internal/app"
	"backend.example/services/internal/kit/testkit"
)

// Checker sees every exchange. A package whose tests cover the contract runs them with Checker.Run.
var Checker = contracttest.New(contracts.Hardware())

// Start is a Saturday noon in UTC.
var Start = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// App is a running service.
type App struct {
	*app.App
	T             testing.TB
	Handler       http.Handler // checks every exchange
	Unchecked     http.Handler // for requests against the contract
	Environ       []string
	Ceneo         *fake.Fake
	UserBenchmark *fake.Fake
	Log           *testkit.Log
	Clock         *testkit.Clock

	intercept *atomic.Value // what Intercept was called with
}

// New returns a service with further settings, such as "HARDWARE_LIST_PAGES=2". It paces its requests to the
// aggregator by a millisecond.
func New(t testing.TB, settings ...string) *App {
	t.Helper()
	a := &App{T: t, Ceneo: ceneo.New(), UserBenchmark: userbenchmark.New(), Clock: testkit.NewClock(Start)}
	a.intercept = &atomic.Value{}
	a.Environ = append([]string{
		"HARDWARE_AGGREGATOR_BASE_URL=" + a.serve(a.Ceneo),
		"HARDWARE_BENCHMARK_BASE_URL=" + a.serve(a.UserBenchmark),
		"HARDWARE_PRICE_INTERVAL=1ms", "HARDWARE_LIST_PAGES=0", "HARDWARE_RATE=0",
	}, settings...)
	return a.Replica()
}

// Replica returns another replica, with the same sources, clock and settings.
func (a *App) Replica() *App {
	a.T.Helper()
	b := *a
	cfg, err := app.LoadConfig(append([]string{"HARDWARE_STATE_DIR=" + a.T.TempDir()}, a.Environ...))
	if err != nil {
		a.T.Fatal(err)
	}
	b.Log = &testkit.Log{}
	log := slog.New(slog.NewJSONHandler(b.Log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if b.App, err = app.New(cfg, app.Options{Log: log, Now: a.Clock.Now}); err != nil {
		a.T.Fatal(err)
	}
	a.T.Cleanup(b.Close)
	b.Unchecked = b.App.Handler()
	b.Handler = Checker.Wrap(a.T, b.Unchecked)
	return &b
}

// Start runs the work in the background until the test ends.
func (a *App) Start() {
	ctx, stop := context.WithCancel(context.Background())
	a.T.Cleanup(stop)
	a.Work(ctx)
}

func (a *App) serve(source *fake.Fake) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler, ok := a.intercept.Load().(func(http.ResponseWriter, *http.Request) bool)
		if ok && handler != nil && handler(w, r) {
			return
		}
		source.ServeHTTP(w, r)
	}))
	a.T.Cleanup(server.Close)
	return server.URL
}

// Intercept lets handler answer requests to the sources first. It returns whether it did.
func (a *App) Intercept(handler func(http.ResponseWriter, *http.Request) bool) {
	a.intercept.Store(handler)
}

// Asked returns the paths of requests to the aggregator without robots.txt.
func (a *App) Asked() (paths []string) {
	for _, request := range a.Ceneo.Requests() {
		if request.Path != "/robots.txt" {
			paths = append(paths, request.Path)
		}
	}
	return paths
}

// Get requests a path. headers are pairs of name and value.
func (a *App) Get(path string, headers ...string) *Response {
	return a.Do(httptest.NewRequest(http.MethodGet, path, nil), headers...)
}

// Post sends a JSON body.
func (a *App) Post(path, body string, headers ...string) *Response {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	return a.Do(r, headers...)
}

// Do sends any request.
func (a *App) Do(r *http.Request, headers ...string) *Response {
	a.T.Helper()
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	a.Handler.ServeHTTP(recorder, r)
	return &Response{recorder, a.T}
}

// Response is a response of the service.
type Response struct {
	*httptest.ResponseRecorder
	t testing.TB
}

// Want fails the test unless the response has that status.
func (r *Response) Want(status int) *Response {
	r.t.Helper()
	if r.Code != status {
		r.t.Fatalf("status %d, want %d: %s", r.Code, status, r.Body)
	}
	return r
}

// JSON decodes the body into v.
func (r *Response) JSON(v any) {
	r.t.Helper()
	if err := json.Unmarshal(r.Body.Bytes(), v); err != nil {
		r.t.Fatalf("body %.200s: %v", r.Body, err)
	}
}
