package httpx

import (
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	drainDelay   = 10 * time.Second
	drainTimeout = 20 * time.Second
)

func TestDrainGoesOnServingThenFinishes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, release := make(chan struct{}), make(chan struct{})
		d := newDraining(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/slow" {
				close(entered)
				<-release
			}
			w.WriteHeader(http.StatusNoContent)
		})
		slow := make(chan int, 1)
		go func() { slow <- d.public.get("/slow") }()
		<-entered

		start := time.Now()
		ended := d.drain()
		synctest.Wait()
		if ready, status := d.admin.get("/readyz"), d.public.get("/new"); ready != 503 || status != 204 {
			t.Errorf("in the delay: readyz = %d, new request = %d; want 503, 204", ready, status)
		}
		time.Sleep(drainDelay + time.Second)
		if ready, status := d.admin.get("/readyz"), d.public.get("/new"); ready != 503 || status != 0 {
			t.Errorf("after the delay: readyz = %d, new request = %d; want 503, none", ready, status)
		}
		close(release)
		if status := <-slow; status != 204 {
			t.Errorf("request under way = %d, want 204", status)
		}
		err := <-ended
		if took := time.Since(start); err != nil || took >= drainDelay+drainTimeout {
			t.Errorf("drain = %v after %s, want nil before the time-out", err, took)
		}
		if d.admin.get("/healthz") != 0 {
			t.Error("the admin port is still open")
		}
	})
}

func TestDrainCutsOffWhatTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, cut := make(chan struct{}), make(chan struct{})
		d := newDraining(func(_ http.ResponseWriter, r *http.Request) {
			close(entered)
			<-r.Context().Done()
			close(cut)
		})
		slow := make(chan int, 1)
		go func() { slow <- d.public.get("/slow") }()
		<-entered

		start := time.Now()
		err := <-d.drain()
		if took := time.Since(start); err != nil || took != drainDelay+drainTimeout {
			t.Errorf("drain = %v after %s, want nil after %s", err, took, drainDelay+drainTimeout)
		}
		<-cut
		if status := <-slow; status != 0 {
			t.Errorf("request cut off = %d, want no answer", status)
		}
	})
}

// draining is a Server on listeners in memory, so that its time is the bubble's.
type draining struct {
	server        *Server
	public, admin *memory
	main, inner   *http.Server
}

func newDraining(handler http.HandlerFunc) *draining {
	s := &Server{
		Log: slog.New(slog.DiscardHandler), Health: NewHealth(nil),
		DrainDelay: drainDelay, DrainTimeout: drainTimeout,
	}
	d := &draining{
		server: s, public: newMemory(), admin: newMemory(),
		main:  s.server(handler, time.Hour),
		inner: s.server(s.Health.AdminHandler(prometheus.NewRegistry()), time.Hour),
	}
	go func() { _ = d.main.Serve(d.public) }()
	go func() { _ = d.inner.Serve(d.admin) }()
	return d
}

func (d *draining) drain() <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- d.server.drain(context.Background(), d.main, d.inner) }()
	return ended
}

// memory is a net.Listener whose connections are pipes.
type memory struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
}

func newMemory() *memory {
	m := &memory{conns: make(chan net.Conn), closed: make(chan struct{})}
	m.close = sync.OnceFunc(func() { close(m.closed) })
	return m
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.close()
	return nil
}

func (m *memory) Addr() net.Addr { return &net.TCPAddr{} }

func (m *memory) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case m.conns <- there:
		return here, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

// get returns the status of the answer, 0 when there is none.
func (m *memory) get(path string) int {
	client := http.Client{Transport: &http.Transport{DialContext: m.dial, DisableKeepAlives: true}}
	answer, err := client.Get("http://memory" + path)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer.StatusCode
}
