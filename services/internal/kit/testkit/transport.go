package testkit

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
)

// NewTransport returns a transport that sends all requests to handler, over connections in memory, which work in
// synctest bubbles.
func NewTransport(t testing.TB, handler http.Handler) *http.Transport {
	connections := &listener{accepted: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: handler} // #nosec G112 -- of tests
	go func() { _ = server.Serve(connections) }()
	transport := &http.Transport{DialContext: connections.dial, DialTLSContext: connections.dial}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close()
	})
	return transport
}

type listener struct {
	accepted chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func (l *listener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.accepted <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, io.EOF
	}
}

// Close implements net.Listener.
func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr implements net.Listener.
func (l *listener) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }
