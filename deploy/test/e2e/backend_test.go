package e2e

import (
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
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

// own starts a backend whose programs the test may stop.
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
		DirectoryEnv: []string{"DIRECTORY_SMTP_URL=smtp://127.0.0.1:1?from=katalog@demo.example&tls=off"},
	})
	link, _, _ := strings.Cut(s.Directories[0].Run(t, "user", "reset-link", "kierownik@demo.example"), "\n")
	node := inClient(t, "--test", "test/operations.test.js")
	node.Env = append(node.Env, "CLIENT_SECRET="+harness.ClientSecret, "RESET_LINK="+link)
	checkers := map[string]*contracttest.Checker{
		"DIRECTORY_URL": contracttest.New(contracts.Directory()),
		"HARDWARE_URL":  contracttest.New(contracts.Hardware()),
	}
	for name, checker := range checkers {
		node.Env = append(node.Env, name+"="+checked(t, s.Gateway, checker))
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

// inClient returns a command of Node in the folder of the TypeScript client.
func inClient(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	// #nosec G204 -- tests of the client
	node := exec.CommandContext(t.Context(), harness.Installed(t, "node"), args...)
	node.Dir, node.Env = harness.Path("proto-free-contracts", "typescript"), os.Environ()
	return node
}

// TestExamplesRunInNode runs the calls of the example app, and the example of the README.
func TestExamplesRunInNode(t *testing.T) {
	s := own(t, harness.Options{Directories: 1})
	app := inClient(t, "--test", "test/example.test.js")
	app.Env = append(app.Env, "GATEWAY_URL="+s.Gateway)
	if out, err := app.CombinedOutput(); err != nil {
		t.Errorf("the app: %v\n%s", err, out)
	}
	readme := inClient(t, "--input-type=module", "--eval", harness.ClientExample(t, s.Gateway))
	if out, err := readme.CombinedOutput(); err != nil || !strings.Contains(string(out), "RTX 4070 SUPER") ||
		!strings.Contains(string(out), "storeLabel: ") {
		t.Errorf("the README's: %v\n%s", err, out)
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
	got, err := shell.Output()
	// Some bodies end without a newline.
	lines := strings.NewReplacer(gateway, "localhost:8080", "\n", "")
	if text, want := lines.Replace(string(got)), lines.Replace(output.String()); err != nil || text != want {
		t.Errorf("%v\n%s\nwant:\n%s", err, text, want)
	}
}

// checked returns the address of a proxy that checks every exchange against a contract.
func checked(t *testing.T, backend string, contract *contracttest.Checker) string {
	t.Helper()
	target, err := url.Parse(backend)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Header.Del("Accept-Encoding") // the checker reads bodies, so the proxy unpacks them
	}}
	server := httptest.NewServer(contract.Wrap(t, proxy))
	t.Cleanup(server.Close)
	return server.URL
}

// TestMakeRun does what `make run` does once everything is built, twice. Ctrl-C has to
// end every program each time.
func TestMakeRun(t *testing.T) {
	needsOwnPrograms(t)
	for range 2 {
		r := harness.StartMakeRun(t)
		if a := harness.Decode[ranking](t, harness.Get(t, r.URL, "/api/benchmark/gpu?limit=3")); a.Count != 3 {
			t.Errorf("ranking: %+v", a)
		}
		if a := harness.Decode[price](t, harness.Get(t, r.URL, "/api/prices/ceneo?q=rtx+4070+super")); len(
			a.Offers,
		) == 0 {
			t.Errorf("price: %+v", a)
		}
		harness.LoggedIn(t, r.URL, "biuro@demo.example").Connect(t, harness.SearchProfile, "anna")
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
	taken := strings.TrimPrefix(harness.StartSandbox(t, "http://127.0.0.1:1").Control, "http://")
	r := harness.StartMakeRun(t, "SANDBOX_CONTROL_ADDR="+taken)
	if err := r.Stop(0); err == nil {
		t.Error("run.sh succeeded although a port was taken")
	}
	if !strings.Contains(r.Log.String(), taken+" is taken") {
		t.Errorf("run.sh does not name the port %s: %s", taken, r.Log.String())
	}
}
