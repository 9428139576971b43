package gateway

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// backend is a fake server of a service. By default it is ready and returns what it
// received. It always returns the bodies of the gateway's own error responses.
type backend struct {
	name   string
	public *httptest.Server
	admin  *httptest.Server

	calls        atomic.Int64 // requests on the public port
	healthz      atomic.Int64 // completed requests to /healthz
	healthzDelay atomic.Int64 // nanoseconds

	answer atomic.Pointer[http.HandlerFunc] // instead of the echo
	health atomic.Pointer[http.HandlerFunc] // instead of being ready
}

// echo is what a backend received.
type echo struct {
	Backend string
	Method  string
	URI     string
	Host    string
	Header  http.Header
	Body    string
}

// newBackend starts a backend on free ports.
func newBackend(t *testing.T, name string) *backend {
	t.Helper()
	return startBackend(t, name, listen(t, "127.0.0.1:0"), listen(t, "127.0.0.1:0"))
}

func startBackend(t *testing.T, name string, public, admin net.Listener) *backend {
	t.Helper()
	b := &backend{name: name}
	b.public = serve(t, public, b.servePublic)
	b.admin = serve(t, admin, b.serveAdmin)
	return b
}

func serve(t *testing.T, ln net.Listener, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := &httptest.Server{Listener: ln, Config: &http.Server{Handler: h}}
	srv.Start()
	t.Cleanup(srv.Close)
	return srv
}

func listen(t *testing.T, addr string) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

func (b *backend) addr() string { return b.public.Listener.Addr().String() }

func (b *backend) adminPort() string {
	_, port, _ := net.SplitHostPort(b.admin.Listener.Addr().String())
	return port
}

// servers returns backends in the form of GATEWAY_…_SERVERS.
func servers(backends ...*backend) string {
	var entries []string
	for _, b := range backends {
		entries = append(entries, b.addr()+"/"+b.adminPort())
	}
	return strings.Join(entries, ",")
}

func (b *backend) serveAdmin(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/healthz" {
		time.Sleep(time.Duration(b.healthzDelay.Load()))
		b.healthz.Add(1)
		return
	}
	if h := b.health.Load(); h != nil {
		(*h)(w, r)
		return
	}
	if r.URL.Path != "/readyz" {
		http.NotFound(w, r)
	}
}

func (b *backend) servePublic(w http.ResponseWriter, r *http.Request) {
	b.calls.Add(1)
	w.Header().Set("X-Backend", b.name)
	if r.URL.Path == loadedPath {
		http.NotFound(w, r)
		return
	}
	if status, asked := strings.CutPrefix(r.URL.Path, "/niedostepne/"); asked {
		seconds := "5"
		if strings.HasSuffix(status, "429") {
			seconds = "1"
		}
		w.Header().Set("Retry-After", seconds)
		_, _ = io.WriteString(w, b.name+" "+r.Method+" "+r.URL.Path+" for "+r.Header.Get("Accept"))
		return
	}
	if h := b.answer.Load(); h != nil {
		(*h)(w, r)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	got := echo{b.name, r.Method, r.RequestURI, r.Host, r.Header, string(body)}
	if err := json.NewEncoder(w).Encode(got); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// answerWith replaces the default response.
func (b *backend) answerWith(h http.HandlerFunc) { b.answer.Store(&h) }

// healthWith replaces the response of /readyz; nil restores it.
func (b *backend) healthWith(h http.HandlerFunc) {
	if h == nil {
		b.health.Store(nil)
		return
	}
	b.health.Store(&h)
}

func unready(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }

// cut closes the connection without a response.
func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// newGateway starts a gateway with one backend for each service. static contains pairs of
// old and new text in traefik.yml.
func newGateway(t *testing.T, static ...string) (p *process, directory, hardware *backend) {
	t.Helper()
	directory, hardware = newBackend(t, "directory"), newBackend(t, "hardware")
	p = startGateway(t, setup{directory: servers(directory), hardware: servers(hardware), static: static})
	return p, directory, hardware
}
