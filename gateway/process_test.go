package gateway

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
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
	directory string // GATEWAY_DIRECTORY_SERVERS
	hardware  string // GATEWAY_HARDWARE_SERVERS
	// static contains pairs of old and new text in traefik.yml.
	static []string
	env    []string // further variables
}

// startGateway runs the gateway until the test ends. It returns when the routes are loaded,
// and fails the test if Traefik rejects them.
func startGateway(t *testing.T, s setup) *process {
	t.Helper()
	bin, web, internal := binary(t), freeAddr(t), freeAddr(t)
	p := &process{web: "http://" + web, internal: "http://" + internal, client: newClient(t, nil), log: &buffer{}}
	cmd := exec.Command(bin, "--configFile="+staticFile(t, web, internal, s.static))
	cmd.Env = append(append(os.Environ(), "GATEWAY_DIRECTORY_SERVERS="+s.directory, "GATEWAY_HARDWARE_SERVERS="+s.hardware), s.env...)
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
const loadedPath = "/loaded"

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

// staticFile writes traefik.yml with other addresses, the full path of dynamic/
// and the given replacements, and returns its path.
func staticFile(t *testing.T, web, internal string, pairs []string) string {
	t.Helper()
	text, err := os.ReadFile("traefik.yml")
	if err != nil {
		t.Fatal(err)
	}
	dynamic, err := filepath.Abs("dynamic")
	if err != nil {
		t.Fatal(err)
	}
	pairs = append(pairs,
		"addServicesLabels: false", "addServicesLabels: true", // tests wait for the metrics of servers
		`address: ":8080"`, `address: "`+web+`"`,
		`address: "127.0.0.1:9080"`, `address: "`+internal+`"`,
		"directory: dynamic", "directory: "+dynamic)
	config := string(text)
	for i := 0; i < len(pairs); i += 2 {
		if strings.Count(config, pairs[i]) != 1 {
			t.Fatalf("traefik.yml does not contain %q exactly once", pairs[i])
		}
		config = strings.Replace(config, pairs[i], pairs[i+1], 1)
	}
	path := filepath.Join(t.TempDir(), "traefik.yml")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
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
