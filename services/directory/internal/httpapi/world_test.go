package httpapi_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	contracts "backend.example/proto-free-contracts"
	"backend.example/proto-free-contracts/contracttest"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/admin"
	"backend.example/services/directory/internal/app"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/httpx"
)

const publicURL = directorytest.PublicURL

var (
	profilePair = directorytest.ProfilePair
	pagesPair   = directorytest.PagesPair
)

// world is the service as the program builds it, on one database.
type world struct {
	http.Handler // checked against the contract
	*directorytest.Service
	t        testing.TB
	db       databasetest.Database
	sessions *account.Sessions
	guard    *account.Guard
	accounts *account.Handlers
	echo     *echo.Echo
	records  record
}

func newWorld(t testing.TB, db databasetest.Database) *world {
	t.Helper()
	w := &world{Service: directorytest.On(t, db.URL), t: t, db: db}
	w.Background = func(f func()) { f() }
	for _, p := range []*directorytest.Provider{w.Search, w.Social} {
		p.Token.AccessToken, p.PKCE = w.secret("access"), true
		p.Renewal = p.Token
		for i := range p.Pages[:min(2, len(p.Pages))] {
			p.Pages[i].AccessToken = w.secret("page")
		}
	}
	w.Search.Token.RefreshToken = w.secret("refresh")
	w.wire()
	t.Cleanup(func() {
		for _, secret := range w.records.leaks(w.Log.String()) {
			t.Errorf("an answer or the log holds the secret %s", secret)
		}
	})
	return w
}

// wire puts the service together.
func (w *world) wire() {
	w.Wire()
	log := slog.New(slog.NewJSONHandler(&w.Log, nil))
	w.sessions = w.newSessions(false)
	w.guard = &account.Guard{Sessions: w.sessions, ClientIP: httpx.ClientIP([]netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")})}
	w.ok(w.guard.CrossOrigin.AddTrustedOrigin(directorytest.PublicURL))
	w.accounts = &account.Handlers{
		Guard: w.guard, Logins: w.Logins, Passwords: w.Passwords, Sessions: w.sessions, Company: w.Store.Company,
	}
	w.echo = httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "directory"), BodyLimit: httpapi.BodyLimit, ErrorBody: httpapi.Render,
	})
	app.Register(w.echo, app.Services{
		Admin: &admin.Handlers{
			Companies: w.Store.Companies(), Users: w.Store.Users(), Passwords: w.Passwords, Sessions: w.sessions,
			EraseUser: func(ctx context.Context, actor account.Actor, u account.User) error {
				return w.Erasures.User(ctx, actor, u)
			},
		},
		Guard: w.guard, Accounts: w.accounts, Connections: &connection.Handlers{Service: w.Connections, Guard: w.guard, Log: log},
		Erasures: w.Erasures, Locations: w.Locations, Social: w.Pages, SearchStats: w.Analytics, Performance: w.Performance, Audits: w.Audits,
	})
	w.Handler = checker.Wrap(w.t, w.echo)
}

// newSessions keeps sessions for browsers that come by http, or by https.
func (w *world) newSessions(secure bool) *account.Sessions {
	keys, err := account.ParseKeys("one:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))))
	w.ok(err)
	return account.NewSessions(w.Store.DB, keys, secure, w.Clock)
}

func (w *world) pass(d time.Duration) { w.Now = w.Now.Add(d) }

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func ptr[T any](v T) *T { return &v }

// setPassword gives a user a new password and returns it.
func (w *world) setPassword(u account.User) string {
	w.t.Helper()
	password := w.secret("password")
	w.SetPassword(u, password)
	return password
}

// connect stores an active connection of the company that the providers know.
func (w *world) connect(p provider.Pair, edits ...func(*connection.Connection)) connection.Connection {
	w.t.Helper()
	granting := w.Search
	if p.Provider == provider.Social {
		granting = w.Social
	}
	c := connection.Connection{
		CompanyID: w.Company.ID, UserID: w.Anna.ID, Pair: p, AccessToken: granting.Token.AccessToken,
		Scopes: []string{directorytest.Scope}, ExpiresAt: granting.Token.ExpiresAt, AccountID: "konto", AccountName: "Konto", ProviderUserID: "osoba-1",
	}
	if p.Provider == provider.Search {
		c.RefreshToken = w.secret("refresh")
	}
	for _, edit := range edits {
		edit(&c)
	}
	return w.Connect(c)
}

// connectPage is connect with a page that was chosen.
func (w *world) connectPage() connection.Connection {
	w.t.Helper()
	return w.connect(pagesPair, func(c *connection.Connection) {
		page := w.Social.Pages[0]
		c.Chosen, c.UserAccessToken, c.UserExpiresAt, c.ExpiresAt = connection.ChosenPage, c.AccessToken, c.ExpiresAt, nil
		c.AccessToken, c.AccountID, c.AccountName = page.AccessToken, page.ID, page.Name
	})
}

// checker sees every exchange of these tests. The run fails when an answer that
// the contract documents never occurs in them.
var checker = contracttest.New(contracts.Directory())

// withService runs test on a new service with an SQLite database. What reaches the
// database in a way of its own runs on each.
func withService(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	test(t, newWorld(t, databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}))
}

// onEachDatabase runs test on a new service for each kind of database.
func onEachDatabase(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, newWorld(t, db)) })
}

// Texts that people read; the contract shows each of them.
const (
	textNotLoggedIn   = "Zaloguj się, aby kontynuować."
	textOtherSite     = "Żądanie z innej witryny zostało odrzucone."
	textNoCompany     = "Konto nie jest przypisane do żadnej firmy."
	textNotAllowed    = "Brak uprawnień do edycji tej firmy."
	textNoConnection  = "Nie znaleziono połączenia z tą usługą."
	textNoJSON        = "Żądanie nie zawiera danych w formacie JSON."
	textTooLarge      = "Treść żądania jest zbyt duża."
	textNotFound      = "Nie znaleziono zasobu."
	textNotThisMethod = "Ta metoda nie jest dozwolona dla tego adresu."
	textUnknown       = "Nie znaleziono firmy."
	textNoAudit       = "Brak audytu dla tej firmy."
	textNoName        = "Należy podać company_id lub slug."
	textUnavailable   = "Usługa audytu jest chwilowo niedostępna."
	textInternal      = "Wystąpił nieoczekiwany błąd. Spróbuj ponownie później."
	textThrottled     = "Facebook lub Google chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później."
	textTemporary     = "Facebook lub Google chwilowo nie odpowiada. Spróbuj ponownie za kilka minut."
)

func textMissing(field string) string { return "Pole " + field + " jest wymagane." }

func textInvalid(field string) string { return "Nieprawidłowa wartość pola " + field + "." }

// record is all that a world answered, and the secrets that must not be in it.
type record struct {
	mu      sync.Mutex
	said    strings.Builder
	secrets []string
}

// note adds an answer; the cookies in it are meant to be there.
func (r *record) note(answer *httptest.ResponseRecorder) {
	r.mu.Lock()
	defer r.mu.Unlock()
	header := answer.Header().Clone()
	header.Del("Set-Cookie")
	fmt.Fprintln(&r.said, header, answer.Body)
}

func (r *record) keep(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secrets = append(r.secrets, secret)
}

// secret makes a secret that is found when it shows up in an answer or in the log.
func (w *world) secret(kind string) string {
	secret := kind + "-" + rand.Text()
	w.records.keep(secret)
	return secret
}

// leaks names every secret that an answer or the log holds.
func (r *record) leaks(log string) (found []string) {
	_, key, _ := strings.Cut(databasetest.Keys, ":")
	for _, secret := range append(r.secrets, key) {
		if strings.Contains(r.said.String()+log, secret) {
			found = append(found, secret)
		}
	}
	return found
}

// TestSecretsAreFound proves that the search at the end of every world finds what
// it is for.
func TestSecretsAreFound(t *testing.T) {
	for name, test := range map[string]struct {
		header, body, log string
		found             int
	}{
		"body":             {body: "x access-1 y", found: 1},
		"header":           {header: "Location", found: 1},
		"header of cookie": {header: "Set-Cookie"},
		"log":              {log: "token=access-1", found: 1},
		"key":              {log: databasetest.Keys, found: 1},
		"nothing":          {log: "access-2"},
	} {
		r, a := record{secrets: []string{"access-1"}}, httptest.NewRecorder()
		a.Body.WriteString(test.body)
		if test.header != "" {
			a.Header().Set(test.header, "session=access-1")
		}
		r.note(a)
		if found := r.leaks(test.log); len(found) != test.found {
			t.Errorf("%s: found %q", name, found)
		}
	}
}
