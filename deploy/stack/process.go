package stack

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// Root is the repository, seen from the folder of a test.
const Root = "../.."

// Process is a running program.
type Process struct {
	name string
	cmd  *exec.Cmd
	Log  Buffer
	once sync.Once
}

// Start runs bin with env on top of a clean environment until the test ends.
func Start(t *testing.T, name, dir string, env []string, bin string, args ...string) *Process {
	t.Helper()
	return run(t, name, dir, env, exec.Command(bin, args...)) // #nosec G204 -- the programs of the tests
}

func run(t *testing.T, name, dir string, env []string, command *exec.Cmd) *Process {
	t.Helper()
	p := &Process{name: name, cmd: command}
	p.cmd.Dir = dir
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.Log, &p.Log
	if err := p.cmd.Start(); err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	t.Cleanup(func() {
		_ = p.Stop(syscall.SIGKILL)
		if t.Failed() {
			t.Logf("log of %s:\n%s", name, p.Log.tail())
		}
	})
	return p
}

// Pid is the number of the process.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Stop sends the signal once and waits for the end; it returns how the program
// ended.
func (p *Process) Stop(signal syscall.Signal) (err error) {
	p.once.Do(func() {
		_ = p.cmd.Process.Signal(signal) // it may have ended by itself
		err = p.cmd.Wait()
	})
	return err
}

// Built returns the absolute path of a program that `make build` has made.
func Built(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(Root, "bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		Unavailable(t, "bin/"+name+" is not built; run make build")
	}
	return path
}

// Unavailable skips the test, or fails it where nothing may be skipped.
func Unavailable(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// Buffer collects what a program prints.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// tail returns the last lines.
func (b *Buffer) tail() string {
	lines := strings.Split(strings.TrimSpace(b.String()), "\n")
	return strings.Join(lines[max(len(lines)-10, 0):], "\n")
}

// ExitedCleanly tells an end by the program's own will from one by a signal.
func ExitedCleanly(err error) bool {
	var exit *exec.ExitError
	return err == nil || errors.As(err, &exit) && exit.Exited() && exit.ExitCode() == 0
}
