package app

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// process is a running service.
type process struct {
	url, admin string
	stop       context.CancelFunc
	lines      []string // logged so far, as read
	awaited    int      // number of lines that await has gone through
	log        chan string
	done       chan error
}

// launch runs what serves and logs, and waits until it serves.
func launch(t *testing.T, serve func(ctx context.Context, log io.Writer) error) *process {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	reader, writer := io.Pipe()
	p := &process{stop: stop, log: make(chan string, 1000), done: make(chan error, 1)}
	go func() {
		err := serve(ctx, writer)
		_ = writer.Close() // a pipe
		p.done <- err
	}()
	go func() {
		defer close(p.log)
		for lines := bufio.NewScanner(reader); lines.Scan(); {
			p.log <- lines.Text()
		}
	}()
	serving := p.await(t, "serving")
	p.awaited = 0 // what was logged before can still be awaited
	p.url, p.admin = "http://"+serving["addr"].(string), serving["admin_addr"].(string)
	return p
}

// start runs a command line that serves.
func start(t *testing.T, settings []string, args ...string) *process {
	t.Helper()
	return launch(t, func(ctx context.Context, log io.Writer) error {
		return newProgram(settings, strings.NewReader(""), io.Discard, log).Run(ctx, args)
	})
}

// newProcess returns a process of its own that runs a command line.
func newProcess(ctx context.Context, t *testing.T, settings []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(
		settings[:len(settings):len(settings)],
		asProgram+"=1",
		"GOCOVERDIR="+t.TempDir(),
	) // which go test -cover wants
	return cmd
}

// await reads the log up to an entry with that message.
func (p *process) await(t *testing.T, message string) map[string]any {
	t.Helper()
	for p.awaited < len(p.lines) || p.read() {
		entry := map[string]any{}
		err := json.Unmarshal([]byte(p.lines[p.awaited]), &entry)
		if p.awaited++; err == nil && entry["msg"] == message {
			return entry
		}
	}
	t.Fatalf("the process ended without %q: %v, %q", message, <-p.done, p.lines)
	return nil
}

// read waits for the next line; it is false when there are no more.
func (p *process) read() bool {
	line, ok := <-p.log
	if ok {
		p.lines = append(p.lines, line)
	}
	return ok
}

// end stops the service, which has to end without an error, and returns its whole log.
func (p *process) end(t *testing.T) string {
	t.Helper()
	p.stop()
	for p.read() {
	}
	if err := <-p.done; err != nil {
		t.Errorf("ended with %v", err)
	}
	return strings.Join(p.lines, "\n")
}

func fetch(t *testing.T, address string) (status int, content string) {
	t.Helper()
	response, err := http.Get(address)
	return read(t, response, err)
}

// read returns a response whose request did not fail.
func read(t *testing.T, response *http.Response, err error) (status int, content string) {
	t.Helper()
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return response.StatusCode, string(body)
}

const profilePair = "provider_search/search_profile"

func TestExitStatus(t *testing.T) {
	t.Parallel()
	settings := newDirectory(t)
	for line, want := range map[string]struct {
		status   int
		problems string
	}{
		"--version":   {0, ""},
		"healthcheck": {1, "directory: "},
		"list": {
			2, "directory: unknown command \"list\" for \"directory\"; directory --help lists the commands\n",
		},
		"company export x": {
			4, "directory: company \"x\": there is no such company; directory company list has them\n",
		},
	} {
		cmd := newProcess(t.Context(), t, settings, strings.Fields(line)...)
		var problems strings.Builder
		cmd.Stderr = &problems
		_ = cmd.Run() // the status is checked
		if got := cmd.ProcessState.ExitCode(); got != want.status ||
			!strings.HasPrefix(problems.String(), want.problems) {
			t.Errorf("%s: status %d, printed %q, want %+v", line, got, &problems, want)
		}
	}
}

// TestInterrupted: Ctrl-C ends a command without a message.
func TestInterrupted(t *testing.T) {
	asked, hold := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-hold
	}))
	t.Cleanup(func() { close(hold); server.Close() })
	cmd := newProcess(
		t.Context(),
		t,
		[]string{"DIRECTORY_ADMIN_ADDR=" + strings.TrimPrefix(server.URL, "http://")},
		"healthcheck",
	)
	var problems strings.Builder
	cmd.Stderr = &problems
	ok(t, cmd.Start())
	<-asked
	ok(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait() // the status is checked
	if got := cmd.ProcessState.ExitCode(); got != 130 || problems.String() != "" {
		t.Errorf("status %d, printed %q", got, &problems)
	}
}
