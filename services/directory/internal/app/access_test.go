package app_test

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/provider"
)

// Targets of a request, as placeholders: the caller's own company, another one,
// and one that does not exist.
const own, foreign, absent = "own", "foreign", "absent"

// callers are the columns of the table, from left to right.
var callers = []struct {
	name       string
	role       account.Role // zero: not logged in
	hasCompany bool         // works for the company called own
}{
	{"visitor", 0, false}, {"unaffiliated", account.Unaffiliated, true}, {"member", account.Member, true},
	{"employee", account.Employee, true}, {"manager", account.Manager, true},
	{"office manager", account.OfficeManager, true}, {"admin", account.Admin, true},
	{"member without company", account.Member, false}, {"admin without company", account.Admin, false},
}

// rule is a row of the table: the status of the response to each caller. HEAD is like GET.
type rule struct {
	route   string // method and path, as echo lists it
	target  string // own, foreign or absent; empty if the request does not depend on a company
	address string // if the path of route has other parameters than :id and :slug, or a query is needed
	body    string // address and body may contain {id} and {slug} of the target
	want    string // statuses in the order of callers
	strict  string // those with strict access, if they are others
}

// Rows that recur.
const (
	everyone200 = "200 200 200 200 200 200 200 200 200"
	everyone400 = "400 400 400 400 400 400 400 400 400"
	everyone404 = "404 404 404 404 404 404 404 404 404"
	loggedIn200 = "401 200 200 200 200 200 200 200 200"
	loggedIn400 = "401 400 400 400 400 400 400 400 400"
	loggedIn404 = "401 404 404 404 404 404 404 404 404"
	hasCompany  = "401 200 200 200 200 200 200 403 403"
	// Those who may edit a company: the own one, which the request names, and the caller's, which
	// administrators without a company do not have.
	editsNamed  = "401 403 200 200 200 200 200 403 200"
	editsTheirs = "401 403 200 200 200 200 200 403 403"
	managesOwn  = "401 403 403 403 403 200 200 403 403"
	adminsOnly  = "401 403 403 403 403 403 200 403 200"
	adminsMiss  = "401 403 403 403 403 403 404 403 404"
	admins400   = "401 403 403 403 403 403 400 403 400"
)

const (
	social, search = "/api/oauth/provider_social/", "/api/oauth/provider_search/"
	runAudit       = "/api/bizprofile/audit"
	oneCompany     = `{"company_id":{id}}`
	ownPage        = `{"company_id":{id},"page_id":"105600000010001"}`
	foreignPage    = `{"company_id":{id},"page_id":"105600000010004"}`
)

// TestAccess sends the request of each row as each caller, with DIRECTORY_COMPANY_ACCESS set
// to contract and to strict, and fails for a route without a row.
func TestAccess(t *testing.T) {
	rules := []rule{
		{route: "POST /api/auth/login", body: `{}`, want: everyone400},
		{route: "POST /api/auth/logout", want: everyone200},
		{route: "GET /api/auth/me", want: loggedIn200},
		{route: "POST /api/auth/password", body: `{}`, want: loggedIn400},
		{route: "POST /api/auth/reset", body: `{}`, want: everyone400},
		{route: "POST /api/auth/reset/confirm", body: `{}`, want: everyone400},
		{route: "GET /api/auth/sessions", want: loggedIn200},
		{route: "POST /api/auth/sessions/end", body: `{}`, want: loggedIn200},
		{route: "POST /api/auth/profile", body: `{}`, want: loggedIn400},
		{route: "POST /api/auth/email", body: `{}`, want: loggedIn400},
		{route: "POST /api/auth/email/confirm", body: `{}`, want: everyone400},
		{route: "GET /api/company/users", want: managesOwn},
		{route: "POST /api/company/users", body: `{"email":"a","role":"MEMBER"}`,
			want: "401 403 403 403 403 400 400 403 403"},
		{route: "POST /api/company/users/:id/remove", target: absent, want: "401 403 403 403 403 404 404 403 403"},
		{route: "GET /api/admin/companies", want: adminsOnly},
		{route: "POST /api/admin/companies", body: `{}`, want: admins400},
		{route: "GET /api/admin/companies/:id", target: foreign, want: adminsOnly},
		{route: "POST /api/admin/companies/:id", target: foreign, body: `{"phone":"1"}`, want: adminsOnly},
		{route: "POST /api/admin/companies/:id", target: absent, body: `{"phone":"1"}`, want: adminsMiss},
		{route: "GET /api/admin/users", want: adminsOnly},
		{route: "POST /api/admin/users", body: `{}`, want: admins400},
		{route: "GET /api/admin/users/:id", target: absent, want: adminsMiss},
		{route: "POST /api/admin/users/:id", target: absent, body: `{"name":"x"}`, want: adminsMiss},
		{route: "POST /api/admin/users/:id/delete", target: absent, want: adminsMiss},
		{route: "POST /api/admin/users/:id/reset-link", target: absent, want: adminsMiss},
		{route: "GET /api/admin/users/:id/sessions", target: absent, want: adminsMiss},
		{route: "POST /api/admin/users/:id/sessions/end", target: absent, body: `{}`, want: adminsMiss},
		{
			route:   "POST /api/oauth/connect/:provider/:service",
			address: "/api/oauth/connect/provider_search/search_profile",
			want:    hasCompany,
			strict:  editsTheirs,
		},
		{
			route:   "GET /api/oauth/callback/:provider",
			address: "/api/oauth/callback/provider_search",
			want:    "302 302 302 302 302 302 302 302 302",
		},
		{route: "GET /api/oauth/status", want: loggedIn200},
		{
			route:   "POST /api/oauth/disconnect/:provider/:service",
			address: "/api/oauth/disconnect/provider_social/social_photos",
			want:    hasCompany,
			strict:  editsTheirs,
		},
		{route: "POST " + search + "discover-locations", want: hasCompany},
		{
			route: "POST " + search + "select-location",
			body:  `{"location_name":"locations/1002519486895516595"}`,
			want:  editsTheirs,
		},
		{route: "POST " + search + "discover-properties", want: hasCompany},
		{route: "POST " + search + "select-property", body: `{"property":null}`, want: editsTheirs},
		{route: "POST " + social + "discover-pages", target: own, body: oneCompany, want: loggedIn200,
			strict: editsNamed},
		{route: "POST " + social + "discover-pages", target: foreign, body: oneCompany, want: loggedIn200,
			strict: adminsOnly},
		{route: "POST " + social + "discover-pages", target: absent, body: oneCompany, want: loggedIn404,
			strict: adminsMiss},
		{route: "POST " + social + "select-page", target: own, body: ownPage, want: loggedIn200, strict: editsNamed},
		{route: "POST " + social + "select-page", target: foreign, body: foreignPage, want: loggedIn200,
			strict: adminsOnly},
		{route: "POST " + social + "select-page", target: absent, body: ownPage, want: loggedIn404, strict: adminsMiss},
		{route: "POST " + social + "sync-facebook", target: own, body: oneCompany, want: editsNamed},
		{route: "POST " + social + "sync-facebook", target: foreign, body: oneCompany, want: adminsOnly},
		{route: "POST " + social + "sync-facebook", target: absent, body: oneCompany, want: admins400},
		{route: "POST " + social + "sync-instagram", target: own, body: oneCompany, want: editsNamed},
		{route: "POST " + social + "sync-instagram", target: absent, body: oneCompany, want: admins400},
		{route: "POST " + search + "sync-performance", target: own, body: oneCompany, want: editsNamed},
		{route: "POST " + search + "sync-performance", target: foreign, body: oneCompany, want: adminsOnly},
		{route: "POST " + search + "sync-analytics", target: own, body: oneCompany, want: editsNamed},
		{route: "POST " + search + "sync-analytics", target: absent, body: oneCompany, want: admins400},
		{route: "POST " + social + "deauthorize", body: `{}`, want: everyone400},
		{route: "POST " + social + "data-deletion", body: `{}`, want: everyone400},
		{route: "GET /api/bizprofile/audit/health", want: everyone200},
		{route: "GET " + runAudit, target: own, address: runAudit + "?company_id={id}", want: everyone200},
		{route: "GET " + runAudit, target: foreign, address: runAudit + "?slug={slug}", want: everyone200},
		{route: "GET " + runAudit, target: absent, address: runAudit + "?company_id={id}", want: everyone404},
		{route: "POST " + runAudit, target: own, body: oneCompany, want: editsNamed},
		{route: "POST " + runAudit, target: foreign, body: `{"slug":"{slug}"}`, want: adminsOnly},
		{route: "POST " + runAudit, target: absent, body: oneCompany, want: loggedIn404},
		{route: "GET /api/bizprofile/audit/:slug", target: foreign, want: everyone200},
		{route: "GET /api/bizprofile/audit/:slug", target: absent, want: everyone404},
		{route: "GET /api/bizprofile/audit/:slug/history", target: foreign, want: everyone200},
		{route: "GET /api/bizprofile/audit/:slug/history", target: absent, want: everyone404},
	}
	for _, access := range []string{"contract", "strict"} {
		t.Run(access, func(t *testing.T) {
			s := newScene(t, access)
			var ruled []string
			for _, r := range rules {
				ruled = append(ruled, r.route)
				want := r.want
				if access == "strict" {
					want = cmp.Or(r.strict, r.want)
				}
				s.requireStatuses(t, r, strings.Fields(want))
			}
			for _, route := range s.Routes() {
				method, _, _ := strings.Cut(route, " ")
				isEchosOwn := method != strings.ToUpper(method) // such as echo_route_not_found
				if isEchosOwn || method == http.MethodHead {    // HEAD is sent with each GET
					continue
				}
				if !slices.Contains(ruled, route) {
					t.Errorf("%s has no rule", route)
				}
			}
		})
	}
}

// scene has two companies, each connected, and the callers.
type scene struct {
	*apptest.App
	other    company.Company
	users    []account.User // in the order of callers
	browsers []*apptest.Browser
}

func newScene(t *testing.T, access string) *scene {
	t.Helper()
	s := &scene{App: apptest.New(t, "DIRECTORY_COMPANY_ACCESS="+access)}
	s.other = s.AddCompany("warsztat", func(c *company.Company) { c.Website = "https://warsztat-nowak.example" })
	for i, c := range callers {
		employer := &s.Company
		if !c.hasCompany {
			employer = nil
		}
		s.users = append(s.users, s.AddUser(fmt.Sprint("u", i), max(c.role, account.Unaffiliated), employer))
		s.browsers = append(s.browsers, s.Visitor())
	}
	s.connect(s.Anna, s.Company, "anna", "105600000010001", provider.AnalyticsPair)
	s.connect(s.AddUser("marek", account.Manager, &s.other), s.other, "marek", "105600000010004")
	return s
}

// connect connects a company, chooses its page and location, and audits it.
func (s *scene) connect(u account.User, c company.Company, person, page string, more ...provider.Pair) {
	b := s.Browser(u)
	for _, p := range append(more, provider.PagesPair, provider.PhotosPair, provider.ProfilePair) {
		b.Connect(p, person)
	}
	b.Post(social+"select-page", apptest.Body{"company_id": c.ID, "page_id": page}).Want(http.StatusOK)
	b.Post(search+"discover-locations", nil).Want(http.StatusOK)
	b.Post(runAudit, apptest.Body{"company_id": c.ID}).Want(http.StatusOK)
}

// requireStatuses sends the request of a rule as each caller and checks the statuses.
func (s *scene) requireStatuses(t *testing.T, r rule, want []string) {
	t.Helper()
	target := map[string]company.Company{own: s.Company, foreign: s.other, absent: {ID: 4711, Slug: "nie-ma"}}[r.target]
	fill := strings.NewReplacer("{id}", fmt.Sprint(target.ID), "{slug}", target.Slug)
	method, path, _ := strings.Cut(r.route, " ")
	path = strings.NewReplacer(":id", "{id}", ":slug", "{slug}").Replace(path)
	if r.address != "" {
		path = r.address
	}
	for i, c := range callers {
		if strings.Contains(path, "disconnect") { // the caller before may have ended the connection
			s.Browser(s.Anna).Connect(provider.PhotosPair, "anna")
		}
		sent := strings.NewReader(fill.Replace(r.body))
		response := s.caller(i).Do(method, fill.Replace(path), sent, "Content-Type", "application/json")
		if got := fmt.Sprint(response.Code); got != want[i] {
			t.Errorf("%s (company %q): %s gets %s, want %s", r.route, r.target, c.name, got, want[i])
		}
		if method == http.MethodGet && !strings.Contains(path, "callback") {
			s.caller(i).Do(http.MethodHead, fill.Replace(path), nil).Want(response.Code)
		}
		if c.role != 0 && strings.HasSuffix(path, "/logout") {
			s.browsers[i] = s.Browser(s.users[i])
		}
	}
}

// caller returns the browser of the caller in column i, who logs in unless a session is there.
func (s *scene) caller(i int) *apptest.Browser {
	if callers[i].role != 0 && s.browsers[i].Get("/api/auth/me").Code == http.StatusUnauthorized {
		s.browsers[i] = s.Browser(s.users[i])
	}
	return s.browsers[i]
}
