package gateway

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience limits every wait for another process. Only failing tests wait so long.
const patience = 10 * time.Second

// process is a running Traefik with the files of this folder.
type process struct {
	web      string // base URL of the public entry point
	internal string // base URL of the entry point of /ping and /metrics
	client   *http.Client
	log      *buffer
}

// setup configures the gateway of a test.
type setup struct {
	directory string   // GATEWAY_DIRECTORY_SERVERS
	hardware  string   // GATEWAY_HARDWARE_SERVERS
	static    []string // pairs of old and new text in traefik.yml
	env       []string // further variables
}

// startGateway runs the gateway until the test ends. It returns when the routes are loaded,
// and fails the test if Traefik rejects them.
func startGateway(t *testing.T, s setup) *process {
	t.Helper()
	bin := binary(t)
	web := freeAddr(t)
	internal := freeAddr(t)
	scheme := "http://"
	if slices.Contains(s.env, "GATEWAY_TLS=certificate") {
		scheme = "https://"
	}
	p := &process{web: scheme + web, internal: "http://" + internal, client: newClient(t, nil), log: &buffer{}}
	folder := configuration(t, s.static)
	cmd := exec.Command(filepath.Join(folder, "start.sh"), bin, filepath.Join(folder, "started.yml"))
	cmd.Env = append(os.Environ(), "GATEWAY_ADDR="+web, "GATEWAY_INTERNAL_ADDR="+internal,
		"GATEWAY_DIRECTORY_SERVERS="+s.directory, "GATEWAY_HARDWARE_SERVERS="+s.hardware)
	cmd.Env = append(cmd.Env, s.env...)
	cmd.Stdout, cmd.Stderr = p.log, p.log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", bin, err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // killed, or its log says why
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // fails if it has ended
		<-ended
		if t.Failed() {
			t.Logf("log of the gateway:\n%s", p.log)
		}
	})
	eventually(t, "the gateway loads its routes", func() bool { return routed(t, p) })
	if log := p.log.String(); strings.Contains(log, `"level":"error"`) {
		t.Fatal("the gateway does not accept its configuration")
	}
	return p
}

// loadedPath matches only the last router. Backends return 404, which the access log
// contains.
const loadedPath = "/api/loaded"

// routed reports whether the process uses its last router, according to its own log.
func routed(t *testing.T, p *process) bool {
	t.Helper()
	resp, err := p.client.Get(p.web + loadedPath)
	if err != nil {
		return false
	}
	resp.Body.Close()
	return logged(t, p, "hardware-other@file") != nil
}

// binary returns the path of the Traefik under test: GATEWAY_BIN or the result of
// binary.sh.
func binary(t *testing.T) string {
	t.Helper()
	bin := os.Getenv("GATEWAY_BIN")
	if bin == "" {
		bin = filepath.Join("..", "bin", "gateway")
	}
	bin, err := filepath.Abs(bin)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(bin); err != nil {
		unavailable(t, "no gateway binary (%v): run gateway/binary.sh or set GATEWAY_BIN", err)
	}
	return bin
}

// unavailable skips the test, or fails it if REQUIRE_SERVICES forbids that.
func unavailable(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// configuration copies the files of this folder, with replacements in traefik.yml.
func configuration(t *testing.T, pairs []string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	if err := os.CopyFS(filepath.Join(folder, "dynamic"), os.DirFS("dynamic")); err != nil {
		t.Fatal(err)
	}
	// tests wait for the metrics of servers
	pairs = append(pairs, "addServicesLabels: false", "addServicesLabels: true")
	for _, name := range []string{"traefik.yml", "start.sh"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if name == "traefik.yml" {
			text = []byte(strings.NewReplacer(pairs...).Replace(string(text)))
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o700); err != nil { // #nosec G306 -- a script
			t.Fatal(err)
		}
	}
	return folder
}

// freeAddr returns a free loopback address. Its port is below the kernel's range of ports for
// outgoing connections.
func freeAddr(t *testing.T) string {
	t.Helper()
	for range 1000 {
		addr := fmt.Sprintf("127.0.0.1:%d", 15000+(os.Getpid()*37+int(lastPort.Add(1)))%5000)
		if ln, err := net.Listen("tcp", addr); err == nil {
			ln.Close()
			return addr
		}
	}
	t.Fatal("no free port")
	return ""
}

var lastPort atomic.Int64

// eventually polls until the condition is true.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !condition() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// buffer collects the output of the gateway.
type buffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// newClient returns a client without redirects and compression, with the given source
// address if it is not nil.
func newClient(t *testing.T, from net.IP) *http.Client {
	t.Helper()
	dialer := net.Dialer{}
	if from != nil {
		dialer.LocalAddr = &net.TCPAddr{IP: from}
	}
	transport := &http.Transport{
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true}, // #nosec G402 -- the certificate of a test
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, addr)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// answer is a complete response.
type answer struct {
	status int
	header http.Header
	body   string
}

// send sends a request with the client of p.
func (p *process) send(t *testing.T, method, target, body string, header ...string) answer {
	t.Helper()
	return sendAs(t, p.client, method, p.web+target, body, header...)
}

// get sends a GET request.
func (p *process) get(t *testing.T, target string, header ...string) answer {
	t.Helper()
	return p.send(t, http.MethodGet, target, "", header...)
}

// sendAs sends a request and reads the response. header contains names and values in turn.
func sendAs(t *testing.T, client *http.Client, method, url, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s %s: read the answer: %v", method, url, err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// echoed returns what the backend received.
func (a answer) echoed(t *testing.T) echo {
	t.Helper()
	var e echo
	if err := json.Unmarshal([]byte(a.body), &e); err != nil {
		t.Fatalf("status %d, not an echo: %q", a.status, a.body)
	}
	return e
}

// dial opens a connection for requests that net/http would not send.
func (p *process) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.web, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// talk sends bytes and reads one response. Status 0 is a closed connection.
func (p *process) talk(t *testing.T, request string) answer {
	t.Helper()
	conn := p.dial(t)
	if _, err := io.WriteString(conn, request); err != nil {
		return answer{}
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("no answer to %.80q", request)
	}
	if err != nil {
		return answer{}
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body) // what there is of it
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// raw sends a request with an unmodified target and requires a response.
func (p *process) raw(t *testing.T, target string) answer {
	t.Helper()
	got := p.talk(t, "GET "+target+" HTTP/1.1\r\nHost: gateway\r\n\r\n")
	if got.status == 0 {
		t.Fatalf("%q: the connection was closed without an answer", target)
	}
	return got
}

// backend is a fake server of a service. By default it is ready and returns what it received.
type backend struct {
	name   string
	public *httptest.Server
	admin  *httptest.Server

	calls atomic.Int64 // requests on the public port

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
	b := &backend{name: name}
	b.public = serve(t, b.servePublic)
	b.admin = serve(t, b.serveAdmin)
	return b
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv
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
	if h := b.health.Load(); h != nil {
		(*h)(w, r)
		return
	}
	if r.URL.Path != "/readyz" {
		http.NotFound(w, r)
	}
}

func (b *backend) servePublic(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Backend", b.name)
	if r.URL.Path == loadedPath {
		http.NotFound(w, r)
		return
	}
	b.calls.Add(1)
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
