package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"backend.example/services/directory/internal/cli"
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

// browser is a person's browser at a service: it keeps cookies and follows no redirect.
type browser struct {
	http.Client
	base string
}

// login opens a browser in which a demonstration user is logged in.
func login(t *testing.T, base, email string) *browser {
	t.Helper()
	b := &browser{base: base}
	b.Jar, _ = cookiejar.New(nil) // never fails
	b.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	b.require(t, 200, "/api/auth/login", fmt.Sprintf(`{"email":%q,"password":%q}`, email, cli.DemoPassword))
	return b
}

// require posts JSON and returns the content of a response that has the status.
func (b *browser) require(t *testing.T, want int, path, body string) (content string) {
	t.Helper()
	response, err := b.Post(b.base+path, "application/json", strings.NewReader(body))
	status, content := read(t, response, err)
	if status != want {
		t.Errorf("%s %s: %d %s, want %d", path, body, status, content, want)
	}
	return content
}

// authorize connects a pair, and returns where the callback leads.
func (b *browser) authorize(t *testing.T, pair string) (location string) {
	t.Helper()
	provider, _, _ := strings.Cut(pair, "/")
	content := b.require(t, 200, "/api/oauth/connect/"+pair, "")
	state := regexp.MustCompile(`state=[^"\\]*`).FindString(content) // of an address in JSON
	response, err := b.Get(b.base + "/api/oauth/callback/" + provider + "?code=code-1&" + state)
	if read(t, response, err); err != nil {
		return ""
	}
	return response.Header.Get("Location")
}

const profilePair = "provider_search/search_profile"

// fakeProvider answers as provider_search, as the public places and as provider_social do,
// which has one page with a photo account. Each of the functions runs inside every request
// of its kind.
type fakeProvider struct {
	onExchange, onRefresh, onRevoke func()

	settings []string // of a program that uses it, with the demonstration data
}

// newFakeProvider returns a fakeProvider whose tokens expire so soon that each use renews
// them.
func newFakeProvider(t *testing.T, more ...string) *fakeProvider {
	t.Helper()
	f := &fakeProvider{onExchange: func() {}, onRefresh: func() {}, onRevoke: func() {}}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.settings = newDirectory(t, append([]string{
		"PROVIDER_SEARCH_CLIENT_ID=search-id",
		"PROVIDER_SEARCH_CLIENT_SECRET=search-secret",
		"PROVIDER_SEARCH_BASE_URL=" + server.URL,
		"PLACES_API_KEY=places-key",
		"PLACES_BASE_URL=" + server.URL,
		"PROVIDER_SOCIAL_BASE_URL=" + server.URL,
	}, more...)...)
	require(t, f.settings, "seed")
	return f
}

func (f *fakeProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body :=
		`{"id":"1","name":"Firma","username":"firma","fan_count":50,"followers_count":50,` +
			`"instagram_business_account":{"id":"17841"}}`
	switch {
	case r.URL.Path == "/v1/places:searchText", r.URL.Path == "/v1/accounts":
		body = "{}"
	case strings.HasSuffix(r.URL.Path, "/insights"), strings.HasSuffix(r.URL.Path, "/media"):
		body = `{"data":[]}`
	case r.URL.Path == "/revoke":
		f.onRevoke()
	case r.URL.Path == "/token":
		if r.FormValue("grant_type") == "authorization_code" {
			f.onExchange()
		} else {
			f.onRefresh()
		}
		body = `{"access_token":"access-1","refresh_token":"refresh-1","expires_in":60,"token_type":"Bearer",
			"scope":"openid https://www.googleapis.com/auth/business.manage"}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body)
}

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
