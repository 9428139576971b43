//go:build !race

// One request after another has nothing for the race detector, which makes it five times as slow.

package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
)

// Targets of a request, as placeholders: the caller's own company, another one,
// and one that does not exist.
const own, foreign, absent = "own", "foreign", "absent"

// callers are the columns of the table, from left to right.
var callers = []struct {
	name    string
	role    account.Role // zero: not logged in
	company bool         // belongs to the own company
}{
	{"nobody", 0, false}, {"unaffiliated", account.Unaffiliated, true}, {"member", account.Member, true}, {"employee", account.Employee, true},
	{"manager", account.Manager, true}, {"office manager", account.OfficeManager, true}, {"admin", account.Admin, true},
	{"member without company", account.Member, false}, {"admin without company", account.Admin, false},
}

// rule is a row of the table: what every caller is answered. HEAD is answered as GET.
type rule struct {
	route, target string
	address, body string // with {id} and {slug} of the target; an address is only given where the route has parameters
	want          string // statuses in the order of callers
	strict        string // the same where access to other companies is strict; empty: as want
}

// Rows that recur.
const (
	everyone200 = "200 200 200 200 200 200 200 200 200"
	everyone404 = "404 404 404 404 404 404 404 404 404"
	loggedIn200 = "401 200 200 200 200 200 200 200 200"
	loggedIn404 = "401 404 404 404 404 404 404 404 404"
	hasCompany  = "401 200 200 200 200 200 200 403 403"
	editsOwn    = "401 403 200 200 200 200 200 403 200"
	adminsOnly  = "401 403 403 403 403 403 200 403 200"
	adminsMiss  = "401 403 403 403 403 403 404 403 404"
	admins400   = "401 403 403 403 403 403 400 403 400"
	everyone400 = "400 400 400 400 400 400 400 400 400"
	editsTheirs = "401 403 200 200 200 200 200 403 403"
)

const oneCompany, onePage = `{"company_id":{id}}`, `{"company_id":{id},"page_id":"104118"}`

var rules = []rule{
	{route: "POST /api/auth/login", body: `{}`, want: "400 400 400 400 400 400 400 400 400"},
	{route: "POST /api/auth/logout", want: everyone200},
	{route: "GET /api/auth/me", want: loggedIn200},
	{route: "POST /api/auth/password", body: `{}`, want: "401 400 400 400 400 400 400 400 400"},
	{route: "POST /api/auth/reset", body: `{}`, want: everyone400},
	{route: "POST /api/auth/reset/confirm", body: `{}`, want: everyone400},
	{route: "GET /api/auth/sessions", want: loggedIn200},
	{route: "POST /api/auth/sessions/end", body: `{}`, want: loggedIn200},
	{route: "GET /api/admin/companies", want: adminsOnly},
	{route: "POST /api/admin/companies", body: `{}`, want: admins400},
	{route: "GET /api/admin/companies/:id", target: foreign, address: "/api/admin/companies/{id}", want: adminsOnly},
	{route: "POST /api/admin/companies/:id", target: foreign, address: "/api/admin/companies/{id}", body: `{"phone":"1"}`, want: adminsOnly},
	{route: "POST /api/admin/companies/:id", target: absent, address: "/api/admin/companies/{id}", body: `{"phone":"1"}`, want: adminsMiss},
	{route: "GET /api/admin/users", want: adminsOnly},
	{route: "POST /api/admin/users", body: `{}`, want: admins400},
	{route: "GET /api/admin/users/:id", target: absent, address: "/api/admin/users/{id}", want: adminsMiss},
	{route: "POST /api/admin/users/:id", target: absent, address: "/api/admin/users/{id}", body: `{"name":"x"}`, want: adminsMiss},
	{route: "POST /api/admin/users/:id/delete", target: absent, address: "/api/admin/users/{id}/delete", want: adminsMiss},
	{route: "POST /api/admin/users/:id/reset-link", target: absent, address: "/api/admin/users/{id}/reset-link", want: adminsMiss},
	{route: "GET /api/admin/users/:id/sessions", target: absent, address: "/api/admin/users/{id}/sessions", want: adminsMiss},
	{route: "POST /api/admin/users/:id/sessions/end", target: absent, address: "/api/admin/users/{id}/sessions/end", body: `{}`, want: adminsMiss},
	{route: "POST /api/oauth/connect/:provider/:service", address: "/api/oauth/connect/provider_search/search_profile", want: hasCompany, strict: editsTheirs},
	{route: "GET /api/oauth/callback/:provider", address: "/api/oauth/callback/provider_search", want: "302 302 302 302 302 302 302 302 302"},
	{route: "GET /api/oauth/status", want: loggedIn200},
	{route: "POST /api/oauth/disconnect/:provider/:service", address: "/api/oauth/disconnect/provider_search/search_profile", want: hasCompany, strict: editsTheirs},
	{route: "POST " + discoverLocations, want: hasCompany},
	{route: "POST " + selectLocation, body: `{"location_name":"locations/1"}`, want: "401 403 200 200 200 200 200 403 403"},
	{route: "POST " + discoverPages, target: own, body: oneCompany, want: loggedIn200, strict: editsOwn},
	{route: "POST " + discoverPages, target: foreign, body: oneCompany, want: loggedIn200, strict: adminsOnly},
	{route: "POST " + discoverPages, target: absent, body: oneCompany, want: loggedIn404, strict: adminsMiss},
	{route: "POST " + selectPage, target: own, body: onePage, want: loggedIn200, strict: editsOwn},
	{route: "POST " + selectPage, target: foreign, body: onePage, want: loggedIn200, strict: adminsOnly},
	{route: "POST " + selectPage, target: absent, body: onePage, want: loggedIn404, strict: adminsMiss},
	{route: "POST " + syncPage, target: own, body: oneCompany, want: editsOwn},
	{route: "POST " + syncPage, target: foreign, body: oneCompany, want: adminsOnly},
	{route: "POST " + syncPage, target: absent, body: oneCompany, want: "401 403 403 403 403 403 400 403 400"},
	{route: "POST " + syncPerformance, target: own, body: oneCompany, want: editsOwn},
	{route: "POST " + syncPerformance, target: foreign, body: oneCompany, want: adminsOnly},
	{route: "POST " + syncPerformance, target: absent, body: oneCompany, want: "401 403 403 403 403 403 400 403 400"},
	{route: "POST " + syncAnalytics, target: own, body: oneCompany, want: editsOwn},
	{route: "POST " + syncAnalytics, target: foreign, body: oneCompany, want: adminsOnly},
	{route: "POST " + syncAnalytics, target: absent, body: oneCompany, want: "401 403 403 403 403 403 400 403 400"},
	{route: "POST " + syncPhotos, target: own, body: oneCompany, want: editsOwn},
	{route: "POST " + syncPhotos, target: foreign, body: oneCompany, want: adminsOnly},
	{route: "POST " + syncPhotos, target: absent, body: oneCompany, want: "401 403 403 403 403 403 400 403 400"},
	{route: "POST " + deauthorize, body: `{}`, want: "400 400 400 400 400 400 400 400 400"},
	{route: "POST " + dataDeletion, body: `{}`, want: "400 400 400 400 400 400 400 400 400"},
	{route: "GET /api/bizprofile/audit/health", want: everyone200},
	{route: "GET " + runAudit, target: own, address: runAudit + "?company_id={id}", want: everyone200},
	{route: "GET " + runAudit, target: foreign, address: runAudit + "?slug={slug}", want: everyone200},
	{route: "GET " + runAudit, target: absent, address: runAudit + "?company_id={id}", want: everyone404},
	{route: "POST " + runAudit, target: own, body: oneCompany, want: editsOwn},
	{route: "POST " + runAudit, target: foreign, body: `{"slug":"{slug}"}`, want: adminsOnly},
	{route: "POST " + runAudit, target: absent, body: oneCompany, want: loggedIn404},
	{route: "GET /api/bizprofile/audit/:slug", target: own, address: "/api/bizprofile/audit/{slug}", want: everyone200},
	{route: "GET /api/bizprofile/audit/:slug", target: foreign, address: "/api/bizprofile/audit/{slug}", want: everyone200},
	{route: "GET /api/bizprofile/audit/:slug", target: absent, address: "/api/bizprofile/audit/{slug}", want: everyone404},
	{route: "GET /api/bizprofile/audit/:slug/history", target: own, address: "/api/bizprofile/audit/{slug}/history", want: everyone200},
	{route: "GET /api/bizprofile/audit/:slug/history", target: foreign, address: "/api/bizprofile/audit/{slug}/history", want: everyone200},
	{route: "GET /api/bizprofile/audit/:slug/history", target: absent, address: "/api/bizprofile/audit/{slug}/history", want: everyone404},
}

// TestEveryRouteHasItsRules fails for a route without a rule for who may use it.
func TestEveryRouteHasItsRules(t *testing.T) {
	var ruled []string
	for _, r := range rules {
		ruled = append(ruled, r.route)
	}
	requireAllRoutes(t, ruled)
}

// TestAccess asks for every row as every caller, where the contract alone rules
// and where access to other companies is strict.
func TestAccess(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		scene := newScene(w)
		for _, w.Strict = range []bool{false, true} {
			w.wire()
			w.Pages.Strict = w.Strict
			for _, r := range rules {
				for _, method := range methodsOf(r.route) {
					scene.require(t, r, method)
				}
			}
		}
	})
}

func methodsOf(route string) []string {
	method, _, _ := strings.Cut(route, " ")
	if method == http.MethodGet && !strings.Contains(route, "callback") {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{method}
}

// scene is a world with two companies, each connected, and the callers.
type scene struct {
	*world
	other    company.Company
	users    []account.User // in the order of callers
	browsers []*browser
}

func newScene(w *world) *scene {
	s := &scene{world: w, other: w.AddCompany("cukiernia")}
	for i, c := range callers {
		company := &w.Company
		if !c.company {
			company = nil
		}
		s.users = append(s.users, w.AddUser(fmt.Sprint("u", i), max(c.role, account.Unaffiliated), company))
		s.browsers = append(s.browsers, w.browser())
	}
	s.reconnect()
	admin := w.loggedInAs(s.users[6])
	for _, company := range []company.Company{w.Company, s.other} {
		admin.post(runAudit, fmt.Sprintf(`{"company_id":%d}`, company.ID)).want(200)
	}
	return s
}

// require holds every caller's answer to the row.
func (s *scene) require(t *testing.T, r rule, method string) {
	t.Helper()
	want := r.want
	if s.Pages.Strict && r.strict != "" {
		want = r.strict
	}
	var got []string
	address, body := s.filled(r)
	for i, c := range callers {
		sent := body
		if c.role == 0 && body != "" {
			sent = "{" // the login comes before the body
		}
		code := s.caller(i).do(method, address, sent).Code
		got = append(got, fmt.Sprint(code))
		switch {
		case method != http.MethodPost:
		case code < 400:
			s.reconnect()
		default:
			s.wantUntouched(t, r, code)
		}
	}
	if !slices.Equal(got, strings.Fields(want)) {
		t.Errorf("%s (%s company, strict %t) is answered %v, want [%s]", r.route, r.target, s.Pages.Strict, got, want)
	}
}

// caller is the browser of the caller in column i.
func (s *scene) caller(i int) *browser {
	if callers[i].role != 0 && s.browsers[i].cookie == nil {
		s.browsers[i] = s.loggedInAs(s.users[i])
	}
	return s.browsers[i]
}

// reconnect brings both companies' connections back to where each request begins.
func (s *scene) reconnect() {
	s.connectPage()
	s.connect(profilePair, atLocation)
	s.connect(profilePair, atLocation, func(c *connection.Connection) { c.CompanyID = s.other.ID })
	s.connect(directorytest.AnalyticsPair)
	s.connect(directorytest.AnalyticsPair, func(c *connection.Connection) { c.CompanyID = s.other.ID })
	s.connect(pagesPair, func(c *connection.Connection) {
		page := s.Social.Pages[1]
		c.CompanyID, c.UserAccessToken, c.ExpiresAt = s.other.ID, c.AccessToken, nil
		c.AccessToken, c.AccountID, c.AccountName = page.AccessToken, page.ID, page.Name
	})
}

func (s *scene) filled(r rule) (address, body string) {
	company := map[string]company.Company{own: s.Company, foreign: s.other, absent: {ID: 4711, Slug: "nie-ma"}}[r.target]
	fill := strings.NewReplacer("{id}", fmt.Sprint(company.ID), "{slug}", company.Slug)
	_, path, _ := strings.Cut(r.route, " ")
	if r.address != "" {
		path = r.address
	}
	return fill.Replace(path), fill.Replace(r.body)
}

// wantUntouched: a request that is refused leaves the other company's page chosen.
func (s *scene) wantUntouched(t *testing.T, r rule, status int) {
	t.Helper()
	c, err := s.Store.Connections.Find(t.Context(), s.other.ID, pagesPair)
	s.ok(err)
	if c.AccountID != s.Social.Pages[1].ID || !c.Active {
		t.Errorf("%s: refused with %d, and yet the connection is %+v", r.route, status, c)
	}
}
