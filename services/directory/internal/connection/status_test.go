package connection_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
)

func TestStatusOfAConnection(t *testing.T) {
	const lost = "Hasło zmienione."
	const missing = "Nie udzielono wszystkich wymaganych zgód. Połącz konto ponownie i zaznacz każdą z nich."
	const expired = "Dostęp wygasł i nie można go odnowić. Połącz konto ponownie."
	ended, later := new(apptest.Start), new(apptest.Start.Add(time.Second))
	type facts struct {
		Expired, NeedsReconnect, Broken, Chosen bool
		Reason                                  string
	}
	for name, test := range map[string]struct {
		c    connection.Connection
		want facts
	}{
		"without an end":   {connection.Connection{}, facts{}},
		"good":             {connection.Connection{ExpiresAt: later}, facts{}},
		"ended, renewable": {connection.Connection{ExpiresAt: ended, RefreshToken: "r"}, facts{}},
		"ended": {connection.Connection{ExpiresAt: ended},
			facts{Expired: true, NeedsReconnect: true, Broken: true, Reason: expired}},
		"location chosen": {connection.Connection{Chosen: connection.ChosenLocation, AccountID: "locations/5"},
			facts{Chosen: true}},
		"account": {connection.Connection{AccountID: "accounts/5"}, facts{}},
		"lost": {connection.Connection{ReconnectReason: lost, ExpiresAt: later},
			facts{NeedsReconnect: true, Broken: true, Reason: lost}},
		"lost, ended": {connection.Connection{ReconnectReason: lost, RefreshToken: "r", ExpiresAt: ended},
			facts{Expired: true, NeedsReconnect: true, Broken: true, Reason: lost}},
		"scope missing": {connection.Connection{Scopes: []string{"other"}},
			facts{NeedsReconnect: true, Reason: missing}},
		"scope missing, and lost": {connection.Connection{ReconnectReason: lost, Scopes: []string{"other"}},
			facts{NeedsReconnect: true, Broken: true, Reason: lost}},
	} {
		a := apptest.New(t)
		test.c.Pair, test.c.AccessToken = provider.ProfilePair, "t"
		if test.c.Scopes == nil {
			test.c.Scopes = []string{"other", scopeProfile}
		}
		a.Save(test.c)
		got := statusOf(a, provider.ProfilePair)
		if diff := cmp.Diff(test.want, facts{got.Expired, got.NeedsReconnect, got.Broken, got.Chosen,
			got.Reason}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestStatusOfDataAccess: its end is known, warned of for two weeks, and then a reason.
func TestStatusOfDataAccess(t *testing.T) {
	const day = 24 * time.Hour
	for left, want := range map[time.Duration]struct{ ends, reconnect, warns bool }{
		14*day + time.Second: {},
		14 * day:             {ends: true, warns: true},
		0:                    {reconnect: true, warns: true},
	} {
		a := apptest.New(t)
		withPage(a, 90*day)
		a.Change(provider.PagesPair, func(c *connection.Connection) {
			c.DataAccessExpiresAt = new(a.Clock.Now().Add(left))
		})
		got := statusOf(a, provider.PagesPair)
		if got.DataAccessEnds != want.ends || got.NeedsReconnect != want.reconnect {
			t.Errorf("%s: status = %+v", left, got)
		}
		_, err := a.Connections.RenewEarly(t.Context(), a.Connection(provider.PagesPair))
		apptest.WantCode(t, err, none)
		if warned := strings.Contains(a.Log.String(), "data access"); warned != want.warns {
			t.Errorf("%s: warned is %t", left, warned)
		}
	}
}

// TestStatusOfEachService compares what is shown of a page, of the photos that are read through it, of a location
// that
// was lost and of a connection that its provider has ended. Rows of other companies and services are not shown.
func TestStatusOfEachService(t *testing.T) {
	a := apptest.New(t)
	soon := new(a.Clock.Now().Add(24 * time.Hour))
	withPage(a, time.Hour)
	a.Change(provider.PagesPair, func(c *connection.Connection) {
		c.OwnerName = "Anna"
		c.DataAccessExpiresAt = soon
		c.Denied = []provider.Service{provider.SocialPages}
	})
	a.Save(connection.Connection{Pair: provider.ProfilePair, AccessToken: "t", AccountID: "accounts/9",
		AccountName: "Ewa", Scopes: []string{scopeProfile},
		Metadata: connection.Metadata{OwnerName: "Ewa", LostChoice: "Piekarnia"}})
	a.Save(connection.Connection{Pair: provider.AnalyticsPair, AccessToken: "t", AccountID: "accounts/9"})
	a.Change(provider.AnalyticsPair, func(c *connection.Connection) { c.Forget("Google zakończył dostęp.") })
	a.Save(connection.Connection{CompanyID: a.AddCompany("b").ID, Pair: provider.AnalyticsPair, AccessToken: "t"})
	page := connection.ServiceStatus{
		Connected: true, Own: true, AccountID: bakery, AccountName: "Piekarnia Kowalski", OwnerName: "Anna",
		Chosen: true, DataAccessExpiresAt: soon, DataAccessEnds: true, NeedsReconnect: true,
		Reason: provider.CodePermission.Text,
	}
	photos := page
	photos.Own = false
	photos.NeedsReconnect = false
	photos.Reason = ""
	want := map[string]connection.ServiceStatus{
		provider.PagesPair.String(): page, provider.PhotosPair.String(): photos,
		provider.ProfilePair.String(): {
			Connected: true, Own: true, AccountID: "accounts/9", AccountName: "Ewa", OwnerName: "Ewa",
			LostChoice: "Piekarnia", NeedsReconnect: true,
			Reason: "To konto Google nie zarządza lokalizacją „Piekarnia”. Wybierz inną lub połącz właściwe konto.",
		},
		provider.AnalyticsPair.String(): {NeedsReconnect: true, Reason: "Google zakończył dostęp."},
	}
	for _, p := range provider.Pairs() {
		status := want[p.String()]
		status.Name, status.Description = p.Name(), p.Description()
		want[p.String()] = status
	}
	got, err := a.Connections.Status(t.Context(), apptest.Actor(a.Anna))
	apptest.WantCode(t, err, none)
	for pair, status := range got {
		status.State = connection.ServiceState{}
		got[pair] = status
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	a.Change(provider.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
	if photos := statusOf(a, provider.PhotosPair); !photos.Broken || photos.Reason != "Hasło zmienione." {
		t.Errorf("photos of a lost token: %+v", photos)
	}
	a.Change(provider.PagesPair, func(c *connection.Connection) { c.ReconnectReason, c.LostChoice = "", "Piekarnia" })
	if photos := statusOf(a, provider.PhotosPair); photos.LostChoice != "Piekarnia" || !photos.NeedsReconnect {
		t.Errorf("photos of a lost page: %+v", photos)
	}
}

// TestStatusWithoutACompany: it needs no database.
func TestStatusWithoutACompany(t *testing.T) {
	a := apptest.New(t)
	actor := apptest.Actor(a.Anna)
	actor.User.CompanyID = nil
	services, err := a.Connections.Status(t.Context(), actor)
	if apptest.WantCode(t, err, none); services == nil || len(services) > 0 {
		t.Errorf("Status = %+v, want an empty map", services)
	}
}

// TestPhotosOfAPage: a page without the scopes of photos, or one that was ended, does not make them look connected.
func TestPhotosOfAPage(t *testing.T) {
	for name, edit := range map[string]func(*connection.Connection){
		"without scopes":   func(c *connection.Connection) { c.Scopes = pagesScopes[:3] },
		"ended while lost": func(c *connection.Connection) { c.End(); c.LostChoice = "Piekarnia" },
	} {
		a := apptest.New(t)
		withPage(a, time.Hour)
		a.Change(provider.PagesPair, edit)
		if photos := statusOf(a, provider.PhotosPair); photos.Connected || photos.NeedsReconnect {
			t.Errorf("%s: %+v", name, photos)
		}
	}
}
