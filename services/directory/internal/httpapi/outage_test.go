package httpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

// errSecret is a cause that must stay in the log.
var errSecret = errors.New(`dial tcp 10.0.3.7:5432: postgres://directory:hunter2@db.inner/directory: SELECT * FROM oauth_tokens at /srv/store/page.go:41`)

func requireNoLeak(t *testing.T, a answer) {
	t.Helper()
	all := fmt.Sprint(a.Header(), a.Body)
	for _, word := range []string{
		"10.0.3.7", "hunter2", "postgres", "sqlite", "inner", "SELECT", "INSERT", "/srv", ".go", "/tmp", ".db", "store:", "panic", "goroutine",
		"oauth_tokens", "relation", "no such table", "hidden", "sql:", "directory_test",
	} {
		if strings.Contains(all, word) {
			t.Errorf("the answer shows %q: %s", word, all)
		}
	}
}

// TestProviderFailures: a provider's failure is explained, an unclassified one is
// not, and neither shows its cause.
func TestProviderFailures(t *testing.T) {
	tests := []struct {
		err        error
		status     int
		text       string
		retryAfter string
	}{
		{errSecret, 500, textInternal, ""},
		{fmt.Errorf("list: %w", provider.Temporary(errSecret)), 500, textTemporary, ""},
		{provider.Throttled(errSecret, 1500*time.Millisecond), 500, textThrottled, "2"},
		{provider.Busy(1500 * time.Millisecond), 429, textThrottled, "2"},
		{directorytest.Revoked(), 500, "Dostęp został cofnięty. Połącz konto ponownie.", ""}, // marks the connection, so comes last
	}
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		w.connect(pagesPair)
		b := w.loggedInAs(w.Anna)
		for _, test := range tests {
			w.Search.Err, w.Social.Err = test.err, test.err
			for path, body := range map[string]string{
				discoverLocations: "", selectLocation: `{"location_name":"locations/1"}`,
				discoverPages: of(w.Company), selectPage: pageOf(w.Company, `"104118"`),
			} {
				w.Log.Reset()
				a := b.post(path, body, "X-Request-Id", "r-1").wantErrorOnly(test.status, test.text)
				if got := a.Header().Get("Retry-After"); got != test.retryAfter {
					t.Errorf("%s: Retry-After %q", path, got)
				}
				requireNoLeak(t, a)
				if logged := strings.Count(w.Log.String(), `"request_id":"r-1"`) == 1; logged != (test.status == 500) {
					t.Errorf("%s: log %s", path, w.Log.String())
				}
			}
		}
	})
}

// TestBrokenDatabase: a failure of the service itself is one text for people and
// one line in the log.
func TestBrokenDatabase(t *testing.T) {
	tests := []struct{ table, method, path, body string }{
		{"users", "POST", "/api/auth/login", credentials("anna@poczta.example", "x")},
		{"limit_entries", "POST", "/api/auth/login", credentials("anna@poczta.example", "x")},
		{"sessions", "POST", "/api/auth/login", credentials("anna@poczta.example", "haslo-anny-2026")},
		{"sessions", "POST", "/api/auth/logout", ""},
		{"sessions", "GET", "/api/auth/me", ""},
		{"users", "GET", "/api/auth/me", ""},
		{"limit_entries", "POST", "/api/auth/password", `{"old_password":"x","new_password":"x"}`},
		{"password_mails", "POST", "/api/auth/reset", `{"email":"anna@poczta.example"}`},
		{"password_links", "POST", "/api/auth/reset/confirm", `{"token":"x","new_password":"x"}`},
		{"sessions", "GET", "/api/auth/sessions", ""},
		{"audit_trail", "POST", "/api/auth/sessions/end", `{}`},
		{"companies", "GET", "/api/auth/me", ""},
		{"sessions", "POST", "/api/oauth/connect/provider_search/search_profile", ""},
		{"oauth_tokens", "GET", "/api/oauth/status", ""},
		{"oauth_tokens", "POST", "/api/oauth/disconnect/provider_search/search_profile", ""},
		{"audit_trail", "POST", "/api/oauth/disconnect/provider_search/search_profile", ""},
		{"oauth_tokens", "POST", discoverLocations, ""},
		{"oauth_tokens", "POST", selectLocation, `{"location_name":"locations/1"}`},
		{"audit_trail", "POST", selectLocation, `{"location_name":"locations/1"}`},
		{"oauth_tokens", "POST", discoverPages, `{"company_id":1}`},
		{"oauth_tokens", "POST", selectPage, `{"company_id":1,"page_id":"104119"}`},
		{"social_media_configs", "POST", selectPage, `{"company_id":1,"page_id":"104119"}`},
		{"companies", "GET", "/api/bizprofile/audit?slug=piekarnia", ""},
		{"profile_audits", "GET", "/api/bizprofile/audit?slug=piekarnia", ""},
		{"profile_audits", "GET", "/api/bizprofile/audit/piekarnia", ""},
		{"profile_audits", "GET", "/api/bizprofile/audit/piekarnia/history", ""},
		{"companies", "POST", runAudit, `{"slug":"piekarnia"}`},
	}
	withService(t, func(t *testing.T, w *world) {
		w.withMail()
		w.SetPassword(w.Anna, "haslo-anny-2026")
		profile, page, b := w.connect(profilePair), w.connectPage(), w.loggedInAs(w.Anna)
		for _, test := range tests {
			restore := w.Hide(test.table)
			w.Log.Reset()
			requireNoLeak(t, b.do(test.method, test.path, test.body, "X-Request-Id", "r-1").wantErrorOnly(500, textInternal))
			if log := w.Log.String(); strings.Count(log, "request failed") != 1 || !strings.Contains(log, `"request_id":"r-1"`) {
				t.Errorf("%s: log %s", test.path, log)
			}
			restore()
		}
		w.WantUnchanged(page)
		w.WantUnchanged(profile)
	})
}

// TestEachFailedStatementIsReported: whichever statement of a request that reads fails, the
// answer is an error.
func TestEachFailedStatementIsReported(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		ala, b := w.admin()
		w.connect(profilePair)
		w.audits(w.Company, 1)
		user := fmt.Sprint("/api/admin/users/", ala.ID)
		var calls []databasetest.Call
		for _, path := range []string{
			"/api/auth/me", "/api/auth/sessions", "/api/oauth/status", runAudit + "?slug=piekarnia", runAudit + "/piekarnia", runAudit + "/piekarnia/history",
			"/api/admin/companies", "/api/admin/companies/1", "/api/admin/users", user, user + "/sessions",
		} {
			calls = append(calls, databasetest.Call{Name: path, Run: func() error {
				if b.get(path).Code == http.StatusOK {
					return nil
				}
				return databasetest.ErrFails
			}})
		}
		w.FailEach(calls...)
	})
}

// TestBrokenDatabaseWithMore: failures whose bodies contain more than a text.
func TestBrokenDatabaseWithMore(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connectPage()
		w.connect(directorytest.AnalyticsPair)
		b := w.loggedInAs(w.Anna)
		for _, table := range []string{"profile_audits", "company_profiles", "limit_entries"} {
			restore := w.Hide(table)
			a := b.post(runAudit, of(w.Company)).wantError(500, textInternal)
			requireNoLeak(t, a.wantAt("Firma piekarnia", "company_name").wantAt(float64(w.Company.ID), "company_id"))
			restore()
		}
		w.connect(profilePair, atLocation)
		for _, test := range []struct{ table, path string }{
			{"limit_entries", syncAnalytics}, {"performance_days", syncPerformance}, {"social_statistics", syncPage}, {"social_statistics_history", syncPhotos}, {"oauth_tokens", syncPage},
		} {
			restore := w.Hide(test.table)
			a := b.post(test.path, of(w.Company)).wantError(500, textInternal).wantAt(nil, "data").wantAt(textInternal, "message")
			requireNoLeak(t, a.wantAt("internal", "code"))
			restore()
		}
	})
}

// TestCallbackNotSaved: the connection, or the session, cannot be read or saved.
func TestCallbackNotSaved(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for _, table := range []string{"oauth_tokens", "audit_trail", "sessions", "users"} {
			state := b.connect(profilePair)
			restore := w.Hide(table)
			w.Log.Reset()
			a := b.get("/api/oauth/callback/provider_search?code=c&state="+url.QueryEscape(state), "X-Request-Id", "r-1")
			requireNoLeak(t, a.redirects("oauth_error=save_failed"))
			if !strings.Contains(w.Log.String(), `"request_id":"r-1"`) {
				t.Errorf("log %s", w.Log.String())
			}
			restore()
		}
		if _, err := w.Store.Connections.Find(t.Context(), w.Company.ID, profilePair); err == nil {
			t.Error("a connection was stored")
		}
	})
}

// TestDatabaseAway: audits are unavailable; elsewhere it is a failure.
func TestDatabaseAway(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		b, health := w.loggedInAs(w.Anna), "/api/bizprofile/audit/health"
		b.get(health).want(200).wantAt("ok", "status").wantAt("1.0", "version").wantAt(true, "available")
		w.ok(w.Store.Close())
		a := b.get(health).want(503).wantAt("unavailable", "status").wantAt(false, "available").wantAt(textUnavailable, "error")
		requireNoLeak(t, a)
		b.do(http.MethodHead, health, "").want(503)
		for _, path := range []string{"?slug=piekarnia", "/piekarnia", "/piekarnia/history"} {
			requireNoLeak(t, b.get("/api/bizprofile/audit"+path).wantErrorOnly(503, textUnavailable))
			b.do(http.MethodHead, "/api/bizprofile/audit"+path, "").want(503)
		}
		requireNoLeak(t, b.post(runAudit, `{"slug":"piekarnia"}`).wantErrorOnly(503, textUnavailable))
		b.get("/api/bizprofile/audit").wantErrorOnly(400, textNoName)
		requireNoLeak(t, b.get("/api/auth/me").wantErrorOnly(500, textInternal))
		b.get("/api/oauth/callback/provider_search?code=c&state=s").redirects("oauth_error=save_failed")
		b.get("/api/oauth/callback/provider_search?error=access_denied").redirects("oauth_error=access_denied")
	})
}

// TestDatabaseGoesAway in the middle of an audit.
func TestDatabaseGoesAway(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		w.Place.Configured, w.Place.Profile = true, w.Search.Profile
		w.Place.During = func() { w.ok(w.Store.Close()) }
		w.wire()
		requireNoLeak(t, b.post(runAudit, of(w.Company)).wantErrorOnly(503, textUnavailable))
	})
}
