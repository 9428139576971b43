package httpx

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/testkit"
)

const (
	writeTimeout = 40 * time.Second
	drainDelay   = 10 * time.Second
	drainTimeout = 20 * time.Second
)

// inMemory is a Server on listeners in memory, for tests in a synctest bubble.
type inMemory struct {
	public, admin *testkit.Listener
	log           testkit.Log
	stop          context.CancelFunc // begins to drain
	ended         chan error         // what serve returned
}

func serveInMemory(t *testing.T, handler http.HandlerFunc) *inMemory {
	t.Helper()
	health := NewHealth(nil)
	m := &inMemory{public: testkit.NewListener(), admin: testkit.NewListener(), ended: make(chan error, 1)}
	s := &Server{
		Log: slog.New(slog.NewTextHandler(&m.log, nil)), Health: health,
		Handler: handler, AdminHandler: health.AdminHandler(prometheus.NewRegistry()),
		WriteTimeout: writeTimeout, DrainDelay: drainDelay, DrainTimeout: drainTimeout,
	}
	ctx, stop := context.WithCancel(context.Background())
	m.stop = stop
	go func() {
		m.ended <- s.serve(ctx, m.public, m.admin)
		close(m.ended)
	}()
	t.Cleanup(func() {
		m.stop()
		<-m.ended
	})
	return m
}

// get returns the status of the response, 0 without a response.
func get(l *testkit.Listener, path string) int {
	client := http.Client{Transport: &http.Transport{DialContext: l.Dial, DisableKeepAlives: true}}
	answer, err := client.Get("http://memory" + path)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer.StatusCode
}

func TestSlowClientsAreDisconnected(t *testing.T) {
	const complete = "GET /healthz HTTP/1.1\r\nHost: memory\r\n\r\n"
	for _, test := range []struct {
		name, sends   string
		reads         bool // whether the client reads the answer
		public, admin time.Duration
	}{
		{"sends nothing", "", true, 5 * time.Second, 5 * time.Second},
		{"sends half a header", "GET / HTTP/1.1\r\nHost: mem", true, 5 * time.Second, 5 * time.Second},
		{"sends half a body", "POST / HTTP/1.1\r\nHost: memory\r\nContent-Length: 8\r\n\r\nhalf", true,
			15 * time.Second, 15 * time.Second},
		{"does not read", complete, false, writeTimeout, 15 * time.Second},
		{"keeps the connection for later", complete, true, 2 * time.Minute, 2 * time.Minute},
	} {
		connected := func(t *testing.T, l *testkit.Listener) time.Duration {
			conn, err := l.Dial(t.Context(), "", "")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = conn.Close() }()
			began := time.Now()
			if _, err = io.WriteString(conn, test.sends); err != nil {
				t.Fatal(err)
			}
			if test.reads {
				_, err = io.Copy(io.Discard, conn)
			}
			for err == nil && !test.reads { // the server takes a byte of the next request, then no more
				_, err = conn.Write([]byte("x"))
			}
			if err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Error(err)
			}
			return time.Since(began)
		}
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := serveInMemory(t, func(_ http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadAll(r.Body); err != nil {
						panic(http.ErrAbortHandler)
					}
				})
				if got := connected(t, m.public); got != test.public {
					t.Errorf("public port: connected for %s, want %s", got, test.public)
				}
				if got := connected(t, m.admin); got != test.admin {
					t.Errorf("admin port: connected for %s, want %s", got, test.admin)
				}
			})
		})
	}
}

func TestLargeHeadersAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := serveInMemory(t, func(http.ResponseWriter, *http.Request) {})
		for size, want := range map[int]int{15 << 10: http.StatusOK, 21 << 10: http.StatusRequestHeaderFieldsTooLarge} {
			if got := get(m.public, "/?"+strings.Repeat("x", size)); got != want {
				t.Errorf("a header of %d bytes is answered %d, want %d", size, got, want)
			}
		}
	})
}

func TestDrainFinishesOrEndsRequests(t *testing.T) {
	for name, finishes := range map[string]bool{"finishes requests": true, "ends slow requests": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				entered, release := make(chan struct{}), make(chan struct{})
				m := serveInMemory(t, func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/slow" {
						close(entered)
						select {
						case <-release:
						case <-r.Context().Done():
						}
					}
					w.WriteHeader(http.StatusNoContent)
				})
				slow := make(chan int, 1)
				go func() { slow <- get(m.public, "/slow") }()
				<-entered

				start := time.Now()
				m.stop()
				synctest.Wait()
				requireStatuses := func(when string, ready, public int) {
					t.Helper()
					if got := get(m.admin, "/readyz"); got != ready {
						t.Errorf("%s: /readyz is answered %d, want %d", when, got, ready)
					}
					if got := get(m.public, "/new"); got != public {
						t.Errorf("%s: a new request is answered %d, want %d", when, got, public)
					}
				}
				requireStatuses("in the delay", 503, 204)
				time.Sleep(drainDelay + time.Second)
				requireStatuses("after the delay", 503, 0)
				want, messages := 0, []string{"msg=serving", "msg=draining", `msg="requests cut off"`}
				if finishes {
					close(release)
					want, messages = 204, messages[:2]
				}
				if status := <-slow; status != want {
					t.Errorf("request under way = %d, want %d", status, want)
				}
				if err := <-m.ended; err != nil {
					t.Errorf("serve: %v", err)
				}
				took := time.Since(start)
				if isInTime := took < drainDelay+drainTimeout; isInTime != finishes {
					t.Errorf("serve ended after %s, want less than %s: %t", took, drainDelay+drainTimeout, finishes)
				}
				if get(m.admin, "/healthz") != 0 {
					t.Error("the admin port is still open")
				}
				got := regexp.MustCompile(`msg=("[^"]*"|\S+)`).FindAllString(m.log.String(), -1)
				if !slices.Equal(got, messages) {
					t.Errorf("logged %q, want %q", got, messages)
				}
			})
		})
	}
}

func TestRunReportsPortInUse(t *testing.T) {
	taken, free := httptest.NewServer(nil), httptest.NewServer(nil)
	defer taken.Close()
	free.Close()
	inUse, other := strings.TrimPrefix(taken.URL, "http://"), strings.TrimPrefix(free.URL, "http://")
	for _, addr := range []struct{ public, admin string }{{inUse, "127.0.0.1:0"}, {other, inUse}} {
		server := Server{
			Log: slog.New(slog.DiscardHandler), Health: NewHealth(nil), Addr: addr.public, AdminAddr: addr.admin,
		}
		err := server.Run(t.Context())
		if !errors.Is(err, syscall.EADDRINUSE) {
			t.Fatalf("Run on %v = %v, want the address in use", addr, err)
		}
		if !strings.HasPrefix(err.Error(), "listen on "+inUse+": ") {
			t.Errorf("Run on %v = %v, want an error that names %s", addr, err, inUse)
		}
	}
	released, err := net.Listen("tcp", other)
	if err != nil {
		t.Fatal("the public address is still taken:", err)
	}
	_ = released.Close() // of this test
}

func TestHealth(t *testing.T) {
	pass := func(context.Context) error { return nil }
	fail := func(context.Context) error { return errors.New("dial db.inner:5432: connection refused") }
	hang := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	draining := map[string]string{"status": "draining"}
	for _, test := range []struct {
		path   string
		checks map[string]Check
		drain  bool
		status int
		want   map[string]string
	}{
		{"/readyz", nil, false, 200, map[string]string{"status": "ok"}},
		{"/readyz", map[string]Check{"database": pass, "redis": pass}, false, 200,
			map[string]string{"status": "ok", "database": "ok", "redis": "ok"}},
		{"/readyz", map[string]Check{"database": fail, "redis": pass}, false, 503,
			map[string]string{"status": "unavailable", "database": "unavailable", "redis": "ok"}},
		{"/readyz?exclude=database", map[string]Check{"database": fail}, false, 200, map[string]string{"status": "ok"}},
		{"/readyz", map[string]Check{"slow": hang}, false, 503,
			map[string]string{"status": "unavailable", "slow": "unavailable"}},
		{"/readyz", map[string]Check{"database": pass}, true, 503, draining},
		{"/readyz?exclude=database", map[string]Check{"database": pass}, true, 503, draining},
		{"/healthz", map[string]Check{"database": fail}, true, 200, map[string]string{"status": "ok"}},
	} {
		synctest.Test(t, func(t *testing.T) {
			health := NewHealth(test.checks)
			if test.drain {
				health.Drain()
			}
			began, answer := time.Now(), httptest.NewRecorder()
			health.AdminHandler(prometheus.NewRegistry()).ServeHTTP(answer, httptest.NewRequest("GET", test.path, nil))
			if took := time.Since(began); took > checkTimeout {
				t.Errorf("%s took %s, want %s at most", test.path, took, checkTimeout)
			}
			var body map[string]string
			if err := json.Unmarshal(answer.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}
			h := answer.Header()
			got := []any{answer.Code, body, h.Get("Cache-Control"), h.Get("Content-Type")}
			if diff := cmp.Diff([]any{test.status, test.want, "no-store", "application/json"}, got); diff != "" {
				t.Errorf("%s: %s", test.path, diff)
			}
		})
	}
}

func TestProbe(t *testing.T) {
	health := NewHealth(nil)
	server := httptest.NewServer(health.AdminHandler(prometheus.NewRegistry()))
	addr := strings.TrimPrefix(server.URL, "http://")
	if err := Probe(t.Context(), addr); err != nil {
		t.Errorf("ready: %v", err)
	}
	health.Drain()
	if err := Probe(t.Context(), addr); err == nil || !strings.Contains(err.Error(), "503") {
		t.Errorf("draining: %v, want the status", err)
	}
	server.Close()
	if err := Probe(t.Context(), addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("no server: %v, want its refusal", err)
	}
	if err := Probe(t.Context(), "%"); err == nil || !strings.HasPrefix(err.Error(), "admin address: ") {
		t.Errorf("not an address: %v", err)
	}
}
