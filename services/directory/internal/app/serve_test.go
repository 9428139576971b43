package app

import (
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	sandbox "backend.example/deploy/sandbox/google"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/database/databasetest"
)

// TestServe also serves on an empty database.
func TestServe(t *testing.T) {
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		settings := settingsOf(t, db.URL)
		for _, args := range [][]string{nil, {"serve"}} {
			p := start(t, settings, args...)
			if status, content := fetch(t, p.url+"/api/bizprofile/audit/health"); status != 200 ||
				!strings.Contains(content, `"available":true`) {
				t.Errorf("health: %d %s", status, content)
			}
			for path, want := range map[string]string{
				"/metrics": "\n" + `directory_build_info{commit="`, "/healthz": "",
				"/readyz": `{"database":"ok","status":"ok"}` + "\n",
			} {
				if status, content := fetch(t, p.url+path); status != 404 ||
					!strings.HasPrefix(content, `{"success":false,"error":"`) {
					t.Errorf("%s is public: %d %s", path, status, content)
				}
				if status, content := fetch(t, "http://"+p.admin+path); status != 200 ||
					!strings.Contains(content, want) {
					t.Errorf("%s: %d %s", path, status, content)
				}
			}
			admin := []string{"DIRECTORY_ADMIN_ADDR=" + p.admin}
			requirePrinted(t, admin, [][2]string{{"healthcheck", ""}})
			p.end(t)
			requireRefused(t, admin, 1, map[string]string{"healthcheck": "refused"})
		}
	})
}

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
	if shown, ok := entry["build"].(map[string]any); !ok || shown["version"] != thisBuild().Version ||
		shown["commit"] == "" {
		t.Errorf("build %v", entry["build"])
	}
}

func requireAbsent(t *testing.T, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s is in\n%s", secret, text)
		}
	}
}

// TestServeDrains: an authorization under way is finished before the process ends.
func TestServeDrains(t *testing.T) {
	reached, open := make(chan struct{}), make(chan struct{})
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

// publicSettings returns settings with an https address and a database with a manager, biuro@firmy.example.
func publicSettings(t *testing.T) []string {
	t.Helper()
	settings := newDirectory(t, "PROVIDER_SEARCH_CLIENT_ID=search-id", "PROVIDER_SEARCH_CLIENT_SECRET=search-secret",
		"PROVIDER_SEARCH_BASE_URL=")
	require(t, settings, "seed")
	require(t, settings, "user", "add", "biuro@firmy.example", "--role", "OFFICE_MANAGER", "--company",
		"piekarnia-kowalski", "--password", cli.DemoPassword)
	return append(settings, "DIRECTORY_PUBLIC_URL=https://firmy.example/")
}

func TestPublicURL(t *testing.T) {
	p := start(t, publicSettings(t))
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
		t.Errorf("cookie %q, %q", cookie, flags)
	}
	_, content := send("/api/oauth/connect/"+profilePair, "", cookie)
	back := url.QueryEscape("https://firmy.example/api/oauth/callback/provider_search")
	if !strings.Contains(content, `"https://accounts.google.com/`) ||
		!strings.Contains(content, "redirect_uri="+back+`\u0026`) {
		t.Errorf("authorization at %s", content)
	}
	if log := p.end(t); !strings.Contains(log, `"not_set":["DIRECTORY_PRIVACY_URL",`) {
		t.Errorf("no warning of what public pages lack:\n%s", log)
	}
}
