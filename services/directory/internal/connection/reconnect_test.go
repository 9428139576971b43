package connection_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

const (
	locationOfBakery = "locations/1002519486895516595"
	locationReply    = "GET /v1/" + locationOfBakery
)

// unreadPage makes the bakery's page unreadable for now.
var unreadPage = fake.Fault{Kind: "status", Match: "/v25.0/" + bakery, Status: 400, Body: `{"error":{"code":613}}`}

// publishing returns the token of the page that a company publishes to.
func publishing(a *apptest.App) (token string) {
	a.T.Helper()
	err := a.DB.Read(a.T.Context()).Table("social_media_configs").
		Select("CASE WHEN is_active THEN access_token ELSE '' END").Limit(1).Scan(&token).Error
	apptest.WantCode(a.T, err, none)
	return token
}

// chosen connects Anna's pages and chooses the bakery's.
func chosen(a *apptest.App) *apptest.Browser {
	anna := a.Browser(a.Anna)
	anna.Connect(provider.PagesPair, "anna")
	choose(a, anna, bakery).Want(http.StatusOK)
	return anna
}

func choose(a *apptest.App, anna *apptest.Browser, page string) *apptest.Response {
	return anna.Post("/api/oauth/provider_social/select-page",
		apptest.Body{"company_id": a.Company.ID, "page_id": page})
}

func TestReconnectingKeepsThePage(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		anna := chosen(a)
		before, published := a.Connection(provider.PagesPair), publishing(a)
		a.Clock.Pass(time.Hour)
		anna.Connect(provider.PagesPair, "anna")
		c := a.Connection(provider.PagesPair)
		if c.Chosen != connection.ChosenPage || c.AccountID != bakery {
			t.Errorf("chosen = %v %s, want the page %s", c.Chosen, c.AccountID, bakery)
		}
		if c.AccessToken == before.AccessToken {
			t.Error("the page's token is that of the old grant")
		}
		if c.UserAccessToken == before.UserAccessToken {
			t.Error("the user's token is that of the old grant")
		}
		switch publishing(a) {
		case "":
			t.Error("the page is no longer published to")
		case published:
			t.Error("the page is published to with the old token")
		}
	})
}

func TestReconnectingLosesAPageOutOfReach(t *testing.T) {
	for name, unread := range map[string]bool{"at once": false, "at the next use": true} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, a *apptest.App) {
				anna := chosen(a)
				if unread {
					a.Meta.SetFault(unreadPage)
				}
				anna.Connect(provider.PagesPair, "marek")
				a.Meta.ClearFault()
				sync := anna.Post("/api/oauth/provider_social/sync-facebook",
					apptest.Body{"company_id": a.Company.ID})
				if code := sync.Want(http.StatusBadRequest).JSON()["code"]; code != connection.CodeNoPage.Name {
					t.Errorf("sync: code %v, want %s", code, connection.CodeNoPage)
				}
				c := a.Connection(provider.PagesPair)
				if c.Chosen != connection.ChosenNothing || c.LostChoice != "Piekarnia Kowalski" {
					t.Errorf("chosen = %v, lost = %q, want the bakery's page lost", c.Chosen, c.LostChoice)
				}
				if c.AccessToken == "" || c.UserAccessToken != "" {
					t.Errorf("tokens = %q and %q, want the user's alone", c.AccessToken, c.UserAccessToken)
				}
				if publishing(a) != "" {
					t.Error("the lost page is still published to")
				}
				status := statusOf(a, provider.PagesPair)
				if !status.NeedsReconnect {
					t.Error("the status asks for no reconnection")
				}
				if !strings.Contains(string(status.Reason), "Piekarnia") {
					t.Errorf("the reason %q does not name the lost page", status.Reason)
				}
				anna.Connect(provider.PagesPair, "anna")
				choose(a, anna, branch).Want(http.StatusOK)
				if reason := statusOf(a, provider.PagesPair).Reason; reason != "" {
					t.Errorf("another page is chosen, but the status still says %q", reason)
				}
			})
		})
	}
}

func TestReconnectingWhileThePageCannotBeRead(t *testing.T) {
	a := apptest.New(t)
	anna := chosen(a)
	a.Meta.SetFault(unreadPage)
	anna.Connect(provider.PagesPair, "anna")
	c := a.Connection(provider.PagesPair)
	if c.Chosen != connection.ChosenPage || c.AccessToken != "" {
		t.Errorf("chosen = %v, token = %q, want a page without its token", c.Chosen, c.AccessToken)
	}
	if publishing(a) != "" {
		t.Error("the page is published to although its token was not read")
	}
	if !strings.Contains(a.Log.String(), "choice not looked up") {
		t.Error("the log does not say why")
	}
	apptest.WantCode(t, use(a, c), provider.CodeThrottled)
	a.Meta.ClearFault()
	apptest.WantCode(t, use(a, c), none)
	if a.Connection(provider.PagesPair).AccessToken == "" {
		t.Error("the page's token was not read at its next use")
	}
	if publishing(a) == "" {
		t.Error("the page is not published to after its next use")
	}
}

func TestAPageWhoseConnectionChanges(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*connection.Connection)
		want   fault.Code
		tokens []string
	}{
		"disconnected": {func(c *connection.Connection) { c.End() }, connection.CodeNoConnection, nil},
		"marked":       {func(c *connection.Connection) { c.ReconnectReason = "A" }, provider.CodeReconnect, nil},
		"connected again": {func(c *connection.Connection) { c.ConnectedAt = c.ConnectedAt.Add(time.Second) },
			connection.CodeNoPage, nil},
		"another page":    {func(c *connection.Connection) { c.AccountID = branch }, connection.CodeNoPage, nil},
		"read by another": {func(c *connection.Connection) { c.AccessToken = "page-8" }, none, []string{"page-8"}},
		"another page read": {func(c *connection.Connection) { c.AccountID, c.AccessToken = branch, "page-8" }, none,
			[]string{"page-8"}},
	} {
		a := apptest.New(t)
		withPage(a, time.Hour)
		a.Change(provider.PagesPair, func(c *connection.Connection) { c.AccessToken = "" })
		a.Intercept(func(http.ResponseWriter, *http.Request) { a.Change(provider.PagesPair, test.change) })
		made := reads{}
		_, err := connection.Use(t.Context(), a.Connections, a.Connection(provider.PagesPair), made.read)
		apptest.WantCode(t, err, test.want)
		if diff := cmp.Diff(test.tokens, made.tokens); diff != "" {
			t.Errorf("%s: tokens of the reads (-want +got):\n%s", name, diff)
		}
	}
}

func TestReconnectingKeepsALocationInReach(t *testing.T) {
	denied := fake.Reply{Status: 403, Body: `{"error":{"status":"PERMISSION_DENIED"}}`}
	gone := fake.Reply{Status: 404, Body: `{"error":{"status":"NOT_FOUND"}}`}
	type facts struct{ Name, Place string }
	before := facts{"Stara piekarnia", "place-0"}
	for name, test := range map[string]struct {
		reply    *fake.Reply
		incident bool
		scopes   []string
		want     facts
	}{
		"in reach":        {nil, false, profileScopes, facts{"Piekarnia Kowalski", "ChIJdemo-piekarnia-kowalski"}},
		"not readable":    {&busy, false, profileScopes, before},
		"gone":            {&gone, false, profileScopes, facts{}},
		"another owner's": {&denied, false, profileScopes, facts{}},
		"scope unticked":  {&denied, false, []string{"openid"}, before},
		"app refused":     {&denied, true, profileScopes, before},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			c := a.Save(connection.Connection{
				Pair: provider.ProfilePair, AccessToken: "access-0", Chosen: connection.ChosenLocation,
				AccountID: locationOfBakery, AccountName: before.Name,
				Metadata: connection.Metadata{PlaceID: before.Place},
			})
			if test.reply != nil {
				a.Google.SetReply(locationReply, *test.reply)
			}
			if test.incident {
				app := incident.Subject{Provider: provider.Search, Service: provider.SearchProfile,
					Kind: incident.App}
				_, err := a.Incidents.Refused(t.Context(), app, c.ID, "")
				apptest.WantCode(t, err, none)
			}
			if _, oauthError := arrive(t, a, test.scopes).finish(); oauthError != "" {
				t.Fatalf("oauth_error = %q, want none", oauthError)
			}
			c = a.Connection(provider.ProfilePair)
			got := facts{}
			if c.Chosen == connection.ChosenLocation {
				got = facts{c.AccountName, c.PlaceID}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("chosen location (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReconnectingKeepsANewerChoice(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		anna := chosen(a)
		callback := anna.Authorize(provider.PagesPair).Allow("anna")
		a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, bakery) {
				a.Intercept(nil)
				choose(a, anna, branch).Want(http.StatusOK)
			}
		})
		anna.Get(callback).WantRedirect("/konto/integracje?oauth_success=provider_social/social_pages")
		c := a.Connection(provider.PagesPair)
		if c.Chosen != connection.ChosenPage || c.AccountID != branch {
			t.Errorf("chosen = %v %s, want the newer choice, page %s", c.Chosen, c.AccountID, branch)
		}
		if c.AccessToken != "" {
			t.Errorf("token = %q, want none before the next use", c.AccessToken)
		}
		apptest.WantCode(t, use(a, c), none)
		if publishing(a) == "" {
			t.Error("the new page is not published to")
		}
	})
}

func TestReconnectingDoesNotWaitForTheChoice(t *testing.T) {
	a := apptest.New(t, "PROVIDER_TIMEOUT=100ms")
	anna := chosen(a)
	a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, bakery) {
			<-r.Context().Done()
		}
	})
	anna.Connect(provider.PagesPair, "anna")
	c := a.Connection(provider.PagesPair)
	if c.AccountID != bakery {
		t.Errorf("chosen = %s, want still %s", c.AccountID, bakery)
	}
	if c.AccessToken != "" {
		t.Errorf("token = %q, want none, because the page did not respond", c.AccessToken)
	}
}
