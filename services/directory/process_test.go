package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// newProcess returns a process of its own that runs a command line.
func newProcess(t *testing.T, settings []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(settings[:len(settings):len(settings)], asProgram+"=1", "GOCOVERDIR="+t.TempDir()) // which go test -cover wants
	return cmd
}

// startProgram is start with a process of its own; done gets how it ended.
func startProgram(t *testing.T, settings []string, args ...string) (*process, *os.Process) {
	t.Helper()
	cmd := newProcess(t, settings, args...)
	reader, writer := io.Pipe()
	cmd.Stderr = writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{done: make(chan error, 1)}
	p.stop = func() { _ = cmd.Process.Signal(syscall.SIGTERM) } // it may have ended
	go func() {
		err := cmd.Wait()
		_ = writer.Close() // a pipe
		p.done <- err
	}()
	p.follow(t, reader)
	return p, cmd.Process
}

func TestSignals(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		p, running := startProgram(t, environ(t))
		if err := running.Signal(signal); err != nil {
			t.Fatal(err)
		}
		p.await(t, "draining")
		if err := <-p.done; err != nil {
			t.Errorf("%v: %v", signal, err)
		}
	}
}

// TestRequestsAreLogged: each request has a line, the last ones before the end too.
func TestRequestsAreLogged(t *testing.T) {
	p, _ := startProgram(t, environ(t))
	for range 50 {
		fetch(t, p.url+"/api/auth/me")
	}
	if lines := strings.Count(p.end(t), `"msg":"request","request_id":"`); lines != 50 {
		t.Errorf("%d of 50 requests are in the log", lines)
	}
}

// TestSecondSignal: a person who does not want to wait need not.
func TestSecondSignal(t *testing.T) {
	p, _ := startProgram(t, environ(t, "DIRECTORY_DRAIN_DELAY=1h"), "serve")
	p.stop()
	p.await(t, "draining")
	if status, content := fetch(t, "http://"+p.admin+"/readyz"); status != 503 || !strings.Contains(content, "draining") {
		t.Errorf("/readyz while draining: %d %s", status, content)
	}
	if status, _ := fetch(t, p.url+"/api/bizprofile/audit/health"); status != 200 {
		t.Errorf("a request within the delay got %d", status)
	}
	again := time.NewTicker(50 * time.Millisecond) // the first signal may still be at work
	defer again.Stop()
	for {
		select {
		case err := <-p.done:
			if err == nil || err.Error() != "signal: terminated" {
				t.Errorf("ended with %v", err)
			}
			return
		case <-again.C:
			p.stop()
		}
	}
}

func TestExitStatus(t *testing.T) {
	settings := environ(t)
	require(t, settings, "migrate", "up")
	tests := []struct {
		line     string
		status   int
		problems string
	}{
		{"--version", 0, ""},
		{"healthcheck", 1, "directory: "},
		{"list", 2, "directory: unknown command \"list\" for \"directory\"; directory --help lists the commands\n"},
		{"company export x", 4, "directory: company \"x\": there is no such company; directory company list has them\n"},
	}
	for _, test := range tests {
		cmd := newProcess(t, settings, strings.Fields(test.line)...)
		var problems strings.Builder
		cmd.Stderr = &problems
		_ = cmd.Run() // the status is checked
		if got := cmd.ProcessState.ExitCode(); got != test.status || !strings.HasPrefix(problems.String(), test.problems) {
			t.Errorf("%s: status %d, printed %q, want %d, %q", test.line, got, &problems, test.status, test.problems)
		}
	}
}

// TestInterrupted: Ctrl-C ends a command, without a word.
func TestInterrupted(t *testing.T) {
	asked, hold := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-hold
	}))
	t.Cleanup(func() { close(hold); server.Close() })
	cmd := newProcess(t, []string{"DIRECTORY_ADMIN_ADDR=" + strings.TrimPrefix(server.URL, "http://")}, "healthcheck")
	var problems strings.Builder
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the status is checked
	if got := cmd.ProcessState.ExitCode(); got != 130 || problems.String() != "" {
		t.Errorf("status %d, printed %q", got, &problems)
	}
}

// TestReaderGoesAway: as head does, without a message.
func TestReaderGoesAway(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := newProcess(t, nil, "--help")
	var problems strings.Builder
	cmd.Stdout, cmd.Stderr = writer, &problems
	_ = cmd.Run() // the state is checked
	_ = writer.Close()
	if state := cmd.ProcessState.String(); state != "signal: broken pipe" || problems.String() != "" {
		t.Errorf("ended by %s, printed %q", state, &problems)
	}
}

// TestProcessesShareAFile starts processes at once where there is nothing yet:
// no file, no schema, no keys.
func TestProcessesShareAFile(t *testing.T) {
	settings := environ(t)
	const loaders = 6
	loaded := make(chan error)
	for range loaders {
		cmd := newProcess(t, settings, "seed")
		go func() {
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("seed printed %s", out)
			}
			loaded <- err
		}()
	}
	one, _ := startProgram(t, settings)
	two, _ := startProgram(t, settings)
	for range loaders {
		if err := <-loaded; err != nil {
			t.Fatal(err)
		}
	}
	if files, err := filepath.Glob(keysPath(settings) + "*"); err != nil || len(files) != 1 {
		t.Errorf("keys in %q, %v", files, err)
	}
	b := login(t, one.url, "biuro@demo.example")
	b.base = two.url // cookies know no port
	if status, content := b.post(t, "/api/bizprofile/audit", `{"slug":"piekarnia-kowalski"}`); status != 200 {
		t.Errorf("the other process answers %d %s", status, content)
	}
	if status, content := fetch(t, one.url+"/api/bizprofile/audit/piekarnia-kowalski"); status != 200 {
		t.Errorf("the audit of the other process: %d %s", status, content)
	}
	if status, content := fetch(t, one.url+"/api/bizprofile/audit/dawna-ksiegarnia"); status != 404 {
		t.Errorf("an archived company: %d %s", status, content)
	}
	one.end(t)
	two.end(t)
}
