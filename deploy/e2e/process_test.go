package e2e

import (
	"bytes"
	"context"
	"errors"
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

// process is a running program.
type process struct {
	name string
	cmd  *exec.Cmd
	log  lockedBuffer
	once sync.Once
}

// start runs bin with env on top of a clean environment until the test ends.
func start(t *testing.T, name, dir string, env []string, bin string, args ...string) *process {
	t.Helper()
	p := &process{name: name, cmd: exec.Command(bin, args...)}
	p.cmd.Dir = dir
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.log, &p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	t.Cleanup(func() {
		p.stop(syscall.SIGKILL)
		if t.Failed() {
			t.Logf("log of %s:\n%s", name, p.log.tail())
		}
	})
	return p
}

// stop sends the signal once and waits for the end; it returns how the program
// ended.
func (p *process) stop(signal syscall.Signal) (err error) {
	p.once.Do(func() {
		_ = p.cmd.Process.Signal(signal) // it may have ended by itself
		err = p.cmd.Wait()
	})
	return err
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

// unavailable skips the test, or fails it where nothing may be skipped.
func unavailable(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// freePort returns a port of the loopback interface that nobody listens on. It
// lies below the range from which the kernel takes ports for outgoing calls.
func freePort(t *testing.T) string {
	t.Helper()
	portMu.Lock()
	defer portMu.Unlock()
	for range 2000 {
		portNext++
		port := 20000 + (os.Getpid()*37+portNext)%10000
		listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
		if err != nil {
			continue
		}
		if err := listener.Close(); err != nil {
			t.Fatal(err)
		}
		_, text, _ := net.SplitHostPort(listener.Addr().String())
		return text
	}
	t.Fatal("no free port")
	return ""
}

var (
	portMu   sync.Mutex
	portNext int
)

// healthy waits until url answers 200.
func healthy(t *testing.T, url string) {
	t.Helper()
	eventually(t, url+" answers 200", func(ctx context.Context) bool {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

// eventually asks until what holds, every 50 ms.
func eventually(t *testing.T, what string, holds func(context.Context) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !holds(ctx) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
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

// tail returns the last lines.
func (b *lockedBuffer) tail() string {
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	return strings.Join(lines[max(len(lines)-10, 0):], "\n")
}

// exitedCleanly tells an end by the program's own will from one by a signal.
func exitedCleanly(err error) bool {
	var exit *exec.ExitError
	return err == nil || errors.As(err, &exit) && exit.Exited() && exit.ExitCode() == 0
}
