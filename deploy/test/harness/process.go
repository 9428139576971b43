package harness

import (
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Process is a running program.
type Process struct {
	name string
	cmd  *exec.Cmd
	Log  Buffer
	once sync.Once
}

// Start runs a program with env on top of a clean environment until the test ends.
func Start(t *testing.T, name, dir string, env []string, program string, args ...string) *Process {
	t.Helper()
	return start(t, name, dir, env, exec.Command(program, args...)) // #nosec G204 -- the programs of the tests
}

func start(t *testing.T, name, dir string, env []string, command *exec.Cmd) *Process {
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

// Run runs a command, which has to succeed, and returns what it prints.
func Run(t *testing.T, command *exec.Cmd) string {
	t.Helper()
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command.Args, " "), err, out)
	}
	return string(out)
}

// Signal sends a signal and does not wait.
func (p *Process) Signal(signal syscall.Signal) error { return p.cmd.Process.Signal(signal) }

// Stop sends the signal once, waits for the process and returns how it ended.
func (p *Process) Stop(signal syscall.Signal) (err error) {
	p.once.Do(func() {
		_ = p.cmd.Process.Signal(signal) // it may have ended already
		err = p.cmd.Wait()
	})
	return err
}

// Wait waits until the program ends by itself and returns how it ended.
func (p *Process) Wait() error { return p.Stop(0) }

// Kill ends the process at once.
func (p *Process) Kill() { _ = p.Stop(syscall.SIGKILL) }

// Freeze stops the process without ending it. Its connections stay open and silent.
func (p *Process) Freeze() { _ = p.Signal(syscall.SIGSTOP) }

// Thaw continues a frozen process.
func (p *Process) Thaw() { _ = p.Signal(syscall.SIGCONT) }

// Terminate sends SIGTERM. The program has to end with status 0.
func (p *Process) Terminate(t *testing.T) {
	t.Helper()
	if err := p.Stop(syscall.SIGTERM); err != nil {
		t.Errorf("%s after SIGTERM: %v", p.name, err)
	}
}

// Buffer collects the output of a program. It drops the oldest part of a very long one.
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

// Patience bounds every wait for a program. Only a failing test uses it up.
const Patience = 20 * time.Second

var (
	portMu   sync.Mutex
	portNext int
)

// FreeAddr returns an unused address (host:port) of the loopback interface. Its port is
// below the range from which the kernel takes ports for outgoing connections.
func FreeAddr(t *testing.T) string {
	t.Helper()
	portMu.Lock()
	defer portMu.Unlock()
	for range 2000 {
		portNext++
		addr := "127.0.0.1:" + strconv.Itoa(20000+(os.Getpid()*37+portNext)%10000)
		if listener, err := net.Listen("tcp", addr); err == nil {
			if err := listener.Close(); err != nil {
				t.Fatal(err)
			}
			return addr
		}
	}
	t.Fatal("no free port")
	return ""
}

// Port returns the port of an address.
func Port(addr string) string {
	_, port, _ := net.SplitHostPort(addr) // made by FreeAddr
	return port
}

// Healthy waits until url responds with 200.
func Healthy(t *testing.T, url string) {
	t.Helper()
	Eventually(t, url+" responds with 200", func() bool {
		return CheckOK(Send(t.Context(), Client(), http.MethodGet, url, nil)) == nil
	})
}

// Eventually checks every 50 ms until a condition holds.
func Eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	EventuallyWithin(t, Patience, what, holds)
}

// EventuallyWithin is Eventually for what may take longer.
func EventuallyWithin(t *testing.T, patience time.Duration, what string, holds func() bool) {
	t.Helper()
	for begun := time.Now(); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// Listens reports whether a program listens on an address.
func Listens(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// AwaitListener waits until a program listens on an address.
func AwaitListener(t *testing.T, addr string) {
	t.Helper()
	Eventually(t, "a program listens on "+addr, func() bool { return Listens(addr) })
}

// Path returns the absolute path of a file or folder in the repository.
func Path(t *testing.T, elements ...string) string {
	t.Helper()
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(root, "go.work")); err == nil {
			return filepath.Join(append([]string{root}, elements...)...)
		}
		parent := filepath.Dir(root)
		if parent == root {
			t.Fatal("no folder above has a go.work")
		}
		root = parent
	}
}

// ReadFile returns the content of a file.
func ReadFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path) // #nosec G304 -- named by the tests
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// WriteFile writes a file, and creates its folder if it does not exist.
func WriteFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Commands returns the block of commands in a README that begins with the given words.
func Commands(t *testing.T, readme, beginning string) string {
	t.Helper()
	block := regexp.MustCompile("(?s)```sh\n(" + regexp.QuoteMeta(beginning) + ".*?)```").
		FindStringSubmatch(ReadFile(t, readme))
	if block == nil {
		t.Fatalf("%s has no commands that begin with %s", readme, beginning)
	}
	return block[1]
}

// Built returns the path of a program of `make build`.
func Built(t *testing.T, program string) string {
	t.Helper()
	path := Path(t, "bin", program)
	if _, err := os.Stat(path); err != nil {
		Unavailable(t, "bin/"+program+" is not built; run make build")
	}
	return path
}

// Installed returns the path of a program of this machine. Debian keeps some where only
// root's PATH looks, and those of PostgreSQL in a folder of their version.
func Installed(t *testing.T, program string) string {
	t.Helper()
	versions, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program) // the pattern is valid
	slices.Reverse(versions)
	for _, candidate := range append([]string{program, "/usr/sbin/" + program}, versions...) {
		if path, err := exec.LookPath(candidate); err == nil {
			return path
		}
	}
	Unavailable(t, program+" is not installed")
	return ""
}

// Unavailable skips the test, or fails it if REQUIRE_SERVICES=1.
func Unavailable(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("REQUIRE_SERVICES") == "1" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}
