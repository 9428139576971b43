package prove

import (
	"bytes"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"backend.example/deploy/stack"
)

// The passwords with which the services come to PostgreSQL and Redis.
const (
	databasePassword = "prove-database-password-4Kd8"
	redisPassword    = "prove-redis-password-5Mt3"
)

// secretWorld is a stack with its secrets in files, and all that should stay there.
type secretWorld struct {
	*stack.Stack
	server  *stack.Postgres
	visitor *stack.Visitor
	traces  *collector
	secrets map[string]string // what each is, by its text
	answers bytes.Buffer
}

func newSecretWorld(t *testing.T) *secretWorld {
	t.Helper()
	server := stack.StartPostgres(t)
	store := stack.StartRedis(t, "--requirepass", redisPassword)
	database := strings.Replace(server.URL(server.Addr, server.NewDatabase(t)), "postgres@", "postgres:"+databasePassword+"@", 1)
	traces := newCollector(t)
	w := &secretWorld{server: server, traces: traces, Stack: stack.New(t, stack.Options{
		Directories: 1, Database: database, Collector: traces.url, DirectoryEnv: []string{"DIRECTORY_LOG_LEVEL=DEBUG"},
		Env: []string{"HARDWARE_REDIS_URL=redis://:" + redisPassword + "@" + store.Addr, "HARDWARE_LOG_LEVEL=DEBUG"},
	})}
	w.secrets = map[string]string{
		databasePassword: "database password", redisPassword: "Redis password", stack.DemoPassword: "password",
		stack.ClientSecret: "client secret", stack.PlacesKey: "places key",
	}
	for _, name := range []string{"DIRECTORY_SESSION_KEYS", "DIRECTORY_ENCRYPTION_KEYS"} {
		_, key, _ := strings.Cut(setting(t, w.Stack, name), ":") // its identifier is none
		w.secrets[key] = name
	}
	restartWithFiles(t, w.Directories[0], "DIRECTORY_DATABASE_URL", "DIRECTORY_SESSION_KEYS", "DIRECTORY_ENCRYPTION_KEYS",
		"PROVIDER_SEARCH_CLIENT_SECRET", "PROVIDER_SOCIAL_CLIENT_SECRET", "PLACES_API_KEY")
	restartWithFiles(t, w.Hardware[0], "HARDWARE_REDIS_URL")
	w.AwaitGateway(t)
	w.visitor = stack.NewVisitor(t, w.Gateway)
	w.visitor.HTTP.Transport = anywhere()
	return w
}

// restartWithFiles starts the service again with each named setting replaced by the
// name of a file that holds it.
func restartWithFiles(t *testing.T, s *stack.Service, names ...string) {
	t.Helper()
	if err := s.Stop(syscall.SIGTERM); !stack.ExitedCleanly(err) {
		t.Fatal(err)
	}
	replaced := 0
	for i, line := range s.Env {
		name, value, _ := strings.Cut(line, "=")
		for _, secret := range names {
			if name != secret {
				continue
			}
			path := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(path, []byte(value), 0o600); err != nil {
				t.Fatal(err)
			}
			s.Env[i] = name + "_FILE=" + path
			replaced++
		}
	}
	if replaced < len(names) {
		t.Fatalf("only %d of %v were set", replaced, names)
	}
	s.Start(t)
}

func (w *secretWorld) programs() map[string]*stack.Service {
	return map[string]*stack.Service{"directory": w.Directories[0], "hardware": w.Hardware[0], "gateway": w.Proxy}
}

// workAndFail uses every secret, in health, with providers that fail and with a
// database that is away, and returns the answers and pages.
func (w *secretWorld) workAndFail(t *testing.T) []byte {
	t.Helper()
	w.visitor.Login(t, "biuro@demo.example")
	for _, pair := range []string{searchPair, pagesPair} {
		w.connect(t, pair)
	}
	gateway := must(url.Parse(w.Gateway))
	for _, cookie := range w.visitor.HTTP.Jar.Cookies(gateway) {
		w.secrets[cookie.Value] = "session cookie"
	}
	providers := []string{"search", "social", "places"}
	for _, fault := range []string{`{"kind":"down"}`, `{"kind":"garbage"}`, `{"kind":"status","status":500}`, ""} {
		for _, site := range providers {
			w.Sandbox.Fault(t, site, fault)
		}
		w.everything(t)
	}
	_ = w.server.Stop(syscall.SIGKILL)
	w.everything(t)
	w.server.Start(t)
	w.everything(t)
	return w.answers.Bytes()
}

// connect goes the way of a person, and notes the secrets of the way.
func (w *secretWorld) connect(t *testing.T, pair string) {
	t.Helper()
	consent := must(url.Parse(w.visitor.Authorize(t, pair)))
	w.secrets[consent.Query().Get("state")] = "state"
	back := w.visitor.Decide(t, consent.String(), stack.AllowAll("anna"))
	w.secrets[must(url.Parse(back)).Query().Get("code")] = "code"
	if result := w.visitor.Callback(t, back); result != "oauth_success="+pair {
		t.Fatalf("connect %s: %s", pair, result)
	}
}

// everything asks for all that has to do with secrets; the answers may be any.
func (w *secretWorld) everything(t *testing.T) {
	t.Helper()
	of := map[string]any{"company_id": 1}
	for _, ask := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, "/api/oauth/provider_search/discover-locations", nil},
		{http.MethodPost, "/api/oauth/provider_social/discover-pages", of},
		{http.MethodPost, "/api/bizprofile/audit", map[string]any{"company_id": 1, "force_refresh": true}},
		{http.MethodPost, "/api/auth/login", map[string]any{"email": "biuro@demo.example", "password": stack.DemoPassword + "x"}},
		{http.MethodGet, "/api/oauth/status", nil},
		{http.MethodGet, "/konto/integracje", nil},
		{http.MethodGet, "/konto/integracje/strona", nil},
		{http.MethodGet, "/konto/integracje/lokalizacja", nil},
		{http.MethodGet, "/konto/audyt", nil},
		{http.MethodGet, "/", nil},
		{http.MethodGet, "/api/prices/ceneo?q=rtx+4070", nil},
		{http.MethodGet, "/kreator", nil},
	} {
		a, err := w.visitor.Try(t.Context(), ask.method, ask.path, ask.body)
		if err != nil {
			t.Errorf("%s %s: %v", ask.method, ask.path, err)
		}
		w.answers.Write(a.Body)
	}
}

// known are all secrets: the services' own, those of the visitor, and those that the
// stand-ins of the providers have given out.
func (w *secretWorld) known(t *testing.T) map[string]string {
	t.Helper()
	given := w.Sandbox.Issued(t)
	if len(given) < 4 {
		t.Fatalf("only %d secrets were issued", len(given))
	}
	for secret, kind := range given {
		w.secrets[secret] = kind
	}
	return w.secrets
}
