package httpx

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	writeTimeout = 40 * time.Second
	drainDelay   = 10 * time.Second
	drainTimeout = 20 * time.Second
)

// inMemory is a Server on listeners in memory, so that its time is that of a
// synctest bubble.
type inMemory struct {
	public, admin *listener
	log           bytes.Buffer       // to be read when serve has returned
	stop          context.CancelFunc // begins to drain
	ended         chan error         // what serve returned
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

// listener is a net.Listener whose connections are pipes. They hold nothing: what
// one end writes waits until the other reads it.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()
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
	return nil
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

// get returns the status of the answer, 0 when there is none.
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
