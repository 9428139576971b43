package app

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// TestServe also serves on an empty database.
func TestServe(t *testing.T) {
	databasetest.EachBare(t, func(t *testing.T, db databasetest.Database) {
		settings := settingsOf(t, db.URL)
		for _, args := range [][]string{nil, {"serve"}} {
			p := start(t, settings, args...)
			if status, content := fetch(t, p.url+"/api/bizprofile/audit/health"); status != 200 || !strings.Contains(content, `"available":true`) {
				t.Errorf("health: %d %s", status, content)
			}
			for path, want := range map[string]string{
				"/metrics": "\n" + `directory_build_info{commit="`, "/healthz": "", "/readyz": `{"database":"ok","status":"ok"}` + "\n",
			} {
				if status, content := fetch(t, p.url+path); status != 404 || !strings.HasPrefix(content, `{"success":false,"error":"`) {
					t.Errorf("%s is public: %d %s", path, status, content)
				}
				if status, content := fetch(t, "http://"+p.admin+path); status != 200 || !strings.Contains(content, want) {
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
	p := start(t, environ(t,
		"DIRECTORY_SESSION_KEYS="+goodKey, "DIRECTORY_ENCRYPTION_KEYS="+secondKey, "DIRECTORY_COMPANY_ACCESS=strict",
		"DIRECTORY_LOG_LEVEL=debug", "PROVIDER_SEARCH_CLIENT_ID=search-id", "PROVIDER_SEARCH_CLIENT_SECRET=search-secret", "PLACES_API_KEY=places-key"))
	requireAbsent(t, p.end(t), goodKey[2:], secondKey[2:], "search-secret", "places-key", "sqlite:")
	var entry map[string]any
	ok(t, json.Unmarshal([]byte(p.lines[0]), &entry))
	for key, want := range map[string]any{
		"msg": "starting", "tracing": false, "company_access": "strict", "public_url": "http://localhost:8080", "sqlite": true,
		"scan_interval": "0s", "provider_search": true, "provider_social": false, "places": true, "smtp": false,
	} {
		if entry[key] != want {
			t.Errorf("%s is %v, want %v", key, entry[key], want)
		}
	}
	if shown, ok := entry["build"].(map[string]any); !ok || shown["version"] != thisBuild().Version || shown["commit"] == "" {
		t.Errorf("build %v", entry["build"])
	}
}

// TestServeIsQuietAtWARN: neither the start nor a request has a line.
func TestServeIsQuietAtWARN(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	address := listener.Addr().String()
	ok(t, listener.Close())
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var log strings.Builder
	done := make(chan error)
	go func() {
		done <- newProgram(environ(t, "DIRECTORY_LOG_LEVEL=WARN", "DIRECTORY_ADDR="+address), nil, io.Discard, &log).Run(ctx, nil)
	}()
	patience, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for patience.Err() == nil {
		response, err := http.Get("http://" + address + "/api/auth/me")
		if err == nil {
			ok(t, response.Body.Close())
			break
		}
		runtime.Gosched()
	}
	stop()
	if err := <-done; err != nil || patience.Err() == context.DeadlineExceeded || log.Len() > 0 {
		t.Errorf("ended with %v, logged %s", err, &log)
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
	provider := newFakeProvider(t)
	reached, open := make(chan struct{}), make(chan struct{})
	provider.onExchange = func() { close(reached); <-open }
	p := start(t, provider.settings)
	b := login(t, p.url, "biuro@demo.example")
	answered := make(chan string)
	go func() { answered <- b.authorize(t, profilePair) }()
	<-reached
	p.stop()
	p.await(t, "draining")
	close(open)
	if location := <-answered; location != "/konto/integracje?oauth_success="+profilePair {
		t.Errorf("the browser was sent to %q", location)
	}
	requireAbsent(t, p.end(t), "access-1", "refresh-1", "code-1", "search-secret", "places-key", cli.DemoPassword)
}

// TestServeRevokes checks that a grant that could not be withdrawn before a restart is
// withdrawn afterwards, and what has waited too long is given up.
func TestServeRevokes(t *testing.T) {
	fake := newFakeProvider(t)
	revoked := make(chan struct{}, 1)
	fake.onRevoke = func() { revoked <- struct{}{} }
	c := connection.Connection{CompanyID: 1, UserID: 1, Pair: provider.ProfilePair, AccessToken: "access-1"}
	end := func(age time.Duration) {
		t.Helper()
		ok(t, fake.store.Connections.Save(t.Context(), &c, nil, trail.Entry{}))
		r, err := fake.store.Connections.End(t.Context(), 1, provider.ProfilePair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
			c.End()
			return nil, nil
		})
		ok(t, err)
		ok(t, fake.store.Write(t.Context()).Model(r).UpdateColumn("created_at", database.Instant(time.Now().Add(-age))).Error)
	}
	end(8 * 24 * time.Hour)
	end(time.Hour)
	p := start(t, fake.settings)
	p.await(t, "grants could not be withdrawn and are given up")
	p.requireMetric(t, `directory_revocations_given_up_total{provider="provider_search"}`, "1")
	<-revoked
	p.end(t)
}

func TestMetrics(t *testing.T) {
	p := start(t, newFakeProvider(t).settings)
	b := login(t, p.url, "biuro@demo.example")
	b.authorize(t, profilePair)
	b.require(t, 200, "/api/oauth/provider_search/discover-locations", "")
	b.require(t, 200, "/api/bizprofile/audit", `{"slug":"piekarnia-kowalski"}`)
	b.require(t, 403, "/api/bizprofile/audit", `{"slug":"warsztat-nowak"}`)
	for name, want := range map[string]string{
		`directory_provider_calls_total{call="refresh",outcome="ok",provider="provider_search"}`: "1",
		`directory_provider_calls_total{call="place",outcome="gone",provider="places"}`:          "1",
		`directory_audits_total{outcome="ok"}`:                                                   "1",
		`directory_audits_total{outcome="refused"}`:                                              "1",
		`directory_provider_calls_total{call="page",outcome="error",provider="provider_social"}`: "0",
		`directory_audits_total{outcome="error"}`:                                                "0",
		`directory_scans_total{outcome="error"}`:                                                 "0",
		`directory_scan_last_success_timestamp_seconds`:                                          "0",
		`directory_connections_broken{provider="provider_search",service="search_profile"}`:      "0",
		`directory_http_requests_in_flight`:                                                      "0",
		"# TYPE go_goroutines":                                                                   "gauge",
		"# TYPE process_cpu_seconds_total":                                                       "counter",
	} {
		p.requireMetric(t, name, want)
	}
	p.end(t)
}

// TestCompanyAccess discovers the pages of a company that is not the user's.
func TestCompanyAccess(t *testing.T) {
	for access, want := range map[string]int{"contract": 404, "strict": 403} {
		p := start(t, newFakeProvider(t, "DIRECTORY_COMPANY_ACCESS="+access).settings)
		login(t, p.url, "gosc@demo.example").require(t, want, "/api/oauth/provider_social/discover-pages", `{"company_id":1}`)
		p.end(t)
	}
}

// publicSettings returns settings with an https address and a database with a manager,
// biuro@firmy.example.
func publicSettings(t *testing.T) []string {
	t.Helper()
	settings := newFakeProvider(t, "PROVIDER_SEARCH_BASE_URL=").settings
	require(t, settings, "user", "add", "biuro@firmy.example", "--role", "OFFICE_MANAGER", "--company", "piekarnia-kowalski",
		"--password", cli.DemoPassword)
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
	if !strings.Contains(content, `"https://accounts.google.com/`) || !strings.Contains(content, "redirect_uri="+back+`\u0026`) {
		t.Errorf("authorization at %s", content)
	}
	if log := p.end(t); !strings.Contains(log, `"not_set":["DIRECTORY_PRIVACY_URL",`) {
		t.Errorf("no warning of what public pages lack:\n%s", log)
	}
}
