package browser

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait; only a failing test uses it up.
const patience = 30 * time.Second

// root is the repository, seen from this folder.
const root = "../.."

// stack is everything, as `make run` starts it.
type stack struct {
	url     string // of the gateway
	sandbox string // the control address
}

// newStack runs deploy/dev/run.sh on free ports until the test ends, with further
// settings of the services.
func newStack(t *testing.T, settings ...string) stack {
	t.Helper()
	for _, name := range []string{"directory", "hardware", "sandbox", "gateway"} {
		if _, err := os.Stat(filepath.Join(root, "bin", name)); err != nil {
			unavailable(t, "bin/"+name+" is not built; run make build")
		}
	}
	port, control := freePort(t), freePort(t)
	env := append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "RUN_DIR=" + t.TempDir(), "HTTP_PORT=" + port,
		"GATEWAY_INTERNAL_ADDR=127.0.0.1:" + freePort(t), "SANDBOX_CONTROL_ADDR=127.0.0.1:" + control,
	}, settings...)
	for _, name := range []string{
		"DIRECTORY_ADDR", "DIRECTORY_ADMIN_ADDR", "HARDWARE_ADDR", "HARDWARE_ADMIN_ADDR",
		"SANDBOX_BENCHMARK_ADDR", "SANDBOX_AGGREGATOR_ADDR",
		"SANDBOX_SEARCH_ADDR", "SANDBOX_PLACES_ADDR", "SANDBOX_SOCIAL_ADDR",
	} {
		env = append(env, name+"=127.0.0.1:"+freePort(t))
	}
	runScript(t, env)
	return stack{url: "http://localhost:" + port, sandbox: "http://127.0.0.1:" + control}
}

// runScript starts the script and waits until it says that everything runs.
func runScript(t *testing.T, env []string) {
	t.Helper()
	var log lockedBuffer
	cmd := exec.Command(filepath.Join(root, "deploy", "dev", "run.sh"))
	cmd.Env, cmd.Stdout, cmd.Stderr = env, &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT) // it may have ended by itself
		<-ended
	})
	deadline := time.After(patience)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(log.String(), "Ctrl-C stops everything") {
		select {
		case <-tick.C:
		case err := <-ended:
			ended <- err
			t.Fatalf("run.sh ended: %v\n%s", err, log.String())
		case <-deadline:
			t.Fatalf("run.sh is not ready within %s\n%s", patience, log.String())
		}
	}
}

// fault makes a site of the sandbox misbehave; an empty body ends it.
func (s stack) fault(t *testing.T, site, body string) {
	t.Helper()
	method := http.MethodPut
	if body == "" {
		method = http.MethodDelete
	}
	ask(t, method, s.sandbox+"/faults/"+site, body)
}

func ask(t *testing.T, method, address, body string) (status int, content string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	all, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(all)
}

// freePort returns a port of the loopback interface that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// unavailable skips the test, or fails it where nothing may be skipped.
func unavailable(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// lockedBuffer collects what a program prints.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
