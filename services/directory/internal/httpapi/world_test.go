package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/session"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/httpx"
)

const publicURL = "https://firmy.example"

var (
	profilePair = directory.Pair{Provider: directory.ProviderSearch, Service: directory.SearchProfile}
	pagesPair   = directory.Pair{Provider: directory.ProviderSocial, Service: directory.SocialPages}
)

// world is the service as the program builds it, on one database, with a clock
// and providers that the test moves. It has one company, piekarnia, and anna, who
// is its manager.
type world struct {
	http.Handler // checked against the contract
	t            *testing.T
	db           storetest.Database
	store        *store.Store
	now          time.Time
	search       *searchProvider
	social       *socialProvider
	providers    map[directory.Provider]directory.Abilities
	places       *places
	sessions     *session.Store
	oauth        *directory.OAuth
	api          httpapi.API
	echo         *echo.Echo
	log          bytes.Buffer
	records      record
	behind       func(func()) // runs what goes on after an answer

	piekarnia directory.Company
	anna      directory.User
}

func newWorld(t *testing.T, db storetest.Database) *world {
	t.Helper()
	w := &world{t: t, db: db, behind: func(f func()) { f() }, now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)}
	w.store = storetest.Open(t, db.URL, store.WithClock(w.clock))
	w.search, w.social, w.places = newSearchProvider(w), newSocialProvider(w), &places{}
	w.wire(nil)
	w.piekarnia = w.addCompany("piekarnia")
	w.anna = w.addUser("anna", directory.Manager, &w.piekarnia)
	t.Cleanup(func() {
		for _, secret := range w.records.leaks(w.log.String()) {
			t.Errorf("an answer or the log holds the secret %s", secret)
		}
	})
	return w
}

// wire puts the service together; findPlace is nil without a key.
func (w *world) wire(findPlace directory.FindPlace) {
	log := slog.New(slog.NewJSONHandler(&w.log, nil))
	w.sessions = w.newSessions(false)
	w.providers = map[directory.Provider]directory.Abilities{
		directory.ProviderSearch: w.search.abilities(), directory.ProviderSocial: w.social.abilities(),
	}
	w.oauth = directory.NewOAuth(w.store, w.providers, publicURL, w.clock, func(f func()) { w.behind(f) }, log)
	locations := directory.NewLocations(w.oauth, w.clock)
	w.api = httpapi.API{
		Sessions: w.sessions, Logins: directory.NewLogins(w.store, w.store, hasher(), w.clock), Companies: w.store,
		OAuth: w.oauth, Locations: locations, Pages: directory.NewPages(w.oauth, w.store, w.clock, log),
		Audits:   directory.NewAudits(w.store, locations, findPlace, w.clock, log),
		Database: w.store, ClientIP: httpapi.ClientIP([]netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}), Log: log,
	}
	if err := w.api.CrossOrigin.AddTrustedOrigin(publicURL); err != nil {
		w.t.Fatal(err)
	}
	w.echo = httpx.New(httpx.Options{
		Log: log, Metrics: httpx.NewMetrics(prometheus.NewRegistry(), "directory"),
		BodyLimit: httpapi.BodyLimit, ErrorBody: httpapi.Render,
	})
	w.api.Register(w.echo)
	w.Handler = checker.Wrap(w.t, w.echo)
}

// newSessions keeps sessions for browsers that come by http, or by https.
func (w *world) newSessions(secure bool) *session.Store {
	keys, err := session.ParseKeys("one:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))))
	w.ok(err)
	return session.New(w.store, keys, secure, w.clock)
}

// hasher is shared: to make one costs a hash.
var hasher = sync.OnceValue(func() *directory.Hasher { return directory.NewHasher(4) })

// unconfigure takes the provider's client away.
func (w *world) unconfigure(p directory.Provider) {
	can := w.providers[p]
	can.Configured = false
	w.providers[p] = can
}

func (w *world) clock() time.Time { return w.now }

func (w *world) pass(d time.Duration) { w.now = w.now.Add(d) }

func (w *world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func ptr[T any](v T) *T { return &v }
