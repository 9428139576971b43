package web_test

import (
	"context"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/web"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/site"
)

var now = directorytest.Start

// world is the pages on the domain.
type world struct {
	*directorytest.Service
	t       *testing.T
	browser browser
	ping    error
	shown   web.Handlers
	echo    *echo.Echo
}

// browser is a account.BrowserSessions of one browser. did lists what happened to it.
type browser struct {
	account.BrowserSessions
	user             *account.User // logged in; nil if there is none
	userErr, keepErr error
	cookieErr        error // of cookies that cannot be written
	did              []string
	outcome          string // that the next page shows
	current          string // the id of its session
}

func (b *browser) User(*http.Request) (*account.User, error) { return b.user, b.userErr }

func (b *browser) Begin(_ http.ResponseWriter, _ *http.Request, userID int64) error {
	b.did = append(b.did, fmt.Sprint("begin ", userID))
	return b.cookieErr
}

func (b *browser) End(http.ResponseWriter, *http.Request) error {
	b.did = append(b.did, "end")
	return b.cookieErr
}

func (b *browser) Current(*http.Request) string { return b.current }

func (b *browser) Put(_ http.ResponseWriter, _ *http.Request, _, value string) error {
	pending, err := connection.ParsePending(value)
	if err != nil {
		return err
	}
	b.did = append(b.did, "keep "+string(pending.Provider))
	return b.keepErr
}

func (b *browser) SetOutcome(_ http.ResponseWriter, outcome string) error {
	b.outcome = outcome
	return b.cookieErr
}

func (b *browser) TakeOutcome(http.ResponseWriter, *http.Request) (outcome string) {
	outcome, b.outcome = b.outcome, ""
	return outcome
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, Service: directorytest.New(t)}
	w.Place.Configured = true
	w.Place.Profile = google.Business{Name: "Piekarnia"}
	w.register()
	return w
}

// register puts the domain and its pages together.
func (w *world) register() {
	t := w.t
	t.Helper()
	w.Wire()
	site, err := web.NewSite("Uwaga: próba <b>", site.Legal{Contact: "biuro@firma.example"}, &w.browser)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.NewJSONHandler(&w.Log, nil))
	w.shown = web.Handlers{
		Site: site, Guard: &account.Guard{Sessions: &w.browser, ClientIP: func(*http.Request) string { return "198.51.100.7" }},
		Logins: w.Logins, Passwords: w.Passwords, Users: w.Store.Users(), Sessions: w.Store.Sessions(), EraseUser: w.Erasures.User,
		Connections: w.Connections, Locations: w.Locations, Social: w.Pages, Analytics: w.Analytics, Performance: w.Performance, Audits: w.Audits,
		Webhooks: w.Webhooks, Companies: w.Store.Companies(),
		Company: w.Store.Company, Deletion: w.Erasures.Deletion, Trail: trail.Reader(w.Store.DB), Ping: func(context.Context) error { return w.ping }, Now: func() time.Time { return w.Now }, Log: log,
	}
	render := func(f *fault.Error) any { return map[string]string{"error": f.Code} }
	w.echo = httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "directory"), BodyLimit: 4096,
		ErrorBody: render, ErrorPage: site.WriteError,
	})
	w.shown.Register(w.echo)
}

// loggedIn lets anna be logged in with a role.
func (w *world) loggedIn(role account.Role) *world {
	w.Anna.Name, w.Anna.Role = "Anna <i>", role
	w.browser.user = &w.Anna
	return w
}

// connectPage connects a page that is chosen.
func (w *world) connectPage() {
	w.t.Helper()
	w.Social.Token.AccessToken = "user-1"
	w.Connect(connection.Connection{
		Pair: directorytest.PagesPair, AccessToken: "page-1", Scopes: []string{directorytest.Scope}, Chosen: connection.ChosenPage,
		AccountID: "104118", AccountName: "Piekarnia", UserAccessToken: "user-1",
	})
}

// connectProfile connects an account with locations.
func (w *world) connectProfile() {
	w.t.Helper()
	w.Connect(connection.Connection{
		Pair: directorytest.ProfilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Scopes: []string{directorytest.Scope},
		AccountID: "accounts/9", AccountName: "Anna <K>", ExpiresAt: directorytest.After(time.Hour),
	})
}

// answer is a page as it came.
type answer struct {
	t *testing.T
	*httptest.ResponseRecorder
	outcome string // for the next page
}

func (w *world) do(method, target, form string, headers ...string) answer {
	w.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(form))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	recorder := httptest.NewRecorder()
	w.echo.ServeHTTP(recorder, r)
	a := answer{w.t, recorder, w.browser.outcome}
	a.holdsTo()
	return a
}

func (w *world) get(target string) answer { w.t.Helper(); return w.do(http.MethodGet, target, "") }

func (w *world) post(target, form string) answer {
	w.t.Helper()
	return w.do(http.MethodPost, target, form, "Sec-Fetch-Site", "same-origin")
}

// holdsTo checks what every page has to be.
func (a answer) holdsTo() {
	a.t.Helper()
	if !strings.HasPrefix(a.Header().Get("Content-Type"), "text/html") {
		return
	}
	policy := a.Header().Get("Content-Security-Policy")
	if !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		a.t.Errorf("policy %q", policy)
	}
	if shared := a.Header().Get("ETag") != ""; shared != (a.Header().Get("Cache-Control") == "no-cache") ||
		!shared && a.Header().Get("Cache-Control") != "no-store" {
		a.t.Errorf("cached: %q", a.Header().Get("Cache-Control"))
	}
	body := a.Body.String()
	if body == "" {
		return // HEAD
	}
	for _, want := range []string{`<html lang="pl">`, "<h1>", "Uwaga: próba &lt;b&gt;"} {
		if !strings.Contains(body, want) {
			a.t.Errorf("no %s in the page", want)
		}
	}
	if waits, shown := strings.Count(body, " data-waits>"), strings.Count(body, " data-progress "); waits != shown {
		a.t.Errorf("%d forms that wait, and %d that say so", waits, shown)
	}
	for _, never := range []string{
		" style=", " onclick=", "<script>", "ZgotmplZ", "%!", "<no value>", "Anna <i>",
		"<title> – ", " –  – ", "<h1></h1>", "<h2></h2>", `action=""`, `"></a>`, "></strong>", "></legend>", // texts and addresses that are missing
	} {
		if strings.Contains(body, never) {
			a.t.Errorf("%s in the page", never)
		}
	}
}

// text is what a person reads, in words with one space between them.
func (a answer) text() string {
	var out strings.Builder
	inTag := false
	for _, r := range a.Body.String() {
		switch {
		case r == '<':
			inTag = true
			out.WriteByte(' ')
		case r == '>':
			inTag = false
		case !inTag:
			out.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(html.UnescapeString(out.String())), " ")
}

// shows holds the page to a status and texts.
func (a answer) shows(status int, texts ...string) answer {
	a.t.Helper()
	if a.Code != status {
		a.t.Errorf("status %d, want %d", a.Code, status)
	}
	for _, want := range texts {
		if !strings.Contains(a.text(), want) {
			a.t.Errorf("the page does not say %q; it says %.300s", want, a.text())
		}
	}
	return a
}

// lacks holds the page to not having any of the texts, markup included.
func (a answer) lacks(texts ...string) answer {
	a.t.Helper()
	for _, text := range texts {
		if strings.Contains(a.Body.String(), text) {
			a.t.Errorf("%q in the page", text)
		}
	}
	return a
}

// leadsTo requires a redirect, after a form with an outcome for the next page.
func (a answer) leadsTo(location string, outcome ...string) {
	a.t.Helper()
	if a.Code != http.StatusSeeOther || a.Header().Get("Location") != location {
		a.t.Errorf("%d to %q, want 303 to %q", a.Code, a.Header().Get("Location"), location)
	}
	if want := strings.Join(outcome, ""); a.outcome != want {
		a.t.Errorf("outcome %q, want %q", a.outcome, want)
	}
}

func values(pairs ...string) string {
	v := url.Values{}
	for pair := range slices.Chunk(pairs, 2) {
		v.Set(pair[0], pair[1])
	}
	return v.Encode()
}

func (w *world) named(slug, name string) {
	w.AddCompany(slug, func(c *company.Company) { c.Name = name })
}

const companiesPath, chosen = "/konto/firmy", "nowe-haslo-2026"

func twice(password string, more ...string) string {
	return values(append(more, "nowe", password, "powtorzone", password)...)
}
