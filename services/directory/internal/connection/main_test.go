package connection_test

import (
	"context"
	"os"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

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
