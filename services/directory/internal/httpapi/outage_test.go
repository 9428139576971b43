package httpapi_test

import (
	"database/sql"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/storetest"
)

// raw opens the database past the store.
func (w *world) raw() *sql.DB {
	w.t.Helper()
	driver, source := "pgx", w.db.URL
	if path, isFile := strings.CutPrefix(w.db.URL, "sqlite:"); isFile {
		driver, source = "sqlite", filepath.ToSlash(path)+"?_pragma=busy_timeout(5000)"
	}
	pool, err := sql.Open(driver, source)
	w.ok(err)
	w.t.Cleanup(func() { _ = pool.Close() })
	return pool
}

// without runs test while a table is not where it belongs.
func (w *world) without(pool *sql.DB, table string, test func()) {
	w.t.Helper()
	rename := func(from, to string) {
		_, err := pool.ExecContext(w.t.Context(), "ALTER TABLE "+from+" RENAME TO "+to)
		w.ok(err)
	}
	rename(table, "hidden")
	test()
	rename("hidden", table)
}

// changeable is each for tests that change the schema.
func changeable(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	storetest.EachBare(t, func(t *testing.T, db storetest.Database) {
		db.Store = storetest.Open(t, db.URL)
		if err := db.Store.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		test(t, newWorld(t, db))
	})
}

// TestBrokenDatabase: a failure of the service itself is one text for people and
// one line in the log.
func TestBrokenDatabase(t *testing.T) {
	tests := []struct{ table, method, path, body string }{
		{"users", "POST", "/api/auth/login", credentials("anna@poczta.example", "x")},
		{"limit_entries", "POST", "/api/auth/login", credentials("anna@poczta.example", "x")},
		{"sessions", "POST", "/api/auth/logout", ""},
		{"sessions", "GET", "/api/auth/me", ""},
		{"users", "GET", "/api/auth/me", ""},
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
	changeable(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		before := w.connectPage()
		pool, b := w.raw(), w.loggedInAs(w.Anna)
		for _, test := range tests {
			w.without(pool, test.table, func() {
				w.Log.Reset()
				a := b.do(test.method, test.path, test.body, "X-Request-Id", "r-1").wantErrorOnly(500, textInternal)
				requireNoLeak(t, a)
				if log := w.Log.String(); strings.Count(log, "request failed") != 1 || !strings.Contains(log, `"request_id":"r-1"`) {
					t.Errorf("%s: log %s", test.path, log)
				}
				if test.method == http.MethodGet {
					b.do(http.MethodHead, test.path, "").want(500)
				}
			})
		}
		if c := w.connection(pagesPair); c.AccountID != before.AccountID || c.AccessToken != before.AccessToken || !w.connection(profilePair).Active {
			t.Errorf("stored %+v", c)
		}
	})
}

// TestBrokenDatabaseWithMore: failures whose bodies contain more than a text.
func TestBrokenDatabaseWithMore(t *testing.T) {
	changeable(t, func(t *testing.T, w *world) {
		w.connectPage()
		pool, b := w.raw(), w.loggedInAs(w.Anna)
		for _, table := range []string{"profile_audits", "company_profiles", "limit_entries"} {
			w.without(pool, table, func() {
				a := b.post(runAudit, of(w.Company)).wantError(500, textInternal)
				requireNoLeak(t, a.wantAt("Firma piekarnia", "company_name").wantAt(float64(w.Company.ID), "company_id"))
			})
		}
		w.connect(directorytest.AnalyticsPair)
		for table, path := range map[string]string{"limit_entries": syncAnalytics, "social_statistics": syncPage, "social_statistics_history": syncPhotos, "oauth_tokens": syncPage} {
			w.without(pool, table, func() {
				a := b.post(path, of(w.Company)).wantError(500, textInternal).wantAt(nil, "data").wantAt(textInternal, "message")
				requireNoLeak(t, a.wantAt("internal", "code"))
			})
		}
		w.without(pool, "oauth_tokens", func() { b.post(syncPhotos, of(w.Company)).wantError(500, textInternal) })
	})
}

// TestCallbackNotSaved: the connection, or the session, cannot be read or saved.
func TestCallbackNotSaved(t *testing.T) {
	changeable(t, func(t *testing.T, w *world) {
		pool, b := w.raw(), w.loggedInAs(w.Anna)
		for _, table := range []string{"oauth_tokens", "audit_trail", "sessions", "users"} {
			state := b.connect(profilePair)
			w.without(pool, table, func() {
				a := b.get("/api/oauth/callback/provider_search?code=c&state="+url.QueryEscape(state), "X-Request-Id", "r-1").
					redirects("oauth_error=save_failed")
				requireNoLeak(t, a)
				if !strings.Contains(w.Log.String(), `"request_id":"r-1"`) {
					t.Errorf("log %s", w.Log.String())
				}
			})
			w.Log.Reset()
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
	})
}

// TestDatabaseGoesAway in the middle of an audit.
func TestDatabaseGoesAway(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		w.Place.Configured = true
		w.Place.Profile = w.Search.Profile
		w.Place.During = func() { w.ok(w.Store.Close()) }
		w.wire()
		requireNoLeak(t, b.post(runAudit, of(w.Company)).wantErrorOnly(503, textUnavailable))
	})
}
