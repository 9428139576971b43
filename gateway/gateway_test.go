// Package gateway pins and configures Traefik, the one public entrance of the
// system, and holds the tests of that configuration.
//
// It owns traefik.yml, dynamic/ and the version in go.mod. It holds no code that
// runs in the path of a request: the tests start the real Traefik binary with
// the files of this folder in front of stub backends. What the services answer
// is tested by the services; the system as a whole in deploy/test/e2e.
package gateway

import (
	"bufio"
	"crypto/sha256"
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
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const patience = 10 * time.Second

type gateway struct {
	web     string // base URL of the public address
	client  *http.Client
	logFile string
	pid     int
}

// start runs the gateway, with further settings, until the test ends. It returns when the
// routes are loaded, and fails the test if Traefik rejects them.
func start(t *testing.T, directory, hardware string, env ...string) *gateway {
	t.Helper()
	t.Parallel()
	web := freeAddr(t)
	p := &gateway{web: "http://" + web, client: newClient(t, nil),
		logFile: filepath.Join(t.TempDir(), "log")}
	if strings.Contains(strings.Join(env, " "), "GATEWAY_TLS=") {
		p.web = "https://" + web
	}
	cmd := exec.CommandContext(t.Context(), "./start.sh", binary(t), filepath.Join(t.TempDir(), "traefik.yml"))
	cmd.Env = append(os.Environ(), "GATEWAY_ADDR="+web, "GATEWAY_INTERNAL_ADDR="+freeAddr(t),
		"GATEWAY_DIRECTORY_SERVERS="+directory, "GATEWAY_HARDWARE_SERVERS="+hardware)
	cmd.Env = append(cmd.Env, env...)
	log, err := os.Create(p.logFile)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.pid = cmd.Process.Pid
	t.Cleanup(func() {
		_ = cmd.Wait() // the end of the test's context has killed it
		log.Close()
		if t.Failed() {
			t.Logf("log of the gateway:\n%s", p.log())
		}
	})
	eventually(t, "the gateway loads its routes", func() bool {
		resp, err := p.client.Get(p.web + "/api/loaded")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.Header.Get("X-Backend") != ""
	})
	if strings.Contains(p.log(), `"level":"error"`) {
		t.Fatal("the gateway does not accept its configuration")
	}
	return p
}

func startWithServices(t *testing.T, env ...string) (p *gateway, directory, hardware *backend) {
	t.Helper()
	directory, hardware = newBackend(t, "directory"), newBackend(t, "hardware")
	return start(t, servers(directory), servers(hardware), env...), directory, hardware
}

func binary(t *testing.T) string {
	t.Helper()
	const path = "../bin/gateway"
	_, err := os.Stat(path)
	switch {
	case err != nil && os.Getenv("REQUIRE_SERVICES") == "1":
		t.Fatal(err)
	case err != nil:
		t.Skipf("%v: run gateway/binary.sh", err)
	}
	return path
}

var ports atomic.Int64

// freeAddr returns a free loopback address. Its port is below the kernel's range of ports for
// outgoing connections.
func freeAddr(t *testing.T) string {
	t.Helper()
	for {
		addr := fmt.Sprintf("127.0.0.1:%d", 15000+(os.Getpid()*37+int(ports.Add(1)))%5000)
		if ln, err := net.Listen("tcp", addr); err == nil {
			ln.Close()
			return addr
		}
	}
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

func (p *gateway) log() string {
	content, _ := os.ReadFile(p.logFile) // it exists since the start
	return string(content)
}

// newClient returns a client without redirects and compression, with a source address unless it
// is nil.
func newClient(t *testing.T, from net.IP) *http.Client {
	t.Helper()
	transport := &http.Transport{
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true}, // #nosec G402 -- the certificate of a test
		DisableCompression: true,
	}
	transport.DialContext = (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).DialContext
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport: transport, Timeout: patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type answer struct {
	status int
	header http.Header
	body   string
}

// get sends a GET request. header contains names and values in turn.
func (p *gateway) get(t *testing.T, target string, header ...string) answer {
	t.Helper()
	return sendAs(t, p.client, http.MethodGet, p.web+target, "", header...)
}

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
		t.Fatal(err)
	}
	return read(resp)
}

func read(resp *http.Response) answer {
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// dial opens a connection for requests that net/http would not send.
func (p *gateway) dial(t *testing.T) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.web, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(2 * patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// raw sends a GET request with an unmodified target and headers.
func (p *gateway) raw(t *testing.T, target, headers string) answer {
	t.Helper()
	return p.talk(t, "GET "+target+" HTTP/1.1\r\nHost: gateway\r\n"+headers+"\r\n")
}

// talk sends bytes and reads one response. Status 0 is a closed connection.
func (p *gateway) talk(t *testing.T, request string) answer {
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
	return read(resp)
}

// backend is a fake server of a service. By default it is ready, and returns the request as an echo.
type backend struct {
	name          string
	public, admin *httptest.Server
	calls         atomic.Int64                     // requests on the public port
	unready       atomic.Bool                      // whether its health check fails
	answer        atomic.Pointer[http.HandlerFunc] // instead of the echo, if set
}

type echo struct {
	Backend, Method, URI, Host string
	Header                     http.Header
	Body                       string
}

func newBackend(t *testing.T, name string) *backend {
	t.Helper()
	b := &backend{name: name}
	b.public = httptest.NewServer(http.HandlerFunc(b.servePublic))
	// Without its database the directory service is ready to answer.
	b.admin = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.unready.Load() || r.RequestURI != "/readyz?exclude=database" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(b.public.Close)
	t.Cleanup(b.admin.Close)
	return b
}

// servers returns the value of GATEWAY_*_SERVERS: host:port/admin port, separated by commas.
func servers(backends ...*backend) string {
	var entries []string
	for _, b := range backends {
		_, port, _ := net.SplitHostPort(b.admin.Listener.Addr().String())
		entries = append(entries, b.public.Listener.Addr().String()+"/"+port)
	}
	return strings.Join(entries, ",")
}

func (b *backend) servePublic(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Backend", b.name)
	if r.URL.Path == "/api/loaded" {
		return
	}
	b.calls.Add(1)
	if h := b.answer.Load(); h != nil {
		(*h)(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.NewEncoder(w).Encode(echo{b.name, r.Method, r.RequestURI, r.Host, r.Header, string(body)})
}

func (b *backend) answerWith(h http.HandlerFunc) { b.answer.Store(&h) }

func (a answer) echoed(t *testing.T) echo {
	t.Helper()
	var e echo
	if err := json.Unmarshal([]byte(a.body), &e); err != nil {
		t.Fatalf("status %d, not an echo: %q", a.status, a.body)
	}
	return e
}

func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// binary.sh uses a program on the PATH of the pinned minor version, or the official
// archive if its checksum is the pinned one. Otherwise it would build the source, which --no-source forbids.
func TestBinaryIsPinned(t *testing.T) {
	t.Parallel()
	const program = "#!/bin/sh\necho 'Version:      %s'\n"
	write := func(path, text string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o700); err != nil { // #nosec G306 -- scripts and programs
			t.Fatal(err)
		}
	}
	packed := t.TempDir()
	write(filepath.Join(packed, "traefik"), fmt.Sprintf(program, "3.7.12"))
	archive, err := exec.CommandContext(t.Context(), "tar", "-C", packed, "-czf", "-", "traefik").Output()
	if err != nil {
		t.Fatal(err)
	}
	releases := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(archive)
	}))
	t.Cleanup(releases.Close)
	sum := fmt.Sprintf("%x", sha256.Sum256(archive))
	wrong := strings.Repeat("0", 64)
	for name, test := range map[string]struct {
		onPath    string // version of the program on the PATH
		sum       string // pinned checksum of the archive
		releases  string // URL of the archives
		says      string // in the output
		installed bool
	}{
		"on the path":      {"3.7.2", wrong, "http://127.0.0.1:1", "using", true},
		"another minor":    {"3.6.15", wrong, "http://127.0.0.1:1", "not v3.7", false},
		"archive":          {"", sum, releases.URL, "from the official archive", true},
		"wrong sum":        {"", wrong, releases.URL, "WRONG SUM", false},
		"no network":       {"", sum, "http://127.0.0.1:1", "cannot be had", false},
		"another platform": {"", "", releases.URL, "no sum is known", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "gateway")
			for _, file := range []string{"binary.sh", "go.mod", "go.sum"} {
				text, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				write(filepath.Join(folder, file), string(text))
			}
			write(filepath.Join(folder, "traefik.sha256"), test.sum+"  traefik_v3.7.12_linux_amd64.tar.gz\n")
			tools := filepath.Join(folder, "tools")
			write(filepath.Join(tools, "traefik"), fmt.Sprintf(program, test.onPath))
			cmd := exec.CommandContext(t.Context(), filepath.Join(folder, "binary.sh"), "--no-source")
			cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "TRAEFIK_RELEASES="+test.releases,
				"PATH="+tools+":"+os.Getenv("PATH"))
			if name == "another platform" {
				cmd.Env = append(cmd.Env, "GOARCH=riscv64")
			}
			out, err := cmd.CombinedOutput()
			if succeeded := err == nil; succeeded != test.installed {
				t.Errorf("binary.sh succeeds: %t, want %t: %v", succeeded, test.installed, err)
			}
			if !strings.Contains(string(out), test.says) {
				t.Errorf("binary.sh prints\n%s\nwant %q in it", out, test.says)
			}
			_, err = os.Stat(filepath.Join(folder, "..", "bin", "gateway"))
			if exists := err == nil; exists != test.installed {
				t.Errorf("bin/gateway exists: %t, want %t", exists, test.installed)
			}
		})
	}
}
