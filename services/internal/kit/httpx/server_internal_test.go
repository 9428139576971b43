package httpx

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestSlowClientsAreDisconnected(t *testing.T) {
	const complete = "GET /healthz HTTP/1.1\r\nHost: memory\r\n\r\n"
	tests := []struct {
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
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := serveInMemory(t, func(_ http.ResponseWriter, r *http.Request) {
					if _, err := io.ReadAll(r.Body); err != nil {
						panic(http.ErrAbortHandler)
					}
				})
				if got := connected(t, m.public, test.sends, test.reads); got != test.public {
					t.Errorf("public port: connected for %s, want %s", got, test.public)
				}
				if got := connected(t, m.admin, test.sends, test.reads); got != test.admin {
					t.Errorf("admin port: connected for %s, want %s", got, test.admin)
				}
			})
		})
	}
}

// connected returns how long a client stays connected after it has sent text.
func connected(t *testing.T, l *listener, sends string, reads bool) time.Duration {
	t.Helper()
	conn, err := l.dial(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	began := time.Now()
	if _, err = io.WriteString(conn, sends); err != nil {
		t.Fatal(err)
	}
	if reads {
		_, err = io.Copy(io.Discard, conn)
	}
	for err == nil && !reads { // the server takes a byte of the next request, then no more
		_, err = conn.Write([]byte("x"))
	}
	if err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	return time.Since(began)
}

func TestLargeHeadersAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := serveInMemory(t, func(http.ResponseWriter, *http.Request) {})
		for size, want := range map[int]int{15 << 10: http.StatusOK, 21 << 10: http.StatusRequestHeaderFieldsTooLarge} {
			if got := m.public.get("/?" + strings.Repeat("x", size)); got != want {
				t.Errorf("a header of %d bytes is answered %d, want %d", size, got, want)
			}
		}
	})
}

func TestDrainServesThenFinishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, release := make(chan struct{}), make(chan struct{})
		m := serveInMemory(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				close(entered)
				<-release
			}
			w.WriteHeader(http.StatusNoContent)
		})
		slow := make(chan int, 1)
		go func() { slow <- m.public.get("/slow") }()
		<-entered

		start := time.Now()
		m.stop()
		synctest.Wait()
		if ready, status := m.admin.get("/readyz"), m.public.get("/new"); ready != 503 || status != 204 {
			t.Errorf("in the delay: readyz = %d, new request = %d; want 503, 204", ready, status)
		}
		time.Sleep(drainDelay + time.Second)
		if ready, status := m.admin.get("/readyz"), m.public.get("/new"); ready != 503 || status != 0 {
			t.Errorf("after the delay: readyz = %d, new request = %d; want 503, none", ready, status)
		}
		close(release)
		if status := <-slow; status != 204 {
			t.Errorf("request under way = %d, want 204", status)
		}
		err := <-m.ended
		if took := time.Since(start); err != nil || took >= drainDelay+drainTimeout {
			t.Errorf("drain = %v after %s, want nil before the time-out", err, took)
		}
		if m.admin.get("/healthz") != 0 {
			t.Error("the admin port is still open")
		}
		if got := m.messages(); !slices.Equal(got, []string{"serving", "draining"}) {
			t.Errorf("logged %q", got)
		}
	})
}

func TestDrainEndsSlowRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, cut := make(chan struct{}), make(chan struct{})
		m := serveInMemory(t, func(_ http.ResponseWriter, r *http.Request) {
			close(entered)
			<-r.Context().Done()
			close(cut)
		})
		slow := make(chan int, 1)
		go func() { slow <- m.public.get("/slow") }()
		<-entered

		start := time.Now()
		m.stop()
		err := <-m.ended
		if took := time.Since(start); err != nil || took != drainDelay+drainTimeout {
			t.Errorf("drain = %v after %s, want nil after %s", err, took, drainDelay+drainTimeout)
		}
		<-cut
		if status := <-slow; status != 0 {
			t.Errorf("request cut off = %d, want no answer", status)
		}
		if m.admin.get("/healthz") != 0 {
			t.Error("the admin port is still open")
		}
		if got := m.messages(); !slices.Equal(got, []string{"serving", "draining", `"requests cut off"`}) {
			t.Errorf("logged %q", got)
		}
	})
}

const (
	writeTimeout = 40 * time.Second
	drainDelay   = 10 * time.Second
	drainTimeout = 20 * time.Second
)

// inMemory is a Server on listeners in memory, for tests in a synctest bubble.
type inMemory struct {
	public, admin *listener
	log           bytes.Buffer       // to be read when serve has returned
	stop          context.CancelFunc // begins to drain
	ended         chan error         // what serve returned
}

// messages returns those of the log.
func (m *inMemory) messages() (all []string) {
	for _, found := range regexp.MustCompile(`msg=("[^"]*"|\S+)`).FindAllStringSubmatch(m.log.String(), -1) {
		all = append(all, found[1])
	}
	return all
}

func serveInMemory(t *testing.T, handler http.HandlerFunc) *inMemory {
	t.Helper()
	health := NewHealth(nil)
	m := &inMemory{public: newListener(), admin: newListener(), ended: make(chan error, 1)}
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

// listener is a net.Listener whose connections are unbuffered pipes.
type listener struct {
	conns   chan net.Conn
	closed  chan struct{}
	close   func()
	failure error // of Close
}

func newListener() *listener {
	l := &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.close()
	return l.failure
}

func (l *listener) Addr() net.Addr { return &net.TCPAddr{} }

func (l *listener) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// get returns the status of the response, 0 without a response.
func (l *listener) get(path string) int {
	client := http.Client{Transport: &http.Transport{DialContext: l.dial, DisableKeepAlives: true}}
	answer, err := client.Get("http://memory" + path)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer.StatusCode
}
