package harness

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

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

// Wait waits until the program ends by itself; it returns how.
func (p *Process) Wait() error { return p.Stop(0) }

// Terminate asks the program to end, which has to succeed.
func (p *Process) Terminate(t *testing.T) {
	t.Helper()
	if err := p.Stop(syscall.SIGTERM); err != nil {
		t.Errorf("%s after SIGTERM: %v", p.name, err)
	}
}

var inKilobytes = regexp.MustCompile(`(?m)^(Vm\w+):\s+([0-9]+) kB$`)

// Memory of the process in bytes: VmRSS is now, VmHWM the most so far.
func (p *Process) Memory(t *testing.T, name string) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid()))
	if err != nil {
		Unavailable(t, "there is no /proc, which tells the memory of a process")
	}
	for _, line := range inKilobytes.FindAllStringSubmatch(string(text), -1) {
		if line[1] == name {
			n, _ := strconv.Atoi(line[2]) // digits
			return n << 10
		}
	}
	t.Fatalf("no %s in\n%s", name, text)
	return 0
}

// Buffer collects what a program prints, of very much only the end.
type Buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const maxBuffer = 64 << 20

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.b.Len() > maxBuffer {
		b.b.Next(maxBuffer / 2)
	}
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
