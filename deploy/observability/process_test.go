package observability

import (
	"bytes"
	"fmt"
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

// patience bounds every wait for a program; only a failing test uses it up.
const patience = 20 * time.Second

// root is the repository, seen from this folder.
const root = "../.."

// start runs a program with env on top of a clean environment until the test ends.
func start(t *testing.T, dir string, env []string, bin string, args ...string) {
	t.Helper()
	var log buffer
	cmd := exec.Command(bin, args...) // #nosec G204 -- a program of this repository
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &log, &log
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	if err := cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", bin, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGKILL) // it may have ended by itself
		_ = cmd.Wait()                          // killed
		if t.Failed() {
			t.Logf("log of %s:\n%s", filepath.Base(bin), log.tail())
		}
	})
}

// built returns the absolute path of a program that `make build` has made.
func built(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		unavailable(t, "bin/"+name+" is not built; run make build")
	}
	return path
}

// service is where a program listens.
type service struct{ addr, admin string }

// server writes the service the way GATEWAY_…_SERVERS takes it.
func (s service) server() string { return s.addr + "/" + s.admin[strings.LastIndex(s.admin, ":")+1:] }

// startService runs the hardware or the directory service with further settings,
// and waits until it is ready.
func startService(t *testing.T, name string, env ...string) service {
	t.Helper()
	s, prefix := service{freeAddr(t), freeAddr(t)}, strings.ToUpper(name)
	start(t, t.TempDir(), append(env, prefix+"_ADDR="+s.addr, prefix+"_ADMIN_ADDR="+s.admin), built(t, name))
	eventually(t, name+" is ready", func() bool { return status("http://"+s.admin+"/readyz") == http.StatusOK })
	return s
}

// startGateway runs the gateway with the repository's own configuration, with
// other addresses and more at its end.
func startGateway(t *testing.T, directory, hardware, more string) service {
	t.Helper()
	s := service{freeAddr(t), freeAddr(t)}
	static := strings.NewReplacer(`":8080"`, `"`+s.addr+`"`, `"127.0.0.1:9080"`, `"`+s.admin+`"`).Replace(read(t, "gateway/traefik.yml"))
	config := filepath.Join(t.TempDir(), "traefik.yml")
	if err := os.WriteFile(config, []byte(static+more), 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, filepath.Join(root, "gateway"), []string{
		"GATEWAY_DIRECTORY_SERVERS=" + directory, "GATEWAY_HARDWARE_SERVERS=" + hardware, "OTEL_BSP_SCHEDULE_DELAY=100",
	}, built(t, "gateway"), "--configFile="+config)
	return s
}

// read returns a file of the repository.
func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// freeAddr returns a loopback address that nobody listens on.
func freeAddr(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	return listener.Addr().String()
}

// status asks for url and returns the status, 0 when there is no answer.
func status(url string) int {
	response, err := http.Get(url) // #nosec G107 -- an address of this test's own programs
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// body asks for url, which must answer 200.
func body(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url) // #nosec G107 -- an address of this test's own programs
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d", response.StatusCode)
	}
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return string(content)
}

// eventually asks until what holds, every 50 ms.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// buffer collects what a program prints.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// tail returns the last lines.
func (b *buffer) tail() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(b.b.String()), "\n")
	return strings.Join(lines[max(len(lines)-10, 0):], "\n")
}
