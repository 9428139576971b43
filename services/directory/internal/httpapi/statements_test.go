//go:build !race

// One request after another has nothing for the race detector, which makes it five times as slow.

package httpapi_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

// Statements that a request may send. BEGIN and COMMIT are not counted; the locks
// of PostgreSQL that make the uses of a limit follow one another are distinguished.
const (
	readStatements  = 2
	writeStatements = 6
)

// cost is what a request of Anna sends to the database until it is answered. A cost above
// the limit has its reason.
type cost struct {
	route, when       string
	statements, locks int
	reason            string
	prepare           []step
	address, body     string // the address only where the route has parameters
}

// step prepares the service, or the browser that sends the request.
type step func(w *world, b *browser)

func loggedOut(_ *world, b *browser)    { b.cookie = nil }
func loggedIn(w *world, b *browser)     { b.cookie = w.loggedInAs(w.Anna).cookie }
func withPassword(w *world, _ *browser) { w.SetPassword(w.Anna, "haslo-anny-2026") }
func minutesLater(w *world, _ *browser) { w.pass(2 * time.Minute) } // the session's last use has to be noted
func withProfile(w *world, _ *browser)  { w.connect(profilePair) }
func withPage(w *world, _ *browser)     { w.connectPage() }
func withSite(w *world, _ *browser)     { w.connect(directorytest.AnalyticsPair) }
func audited(w *world, _ *browser)      { w.audits(w.Company, 1) }

func withMail(w *world, _ *browser) { w.withMail() }

func withLink(w *world, _ *browser) {
	hash := sha256.Sum256([]byte("token"))
	w.ok(w.Store.DB.Write(w.t.Context()).Exec("INSERT INTO password_links (user_id, token_hash, expires_at) VALUES (?, ?, ?)",
		w.Anna.ID, hash[:], w.Now.Add(time.Hour)).Error)
}

func authorizing(w *world, b *browser) {
	pending := connection.Pending{State: "1:1:search_profile:r", Provider: provider.Search, CreatedAt: w.Now}
	w.ok(w.sessions.Put(httptest.NewRecorder(), b.request("POST", "/", ""), connection.PendingName, pending.String()))
}

func withDueToken(w *world, _ *browser) {
	w.connect(profilePair, func(c *connection.Connection) { c.ExpiresAt = ptr(w.Now.Add(time.Minute)) })
}

func withLocation(w *world, _ *browser) {
	w.connect(profilePair, func(c *connection.Connection) { c.AccountID = "locations/1" })
}

func withKnownLocation(w *world, _ *browser) {
	w.connect(profilePair, func(c *connection.Connection) {
		known := w.Search.Profile
		c.AccountID, c.AccountName, c.AccountAddress, c.PlaceID = "locations/1", known.Name, known.Address, known.PlaceID
	})
}

const (
	reasonSync        = "the last 2 are the sync's that follows the choice: the dated reading and the current one"
	reasonRenewal     = "the renewal asks the provider between a lock of its own and a commit of its own: 3"
	reasonLogin       = "a good login clears the limits of the account, notes the network, and ends the session before"
	reasonPassword    = "a new password ends the sessions and the links, and clears a limit"
	reasonReset       = "two limits, of which one is silent, and the queue is bounded"
	reasonAudit       = "an audit reads user, company, profile, connection, uses and webhooks, and writes use, profile and audit"
	reasonPlace       = reasonAudit + "; what is new about the location is kept with its choice"
	reasonSeen        = "once a minute the last use of the session is noted"
	reasonOutcome     = "a success looks whether it ends an app-wide failure, for the token and for the permission"
	reasonPerformance = "the last reading says from which day to read, and each day is stored"
	reasonAnalytics   = "the company says which of the sites is its own"
)

const (
	connectProfile    = "/api/oauth/connect/provider_search/search_profile"
	disconnectProfile = "/api/oauth/disconnect/provider_search/search_profile"
	callbackProfile   = "/api/oauth/callback/provider_search?code=c&state=1:1:search_profile:r"
	firstLocation     = `{"location_name":"locations/1"}`
	firstCompany      = `{"company_id":1}`
)

// costs has a line for each route, and for what makes one dearer.
func costs() []cost {
	login, stranger := credentials("anna@poczta.example", "haslo-anny-2026"), signed("stranger", directorytest.Start)
	return []cost{
		{"POST /api/auth/login", "without a session", 8, 3, reasonLogin, []step{withPassword, loggedOut}, "", login},
		{"POST /api/auth/login", "with a session", 9, 3, reasonLogin, []step{withPassword, loggedIn}, "", login},
		{"POST /api/auth/logout", "", 1, 0, "", nil, "", ""},
		{"POST /api/auth/password", "", 11, 1, reasonPassword, []step{withPassword, loggedIn}, "", passwords("haslo-anny-2026", newPassword)},
		{"POST /api/auth/reset", "", 7, 2, reasonReset, []step{withMail}, "", `{"email":"anna@poczta.example"}`},
		{"POST /api/auth/reset/confirm", "", 8, 0, reasonPassword, []step{withLink}, "", `{"token":"token","new_password":"nowe-haslo-2026"}`},
		{"GET /api/auth/sessions", "", 2, 0, "", nil, "", ""},
		{"POST /api/auth/sessions/end", "", 4, 0, "", nil, "", `{}`},
		{"GET /api/auth/me", "", 2, 0, "", nil, "", ""},
		{"GET /api/auth/me", "after a minute", 3, 0, reasonSeen, []step{minutesLater}, "", ""},
		{"POST /api/oauth/connect/:provider/:service", "", 2, 0, "", nil, connectProfile, ""},
		{"GET /api/oauth/callback/:provider", "", 6, 0, "", []step{authorizing}, callbackProfile, ""},
		{"GET /api/oauth/status", "", 2, 0, "", []step{withProfile}, "", ""},
		{"GET /api/oauth/status", "after a minute", 3, 0, reasonSeen, []step{withProfile, minutesLater}, "", ""},
		{"POST /api/oauth/disconnect/:provider/:service", "", 5, 0, "", []step{withProfile}, disconnectProfile, ""},
		{"POST " + discoverLocations, "", 5, 1, "", []step{withProfile}, "", ""},
		{"POST " + discoverLocations, "token due", 10, 1, reasonRenewal, []step{withDueToken}, "", ""},
		{"POST " + selectLocation, "", 6, 0, "", []step{withProfile}, "", firstLocation},
		{"POST " + selectLocation, "token due", 11, 0, reasonRenewal, []step{withDueToken}, "", firstLocation},
		{"POST " + discoverPages, "", 4, 1, "", []step{withPage}, "", firstCompany},
		{"POST " + selectPage, "", 10, 0, reasonSync, []step{withPage}, "", `{"company_id":1,"page_id":"104119"}`},
		{"POST " + syncPage, "", 8, 1, reasonOutcome, []step{withPage}, "", firstCompany},
		{"POST " + syncPhotos, "", 8, 1, reasonOutcome, []step{withPage}, "", firstCompany},
		{"POST " + deauthorize, "a stranger", 3, 1, "", nil, "", stranger},
		{"POST " + dataDeletion, "a stranger", 5, 1, "", nil, "", stranger},
		{"POST " + syncPerformance, "", 8, 1, reasonPerformance, []step{withLocation}, "", firstCompany},
		{"POST " + syncAnalytics, "", 9, 1, reasonAnalytics, []step{withSite}, "", firstCompany},
		{"GET /api/bizprofile/audit/health", "", 1, 0, "", nil, "", ""},
		{"GET " + runAudit, "by id", 2, 0, "", []step{audited}, runAudit + "?company_id=1", ""},
		{"GET " + runAudit, "by slug", 2, 0, "", []step{audited}, runAudit + "?slug=piekarnia", ""},
		{"GET /api/bizprofile/audit/:slug", "", 2, 0, "", []step{audited}, runAudit + "/piekarnia", ""},
		{"GET /api/bizprofile/audit/:slug/history", "", 2, 0, "", []step{audited}, runAudit + "/piekarnia/history", ""},
		{"POST " + runAudit, "nothing fetched", 8, 1, reasonAudit, nil, "", `{"slug":"piekarnia","fetch_external":false}`},
		{"POST " + runAudit, "location fetched", 11, 1, reasonAudit, []step{withKnownLocation}, "", firstCompany},
		{"POST " + runAudit, "location of a new place", 13, 1, reasonPlace, []step{withLocation}, "", firstCompany},
	}
}

// TestStatementsOfEachRoute uses PostgreSQL too where the engines differ: in the locks.
func TestStatementsOfEachRoute(t *testing.T) {
	var counted []string
	for _, c := range costs() {
		counted = append(counted, c.route)
		run := withService
		if c.locks > 0 {
			run = onEachDatabase
		}
		t.Run(c.route+" "+c.when, func(t *testing.T) { run(t, c.check) })
	}
	for _, r := range rules { // administrators are few
		if strings.Contains(r.route, " /api/admin/") {
			counted = append(counted, r.route)
		}
	}
	requireAllRoutes(t, counted)
}

func (c cost) check(t *testing.T, w *world) {
	var after []func()
	w.Background = func(f func()) { after = append(after, f) }
	var sent []string
	w.ok(w.Store.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		sent = append(sent, name)
		return ctx, func(error) {}
	}))
	b := w.loggedInAs(w.Anna)
	for _, prepare := range c.prepare {
		prepare(w, b)
	}
	method, address, _ := strings.Cut(c.route, " ")
	content := "application/json"
	if strings.HasPrefix(c.body, "signed_request=") {
		content = form
	}
	sent = nil
	if a := b.do(method, cmp.Or(c.address, address), c.body, "Content-Type", content); a.Code >= 400 {
		t.Fatalf("%d %s", a.Code, a.Body)
	}
	names := sent
	for _, f := range after {
		f()
	}
	locks := 0
	for _, name := range names {
		if name == "raw" && !strings.HasSuffix(c.route, "/health") { // whose ping it is
			locks++
		}
	}
	want := c.locks
	if w.db.Name == "sqlite" {
		want = 0 // a transaction for writing is alone
	}
	if n := len(names) - locks; n != c.statements || locks != want {
		t.Errorf("%d statements and %d locks, want %d and %d: %q", n, locks, c.statements, want, names)
	}
	limit := writeStatements
	if method == "GET" && !strings.Contains(c.route, "callback") {
		limit = readStatements
	}
	if (c.statements > limit) != (c.reason != "") {
		t.Errorf("%d statements, limit %d, reason %q", c.statements, limit, c.reason)
	}
}
