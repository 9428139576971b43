package httpapi_test

import (
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/routes"
	"backend.example/services/directory/internal/storetest"
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
	t        *testing.T
	db       storetest.Database
	sessions *account.Sessions
	guard    *account.Guard
	accounts *account.Handlers
	echo     *echo.Echo
	records  record
}

func newWorld(t *testing.T, db storetest.Database) *world {
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
	w.accounts = &account.Handlers{Guard: w.guard, Logins: w.Logins, Company: w.Store.Company}
	w.echo = httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "directory"), BodyLimit: httpapi.BodyLimit, ErrorBody: httpapi.Render,
	})
	routes.Register(w.echo, routes.Services{
		Guard: w.guard, Accounts: w.accounts, Connections: &connection.Handlers{Service: w.Connections, Guard: w.guard, Log: log},
		Erasures: w.Erasures, Locations: w.Locations, Social: w.Pages, SearchStats: w.Analytics, Audits: w.Audits,
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
