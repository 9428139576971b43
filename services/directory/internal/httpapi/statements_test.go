package httpapi_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
)

// Statements that a request may send. BEGIN and COMMIT are not counted; the locks
// of PostgreSQL that make the uses of a limit follow one another are distinguished.
const (
	readStatements  = 2
	writeStatements = 6
)

// cost is what a request sends to the database until it is answered. A cost above
// the limit has its reason.
type cost struct {
	route, when       string
	statements, locks int
	reason            string
	prepare           func(w *world) (ask func() answer)
}

const (
	reasonSync      = "the last 2 are the sync's that follows the choice: the dated reading and the current one"
	reasonRenewal   = "the renewal asks the provider between a lock of its own and a commit of its own: 3"
	reasonLogin     = "a good login clears the account's limit, and ends the session before"
	reasonAudit     = "an audit reads user, company, profile, connection, uses and webhooks, and writes use, profile and audit"
	reasonPlace     = reasonAudit + "; where its place is new, that too"
	reasonSeen      = "once a minute the last use of the session is noted"
	reasonAnalytics = "the company says which of the sites is its own"
)

// costs has a line for each route, and for what makes one dearer.
func costs() []cost {
	return []cost{
		{"POST /api/auth/login", "without a session", 6, 2, "", loggingIn((*world).browser)},
		{"POST /api/auth/login", "with a session", 7, 2, reasonLogin, loggingIn(func(w *world) *browser { return w.loggedInAs(w.Anna) })},
		{"POST /api/auth/logout", "", 1, 0, "", posting("/api/auth/logout", "")},
		{"GET /api/auth/me", "", 2, 0, "", getting("/api/auth/me")},
		{"GET /api/auth/me", "after a minute", 3, 0, reasonSeen, later(getting("/api/auth/me"))},
		{"POST /api/oauth/connect/:provider/:service", "", 2, 0, "", posting("/api/oauth/connect/provider_search/search_profile", "")},
		{"GET /api/oauth/callback/:provider", "", 6, 0, "", func(w *world) func() answer {
			b := w.loggedInAs(w.Anna)
			state := b.connect(profilePair)
			return func() answer {
				return b.callback(profilePair, state).redirects("oauth_success=" + profilePair.String())
			}
		}},
		{"GET /api/oauth/status", "", 2, 0, "", withProfile(getting("/api/oauth/status"))},
		{"GET /api/oauth/status", "after a minute", 3, 0, reasonSeen, later(withProfile(getting("/api/oauth/status")))},
		{"POST /api/oauth/disconnect/:provider/:service", "", 4, 0, "", withProfile(posting("/api/oauth/disconnect/provider_search/search_profile", ""))},
		{"POST /api/oauth/provider_search/discover-locations", "", 4, 1, "", withProfile(posting("/api/oauth/provider_search/discover-locations", ""))},
		{"POST /api/oauth/provider_search/discover-locations", "token due", 7, 1, reasonRenewal, withDue(posting("/api/oauth/provider_search/discover-locations", ""))},
		{"POST /api/oauth/provider_search/select-location", "", 5, 0, "", withProfile(posting("/api/oauth/provider_search/select-location", `{"location_name":"locations/1"}`))},
		{"POST /api/oauth/provider_search/select-location", "token due", 8, 0, reasonRenewal, withDue(posting("/api/oauth/provider_search/select-location", `{"location_name":"locations/1"}`))},
		{"POST /api/oauth/provider_social/discover-pages", "", 4, 1, "", withPage("/api/oauth/provider_social/discover-pages", `{"company_id":1}`)},
		{"POST /api/oauth/provider_social/select-page", "", 8, 0, reasonSync, withPage("/api/oauth/provider_social/select-page", `{"company_id":1,"page_id":"104119"}`)},
		{"POST /api/oauth/provider_social/sync-facebook", "", 6, 1, "", withPage(syncPage, `{"company_id":1}`)},
		{"POST /api/oauth/provider_social/sync-instagram", "", 6, 1, "", withPage(syncPhotos, `{"company_id":1}`)},
		{"POST " + deauthorize, "somebody unknown", 3, 1, "", signedPosting(deauthorize)},
		{"POST " + dataDeletion, "somebody unknown", 4, 1, "", signedPosting(dataDeletion)},
		{"POST /api/oauth/provider_search/sync-analytics", "", 7, 1, reasonAnalytics, func(w *world) func() answer {
			w.connect(directorytest.AnalyticsPair)
			return posting(syncAnalytics, `{"company_id":1}`)(w)
		}},
		{"GET /api/bizprofile/audit/health", "", 1, 0, "", getting("/api/bizprofile/audit/health")},
		{"GET /api/bizprofile/audit", "by id", 2, 0, "", audited(getting("/api/bizprofile/audit?company_id=1"))},
		{"GET /api/bizprofile/audit", "by slug", 2, 0, "", audited(getting("/api/bizprofile/audit?slug=piekarnia"))},
		{"GET /api/bizprofile/audit/:slug", "", 2, 0, "", audited(getting("/api/bizprofile/audit/piekarnia"))},
		{"GET /api/bizprofile/audit/:slug", "unchanged", 2, 0, "", audited(unchanged("/api/bizprofile/audit/piekarnia"))},
		{"GET /api/bizprofile/audit/:slug/history", "", 2, 0, "", audited(getting("/api/bizprofile/audit/piekarnia/history"))},
		{"POST /api/bizprofile/audit", "nothing fetched", 7, 1, reasonAudit, posting(runAudit, `{"slug":"piekarnia","fetch_external":false}`)},
		{"POST /api/bizprofile/audit", "location fetched", 9, 1, reasonAudit, withLocation(true)},
		{"POST /api/bizprofile/audit", "location of a new place", 10, 1, reasonPlace, withLocation(false)},
	}
}

func TestStatementsOfEachRoute(t *testing.T) {
	counted := map[string]bool{}
	for _, c := range costs() {
		counted[c.route] = true
		t.Run(c.route+" "+c.when, func(t *testing.T) { onEachDatabase(t, func(_ *testing.T, w *world) { c.check(w) }) })
	}
	onEachDatabase(t, func(t *testing.T, w *world) {
		for _, route := range w.routes() {
			method, _, _ := strings.Cut(route, " ")
			if method == strings.ToUpper(method) && method != "HEAD" && !counted[route] { // HEAD answers like GET
				t.Errorf("%s has no line in costs", route)
			}
		}
	})
}

func (c cost) check(w *world) {
	w.t.Helper()
	var after []func()
	w.Background = func(f func()) { after = append(after, f) }
	var sent []string
	counting := false
	w.ok(w.Store.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		if counting {
			sent = append(sent, name)
		}
		return ctx, func(error) {}
	}))
	ask := c.prepare(w)
	counting = true
	a := ask()
	counting = false
	for _, f := range after {
		f()
	}
	if a.Code >= 400 {
		w.t.Fatalf("%d %s", a.Code, a.Body)
	}
	locks := 0
	for _, name := range sent {
		if name == "raw" && !strings.HasSuffix(c.route, "/health") { // whose ping it is
			locks++
		}
	}
	want := c.locks
	if w.db.Name == "sqlite" {
		want = 0 // a transaction for writing is alone
	}
	if n := len(sent) - locks; n != c.statements || locks != want {
		w.t.Errorf("%d statements and %d locks, want %d and %d: %q", n, locks, c.statements, want, sent)
	}
	limit := writeStatements
	if strings.HasPrefix(c.route, "GET") && !strings.Contains(c.route, "callback") {
		limit = readStatements
	}
	if (c.statements > limit) != (c.reason != "") {
		w.t.Errorf("%d statements, limit %d, reason %q", c.statements, limit, c.reason)
	}
}

// getting and posting ask as anna.
func getting(path string) func(*world) func() answer {
	return func(w *world) func() answer {
		b := w.loggedInAs(w.Anna)
		return func() answer { return b.get(path) }
	}
}

// unchanged requests what the client already has.
func unchanged(path string) func(*world) func() answer {
	return func(w *world) func() answer {
		tag := w.browser().get(path).Header().Get("ETag")
		return func() answer { return w.browser().get(path, "If-None-Match", tag).want(304) }
	}
}

func signedPosting(path string) func(*world) func() answer {
	return func(w *world) func() answer {
		return func() answer { return w.fromProvider(path, signed("somebody", w.Now)) }
	}
}

func posting(path, body string) func(*world) func() answer {
	return func(w *world) func() answer {
		b := w.loggedInAs(w.Anna)
		return func() answer { return b.post(path, body) }
	}
}

// later asks when the session's last use has to be noted.
func later(prepare func(*world) func() answer) func(*world) func() answer {
	return func(w *world) func() answer {
		ask := prepare(w)
		w.pass(2 * time.Minute)
		return ask
	}
}

// loggingIn logs anna in from a browser.
func loggingIn(from func(*world) *browser) func(*world) func() answer {
	return func(w *world) func() answer {
		body := `{"email":"` + w.Anna.Email + `","password":"` + w.setPassword(w.Anna) + `"}`
		b := from(w)
		return func() answer { return b.post("/api/auth/login", body) }
	}
}

func withProfile(prepare func(*world) func() answer) func(*world) func() answer {
	return func(w *world) func() answer {
		w.connect(profilePair)
		return prepare(w)
	}
}

// withDue has a token that ends within minutes.
func withDue(prepare func(*world) func() answer) func(*world) func() answer {
	return func(w *world) func() answer {
		w.connect(profilePair, func(c *connection.Connection) { c.ExpiresAt = ptr(w.Now.Add(time.Minute)) })
		return prepare(w)
	}
}

func withPage(path, body string) func(*world) func() answer {
	return func(w *world) func() answer {
		w.connectPage()
		return posting(path, body)(w)
	}
}

func audited(prepare func(*world) func() answer) func(*world) func() answer {
	return func(w *world) func() answer {
		w.loggedInAs(w.Anna).post(runAudit, `{"slug":"piekarnia","fetch_external":false}`).want(200)
		return prepare(w)
	}
}

// withLocation audits a chosen location, whose place is known already or new.
func withLocation(known bool) func(*world) func() answer {
	return func(w *world) func() answer {
		w.connect(profilePair, func(c *connection.Connection) { c.AccountID = "locations/1" })
		if known {
			w.ok(w.Store.Companies().SetPlaceID(w.t.Context(), w.Company.ID, w.Search.Profile.PlaceID))
		}
		return posting(runAudit, `{"slug":"piekarnia"}`)(w)
	}
}
