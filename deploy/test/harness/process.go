package harness

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Process is a running program.
type Process struct {
	Log Buffer

	cmd  *exec.Cmd
	once sync.Once
}

// Start runs a program with a clean environment and env until the test ends.
func Start(t *testing.T, dir string, env []string, program string, args ...string) *Process {
	t.Helper()
	p, err := launch(dir, append(env, "HOME="+t.TempDir()), program, args...)
	if err != nil {
		t.Fatal(err)
	}
	return p.until(t)
}

func launch(dir string, env []string, program string, args ...string) (*Process, error) {
	p := &Process{cmd: exec.Command(program, args...)} // #nosec G204 -- the programs of the tests
	p.cmd.Dir, p.cmd.Env = dir, append([]string{"PATH=" + os.Getenv("PATH")}, env...)
	p.cmd.Stdout, p.cmd.Stderr = &p.Log, &p.Log
	return p, p.cmd.Start()
}

// until kills the process when the test ends, and logs its last lines if the test failed.
func (p *Process) until(t *testing.T) *Process {
	t.Cleanup(func() {
		p.Kill()
		if t.Failed() {
			lines := strings.Split(strings.TrimSpace(p.Log.String()), "\n")
			t.Logf("log of %s:\n%s", p.cmd.Path, strings.Join(lines[max(len(lines)-10, 0):], "\n"))
		}
	})
	return p
}

// Stop sends a signal, unless it is 0, and returns how the process ended. Only the first call does something.
func (p *Process) Stop(signal syscall.Signal) (err error) {
	p.once.Do(func() {
		_ = p.cmd.Process.Signal(signal) // the process may have ended already
		err = p.cmd.Wait()
	})
	return err
}

// Kill ends the process at once.
func (p *Process) Kill() { _ = p.Stop(syscall.SIGKILL) }

// Freeze stops the process. Its connections stay open and silent.
func (p *Process) Freeze() { _ = p.cmd.Process.Signal(syscall.SIGSTOP) }

// Thaw continues a frozen process.
func (p *Process) Thaw() { _ = p.cmd.Process.Signal(syscall.SIGCONT) }

// Terminate sends SIGTERM. The program has to end with status 0.
func (p *Process) Terminate(t *testing.T) {
	t.Helper()
	if err := p.Stop(syscall.SIGTERM); err != nil {
		t.Errorf("%s after SIGTERM: %v", p.cmd.Path, err)
	}
}

// Run returns what a command prints, which has to succeed.
func Run(t *testing.T, command *exec.Cmd) string {
	t.Helper()
	out, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(command.Args, " "), err, out)
	}
	return string(out)
}

// Buffer collects text, such as the output of a program.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

var ports atomic.Int64

// FreeAddr returns an unused loopback address, whose port is below the kernel's range for outgoing connections.
func FreeAddr() string {
	for {
		// 20000 to 29999; test programs that run side by side begin at different ports.
		addr := fmt.Sprintf("127.0.0.1:%d", 20000+(int64(os.Getpid())*37+ports.Add(1))%10000)
		listener, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		_ = listener.Close() // nothing has used it
		return addr
	}
}

// Port returns the port of an address of FreeAddr.
func Port(addr string) string { return addr[strings.LastIndex(addr, ":")+1:] }

// Healthy waits until url responds with 200.
func Healthy(t *testing.T, url string) {
	t.Helper()
	Eventually(t, url+" responds with 200", func() bool {
		return CheckOK(Send(t.Context(), Client(), http.MethodGet, url, nil)) == nil
	})
}

const patience = 20 * time.Second // for a program; only a failing test uses it up

// Eventually is EventuallyWithin 20 s.
func Eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	EventuallyWithin(t, patience, what, holds)
}

// EventuallyWithin waits until a condition holds.
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

// Path returns the absolute path of a file or folder in the repository.
func Path(elements ...string) string {
	folder, _ := os.Getwd() // of a test below deploy
	for filepath.Base(folder) != "deploy" && folder != "/" {
		folder = filepath.Dir(folder)
	}
	return filepath.Join(append([]string{filepath.Dir(folder)}, elements...)...)
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

// Commands returns the commands in a README that begin with the given words.
func Commands(t *testing.T, readme, beginning string) string {
	t.Helper()
	return Example(t, readme, "sh", beginning)
}

// Example returns the code block of a README in a language that begins with the given words.
func Example(t *testing.T, readme, language, beginning string) string {
	t.Helper()
	block := regexp.MustCompile("(?s)```" + language + "\n(" + regexp.QuoteMeta(beginning) + ".*?)```").
		FindStringSubmatch(ReadFile(t, readme))
	if block == nil {
		t.Fatalf("%s has no %s that begins with %s", readme, language, beginning)
	}
	return block[1]
}

// Built returns the path of a program below bin/: "directory", "lint/pint" or "cluster/kubectl".
func Built(t *testing.T, program string) string {
	t.Helper()
	target := "build"
	switch filepath.Dir(program) {
	case "lint":
		target = "bin/" + program
	case "cluster":
		target = "test-cluster"
	}
	path := Path("bin", program)
	if _, err := os.Stat(path); err != nil {
		Unavailable(t, "bin/"+program+" is not built; run make "+target)
	}
	return path
}

// Installed returns the path of a program. Debian keeps some where only root's PATH looks, or in a folder of their
// version.
func Installed(t *testing.T, program string) string {
	t.Helper()
	versions, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + program) // the pattern is valid
	slices.Reverse(versions)
	for _, candidate := range append([]string{program, "/usr/sbin/" + program}, versions...) {
		path, err := exec.LookPath(candidate)
		if err != nil {
			continue
		}
		return path
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
