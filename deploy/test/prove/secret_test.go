package prove

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"backend.example/deploy/test/harness"
)

// TestNoSecretOutside runs the services with their secrets in files, uses them with and
// without faults, crashes the directory service, and searches for each secret in the logs,
// stack dumps, metrics, traces, answers, pages, command lines, environments, the database
// and remaining files.
func TestNoSecretOutside(t *testing.T) {
	measured := report(t, "No secret in logs, stack dumps, metrics, traces, error answers, pages, the process list, the environment, and no core file after a crash")
	allowCoreFiles(t)
	var places, secrets atomic.Int64
	crashes := []syscall.Signal{syscall.SIGABRT, syscall.SIGQUIT, syscall.SIGSEGV, syscall.SIGTRAP}
	t.Run("after", func(t *testing.T) {
		for _, signal := range crashes {
			t.Run(signal.String(), func(t *testing.T) {
				t.Parallel() // most of the time is time-outs
				b := newSecretBackend(t)
				seen, known := b.crash(t, signal), b.allSecrets(t)
				requireNone(t, seen, known)
				places.Add(int64(len(seen)))
				secrets.Add(int64(len(known)))
			})
		}
	})
	measured("%d secrets, %d places after %d kinds of crash", secrets.Load(), places.Load(), len(crashes))
}

// crash uses the services, ends the directory service with a signal, and returns everything
// in which a secret may be visible.
func (b *secretBackend) crash(t *testing.T, signal syscall.Signal) map[string][]byte {
	t.Helper()
	d := b.Directories[0]
	seen := map[string][]byte{"answers and pages": b.workAndFail(t)}
	for name, p := range b.programs() {
		seen["metrics of the "+name] = []byte(p.Metrics(t))
		seen["command line of the "+name] = []byte(harness.ReadFile(t, fmt.Sprintf("/proc/%d/cmdline", p.Pid())))
		seen["environment of the "+name] = []byte(harness.ReadFile(t, fmt.Sprintf("/proc/%d/environ", p.Pid())))
	}
	seen["traces"] = b.awaitTraces(t)
	seen["database"] = dump(t, b.database)
	_ = d.Stop(signal)
	for name, p := range b.programs() {
		seen["log of the "+name] = []byte(p.Log.String())
	}
	if !bytes.Contains(seen["log of the directory"], []byte("goroutine ")) {
		t.Errorf("%s left no stack dump", signal)
	}
	requireNoCoreFile(t, d.Folder)
	return seen
}

// allowCoreFiles removes the limit for core files.
func allowCoreFiles(t *testing.T) {
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

// requireNone fails if a text contains a secret.
func requireNone(t *testing.T, seen map[string][]byte, secrets map[string]string) {
	t.Helper()
	for place, text := range seen {
		for secret, kind := range secrets {
			if bytes.Contains(text, []byte(secret)) {
				t.Errorf("%s: a %s in the clear", place, kind)
			}
		}
	}
}

// requireNoCoreFile fails if the crash left a core file.
func requireNoCoreFile(t *testing.T, folder string) {
	t.Helper()
	cores, err := filepath.Glob(filepath.Join(folder, "*core*"))
	if err != nil || len(cores) > 0 {
		t.Errorf("core files: %v, %v", cores, err)
	}
}

// The passwords of the services at PostgreSQL and Redis.
const (
	databasePassword = "prove-database-password-4Kd8"
	redisPassword    = "prove-redis-password-5Mt3"
)

// secretBackend is a stack whose services read their secrets from files.
type secretBackend struct {
	*harness.Stack
	server   *harness.Postgres
	database string // URL
	visitor  *harness.Visitor
	traces   *harness.Collector
	secrets  map[string]string // kinds by text
	answers  bytes.Buffer
}

func newSecretBackend(t *testing.T) *secretBackend {
	t.Helper()
	server := harness.StartPostgres(t)
	store := harness.StartRedis(t, "--requirepass", redisPassword)
	database := strings.Replace(server.NewDatabase(t), "postgres@", "postgres:"+databasePassword+"@", 1)
	traces := harness.NewCollector(t)
	b := &secretBackend{server: server, database: database, traces: traces, Stack: harness.New(t, harness.Options{
		Directories: 1, Database: database, Collector: traces.URL, DirectoryEnv: []string{"DIRECTORY_LOG_LEVEL=DEBUG"},
		Env: []string{"HARDWARE_REDIS_URL=redis://:" + redisPassword + "@" + store.Addr, "HARDWARE_LOG_LEVEL=DEBUG"},
	})}
	b.secrets = map[string]string{
		databasePassword: "database password", redisPassword: "Redis password", harness.DemoPassword: "password",
		harness.ClientSecret: "client secret", harness.PlacesKey: "places key",
	}
	for _, name := range []string{"DIRECTORY_SESSION_KEYS", "DIRECTORY_ENCRYPTION_KEYS"} {
		_, key, _ := strings.Cut(setting(t, b.Stack, name), ":") // its identifier is not secret
		b.secrets[key] = name
	}
	restartWithFiles(t, b.Directories[0], "DIRECTORY_DATABASE_URL", "DIRECTORY_SESSION_KEYS", "DIRECTORY_ENCRYPTION_KEYS",
		"PROVIDER_SEARCH_CLIENT_SECRET", "PROVIDER_SOCIAL_CLIENT_SECRET", "PLACES_API_KEY")
	restartWithFiles(t, b.Hardware[0], "HARDWARE_REDIS_URL")
	b.AwaitGateway(t)
	b.visitor = harness.NewVisitor(t, b.Gateway)
	b.visitor.HTTP.Transport = harness.ChangingAddresses()
	return b
}

// restartWithFiles restarts the service with each named setting in a file.
func restartWithFiles(t *testing.T, s *harness.Service, names ...string) {
	t.Helper()
	s.Terminate(t)
	for _, name := range names {
		i := slices.IndexFunc(s.Env, func(line string) bool { return strings.HasPrefix(line, name+"=") })
		if i < 0 {
			t.Fatalf("%s is not set", name)
		}
		path := filepath.Join(t.TempDir(), "secret")
		harness.WriteFile(t, path, strings.TrimPrefix(s.Env[i], name+"="))
		s.Env[i] = name + "_FILE=" + path
	}
	s.Start(t)
}

func (b *secretBackend) programs() map[string]*harness.Service {
	return map[string]*harness.Service{"directory": b.Directories[0], "hardware": b.Hardware[0], "gateway": b.Proxy}
}

// workAndFail uses every secret without faults, with failing providers and without the
// database, and returns the answers and pages.
func (b *secretBackend) workAndFail(t *testing.T) []byte {
	t.Helper()
	b.visitor.Login(t, "biuro@demo.example")
	for _, pair := range []string{harness.SearchProfile, harness.SocialPages} {
		b.connect(t, pair)
	}
	of := map[string]any{"company_id": 1}
	pages := harness.PostAs[struct{ Pages []struct{ ID string } }](t, b.visitor, "/api/oauth/provider_social/discover-pages", of).Pages
	harness.OK(t, b.visitor.Post(t, selectPage, map[string]any{"company_id": 1, "page_id": pages[0].ID}))
	for _, cookie := range b.visitor.Cookies(t) {
		b.secrets[cookie.Value] = "session cookie"
	}
	providers := []string{"search", "social", "places"}
	for _, fault := range []string{`{"kind":"down"}`, `{"kind":"garbage"}`, `{"kind":"status","status":500}`, ""} {
		for _, site := range providers {
			b.Sandbox.Fault(t, site, fault)
		}
		b.everything(t)
	}
	b.Sandbox.Do(t, "search", "expire-access-tokens", "")
	b.Sandbox.Do(t, "social", "expire-tokens", "")
	b.everything(t)
	b.server.Kill()
	b.everything(t)
	b.server.Start(t)
	b.everything(t)
	return b.answers.Bytes()
}

// connect makes a connection as a browser does, and records the secrets of the flow.
func (b *secretBackend) connect(t *testing.T, pair string) {
	t.Helper()
	consent := b.visitor.Authorize(t, pair)
	b.secrets[parameter(t, consent, "state")] = "state"
	back := b.visitor.Decide(t, consent, harness.AllowAll("anna"))
	b.secrets[parameter(t, back, "code")] = "code"
	if result := b.visitor.Callback(t, back); result != "oauth_success="+pair {
		t.Fatalf("connect %s: %s", pair, result)
	}
}

// parameter returns a query parameter of an address.
func parameter(t *testing.T, address, name string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Query().Get(name)
}

// everything sends all requests that involve secrets. The answers may have any status.
func (b *secretBackend) everything(t *testing.T) {
	t.Helper()
	of := map[string]any{"company_id": 1}
	for _, ask := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, discover, nil},
		{http.MethodPost, "/api/oauth/provider_social/discover-pages", of},
		{http.MethodPost, syncPage, of},
		{http.MethodPost, "/api/oauth/provider_social/sync-instagram", of},
		{http.MethodPost, "/api/bizprofile/audit", map[string]any{"company_id": 1, "force_refresh": true}},
		{http.MethodPost, "/api/auth/login", map[string]any{"email": "biuro@demo.example", "password": harness.DemoPassword + "x"}},
		{http.MethodGet, "/api/oauth/status", nil},
		{http.MethodGet, "/konto/integracje", nil},
		{http.MethodGet, "/konto/integracje/strona", nil},
		{http.MethodGet, "/konto/integracje/lokalizacja", nil},
		{http.MethodGet, "/konto/audyt", nil},
		{http.MethodGet, "/", nil},
		{http.MethodGet, "/api/prices/ceneo?q=rtx+4070", nil},
		{http.MethodGet, "/kreator", nil},
	} {
		a, err := b.visitor.Try(t.Context(), ask.method, ask.path, ask.body)
		if err != nil {
			t.Errorf("%s %s: %v", ask.method, ask.path, err)
		}
		b.answers.Write(a.Body)
	}
}

// allSecrets returns the secrets of the services and of the visitor, and those that the fake
// providers have issued.
func (b *secretBackend) allSecrets(t *testing.T) map[string]string {
	t.Helper()
	var issued struct {
		Forgotten int
		Secrets   []struct{ Kind, Value string }
	}
	if err := json.Unmarshal([]byte(harness.Text(t, b.Sandbox.Control+"/issued")), &issued); err != nil {
		t.Fatal(err)
	}
	if len(issued.Secrets) < 4 || issued.Forgotten > 0 {
		t.Fatalf("the sandbox has %d secrets, and has dropped %d", len(issued.Secrets), issued.Forgotten)
	}
	for _, secret := range issued.Secrets {
		b.secrets[secret.Value] = secret.Kind
	}
	return b.secrets
}

// awaitTraces waits for spans of every program, including those of the callback and of a
// failed call to the provider, and returns all traces.
func (b *secretBackend) awaitTraces(t *testing.T) []byte {
	t.Helper()
	harness.Eventually(t, "all programs send traces", func() bool {
		return b.traces.Contains("gateway", "directory", "hardware", "/api/oauth/callback/", "POST /api/bizprofile/audit", "GET /kreator", "postgresql", "redis")
	})
	return bytes.Join(b.traces.Exports(), nil)
}

// dump returns every row of every table as text.
func dump(t *testing.T, database string) []byte {
	t.Helper()
	db := harness.OpenDatabase(t, database)
	db.SetMaxOpenConns(1)
	harness.Execute(t, db, "SET bytea_output = 'escape'") // keeps readable bytes as they are
	var tables string
	list := "SELECT string_agg(quote_ident(tablename), ',') FROM pg_tables WHERE schemaname = 'public'"
	if err := db.QueryRowContext(t.Context(), list).Scan(&tables); err != nil {
		t.Fatal(err)
	}
	var all bytes.Buffer
	for table := range strings.SplitSeq(tables, ",") {
		var rows string
		if err := db.QueryRowContext(t.Context(), "SELECT coalesce(string_agg(r::text, E'\n'), '') FROM "+table+" r").Scan(&rows); err != nil {
			t.Fatal(err)
		}
		all.WriteString(rows)
	}
	if !bytes.Contains(all.Bytes(), []byte("piekarnia-kowalski")) {
		t.Fatal("the dump lacks the demonstration data")
	}
	return all.Bytes()
}
