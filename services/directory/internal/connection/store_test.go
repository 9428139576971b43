package connection_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
)

func TestSave(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		inAnHour := new(a.Clock.Now().Add(time.Hour))
		first := connection.Connection{
			CompanyID: a.Company.ID, UserID: a.Anna.ID, Pair: provider.PagesPair, AccessToken: "zażółć",
			RefreshToken: "r", Scopes: []string{"x", "y"}, Chosen: connection.ChosenPage, AccountID: "1",
			AccountName: "Łąka", ExpiresAt: inAnHour, ProviderUserID: "p", ReconnectReason: "an earlier failure",
			Metadata: connection.Metadata{UserAccessToken: "u", UserExpiresAt: inAnHour},
		}
		second := connection.Connection{
			CompanyID: a.Company.ID, UserID: a.Anna.ID, Pair: provider.PagesPair, AccessToken: "new",
			Chosen: connection.ChosenLocation, AccountID: "locations/5", Scopes: []string{},
		}
		created := a.Clock.Now()
		for i, c := range []connection.Connection{first, second} {
			want := c
			entry := trail.Entry{CompanyID: c.CompanyID, Action: "connect", Pair: c.Pair}
			apptest.WantCode(t, a.Store.Save(t.Context(), &c, nil, entry), none)
			want.ID = c.ID
			want.Active = true
			want.ReconnectReason = ""
			want.RefreshToken = "r"
			want.CreatedAt = created
			want.UpdatedAt = a.Clock.Now()
			want.ConnectedAt = a.Clock.Now()
			for name, got := range map[string]connection.Connection{"set": c, "stored": a.Connection(c.Pair)} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("save %d, %s (-want +got):\n%s", i+1, name, diff)
				}
			}
			a.Clock.Pass(time.Hour)
		}
		a.WantTrail("connect", "connect")
	})
}

func TestSaveAfterDisconnect(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		c := granted(a, time.Hour)
		a.Change(c.Pair, func(c *connection.Connection) { c.End(); c.ReconnectReason = "gone" })
		c.RefreshToken = ""
		entry := trail.Entry{CompanyID: c.CompanyID, Action: "connect", Pair: c.Pair}
		apptest.WantCode(t, a.Store.Save(t.Context(), &c, nil, entry), none)
		if !c.Active {
			t.Error("the connection is not active")
		}
		if c.ReconnectReason != "" {
			t.Errorf("the reason %q of before is kept", c.ReconnectReason)
		}
		if c.RefreshToken != "" {
			t.Errorf("the connection has the refresh token %q, want none after a disconnection", c.RefreshToken)
		}
	})
}

func TestSaveTwiceAtOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a := apptest.New(t, apptest.On(db.URL))
		other := &connection.Store{DB: databasetest.Open(t, db.URL)}
		for round := range 5 {
			company := a.AddCompany(fmt.Sprint("firma-", round)).ID
			var both sync.WaitGroup
			for _, s := range []*connection.Store{a.Store, other} {
				both.Go(func() {
					c := connection.Connection{CompanyID: company, UserID: a.Anna.ID, Pair: provider.PagesPair,
						AccessToken: "t"}
					entry := trail.Entry{CompanyID: company, Action: "connect", Pair: c.Pair}
					apptest.WantCode(t, s.Save(t.Context(), &c, nil, entry), none)
				})
			}
			both.Wait()
		}
	})
}

func TestStoreWithoutTheKey(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a := apptest.New(t, apptest.On(db.URL))
		want := withPage(a, time.Hour)
		keys, err := database.ParseKeys(database.GenerateKey())
		apptest.WantCode(t, err, none)
		opened, err := database.Open(t.Context(), db.URL, keys)
		apptest.WantCode(t, err, none)
		defer func() { apptest.WantCode(t, opened.Close(), none) }()
		without := &connection.Store{DB: opened}
		held, err := without.Hold(t.Context(), a.Company.ID, want.Pair)
		apptest.WantCode(t, err, none)
		if held.AccessToken+held.UserAccessToken != "" {
			t.Errorf("without the key, the tokens are %q and %q", held.AccessToken, held.UserAccessToken)
		}
		if held.ReconnectReason != connection.ReasonUnreadable {
			t.Errorf("without the key, the reason is %q", held.ReconnectReason)
		}
		held.AccountName = "renamed"
		apptest.WantCode(t, held.Save(nil), provider.CodeReconnect)
		held.Release()
		if diff := cmp.Diff(want, a.Connection(want.Pair)); diff != "" {
			t.Errorf("when the key is back (-want +got):\n%s", diff)
		}
		held, err = without.Hold(t.Context(), a.Company.ID, want.Pair)
		apptest.WantCode(t, err, none)
		held.End()
		apptest.WantCode(t, held.Save(nil), none)
		held.Release()
		if after := a.Connection(want.Pair); after.Active || after.AccessToken != "" {
			t.Errorf("ended without the key: active = %t, token = %q, want neither", after.Active, after.AccessToken)
		}
	})
}

func TestHold(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		stored := withPage(a, time.Hour)
		a.Clock.Pass(time.Hour)
		held, err := a.Store.Hold(t.Context(), stored.CompanyID, stored.Pair)
		apptest.WantCode(t, err, none)
		defer held.Release()
		if diff := cmp.Diff(stored, held.Connection); diff != "" {
			t.Errorf("held (-want +got):\n%s", diff)
		}
		want := stored
		want.AccessToken = ""
		want.UserAccessToken = "u2"
		want.AccountID = "page"
		want.AccountName = "Strona"
		want.Active = false
		want.ReconnectReason = "powód"
		want.UserExpiresAt = new(a.Clock.Now().Add(time.Minute))
		want.Scopes, want.ProviderUserID = []string{"z"}, "q"
		held.Connection = want
		entry := trail.Entry{CompanyID: want.CompanyID, Action: "refresh", Pair: want.Pair}
		apptest.WantCode(t, held.Save(&entry), none)
		want.UpdatedAt = a.Clock.Now()
		for name, got := range map[string]connection.Connection{"held": held.Connection,
			"stored": a.Connection(want.Pair)} {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("saved, %s (-want +got):\n%s", name, diff)
			}
		}
		a.WantTrail("refresh")
	})
}

func TestHoldSlowly(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a := apptest.New(t, apptest.On(db.URL))
		c, neighbour := withPage(a, time.Hour), granted(a, time.Hour)
		held, err := a.Store.HoldSlowly(t.Context(), c.CompanyID, c.Pair)
		apptest.WantCode(t, err, none)
		defer held.Release()
		held.AccountName = "slow"
		for name, s := range map[string]*connection.Store{"the same": a.Store,
			"another": {DB: databasetest.Open(t, db.URL)}} {
			if _, err := s.Find(t.Context(), c.CompanyID, c.Pair); err != nil {
				t.Errorf("%s store: reading waits for the hold: %v", name, err)
			}
			other, err := s.Hold(t.Context(), c.CompanyID, neighbour.Pair)
			apptest.WantCode(t, err, none)
			other.Release()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if _, err := s.Hold(ctx, c.CompanyID, c.Pair); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s store: a second hold does not wait: err = %v", name, err)
			}
		}
		apptest.WantCode(t, held.Save(nil), none)
		if name := a.Connection(c.Pair).AccountName; name != "slow" {
			t.Errorf("account name = %q, want that of the slow holder", name)
		}
	})
}

func TestUnknownPairLocksNothing(t *testing.T) {
	url := databasetest.NewSQLite(t)
	a := apptest.New(t, apptest.On(url))
	locks := func() []string {
		files, err := filepath.Glob(strings.TrimPrefix(url, "sqlite:") + ".locks/*")
		apptest.WantCode(t, err, none)
		return files
	}
	before := locks()
	for _, service := range []provider.Service{"unknown", provider.Service(strings.Repeat("x", 300)),
		"social_pages\x00"} {
		unknown := provider.Pair{Provider: provider.Social, Service: service}
		_, err := a.Store.Hold(t.Context(), a.Company.ID, unknown)
		apptest.WantCode(t, err, connection.CodeNoConnection)
		_, err = a.Store.HoldSlowly(t.Context(), a.Company.ID, unknown)
		apptest.WantCode(t, err, connection.CodeNoConnection)
	}
	if after := locks(); !slices.Equal(after, before) {
		t.Errorf("lock files %q, want %q", after, before)
	}
}

// subscribe subscribes an address to a company; nil subscribes it to all.
func subscribe(a *apptest.App, companyID *int64) webhook.Webhook {
	a.T.Helper()
	w, err := a.Webhooks.Add(a.T.Context(), account.Actor{}.By(), companyID, "https://hook.example/a")
	apptest.WantCode(a.T, err, none)
	return w
}

// published lists the data of a webhook's events by their types, oldest first.
func published(a *apptest.App, w webhook.Webhook) (events []string) {
	a.T.Helper()
	deliveries, err := a.Webhooks.Deliveries(a.T.Context(), w.ID, 99)
	apptest.WantCode(a.T, err, none)
	for _, d := range deliveries {
		events = append([]string{d.Type + " " + d.Data}, events...)
	}
	return events
}

func TestEvents(t *testing.T) {
	type edit = func(*connection.Connection)
	lost := func(c *connection.Connection) { c.ReconnectReason = "Cofnięto dostęp." }
	other := func(c *connection.Connection) { c.ReconnectReason = "Zmieniono hasło." }
	denied := func(c *connection.Connection) { c.Denied = []provider.Service{provider.SocialPages} }
	mended := func(c *connection.Connection) { c.ReconnectReason, c.Denied = "", nil }
	renewed := func(c *connection.Connection) { c.AccessToken += "+" }
	disconnected := func(c *connection.Connection) { c.End() }
	ended := func(c *connection.Connection) { c.Active, c.ReconnectReason = false, "Cofnięto dostęp." }
	var again edit // nil: the company connects again
	const subject = `{"company_id":1,"provider":"provider_social","service":"social_pages","reason":`
	const broken = "connection.broken " + subject + `"Cofnięto dostęp."}`
	const recovered = "connection.recovered " + subject + "null}"
	const missing = "connection.broken " + subject + `"Brak wymaganych uprawnień. Połącz konto ponownie i zaznacz ` +
		`wszystkie zgody."}`
	for name, test := range map[string]struct {
		changes []edit
		want    []string
	}{
		"renewed":                        {[]edit{renewed, renewed, again}, nil},
		"lost twice":                     {[]edit{lost, renewed, other}, []string{broken}},
		"lost and mended":                {[]edit{lost, mended, renewed}, []string{broken, recovered}},
		"a permission and its return":    {[]edit{denied, mended}, []string{missing, recovered}},
		"lost and connected again":       {[]edit{lost, again}, []string{broken, recovered}},
		"disconnected by its own people": {[]edit{disconnected, again}, nil},
		"disconnected while broken":      {[]edit{lost, disconnected}, []string{broken}},
		"the same, and connected again":  {[]edit{lost, disconnected, again}, []string{broken, recovered}},
		"ended by the provider":          {[]edit{ended, again}, []string{broken, recovered}},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			own, all := subscribe(a, &a.Company.ID), subscribe(a, nil)
			stranger := subscribe(a, new(a.AddCompany("b").ID))
			connect := func() { a.Save(connection.Connection{Pair: provider.PagesPair, AccessToken: "a"}) }
			connect()
			for _, change := range test.changes {
				if change == nil {
					connect()
				} else {
					a.Change(provider.PagesPair, change)
				}
			}
			if diff := cmp.Diff(test.want, published(a, own)); diff != "" {
				t.Errorf("to a webhook of the company (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.want, published(a, all)); diff != "" {
				t.Errorf("to a webhook of all companies (-want +got):\n%s", diff)
			}
			if events := published(a, stranger); len(events) > 0 {
				t.Errorf("to a webhook of another company: %q", events)
			}
		})
	}
}

func TestEventsAreOfTheTransaction(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		w := subscribe(a, nil)
		a.Save(connection.Connection{Pair: provider.PagesPair, AccessToken: "a"})
		hold := func() *connection.Held {
			held, err := a.Store.Hold(t.Context(), a.Company.ID, provider.PagesPair)
			apptest.WantCode(t, err, none)
			held.ReconnectReason = "Cofnięto dostęp."
			return held
		}
		held := hold()
		_, err := held.Update(nil)
		apptest.WantCode(t, err, none)
		held.Release() // without Commit
		if events := published(a, w); len(events) != 0 {
			t.Errorf("%q were published without a commit", events)
		}
		execute(a, "ALTER TABLE webhook_deliveries RENAME TO elsewhere")
		held = hold()
		err = held.Save(nil)
		held.Release()
		if err == nil {
			t.Error("a change whose event cannot be stored was saved without an error")
		}
		if reason := a.Connection(provider.PagesPair).ReconnectReason; reason != "" {
			t.Errorf("a change whose event cannot be stored was kept: %q", reason)
		}
		execute(a, "ALTER TABLE elsewhere RENAME TO webhook_deliveries")
	})
}

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

const (
	scopeProfile   = "https://www.googleapis.com/auth/business.manage"
	scopeAnalytics = "https://www.googleapis.com/auth/webmasters.readonly"

	bakery = "105600000010001" // pages of Anna
	branch = "105600000010002"

	tokenEndpoint = "POST /token"
)

var pagesScopes = []string{"pages_show_list", "pages_read_engagement", "read_insights", "instagram_basic",
	"instagram_manage_insights", "business_management"}

// The ways in which Google refuses to renew or to withdraw.
var (
	grantLost = fake.Reply{Status: 400, Body: `{"error":"invalid_grant"}`}
	busy      = fake.Reply{Status: 429}
)

// none is the code of no fault.
var none fault.Code

// onEachDatabase runs a test with the service on each database.
func onEachDatabase(t *testing.T, test func(t *testing.T, a *apptest.App)) {
	t.Helper()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) { test(t, apptest.New(t, apptest.On(db.URL))) })
}

// granted stores a connection to Anna's Business Profile, whose access token ends after that time.
func granted(a *apptest.App, life time.Duration) connection.Connection {
	tokens := a.Google.Grant("anna", "openid", scopeProfile)
	return a.Save(connection.Connection{
		Pair: provider.ProfilePair, AccessToken: tokens.Access, RefreshToken: tokens.Refresh,
		Scopes: []string{"openid", scopeProfile}, ExpiresAt: new(a.Clock.Now().Add(life)), ProviderUserID: "108",
	})
}

// withPage stores a connection to Anna's page, whose user token ends after that time.
func withPage(a *apptest.App, life time.Duration) connection.Connection {
	user := a.Meta.Grant("anna", pagesScopes...)
	return a.Save(connection.Connection{
		Pair: provider.PagesPair, AccessToken: a.Meta.PageToken(user, bakery), Chosen: connection.ChosenPage,
		AccountID: bakery, AccountName: "Piekarnia Kowalski", Scopes: pagesScopes, ProviderUserID: "p-1",
		Metadata: connection.Metadata{UserAccessToken: user, UserExpiresAt: new(a.Clock.Now().Add(life))},
	})
}

// reads fails the first read with its first error, and so on, and notes the tokens.
type reads struct {
	errs   []error
	tokens []string
}

func (r *reads) read(_ context.Context, token, _ string) (string, error) {
	r.tokens = append(r.tokens, token)
	if len(r.tokens) > len(r.errs) {
		return "read", nil
	}
	return "", r.errs[len(r.tokens)-1]
}

func use(a *apptest.App, c connection.Connection, errs ...error) error {
	_, err := connection.Use(a.T.Context(), a.Connections, c, (&reads{errs: errs}).read)
	return err
}

func execute(a *apptest.App, statement string) {
	a.T.Helper()
	if err := a.DB.Write(a.T.Context()).Exec(statement).Error; err != nil {
		a.T.Fatal(err)
	}
}

func find(a *apptest.App, companyID int64, p provider.Pair) connection.Connection {
	a.T.Helper()
	c, err := a.Store.Find(a.T.Context(), companyID, p)
	if err != nil {
		a.T.Fatal(err)
	}
	return c
}

func statusOf(a *apptest.App, p provider.Pair) connection.ServiceStatus {
	a.T.Helper()
	services, err := a.Connections.Status(a.T.Context(), apptest.Actor(a.Anna))
	if err != nil {
		a.T.Fatal(err)
	}
	return services[p.String()]
}
