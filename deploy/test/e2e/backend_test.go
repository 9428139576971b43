// Package e2e is the black-box suite. It starts the built programs, sends requests through
// the gateway as a web app does, and checks every response against the contract. With
// E2E_BASE_URL it uses a running backend, and skips the tests that stop or multiply
// programs.
//
// It imports nothing of the services.
package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"backend.example/deploy/test/harness"
	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
)

// backend returns the base address of the backend of E2E_BASE_URL, or of one that it
// starts for the test. Tests run in parallel: they wait more than they compute.
func backend(t *testing.T, o harness.Options) string {
	t.Helper()
	t.Parallel()
	if url := os.Getenv("E2E_BASE_URL"); url != "" {
		return strings.TrimSuffix(url, "/")
	}
	return harness.New(t, o).Gateway
}

// own starts a backend that the test may change. It skips the test with E2E_BASE_URL.
func own(t *testing.T, o harness.Options) *harness.Stack {
	t.Helper()
	needsOwnPrograms(t)
	return harness.New(t, o)
}

// needsOwnPrograms skips a test that stops or multiplies programs if E2E_BASE_URL names a
// running backend, and runs it in parallel with the others.
func needsOwnPrograms(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("starts programs")
	}
	if os.Getenv("E2E_BASE_URL") != "" {
		t.Skip("the programs of E2E_BASE_URL are not ours to stop")
	}
	t.Parallel()
}

// TestClientCoversEveryOperation runs the tests of the TypeScript client against a backend.
// Every exchange is checked against the contracts, and every operation has to succeed.
func TestClientCoversEveryOperation(t *testing.T) {
	s := own(t, harness.Options{
		Directories: 1,
		// Mails stay queued, because nothing listens there.
		Env: []string{"DIRECTORY_SMTP_URL=smtp://127.0.0.1:1?from=katalog@demo.example&tls=off"},
	})
	link, _, _ := strings.Cut(s.Directories[0].Run(t, "user", "reset-link", "kierownik@demo.example"), "\n")
	node := inClient(t, "--test", "test/operations.test.js")
	node.Env = append(node.Env, "CLIENT_SECRET="+harness.ClientSecret, "RESET_LINK="+link)
	checkers := map[string]*contracttest.Checker{
		"DIRECTORY_URL": contracttest.New(contracts.Directory()),
		"HARDWARE_URL":  contracttest.New(contracts.Hardware()),
	}
	gateway, err := url.Parse(s.Gateway)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(gateway)
		r.Out.Header.Del("Accept-Encoding") // the checker reads bodies, so the proxy unpacks them
	}}
	for name, checker := range checkers {
		server := httptest.NewServer(checker.Wrap(t, proxy))
		t.Cleanup(server.Close)
		node.Env = append(node.Env, name+"="+server.URL)
	}
	if out, err := node.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const byMail = "POST /api/auth/email/confirm 200" // its token is only in an e-mail
	for _, checker := range checkers {
		for _, answer := range checker.Missing() {
			if answer == byMail {
				continue
			}
			if strings.HasSuffix(answer, " 200") || strings.HasSuffix(answer, " 302") {
				t.Errorf("the client did not receive %s", answer)
			}
		}
	}
}

func inClient(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	// #nosec G204 -- tests of the client
	node := exec.CommandContext(t.Context(), harness.Installed(t, "node"), args...)
	node.Dir, node.Env = harness.Path("proto-free-contracts", "typescript"), os.Environ()
	return node
}

func TestExamplesRunInNode(t *testing.T) {
	s := own(t, harness.Options{Directories: 1})
	app := inClient(t, "--test", "test/example.test.js")
	app.Env = append(app.Env, "GATEWAY_URL="+s.Gateway)
	if out, err := app.CombinedOutput(); err != nil {
		t.Errorf("the app: %v\n%s", err, out)
	}
	example := harness.Example(t, harness.Path("proto-free-contracts", "README.md"), "ts", "import")
	readme := inClient(t, "--input-type=module", "--eval",
		strings.Replace(example, "http://localhost:8080", s.Gateway, 1))
	out, err := readme.CombinedOutput()
	if err != nil {
		t.Fatalf("the README's example: %v\n%s", err, out)
	}
	for _, want := range []string{"RTX 4070 SUPER", "storeLabel: "} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the README's example does not print %q:\n%s", want, out)
		}
	}
}

// TestReadmeExamples runs the console examples of the README and compares their output.
func TestReadmeExamples(t *testing.T) {
	s := own(t, harness.Options{Directories: 1})
	var commands, output strings.Builder
	for _, block := range regexp.MustCompile("(?s)```console\n(.*?)```").
		FindAllStringSubmatch(harness.ReadFile(t, harness.Path("README.md")), -1) {
		for line := range strings.Lines(block[1]) {
			command, first := strings.CutPrefix(line, "$ ")
			switch {
			case first || strings.HasPrefix(line, "  "): // a command, or the rest of one
				commands.WriteString(command)
			default:
				output.WriteString(line)
			}
		}
	}
	gateway := strings.TrimPrefix(s.Gateway, "http://")
	// #nosec G204 -- commands of the README
	shell := exec.CommandContext(t.Context(), "bash", "-c",
		strings.ReplaceAll(commands.String(), "localhost:8080", gateway))
	printed, err := shell.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	// Some bodies end without a newline.
	lines := strings.NewReplacer(gateway, "localhost:8080", "\n", "")
	if got, want := lines.Replace(string(printed)), lines.Replace(output.String()); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestMakeRun does what `make run` does once everything is built, twice. Ctrl-C has to
// end every program each time.
func TestMakeRun(t *testing.T) {
	needsOwnPrograms(t)
	for range 2 {
		r := harness.StartMakeRun(t)
		if a := harness.Decode[ranking](t, harness.Get(t, r.URL, "/api/benchmark/gpu?limit=3")); a.Count != 3 {
			t.Errorf("the ranking has %d rows, want 3: %+v", a.Count, a)
		}
		found := harness.Decode[price](t, harness.Get(t, r.URL, "/api/prices/ceneo?q=rtx+4070+super"))
		if len(found.Offers) == 0 {
			t.Errorf("the price has no offers: %+v", found)
		}
		harness.NewVisitor(r.URL).Login(t, "biuro@demo.example").Connect(t, harness.SearchProfile, "anna")
		if err := r.Stop(syscall.SIGINT); err != nil {
			t.Errorf("Ctrl-C: %v", err)
		}
		harness.Client().CloseIdleConnections()
		for _, addr := range r.Addresses {
			if harness.Listens(addr) {
				t.Errorf("something still listens on %s", addr)
			}
		}
	}
}

func TestMakeRunNamesTheTakenPort(t *testing.T) {
	needsOwnPrograms(t)
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	taken := other.Addr().String()
	r := harness.StartMakeRun(t, "SANDBOX_CONTROL_ADDR="+taken)
	if err := r.Stop(0); err == nil {
		t.Error("run.sh succeeded although a port was taken")
	}
	if !strings.Contains(r.Log.String(), taken+" is taken") {
		t.Errorf("run.sh does not name the port %s: %s", taken, r.Log.String())
	}
}

// TestNoSecretIsWritten does a day's work, also with failures and at the level DEBUG, and looks
// for every secret of it where SECURITY.md promises that there is none.
func TestNoSecretIsWritten(t *testing.T) {
	needsOwnPrograms(t)
	traces, answers := &record{}, &record{}
	collector := httptest.NewServer(traces)
	t.Cleanup(collector.Close)
	s := harness.New(t, harness.Options{
		Directories: 1, Redis: true, Env: []string{
			"HARDWARE_LOG_LEVEL=DEBUG", "DIRECTORY_LOG_LEVEL=DEBUG", "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true",
			"OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL,
		},
	})
	directory, hardware := s.Directories[0], s.Hardware[0]

	// Log in, connect, choose, sync, audit, receive webhooks, fail, set a password and erase.
	receiver := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(receiver.Close)
	added := directory.Run(t, "webhook", "add", receiver.URL, "--company", "piekarnia-kowalski")
	_, hook, _ := strings.Cut(added, "\n")
	link := directory.Run(t, "user", "reset-link", "biuro@demo.example")
	_, token, _ := strings.Cut(strings.Fields(link)[0], "token=")

	v := harness.NewVisitor(s.Gateway)
	v.HTTP.Transport = &recorder{v.HTTP.Transport, strings.TrimPrefix(s.Gateway, "http://"), answers}
	const password = "zielone-rowery-na-moście-17" // #nosec G101 -- of this test alone
	harness.OK(t, v.Post(t, "/api/auth/reset/confirm", map[string]string{"token": token, "new_password": password}))
	login := map[string]string{"email": "biuro@demo.example", "password": password}
	harness.OK(t, v.Post(t, "/api/auth/login", login))
	id := v.Company(t)
	company := map[string]any{"company_id": id}
	for _, pair := range pairs {
		v.Connect(t, pair, "anna")
	}
	location := harness.PostAs[struct{ Locations []struct{ Name string } }](t, v, discover, nil).Locations[0].Name
	page := harness.PostAs[struct{ Pages []struct{ ID string } }](
		t, v, "/api/oauth/provider_social/discover-pages", company).Pages[0].ID
	for path, body := range map[string]any{
		"/api/oauth/provider_social/select-page":     map[string]any{"company_id": id, "page_id": page},
		"/api/oauth/provider_search/select-location": map[string]string{"location_name": location},
	} {
		harness.OK(t, v.Post(t, path, body))
	}
	for _, fault := range []string{"", `{"kind": "status", "status": 500}`, `{"kind": "down"}`} {
		for _, site := range []string{"search", "social", "places"} {
			s.Sandbox.Fault(t, site, fault)
		}
		for _, path := range []string{"/api/oauth/provider_social/sync-facebook",
			"/api/oauth/provider_social/sync-instagram", discover, "/api/bizprofile/audit"} {
			if _, err := v.Try(t.Context(), http.MethodPost, path, company); err != nil {
				t.Fatal(err)
			}
		}
	}
	harness.Text(t, s.Gateway+"/api/benchmark/cpu?limit=1")
	harness.GetAs[any](t, v, "/api/oauth/status")
	_, _ = v.Try(t.Context(), http.MethodPost, "/api/oauth/disconnect/"+harness.SearchAnalytics, nil)
	base, err := url.Parse(s.Gateway)
	if err != nil {
		t.Fatal(err)
	}
	cookies := v.HTTP.Jar.Cookies(base)
	directory.Run(t, "user", "delete", "kierownik@demo.example", "--yes")
	harness.Eventually(t, "the receiver fails", func() bool {
		return strings.Contains(directory.Log.String(), strings.TrimPrefix(receiver.URL, "http://"))
	})
	secrets := map[string]string{
		"the webhook's secret": decoded(t, strings.TrimPrefix(strings.TrimSpace(hook), "whsec_")),
		"the link's token":     token, "the password": password, "the demonstration's password": harness.DemoPassword,
		"the client secret": harness.ClientSecret, "the key of Places": harness.PlacesKey,
	}
	for _, c := range cookies {
		secrets["the cookie "+c.Name] = c.Value
		secrets["the id in the cookie "+c.Name] = strings.Split(decoded(t, c.Value), "|")[1]
	}
	for _, setting := range directory.Env {
		if name, key, found := strings.Cut(setting, "_KEYS="); found {
			secrets[name] = decoded(t, key[strings.Index(key, ":")+1:])
		}
	}
	issued := harness.Decode[struct {
		Secrets []struct{ Site, Kind, Value string }
	}](t, s.Sandbox.Send(t, http.MethodGet, "/issued", ""))
	for i, secret := range issued.Secrets {
		secrets[fmt.Sprint(secret.Site, i, secret.Kind)] = secret.Value
	}
	harness.Eventually(t, "the traces of the last requests of all programs", func() bool {
		all := traces.String()
		inServices := strings.Contains(all, "directory") && strings.Contains(all, "hardware")
		return inServices && strings.Contains(all, "gateway") && strings.Contains(all, "/api/oauth/status")
	})
	forms := map[string][]string{} // as it is, escaped, and in hexadecimal and base64 at every offset
	for name, secret := range secrets {
		forms[name] = []string{secret, url.QueryEscape(secret), hex.EncodeToString([]byte(secret))}
		for offset, skip := range []int{0, 2, 3} { // skip the characters that encode the padding
			padded := append(make([]byte, offset), secret...)
			text := base64.RawStdEncoding.EncodeToString(padded[:len(padded)/3*3])[skip:]
			forms[name] = append(forms[name], text, strings.NewReplacer("+", "-", "/", "_").Replace(text))
		}
	}
	commandLines := files(t, "/proc/[0-9]*/cmdline", harness.Path())
	// Each place contains something of the work, which shows that it was read.
	for place, content := range map[string]struct{ text, contains string }{
		"the log of the directory service": {directory.Log.String(), `"msg":"call answered"`},
		"the log of the hardware service":  {hardware.Log.String(), `"level":"DEBUG"`},
		"the log of the gateway":           {s.Proxy.Log.String(), "level"},
		"the traces":                       {traces.String(), "/api/oauth/status"},
		"the process list":                 {commandLines, harness.Built(t, "directory")},
		"the database":                     {files(t, filepath.Join(directory.Folder, "*"), ""), "piekarnia-kowalski"},
		"the responses":                    {answers.String(), "auth_url"},
		"the metrics": {harness.Text(t, directory.AdminURL()+"/metrics") +
			harness.Text(t, hardware.AdminURL()+"/metrics"), "directory_job"},
	} {
		if !strings.Contains(content.text, content.contains) {
			t.Errorf("%s: no %q in %d bytes", place, content.contains, len(content.text))
		}
		for name, all := range forms {
			for _, form := range all {
				if strings.Contains(content.text, form) {
					t.Errorf("%s: found %s as %s", place, name, form)
				}
			}
		}
	}
}

func decoded(t *testing.T, text string) string {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// files returns the content of the files that match a pattern and contain a text. For the process
// list the text selects the programs of this repository: a test beside this one runs the commands
// of the README, which name the demonstration's password.
func files(t *testing.T, pattern, containing string) string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, path := range paths {
		content, _ := os.ReadFile(path) // #nosec G304 -- a process may have ended
		if strings.Contains(string(content), containing) {
			all.Write(content)
		}
	}
	return all.String()
}

// record collects text, also as a collector of traces.
type record struct{ harness.Buffer }

func (r *record) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	var body io.Reader = request.Body
	var err error
	if request.Header.Get("Content-Encoding") == "gzip" {
		body, err = gzip.NewReader(request.Body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = io.Copy(r, body) // what arrived counts
}

type recorder struct {
	http.RoundTripper
	host string
	to   *record
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := r.RoundTripper.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	response.Body = io.NopCloser(bytes.NewReader(body))
	if request.URL.Host == r.host {
		_, _ = fmt.Fprintln(r.to, string(body), response.Header.Get("Location"))
	}
	return response, err
}
