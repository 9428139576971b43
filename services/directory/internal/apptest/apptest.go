// Package apptest runs the service as package app wires it, for tests: on an SQLite database
// of its own, with the sandbox's fakes of Google, Meta and Places behind HTTP, and with a
// clock that the test moves. Every exchange of a Browser with the API is checked against the
// contract.
//
//	a := apptest.New(t)
//	anna := a.Browser(a.Anna)
//	anna.Connect(provider.PagesPair, "anna")
//	anna.Post("/api/oauth/provider_social/discover-pages", apptest.Body{"company_id": a.Company.ID}).Want(200)
//
// A fault is something that a fake serves (fake.SetFault, toggles, actions) or, if no fake
// has it, a handler of Intercept.
package apptest

import (
	"cmp"
	"context"
	"encoding/base64"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"backend.example/deploy/sandbox/fake"
	sandboxgoogle "backend.example/deploy/sandbox/google"
	sandboxmeta "backend.example/deploy/sandbox/meta"
	"backend.example/deploy/sandbox/places"
	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/app"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

const (
	// PublicURL is where browsers reach the service.
	PublicURL = "https://firmy.example"
	// Password is the password of every user that AddUser adds.
	Password = "Kolarska-Przystań-17" // #nosec G101 -- of tests

	// ClientSecret is that of our app at both providers.
	ClientSecret = "apptest-secret-0123456789" // #nosec G101 -- of tests

	clientID  = "apptest-client"
	placesKey = "apptest-places-key"
)

// Start is when the clock of an App begins: a Saturday noon in UTC.
var Start = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// App is a running service with one company and its manager.
type App struct {
	*app.App
	T       testing.TB
	Handler http.Handler // checks every exchange with the API
	Google  *sandboxgoogle.Provider
	Meta    *sandboxmeta.Provider
	Places  *fake.Fake
	Log     *testkit.Log
	Clock   *testkit.Clock

	Company company.Company // the bakery of the sandbox's Anna
	Anna    account.User    // its OFFICE_MANAGER

	routes      http.Handler
	mu          sync.Mutex
	interceptor http.HandlerFunc
}

// On is the setting of a migrated database, in place of a new SQLite file.
func On(databaseURL string) string { return "DIRECTORY_DATABASE_URL=" + databaseURL }

// New returns a service with settings such as "DIRECTORY_COMPANY_ACCESS=strict", whose database
// holds Company and Anna. If the database of On holds them already, they are found there.
func New(t testing.TB, settings ...string) *App {
	t.Helper()
	a := &App{T: t, Log: &testkit.Log{}, Clock: testkit.NewClock(Start)}
	if !slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, On("")) }) {
		settings = append(settings, On(databasetest.NewSQLite(t)))
	}
	cfg, err := app.LoadConfig(append(a.settings(), settings...))
	a.must(err)
	db := databasetest.Open(t, cfg.DatabaseURL.Reveal())
	db.Now = a.Clock.Now
	a.App, err = app.New(cfg, db, app.Options{
		Log: slog.New(slog.NewJSONHandler(a.Log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	a.must(err)
	a.routes, err = a.App.Handler()
	a.must(err)
	a.Handler = a.checked()
	a.addPeople()
	return a
}

// settings starts the fakes and returns the settings of a service that uses them.
func (a *App) settings() []string {
	redirect := PublicURL + "/api/oauth/callback/"
	client := fake.Options{ClientID: clientID, ClientSecret: ClientSecret, Now: a.Clock.Now}
	search, social := client, client
	search.RedirectURI, social.RedirectURI = redirect+"provider_search", redirect+"provider_social"
	a.Google, a.Meta = sandboxgoogle.New(search), sandboxmeta.New(social)
	a.Places = places.New(placesKey)
	return []string{
		"DIRECTORY_PUBLIC_URL=" + PublicURL,
		"DIRECTORY_SESSION_KEYS=test:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
		"DIRECTORY_ENCRYPTION_KEYS=" + databasetest.Keys,
		"DIRECTORY_ERASURE_LOG=" + filepath.Join(a.T.TempDir(), "erased.jsonl"),
		"DIRECTORY_TRUSTED_PROXIES=192.0.2.1/32", "DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true",
		"DIRECTORY_RATE=0", "DIRECTORY_DISCOVER_LIMIT=1000", "DIRECTORY_SYNC_LIMIT=1000",
		"PROVIDER_SEARCH_CLIENT_ID=" + clientID, "PROVIDER_SEARCH_CLIENT_SECRET=" + ClientSecret,
		"PROVIDER_SEARCH_BASE_URL=" + a.serve(a.Google), "PROVIDER_SEARCH_PER_MINUTE=10000",
		"PROVIDER_SOCIAL_CLIENT_ID=" + clientID, "PROVIDER_SOCIAL_CLIENT_SECRET=" + ClientSecret,
		"PROVIDER_SOCIAL_BASE_URL=" + a.serve(a.Meta), "PROVIDER_SOCIAL_PER_MINUTE=10000", "PROVIDER_SOCIAL_PKCE=true",
		"PLACES_API_KEY=" + placesKey, "PLACES_BASE_URL=" + a.serve(a.Places),
	}
}

// serve returns the base URL of a fake. Requests go to the handler of Intercept first.
func (a *App) serve(next http.Handler) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		interceptor := a.interceptor
		a.mu.Unlock()
		if interceptor == nil {
			next.ServeHTTP(w, r)
			return
		}
		buffer := httptest.NewRecorder()
		if interceptor(buffer, r); buffer.Code == http.StatusOK && buffer.Body.Len() == 0 {
			next.ServeHTTP(w, r)
			return
		}
		maps.Copy(w.Header(), buffer.Header())
		w.WriteHeader(buffer.Code)
		_, _ = buffer.Body.WriteTo(w)
	}))
	a.T.Cleanup(server.Close)
	return server.URL
}

// Intercept lets handler respond to the requests to all fakes before they do. A request that
// it does not respond to goes on. nil ends it.
func (a *App) Intercept(handler http.HandlerFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.interceptor = handler
}

// Work does the jobs that are due, and those that they insert.
func (a *App) Work() {
	a.T.Helper()
	a.must(jobs.New(a.DB).Drain(a.T.Context(), a.Workers(), slog.New(slog.NewJSONHandler(a.Log, nil))))
}

// Checker compares the exchanges of all tests of a process with the contract.
var Checker = contracttest.New(contracts.Directory())

// checked checks the exchanges with the API. The pages have no contract.
func (a *App) checked() http.Handler {
	api := Checker.Wrap(a.T, a.routes)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") {
			api.ServeHTTP(w, r)
			return
		}
		a.routes.ServeHTTP(w, r)
	})
}

// Routes returns the method and the path of each route of the API, as in
// "GET /api/bizprofile/audit/:slug".
func (a *App) Routes() (routes []string) {
	for _, route := range a.routes.(*echo.Echo).Routes() {
		if strings.HasPrefix(route.Path, "/api/") {
			routes = append(routes, route.Method+" "+route.Path)
		}
	}
	return routes
}

// addPeople adds or finds Company and Anna.
func (a *App) addPeople() {
	found, err := a.Companies.BySlug(a.T.Context(), "piekarnia")
	if err != nil {
		a.Company = a.AddCompany("piekarnia", func(c *company.Company) {
			c.Name, c.Website = "Piekarnia Kowalski", "https://www.piekarnia-kowalski.example"
		})
		a.Anna = a.AddUser("anna", account.Manager, &a.Company)
		return
	}
	a.Company = found
	a.Anna, err = a.Users.ByEmail(a.T.Context(), "anna@poczta.example")
	a.must(err)
}

// AddCompany adds an active company with a full record; edits may change it first.
func (a *App) AddCompany(slug string, edits ...func(*company.Company)) company.Company {
	a.T.Helper()
	c := company.Company{
		Name: "Firma " + slug, Slug: slug, Status: company.StatusActive,
		Address: "ul. Floriańska 12, 31-021 Kraków", Phone: "+48 12 421 00 12", Website: "https://" + slug + ".example",
		Hours: "pn-pt 8-16", Description: "Rodzinna firma.", Categories: []string{"Piekarnia", "Cukiernia"},
		Services: []string{"Chleb"}, LogoURL: "https://" + slug + ".example/logo.png",
	}
	for _, edit := range edits {
		edit(&c)
	}
	a.must(a.Companies.Create(a.T.Context(), &c))
	return c
}

// passwordHash is the hash of Password; each costs 19 MiB.
var passwordHash = sync.OnceValues(func() (string, error) {
	return account.NewHasher(1).Hash(context.Background(), "", account.User{}, Password)
})

// AddUser adds <name>@poczta.example, whose password is Password. The company may be nil.
func (a *App) AddUser(name string, role account.Role, c *company.Company) account.User {
	a.T.Helper()
	hash, err := passwordHash()
	a.must(err)
	u := account.User{Email: name + "@poczta.example", Name: name, Role: role, PasswordHash: hash}
	if c != nil {
		u.CompanyID = &c.ID
	}
	a.must(a.Users.Create(a.T.Context(), &u))
	return u
}

// Actor returns a user with the id of a request.
func Actor(u account.User) account.Actor { return account.Actor{User: u, RequestID: "req-1"} }

// Connection returns the company's connection of p as it is stored.
func (a *App) Connection(p provider.Pair) connection.Connection {
	a.T.Helper()
	c, err := a.Store.Find(a.T.Context(), a.Company.ID, p)
	a.must(err)
	return c
}

// fixture is the action of the lines that Save leaves in the audit trail.
const fixture = "fixture"

// Save stores an active connection, of Company and Anna unless c says otherwise, and returns it as it is stored.
func (a *App) Save(c connection.Connection) connection.Connection {
	a.T.Helper()
	c.CompanyID, c.UserID = cmp.Or(c.CompanyID, a.Company.ID), cmp.Or(c.UserID, a.Anna.ID)
	wanted := c
	a.must(a.Store.Save(a.T.Context(), &c, nil, trail.Entry{CompanyID: c.CompanyID, Action: fixture, Pair: c.Pair}))
	held, err := a.Store.Hold(a.T.Context(), c.CompanyID, c.Pair)
	a.must(err)
	defer held.Release()
	held.ReconnectReason = wanted.ReconnectReason
	a.must(held.Save(nil))
	return held.Connection
}

// WantCode checks the code of an error; the zero code is no error.
func WantCode(t testing.TB, err error, want fault.Code) {
	t.Helper()
	got := ""
	if err != nil {
		got = fault.From(err).Code
	}
	if got != want.Name {
		t.Errorf("err = %v, want %q", err, want)
	}
}

// Change changes the company's connection of p without a line in the audit trail.
func (a *App) Change(p provider.Pair, change func(*connection.Connection)) {
	a.T.Helper()
	held, err := a.Store.Hold(a.T.Context(), a.Company.ID, p)
	a.must(err)
	defer held.Release()
	change(&held.Connection)
	a.must(held.Save(nil))
}

// FailEach is databasetest.FailEach for calls that return the error of a statement, or log it
// because what failed is tried again or is not needed.
func (a *App) FailEach(calls ...databasetest.Call) {
	a.T.Helper()
	for i, call := range calls {
		calls[i].Run = func() error {
			logged := len(a.Log.String())
			err := call.Run()
			if err == nil && strings.Contains(a.Log.String()[logged:], databasetest.ErrFails.Error()) {
				err = databasetest.ErrFails
			}
			return err
		}
	}
	databasetest.FailEach(a.T, a.DB, calls...)
}

// WantTrail checks the actions in the company's audit trail, oldest first.
func (a *App) WantTrail(want ...string) {
	a.T.Helper()
	entries, err := trail.Find(a.T.Context(), a.DB, trail.Search{CompanyID: a.Company.ID, Limit: 1000})
	a.must(err)
	var got []string
	for _, e := range slices.Backward(entries) {
		if e.Action != fixture {
			got = append(got, e.Action)
		}
	}
	if diff := gocmp.Diff(want, got); diff != "" {
		a.T.Errorf("trail: %s", diff)
	}
}

func (a *App) must(err error) {
	a.T.Helper()
	if err != nil {
		a.T.Fatal(err)
	}
}
