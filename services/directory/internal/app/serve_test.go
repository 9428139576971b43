package app

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	sandbox "backend.example/deploy/sandbox/google"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/testkit"
)

// TestServe also serves on an empty database.
func TestServe(t *testing.T) {
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		settings := settingsOf(t, db.URL)
		for _, args := range [][]string{nil, {"serve"}} {
			p := start(t, settings, args...)
			requireAnswer(t, p.url+"/api/bizprofile/audit/health", 200, `"available":true`)
			for path, want := range map[string]string{
				"/metrics": "\ndirectory_build_info{commit=\"", "/healthz": "",
				"/readyz": `{"database":"ok","status":"ok"}` + "\n",
			} {
				requireAnswer(t, p.url+path, 404, `{"success":false,"error":"`) // is not public
				requireAnswer(t, "http://"+p.admin+path, 200, want)
			}
			admin := []string{"DIRECTORY_ADMIN_ADDR=" + p.admin}
			requirePrinted(t, admin, [][2]string{{"healthcheck", ""}})
			p.end(t)
			requireRefused(t, admin, 1, [2]string{"healthcheck", "refused"})
		}
	})
}

func requireAnswer(t *testing.T, address string, wantStatus int, want string) {
	t.Helper()
	response, err := http.Get(address)
	status, content := read(t, response, err)
	if status != wantStatus {
		t.Errorf("%s: status %d, want %d", address, status, wantStatus)
	}
	if !strings.Contains(content, want) {
		t.Errorf("%s: body %q, want %q in it", address, content, want)
	}
}

// TestStartLog names the settings that are on, and no secret.
func TestStartLog(t *testing.T) {
	p := start(t, environ(
		t,
		"DIRECTORY_SESSION_KEYS="+goodKey,
		"DIRECTORY_ENCRYPTION_KEYS="+secondKey,
		"DIRECTORY_COMPANY_ACCESS=strict",
		"DIRECTORY_LOG_LEVEL=debug",
		"PROVIDER_SEARCH_CLIENT_ID=search-id",
		"PROVIDER_SEARCH_CLIENT_SECRET=search-secret",
		"PLACES_API_KEY=places-key",
	))
	requireAbsent(t, p.end(t), goodKey[2:], secondKey[2:], "search-secret", "places-key", "sqlite:")
	var entry map[string]any
	ok(t, json.Unmarshal([]byte(p.lines[0]), &entry))
	for key, want := range map[string]any{
		"msg": "starting", "tracing": false, "company_access": "strict", "public_url": "http://localhost:8080",
		"sqlite":        true,
		"scan_interval": "0s", "provider_search": true, "provider_social": false, "places": true, "smtp": false,
	} {
		if entry[key] != want {
			t.Errorf("%s is %v, want %v", key, entry[key], want)
		}
	}
	shown, _ := entry["build"].(map[string]any)
	if shown["version"] != thisBuild().Version {
		t.Errorf("version %v, want %s", shown["version"], thisBuild().Version)
	}
	if commit, ok := shown["commit"].(string); !ok || commit == "" {
		t.Errorf("commit %v, want some text", shown["commit"])
	}
}

func requireAbsent(t *testing.T, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%q is in the log:\n%s", secret, text)
		}
	}
}

// TestServeDrains: an authorization under way is finished before the process ends.
func TestServeDrains(t *testing.T) {
	reached, open := make(chan struct{}), make(chan struct{}) // the provider is asked; it may answer
	google := sandbox.New(sandbox.Options{ClientID: "search-id", ClientSecret: "search-secret",
		RedirectURI: "http://localhost:8080/api/oauth/callback/provider_search"})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			close(reached)
			<-open
		}
		google.ServeHTTP(w, r)
	}))
	t.Cleanup(site.Close)
	settings := newDirectory(t, "PROVIDER_SEARCH_CLIENT_ID=search-id", "PROVIDER_SEARCH_CLIENT_SECRET=search-secret",
		"PROVIDER_SEARCH_BASE_URL="+site.URL)
	require(t, settings, "seed")
	p := start(t, settings)
	jar, err := cookiejar.New(nil)
	ok(t, err)
	browser := http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	post := func(path, body string) string {
		response, err := browser.Post(p.url+path, "application/json", strings.NewReader(body))
		status, content := read(t, response, err)
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, content)
		}
		return content
	}
	post("/api/auth/login", `{"email":"biuro@demo.example","password":"`+cli.DemoPassword+`"}`)
	var begun struct {
		AuthURL string `json:"auth_url"`
	}
	ok(t, json.Unmarshal([]byte(post("/api/oauth/connect/"+profilePair, "")), &begun))
	consent, err := browser.PostForm(begun.AuthURL,
		url.Values{"decision": {"allow"}, "account": {"anna"}, "scope": {"all"}})
	ok(t, err)
	ok(t, consent.Body.Close())
	back := strings.Replace(consent.Header.Get("Location"), "http://localhost:8080", p.url, 1)
	answered := make(chan string)
	go func() {
		response, err := browser.Get(back)
		if _, _ = read(t, response, err); err == nil {
			answered <- response.Header.Get("Location")
		}
		close(answered)
	}()
	<-reached
	p.stop()
	p.await(t, "draining")
	close(open)
	if location := <-answered; location != "/konto/integracje?oauth_success="+profilePair {
		t.Errorf("the browser was sent to %q", location)
	}
	secrets := []string{"search-secret", cli.DemoPassword}
	issued, _ := google.Secrets()
	for _, secret := range issued {
		secrets = append(secrets, secret.Value)
	}
	requireAbsent(t, p.end(t), secrets...)
}

func TestPublicURL(t *testing.T) {
	settings := newDirectory(t, "PROVIDER_SEARCH_CLIENT_ID=search-id", "PROVIDER_SEARCH_CLIENT_SECRET=search-secret",
		"PROVIDER_SEARCH_BASE_URL=")
	requireLines(t, settings, "seed", "user add biuro@firmy.example --role OFFICE_MANAGER --company "+
		"piekarnia-kowalski --password "+cli.DemoPassword)
	p := start(t, append(settings, "DIRECTORY_PUBLIC_URL=https://firmy.example/"))
	send := func(path, body, cookie string) (*http.Response, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.url+path, strings.NewReader(body))
		ok(t, err)
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Cookie", cookie)
		request.Header.Set("Origin", "https://firmy.example") // as the gateway passes it on
		response, err := http.DefaultClient.Do(request)
		_, content := read(t, response, err)
		return response, content
	}
	response, _ := send("/api/auth/login", `{"email":"biuro@firmy.example","password":"`+cli.DemoPassword+`"}`, "")
	cookie, flags, _ := strings.Cut(response.Header.Get("Set-Cookie"), ";")
	if !strings.HasPrefix(cookie, "__Host-") || !strings.Contains(flags, "; Secure") {
		t.Errorf("cookie %q with %q, want one of the host and Secure", cookie, flags)
	}
	_, content := send("/api/oauth/connect/"+profilePair, "", cookie)
	back := url.QueryEscape("https://firmy.example/api/oauth/callback/provider_search")
	for _, want := range []string{`"https://accounts.google.com/`, "redirect_uri=" + back + `\u0026`} {
		if !strings.Contains(content, want) {
			t.Errorf("authorization at %s, want %s in it", content, want)
		}
	}
	if log := p.end(t); !strings.Contains(log, `"not_set":["DIRECTORY_PRIVACY_URL",`) {
		t.Errorf("no warning of what public pages lack:\n%s", log)
	}
}

func TestKeysGenerate(t *testing.T) {
	first, second := require(t, nil, "keys", "generate"), require(t, nil, "keys", "generate")
	firstID, firstKey, _ := strings.Cut(first, ":")
	secondID, secondKey, _ := strings.Cut(second, ":")
	if firstID == secondID || firstKey == secondKey {
		t.Errorf("%q after %q, want another identifier and another key", second, first)
	}
	list := strings.TrimSpace(first) + "," + strings.TrimSpace(second)
	if _, err := database.ParseKeys(list); err != nil {
		t.Errorf("%q as encryption keys: %v", list, err)
	}
	if _, err := account.ParseKeys(list); err != nil {
		t.Errorf("%q as session keys: %v", list, err)
	}
}

// addSecret and useSecret store a webhook, whose secret is encrypted, and decrypt it.
const addSecret, useSecret = "webhook add https://odbiorca.example --all", "webhook rotate 1"

func TestKeysAreMadeOnce(t *testing.T) {
	settings := environ(t)
	requireLines(t, settings, "migrate up", addSecret)
	path := keysPath(settings)
	content := readFile(t, path)
	info, err := os.Stat(path)
	ok(t, err)
	if info.Mode() != 0o600 {
		t.Errorf("the file has mode %v, want 0600", info.Mode())
	}
	requireLines(t, settings, useSecret)
	if again := readFile(t, path); string(again) != string(content) {
		t.Error("the keys were made again")
	}
}

// TestLostKeysAreNotReplaced checks that no command, and no start, makes new keys for a
// database that is there: they could not open its secrets.
func TestLostKeysAreNotReplaced(t *testing.T) {
	settings := environ(t)
	requireLines(t, settings, "migrate up", addSecret)
	path := keysPath(settings)
	content := readFile(t, path)
	ok(t, os.Remove(path))
	lost := "there is no file " + path + ": put it back, or set DIRECTORY_SESSION_KEYS and DIRECTORY_ENCRYPTION_KEYS"
	for _, line := range []string{"serve", "migrate up", "seed", "company list"} {
		requireRefused(t, settings, 1, [2]string{line, lost})
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there again: %v", err)
	}
	ok(t, os.WriteFile(path, content, 0o600))
	requireLines(t, settings, useSecret)
}

func keysPath(settings []string) string { return filepath.Join(databaseFolder(settings), keysFile) }

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	ok(t, err)
	return content
}

// writeFile makes a file and its folder.
func writeFile(t *testing.T, path, content string) {
	t.Helper()
	ok(t, os.MkdirAll(filepath.Dir(path), 0o700))
	ok(t, os.WriteFile(path, []byte(content), 0o600))
}

// TestDoctorFindsProblems, and ends with an error. The states are those of all checks that are made.
func TestDoctorFindsProblems(t *testing.T) {
	missing := environ(t)
	unreached := append(environ(t), "PROVIDER_SEARCH_CLIENT_ID=id", "PROVIDER_SEARCH_CLIENT_SECRET=secret",
		"DIRECTORY_SMTP_URL=smtp://127.0.0.1:1?from=a@b.example&tls=off", "DIRECTORY_ERASURE_LOG=/dev/null/erased")
	_, err := command(t, unreached, "migrate", "up")
	ok(t, err)
	for name, test := range map[string]struct {
		environ []string
		want    map[string]string
	}{
		"a wrong setting": {append(missing, "DIRECTORY_RATE=-1"), map[string]string{"settings": "problem"}},
		"no database": {missing, map[string]string{"settings": "ok", "erasure log": "ok", "mail": "off",
			"database file": "problem"}},
		"nothing is reached": {unreached, map[string]string{"settings": "ok", "erasure log": "problem",
			"mail": "problem", "database file": "ok", "keys": "ok", "database": "ok", "schema": "ok",
			"secrets in the database": "ok", "service": "ok", "provider_search": "problem", "provider_social": "off",
			"places": "off"}},
	} {
		out, err := command(t, test.environ, "doctor", "--json")
		var findings []struct{ Check, State string }
		if err := json.Unmarshal([]byte(out), &findings); err != nil {
			t.Fatalf("%s: %v in %q", name, err, out)
		}
		got := map[string]string{}
		for _, f := range findings {
			got[f.Check] = f.State
		}
		if err == nil {
			t.Errorf("%s: ended without an error", name)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: findings (-want +got):\n%s", name, diff)
		}
	}
}

// TestStateIsCounted: the gauges show what the database holds of connections, pauses and jobs.
func TestStateIsCounted(t *testing.T) {
	settings := newDirectory(t, "DIRECTORY_SCAN_INTERVAL=24h")
	require(t, settings, "seed")
	a := openApp(t, settings)
	ctx, now := t.Context(), time.Now()
	user, err := a.Users.ByEmail(ctx, "biuro@demo.example")
	ok(t, err)
	for _, pair := range []provider.Pair{provider.PagesPair, provider.PhotosPair, provider.ProfilePair} {
		c := connection.Connection{Pair: pair, CompanyID: *user.CompanyID, UserID: user.ID}
		ok(t, a.Store.Save(ctx, &c, nil, trail.Entry{CompanyID: c.CompanyID}))
	}
	made, soon, tomorrow := now.Add(-48*time.Hour).Unix(), now.Add(time.Hour).UTC(), now.Add(24*time.Hour).UTC()
	due := now.Add(-time.Minute).Truncate(time.Second).UTC()
	ok(t, a.DB.Transaction(ctx, func(tx *gorm.DB) error {
		return jobs.New(a.DB).Insert(tx, jobs.Sync{ConnectionID: 1}, jobs.Sync{ConnectionID: 2})
	}))
	for _, change := range []struct {
		statement string
		args      []any
	}{
		{"UPDATE oauth_tokens SET created_at = ?", []any{time.Unix(made, 0).UTC()}},
		{"UPDATE oauth_tokens SET reconnect_reason = 'revoked' WHERE service = 'social_pages'", nil},
		{"UPDATE oauth_tokens SET scanned_at = ? WHERE service = 'search_profile'", []any{tomorrow}},
		{"DELETE FROM river_job WHERE kind <> 'sync'", nil},
		{"UPDATE river_job SET scheduled_at = ?", []any{due}},
		{"INSERT INTO scan_pauses (provider, service, connection_id, until, seconds) " +
			"SELECT provider, service, id, ?, 60 FROM oauth_tokens WHERE service = 'social_photos'", []any{soon}},
		{"INSERT INTO scan_pauses (provider, service, connection_id, until, seconds) VALUES " +
			"('provider_search', '', 0, ?, 60), ('provider_search', 'search_profile', 0, ?, 60), " +
			"('provider_search', 'search_analytics', 0, ?, 60)", []any{soon, soon, soon}},
	} {
		ok(t, a.DB.Write(ctx).Exec(change.statement, change.args...).Error)
	}
	g := newGauges(a.registry)
	ok(t, a.count(ctx, g))
	got := testkit.Series(t, a.registry)
	want := map[string]float64{
		"directory_connections_broken provider_social social_pages": 1,
		"directory_scan_pauses provider provider_search":            1,
		"directory_scan_pauses service provider_search":             2,
		"directory_scan_pauses connections provider_social":         1,
		"directory_scan_interval_seconds":                           86_400,
		"directory_scan_due_connections":                            2,
		"directory_scan_oldest_timestamp_seconds":                   float64(made),
		"directory_jobs sync available":                             2,
		"directory_job_oldest_due_timestamp_seconds sync":           float64(due.Unix()),
	}
	for series := range got {
		counted := strings.HasPrefix(series, "directory_connections_") ||
			strings.HasPrefix(series, "directory_scan_") || strings.HasPrefix(series, "directory_job")
		if !counted || strings.HasPrefix(series, "directory_job_late") {
			delete(got, series)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}
