package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/internal/kit/build"
	kitcli "backend.example/services/internal/kit/cli"
)

const password = "correct-horse-battery"

// asProgram makes the test binary behave as the program itself.
const asProgram = "TEST_AS_DIRECTORY"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		kitcli.Main("directory", func(ctx context.Context, args []string) error {
			return newProgram(os.Environ(), os.Stdin, os.Stdout, os.Stderr).Run(ctx, args)
		})
	}
	os.Exit(databasetest.Main(m))
}

func thisBuild() build.Info { return build.New("", "", "") }

func newProgram(environ []string, stdin io.Reader, stdout, stderr io.Writer) *cli.Program {
	return NewProgram(thisBuild(), environ, stdin, stdout, stderr)
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// environ are the settings of a program that reaches nothing outside of this machine. The
// SQLite file of its database does not exist.
func environ(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{
		"DIRECTORY_DATABASE_URL=sqlite:" + filepath.Join(t.TempDir(), "var", "directory.db"),
		"DIRECTORY_ADDR=127.0.0.1:0",
		"DIRECTORY_ADMIN_ADDR=127.0.0.1:0",
		"DIRECTORY_SCAN_INTERVAL=0",
		"PROVIDER_SEARCH_BASE_URL=http://127.0.0.1:1",
		"PROVIDER_SOCIAL_BASE_URL=http://127.0.0.1:1",
		"PLACES_BASE_URL=http://127.0.0.1:1",
	}, more...)
}

// databaseFolder is the folder of the database of environ.
func databaseFolder(settings []string) string {
	return filepath.Dir(strings.TrimPrefix(settings[0], "DIRECTORY_DATABASE_URL=sqlite:"))
}

// requireNoFiles checks that nothing has made the database of environ, or its keys.
func requireNoFiles(t *testing.T, settings []string) {
	t.Helper()
	if _, err := os.Stat(databaseFolder(settings)); !os.IsNotExist(err) {
		t.Errorf("there are files: %v", err)
	}
}

// settingsOf are those of environ with another database, and keys.
func settingsOf(t *testing.T, databaseURL string, more ...string) []string {
	t.Helper()
	return environ(t, append([]string{
		"DIRECTORY_DATABASE_URL=" + databaseURL,
		"DIRECTORY_SESSION_KEYS=" + goodKey,
		"DIRECTORY_ENCRYPTION_KEYS=" + databasetest.Keys,
	}, more...)...)
}

// newDirectory returns the settings of a migrated and empty SQLite database.
func newDirectory(t *testing.T, more ...string) []string {
	t.Helper()
	return settingsOf(t, databasetest.NewSQLite(t), more...)
}

// openApp wires the service, which does not serve. It logs nothing.
func openApp(t *testing.T, settings []string) *App {
	t.Helper()
	cfg, s, err := openDatabase(t.Context(), settings, cli.Create)
	ok(t, err)
	t.Cleanup(func() { ok(t, s.Close()) })
	a, err := New(cfg, s, Options{Build: thisBuild(), Log: slog.New(slog.DiscardHandler)})
	ok(t, err)
	return a
}

// command runs one command line without input and returns what it printed.
func command(t *testing.T, settings []string, args ...string) (stdout string, err error) {
	t.Helper()
	return commandReading(t, "", settings, args...)
}

func commandReading(t *testing.T, stdin string, settings []string, args ...string) (stdout string, err error) {
	t.Helper()
	var out, problems strings.Builder
	err = newProgram(settings, strings.NewReader(stdin), &out, &problems).Run(t.Context(), args)
	if problems.Len() > 0 {
		t.Errorf("%v printed to the error stream: %s", args, &problems)
	}
	return out.String(), err
}

// require runs a command line that has to succeed.
func require(t *testing.T, settings []string, args ...string) (stdout string) {
	t.Helper()
	stdout, err := command(t, settings, args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return stdout
}

// requireLines is require for command lines whose arguments have no spaces.
func requireLines(t *testing.T, settings []string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		require(t, settings, strings.Fields(line)...)
	}
}

// requirePrinted checks the whole output of command lines, in this order.
func requirePrinted(t *testing.T, settings []string, steps [][2]string) {
	t.Helper()
	for _, step := range steps {
		if out := require(t, settings, strings.Fields(step[0])...); out != step[1] {
			t.Errorf("%s: printed %q, want %q", step[0], out, step[1])
		}
	}
}

// requireRefused checks that each command line ends with a status, and with an error of one line that
// contains the text beside it, and prints nothing.
func requireRefused(t *testing.T, settings []string, status int, lines ...[2]string) {
	t.Helper()
	for _, pair := range lines {
		line, want := pair[0], pair[1]
		out, err := command(t, settings, strings.Fields(line)...)
		refused(t, line, out, err, want)
		if got := kitcli.Status(err); got != status {
			t.Errorf("%s: exit status %d, want %d", line, got, status)
		}
	}
}

// refused checks that a command line ended with an error of one line that contains want, and printed nothing.
func refused(t *testing.T, line string, stdout string, err error, want string) {
	t.Helper()
	text := fmt.Sprint(err)
	if err == nil || !strings.Contains(text, want) {
		t.Errorf("%s: error %q, want %q in it", line, text, want)
	}
	if strings.Contains(text, "\n") {
		t.Errorf("%s: the error has several lines: %q", line, text)
	}
	if stdout != "" {
		t.Errorf("%s: printed %q, want nothing", line, stdout)
	}
}

// process is a running service.
type process struct {
	url, admin string
	stop       context.CancelFunc
	lines      []string // logged so far, as read
	awaited    int      // number of lines that await has gone through
	log        chan string
	done       chan error
}

// start runs a command line that serves and logs, and waits until it serves.
func start(t *testing.T, settings []string, args ...string) *process {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	reader, writer := io.Pipe()
	p := &process{stop: stop, log: make(chan string, 1000), done: make(chan error, 1)}
	go func() {
		err := newProgram(settings, strings.NewReader(""), io.Discard, writer).Run(ctx, args)
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

// newProcess returns a process of its own that runs a command line.
func newProcess(ctx context.Context, t *testing.T, settings []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = append(slices.Clone(settings), asProgram+"=1", "GOCOVERDIR="+t.TempDir()) // which go test -cover wants
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
		problems string // the beginning of what it prints to the error stream
	}{
		"--version":   {0, ""},
		"healthcheck": {1, "directory: "},
		"list":        {2, `directory: unknown command "list" for "directory"; directory --help lists the commands`},
		"company export x": {4,
			`directory: company "x": there is no such company; directory company list has them`},
	} {
		cmd := newProcess(t.Context(), t, settings, strings.Fields(line)...)
		var problems strings.Builder
		cmd.Stderr = &problems
		_ = cmd.Run() // the status is checked
		if got := cmd.ProcessState.ExitCode(); got != want.status {
			t.Errorf("%s: exit status %d, want %d", line, got, want.status)
		}
		if !strings.HasPrefix(problems.String(), want.problems) {
			t.Errorf("%s: error stream %q, want %q", line, &problems, want.problems)
		}
	}
}

// TestInterrupted: Ctrl-C ends a command without a message.
func TestInterrupted(t *testing.T) {
	asked, hold := make(chan struct{}), make(chan struct{}) // a request has come; it may end
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-hold
	}))
	t.Cleanup(func() { close(hold); server.Close() })
	settings := []string{"DIRECTORY_ADMIN_ADDR=" + strings.TrimPrefix(server.URL, "http://")}
	cmd := newProcess(t.Context(), t, settings, "healthcheck")
	var problems strings.Builder
	cmd.Stderr = &problems
	ok(t, cmd.Start())
	<-asked
	ok(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()                                      // the status is checked
	if got := cmd.ProcessState.ExitCode(); got != 130 { // 128 + SIGINT, as shells have it
		t.Errorf("exit status %d, want 130", got)
	}
	if problems.Len() > 0 {
		t.Errorf("error stream %q, want nothing", &problems)
	}
}
