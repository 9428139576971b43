package connection_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
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
		shown := facts{got.Expired, got.NeedsReconnect, got.Broken, got.Chosen, string(got.Reason)}
		if diff := cmp.Diff(test.want, shown); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

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
		if got.DataAccessEnds != want.ends {
			t.Errorf("%s left: data access ends soon = %t, want %t", left, got.DataAccessEnds, want.ends)
		}
		if got.NeedsReconnect != want.reconnect {
			t.Errorf("%s left: needs reconnection = %t, want %t", left, got.NeedsReconnect, want.reconnect)
		}
		_, err := a.Connections.RenewEarly(t.Context(), a.Connection(provider.PagesPair))
		apptest.WantCode(t, err, none)
		if warned := strings.Contains(a.Log.String(), "data access"); warned != want.warns {
			t.Errorf("%s left: the scan warned = %t, want %t", left, warned, want.warns)
		}
	}
}

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
		Reason: httpapi.Text(provider.CodePermission.Text),
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
		t.Errorf("status (-want +got):\n%s", diff)
	}
}

func TestStatusOfPhotosFollowsTheirPage(t *testing.T) {
	a := apptest.New(t)
	withPage(a, time.Hour)
	a.Change(provider.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Hasło zmienione." })
	photos := statusOf(a, provider.PhotosPair)
	if !photos.Broken || photos.Reason != "Hasło zmienione." {
		t.Errorf("of a lost token: broken = %t, reason = %q", photos.Broken, photos.Reason)
	}
	a.Change(provider.PagesPair, func(c *connection.Connection) { c.ReconnectReason, c.LostChoice = "", "Piekarnia" })
	photos = statusOf(a, provider.PhotosPair)
	if !photos.NeedsReconnect || photos.LostChoice != "Piekarnia" {
		t.Errorf("of a lost page: needs reconnection = %t, lost = %q", photos.NeedsReconnect, photos.LostChoice)
	}
}

func TestStatusWithoutACompany(t *testing.T) {
	a := apptest.New(t)
	actor := apptest.Actor(a.Anna)
	actor.User.CompanyID = nil
	services, err := a.Connections.Status(t.Context(), actor)
	apptest.WantCode(t, err, none)
	if services == nil || len(services) > 0 {
		t.Errorf("Status = %#v, want an empty map that is not nil", services)
	}
}

func TestPhotosAreNotConnectedThroughAPage(t *testing.T) {
	for name, edit := range map[string]func(*connection.Connection){
		"without scopes":   func(c *connection.Connection) { c.Scopes = pagesScopes[:3] },
		"ended while lost": func(c *connection.Connection) { c.End(); c.LostChoice = "Piekarnia" },
	} {
		a := apptest.New(t)
		withPage(a, time.Hour)
		a.Change(provider.PagesPair, edit)
		if photos := statusOf(a, provider.PhotosPair); photos.Connected || photos.NeedsReconnect {
			t.Errorf("%s: connected = %t, needs reconnection = %t", name, photos.Connected, photos.NeedsReconnect)
		}
	}
}

// serviceState is the state of a service as the API shows it; what is null there is empty.
type serviceState struct{ Progress, Of, Act string }

func TestServiceState(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	company := apptest.Body{"company_id": a.Company.ID}
	sync := func(what string) { anna.Post("/api/oauth/"+what, company) }
	wantState := func(when string, p provider.Pair, want serviceState) {
		t.Helper()
		services := anna.Get("/api/oauth/status").Want(http.StatusOK).JSON()["services"].(apptest.Body)
		state := services[p.String()].(apptest.Body)["state"].(apptest.Body)
		var got serviceState
		got.Progress, _ = state["progress"].(string)
		got.Of, _ = state["of"].(string)
		got.Act, _ = state["act"].(string)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", p, when, diff)
		}
	}

	analytics := provider.AnalyticsPair
	wantState("before it is connected", analytics, serviceState{Progress: "not_connected", Act: "connect"})
	anna.Connect(analytics, "anna")
	wantState("once connected", analytics, serviceState{Progress: "reading"})
	a.Google.SetReply("GET /webmasters/v3/sites", fake.Reply{Body: `{}`})
	sync("provider_search/sync-analytics")
	wantState("without a property", analytics, serviceState{Progress: "failed", Act: "add_property"})
	a.Google.Reset()
	anna.Connect(analytics, "anna")
	sync("provider_search/sync-analytics")
	wantState("after a sync", analytics,
		serviceState{Progress: "read", Of: "https://piekarnia-kowalski.example/"})

	anna.Connect(provider.PagesPair, "anna")
	wantState("without a page", provider.PagesPair, serviceState{Progress: "failed", Act: "choose_page"})
	choose(a, anna, bakery).Want(http.StatusOK)
	wantState("with a page", provider.PagesPair, serviceState{Progress: "read", Of: "Piekarnia Kowalski"})
	a.Meta.SetReply("GET /v25.0/"+bakery, fake.Reply{
		Status: 400, Body: `{"error":{"message":"(#10) The user is not an Instagram Business","code":10}}`,
	})
	sync("provider_social/sync-instagram")
	wantState("with a private account", provider.PhotosPair,
		serviceState{Progress: "failed", Act: "mend_account"})
}

// addInEachState adds a connection in each state, each to a company of its own, and returns them as
// they should be listed.
func addInEachState(a *apptest.App) (want []connection.Listed) {
	a.T.Helper()
	const (
		revoked      = "Hasło zmienione."
		lostPage     = "To konto na Facebooku nie zarządza stroną „Piekarnia”. Wybierz inną lub połącz właściwe konto."
		lostLocation = "To konto Google nie zarządza lokalizacją „Piekarnia”. Wybierz inną lub połącz właściwe konto."
	)
	denied := []provider.Service{provider.SocialPages}
	for _, row := range []struct {
		slug   string
		pair   provider.Pair
		edit   func(*connection.Connection)
		state  connection.State
		reason string
	}{
		{"ok", provider.ProfilePair, func(*connection.Connection) {}, connection.StateOK, ""},
		{"revoked-location", provider.ProfilePair, func(c *connection.Connection) {
			c.ReconnectReason, c.LostChoice = revoked, "Piekarnia"
		}, connection.StateReconnect, revoked},
		{"revoked-page", provider.PagesPair, func(c *connection.Connection) {
			c.ReconnectReason, c.Denied = revoked, denied
		}, connection.StateReconnect, revoked},
		{"denied", provider.PagesPair, func(c *connection.Connection) {
			c.Denied = denied
		}, connection.StatePermission, provider.CodePermission.Text},
		{"lost-page", provider.PagesPair, func(c *connection.Connection) {
			c.LostChoice, c.Denied = "Piekarnia", denied
		}, connection.StateChoice, lostPage},
		{"lost-location", provider.ProfilePair, func(c *connection.Connection) {
			c.LostChoice = "Piekarnia"
		}, connection.StateChoice, lostLocation},
		{"ended", provider.AnalyticsPair, func(c *connection.Connection) {
			c.Active = false
		}, connection.StateEnded, ""},
		{"ended-outside", provider.AnalyticsPair, func(c *connection.Connection) {
			c.Active, c.ReconnectReason = false, "Zakończono."
		}, connection.StateEnded, "Zakończono."},
	} {
		c := a.Save(connection.Connection{CompanyID: a.AddCompany(row.slug).ID, Pair: row.pair, AccessToken: "t"})
		held, err := a.Store.Hold(a.T.Context(), c.CompanyID, c.Pair)
		apptest.WantCode(a.T, err, none)
		row.edit(&held.Connection)
		apptest.WantCode(a.T, held.Save(nil), none)
		held.Release()
		want = append(want, connection.Listed{
			ID: c.ID, CompanyID: c.CompanyID, Slug: row.slug, Pair: row.pair, State: row.state, Reason: row.reason,
			UpdatedAt: a.Clock.Now(),
		})
	}
	return want
}

// companyOf returns the number of the company with a slug.
func companyOf(list []connection.Listed, slug string) int64 {
	return list[slices.IndexFunc(list, func(l connection.Listed) bool { return l.Slug == slug })].CompanyID
}

func TestList(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		want := addInEachState(a)
		all, err := a.Connections.List(t.Context(), connection.Query{})
		apptest.WantCode(t, err, none)
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("all (-want +got):\n%s", diff)
		}
		twoCompanies := []int64{companyOf(want, "ended-outside"), companyOf(want, "ok")}
		for name, test := range map[string]struct {
			query connection.Query
			want  []string // slugs
		}{
			"provider": {connection.Query{Provider: provider.Social},
				[]string{"revoked-page", "denied", "lost-page"}},
			"companies":    {connection.Query{CompanyIDs: twoCompanies}, []string{"ok", "ended-outside"}},
			"no companies": {connection.Query{CompanyIDs: []int64{}}, nil},
			"state":        {connection.Query{State: connection.StateChoice}, []string{"lost-page", "lost-location"}},
			"state and provider": {connection.Query{State: connection.StateReconnect, Provider: provider.Search},
				[]string{"revoked-location"}},
		} {
			selected, err := a.Connections.List(t.Context(), test.query)
			apptest.WantCode(t, err, none)
			var got []string
			for _, l := range selected {
				got = append(got, l.Slug)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}

func TestBrokenConnections(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		added := addInEachState(a)
		counts, err := a.Store.CountBroken(t.Context())
		apptest.WantCode(t, err, none)
		want := map[provider.Pair]int{provider.ProfilePair: 1, provider.PagesPair: 1}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("counts (-want +got):\n%s", diff)
		}
		companies, err := a.Connections.Broken(t.Context(), companyOf(added, "revoked-location"), 9)
		apptest.WantCode(t, err, none)
		if diff := cmp.Diff([]int64{companyOf(added, "revoked-page")}, companies); diff != "" {
			t.Errorf("companies after the first (-want +got):\n%s", diff)
		}
	})
}

func TestUnmarkKeepsLostChoices(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		addInEachState(a)
		n, err := a.Connections.Unmark(t.Context(), trail.Entry{}, connection.Query{})
		apptest.WantCode(t, err, none)
		if n != 3 {
			t.Errorf("%d unmarked, want 3", n)
		}
		after, err := a.Connections.List(t.Context(), connection.Query{})
		apptest.WantCode(t, err, none)
		got := map[string]connection.State{}
		for _, l := range after {
			got[l.Slug] = l.State
		}
		want := map[string]connection.State{
			"ok": connection.StateOK, "revoked-location": connection.StateChoice, "revoked-page": connection.StateOK,
			"denied": connection.StateOK, "lost-page": connection.StateChoice, "lost-location": connection.StateChoice,
			"ended": connection.StateEnded, "ended-outside": connection.StateEnded,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
		if last := after[len(after)-1]; last.Reason != "Zakończono." {
			t.Errorf("%s: reason = %q, want that of the end", last.Slug, last.Reason)
		}
	})
}

func TestUnmark(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		w := subscribe(a, &a.Company.ID)
		apptest.WantCode(t, use(a, withPage(a, time.Hour), provider.Revoked(errors.New("401"), "A")),
			provider.CodeReconnect)
		for _, step := range []struct {
			query connection.Query
			want  int
		}{
			{connection.Query{Provider: provider.Search}, 0},
			{connection.Query{CompanyIDs: []int64{99}}, 0},
			{connection.Query{MarkedSince: a.Clock.Now().Add(time.Second)}, 0},
			{connection.Query{MarkedSince: a.Clock.Now()}, 1},
			{connection.Query{}, 0},
		} {
			n, err := a.Connections.Unmark(t.Context(), trail.Entry{Actor: "command line"}, step.query)
			if apptest.WantCode(t, err, none); n != step.want {
				t.Errorf("%+v: %d unmarked, want %d", step.query, n, step.want)
			}
		}
		if events := published(a, w); len(events) != 2 {
			t.Errorf("published %q, want that the connection broke and that it recovered", events)
		}
		a.WantTrail("webhook add", "reconnect_required", "connection unmark")
	})
}

func TestLimitsOfWork(t *testing.T) {
	a := apptest.New(t, "DIRECTORY_DISCOVER_LIMIT=2", "DIRECTORY_SYNC_LIMIT=1")
	discover, sync := a.Connections.LimitDiscover, a.Connections.LimitSync
	for _, service := range []provider.Service{provider.SocialPages, provider.SocialPages, provider.SearchProfile} {
		apptest.WantCode(t, discover(t.Context(), 1, service), none)
	}
	apptest.WantCode(t, discover(t.Context(), 2, provider.SocialPages), none)
	for _, service := range []provider.Service{provider.SocialPages, provider.SocialPhotos} {
		apptest.WantCode(t, sync(t.Context(), 1, service), none)
	}
	apptest.WantCode(t, sync(t.Context(), 2, provider.SocialPages), none)
	apptest.WantCode(t, discover(t.Context(), 1, provider.SocialPages), limit.CodeTooMuchWork)
	a.Clock.Pass(10*time.Minute - time.Second)
	apptest.WantCode(t, sync(t.Context(), 1, provider.SocialPages), limit.CodeTooMuchWork)
	a.Clock.Pass(time.Second)
	apptest.WantCode(t, sync(t.Context(), 1, provider.SocialPages), none)
}
