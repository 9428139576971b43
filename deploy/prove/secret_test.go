package prove

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"backend.example/deploy/e2e/stack"
)

// TestNoSecretOutside gives the directory service its secrets in files, lets it
// work and fail, ends it as a crash does, and looks for each secret in what others
// may see: logs, stack dumps, metrics, answers, command lines, environment, and
// files that were left.
func TestNoSecretOutside(t *testing.T) {
	measured := figures(t, "No secret in logs, stack dumps, metrics, error answers, the process list, the environment, and no core file after a crash")
	unlimited(t)
	secrets := map[string]string{
		"DIRECTORY_SESSION_KEYS": stack.NewKey(), "DIRECTORY_ENCRYPTION_KEYS": stack.NewKey(),
		"PROVIDER_SEARCH_CLIENT_SECRET": stack.ClientSecret, "PROVIDER_SOCIAL_CLIENT_SECRET": stack.ClientSecret,
		"PLACES_API_KEY": stack.PlacesKey,
	}
	places, crashes := 0, []syscall.Signal{syscall.SIGABRT, syscall.SIGQUIT, syscall.SIGSEGV, syscall.SIGTRAP}
	for _, signal := range crashes {
		s := stack.New(t, stack.Options{Directories: 1, DirectoryEnv: []string{"DIRECTORY_LOG_LEVEL=DEBUG"}})
		d := s.Directories[0]
		if err := d.Stop(syscall.SIGTERM); !stack.ExitedCleanly(err) {
			t.Fatal(err)
		}
		d.Env = inFiles(t, d.Env, secrets)
		d.Start(t)
		seen := map[string][]byte{"answers": workAndFail(t, s)}
		for name, p := range map[string]*stack.Service{"directory": d, "hardware": s.Hardware[0], "gateway": s.Proxy} {
			seen["metrics of the "+name] = metrics(t, p)
			seen["command line of the "+name] = read(t, fmt.Sprintf("/proc/%d/cmdline", p.Pid()))
			seen["environment of the "+name] = read(t, fmt.Sprintf("/proc/%d/environ", p.Pid()))
		}
		_ = d.Stop(signal)
		for name, p := range map[string]*stack.Service{"directory": d, "hardware": s.Hardware[0], "gateway": s.Proxy} {
			seen["log of the "+name] = []byte(p.Log.String())
		}
		if !bytes.Contains(seen["log of the directory"], []byte("goroutine ")) {
			t.Errorf("%s left no stack dump to look into", signal)
		}
		noCore(t, d.Folder)
		places += len(seen)
		look(t, seen, known(t, s, secrets))
	}
	measured("%d places after %d kinds of crash", places, len(crashes))
}

// unlimited lets the programs write core files, if they would.
func unlimited(t *testing.T) {
	t.Helper()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{Cur: before.Max, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Setrlimit(syscall.RLIMIT_CORE, &before) })
}

// inFiles replaces each secret of an environment by the name of a file that holds it.
func inFiles(t *testing.T, env []string, secrets map[string]string) (replaced []string) {
	t.Helper()
	for _, line := range env {
		if name, _, _ := strings.Cut(line, "="); secrets[name] == "" {
			replaced = append(replaced, line)
		}
	}
	for name, secret := range secrets {
		path := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(path, []byte(secret), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced = append(replaced, name+"_FILE="+path)
	}
	return replaced
}

// workAndFail uses every secret, in health and with providers that fail, and
// returns the answers.
func workAndFail(t *testing.T, s *stack.Stack) []byte {
	t.Helper()
	v := stack.NewVisitor(t, s.Gateway)
	v.Login(t, "biuro@demo.example")
	v.Connect(t, searchPair, "anna")
	v.Connect(t, pagesPair, "anna")
	var answers bytes.Buffer
	for _, fault := range []string{"", `{"kind":"down"}`, `{"kind":"garbage"}`, `{"kind":"status","status":500}`} {
		for _, site := range []string{"search", "social", "places"} {
			s.Sandbox.Fault(t, site, fault)
		}
		for path, body := range map[string]any{
			"/api/oauth/provider_search/discover-locations": nil,
			"/api/oauth/provider_social/discover-pages":     map[string]any{"company_id": 1},
			"/api/bizprofile/audit":                         map[string]any{"company_id": 1, "force_refresh": true},
		} {
			answers.Write(v.Post(t, path, body).Body)
		}
	}
	for _, site := range []string{"search", "social", "places"} {
		s.Sandbox.Fault(t, site, "")
	}
	return answers.Bytes()
}

func metrics(t *testing.T, p *stack.Service) []byte {
	t.Helper()
	response, err := http.Get(p.AdminURL() + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path) // #nosec G304 -- of a process of the test
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// known are all secrets by what they are: the service's own, and those that the
// stand-ins of the providers have given out.
func known(t *testing.T, s *stack.Stack, own map[string]string) map[string]string {
	t.Helper()
	all := s.Sandbox.Issued(t)
	if len(all) < 4 {
		t.Fatalf("only %d secrets were issued", len(all))
	}
	for name, secret := range own {
		_, key, found := strings.Cut(secret, ":") // keys have an identifier, which is none
		if !found {
			key = secret
		}
		all[key] = name
	}
	all[stack.DemoPassword] = "password"
	return all
}

func look(t *testing.T, seen map[string][]byte, secrets map[string]string) {
	t.Helper()
	for place, text := range seen {
		for secret, kind := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s: a %s in the clear", place, kind)
			}
		}
	}
}

// noCore fails if the crash left its memory behind.
func noCore(t *testing.T, folder string) {
	t.Helper()
	cores, err := filepath.Glob(filepath.Join(folder, "*core*"))
	if err != nil || len(cores) > 0 {
		t.Errorf("core files: %v, %v", cores, err)
	}
}
