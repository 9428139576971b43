package connection_test

import (
	"errors"
	"fmt"
	"net/http"
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
		if diff := cmp.Diff(test.want, facts{got.Expired, got.NeedsReconnect, got.Broken, got.Chosen,
			string(got.Reason)}); diff != "" {
			t.Errorf("%s: %s", name, diff)
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

func TestStatusWithoutACompany(t *testing.T) {
	a := apptest.New(t)
	actor := apptest.Actor(a.Anna)
	actor.User.CompanyID = nil
	services, err := a.Connections.Status(t.Context(), actor)
	if apptest.WantCode(t, err, none); services == nil || len(services) > 0 {
		t.Errorf("Status = %+v, want an empty map", services)
	}
}

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

// stateOf returns the state of a service as the API shows it: progress, what was read,
// and the act.
func stateOf(b *apptest.Browser, p provider.Pair) string {
	services := b.Get("/api/oauth/status").Want(http.StatusOK).JSON()["services"].(apptest.Body)
	state := services[p.String()].(apptest.Body)["state"].(apptest.Body)
	return fmt.Sprint(state["progress"], " ", state["of"], " ", state["act"])
}

func TestServiceState(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	company := apptest.Body{"company_id": a.Company.ID}
	var got []string
	note := func(p provider.Pair) { got = append(got, stateOf(anna, p)) }
	sync := func(what string) { anna.Post("/api/oauth/"+what, company) }

	note(provider.AnalyticsPair)
	anna.Connect(provider.AnalyticsPair, "anna")
	note(provider.AnalyticsPair)
	a.Google.SetReply("GET /webmasters/v3/sites", fake.Reply{Body: `{}`})
	sync("provider_search/sync-analytics")
	note(provider.AnalyticsPair)
	a.Google.Reset()
	anna.Connect(provider.AnalyticsPair, "anna")
	sync("provider_search/sync-analytics")
	note(provider.AnalyticsPair)

	anna.Connect(provider.PagesPair, "anna")
	note(provider.PagesPair)
	page := apptest.Body{"company_id": a.Company.ID, "page_id": "105600000010001"}
	anna.Post("/api/oauth/provider_social/select-page", page).Want(http.StatusOK)
	note(provider.PagesPair)
	a.Meta.SetReply("GET /v25.0/105600000010001", fake.Reply{
		Status: 400, Body: `{"error":{"message":"(#10) The user is not an Instagram Business","code":10}}`,
	})
	sync("provider_social/sync-instagram")
	note(provider.PhotosPair)

	want := []string{
		"not_connected <nil> connect", "reading <nil> <nil>", "failed <nil> add_property",
		"read https://piekarnia-kowalski.example/ <nil>",
		"failed <nil> choose_page", "read Piekarnia Kowalski <nil>", "failed <nil> mend_account",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestList(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		const lost = "Hasło zmienione."
		denied := []provider.Service{provider.SocialPages}
		want := []connection.Listed{}
		for i, test := range []struct {
			pair   provider.Pair
			edit   func(*connection.Connection)
			state  connection.State
			reason string
		}{
			{provider.ProfilePair, func(*connection.Connection) {}, connection.StateOK, ""},
			{provider.ProfilePair, func(c *connection.Connection) {
				c.ReconnectReason, c.LostChoice = lost,
					"Piekarnia"
			},
				connection.StateReconnect, lost},
			{provider.PagesPair, func(c *connection.Connection) { c.ReconnectReason, c.Denied = lost, denied },
				connection.StateReconnect, lost},
			{provider.PagesPair, func(c *connection.Connection) { c.Denied = denied }, connection.StatePermission,
				provider.CodePermission.Text},
			{provider.PagesPair, func(c *connection.Connection) { c.LostChoice, c.Denied = "Piekarnia", denied },
				connection.StateChoice, "To konto na Facebooku nie zarządza stroną „Piekarnia”. Wybierz inną lub " +
					"połącz właściwe konto."},
			{provider.ProfilePair, func(c *connection.Connection) { c.LostChoice = "Piekarnia" },
				connection.StateChoice,
				"To konto Google nie zarządza lokalizacją „Piekarnia”. Wybierz inną lub połącz właściwe konto."},
			{provider.AnalyticsPair, func(c *connection.Connection) { c.Active = false }, connection.StateEnded, ""},
			{provider.AnalyticsPair, func(c *connection.Connection) {
				c.Active, c.ReconnectReason = false,
					"Zakończono."
			},
				connection.StateEnded, "Zakończono."},
		} {
			c := a.Save(connection.Connection{CompanyID: a.AddCompany(fmt.Sprint("firma-", i)).ID, Pair: test.pair,
				AccessToken: "t"})
			held, err := a.Store.Hold(t.Context(), c.CompanyID, c.Pair)
			apptest.WantCode(t, err, none)
			test.edit(&held.Connection)
			apptest.WantCode(t, held.Save(nil), none)
			held.Release()
			want = append(want, connection.Listed{
				ID: c.ID, CompanyID: c.CompanyID, Slug: fmt.Sprint("firma-", i), Pair: test.pair, State: test.state,
				Reason: test.reason, UpdatedAt: a.Clock.Now(),
			})
		}
		list := func(q connection.Query) []connection.Listed {
			listed, err := a.Connections.List(t.Context(), q)
			apptest.WantCode(t, err, none)
			return listed
		}
		if diff := cmp.Diff(want, list(connection.Query{})); diff != "" {
			t.Errorf("all: %s", diff)
		}
		for name, test := range map[string]struct {
			query connection.Query
			want  []int
		}{
			"provider": {connection.Query{Provider: provider.Social}, []int{2, 3, 4}},
			"companies": {connection.Query{CompanyIDs: []int64{want[7].CompanyID, want[0].CompanyID}},
				[]int{0, 7}},
			"no companies": {connection.Query{CompanyIDs: []int64{}}, nil},
			"state":        {connection.Query{State: connection.StateChoice}, []int{4, 5}},
			"both":         {connection.Query{State: connection.StateReconnect, Provider: provider.Search}, []int{1}},
		} {
			var selected []connection.Listed
			for _, i := range test.want {
				selected = append(selected, want[i])
			}
			if diff := cmp.Diff(selected, list(test.query)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
		counts, err := a.Store.CountBroken(t.Context())
		apptest.WantCode(t, err, none)
		if diff := cmp.Diff(map[provider.Pair]int{provider.ProfilePair: 1, provider.PagesPair: 1},
			counts); diff != "" {
			t.Errorf("broken: %s", diff)
		}
		broken, err := a.Connections.Broken(t.Context(), want[1].CompanyID, 9)
		apptest.WantCode(t, err, none)
		if diff := cmp.Diff([]int64{want[2].CompanyID}, broken); diff != "" {
			t.Errorf("broken companies: %s", diff)
		}
		if n, err := a.Connections.Unmark(t.Context(), trail.Entry{}, connection.Query{}); n != 3 || err != nil {
			t.Errorf("%d unmarked, %v", n, err)
		}
		for i, reason := range map[int]string{1: want[5].Reason, 2: "", 3: "", 7: "Zakończono."} {
			if got := list(connection.Query{CompanyIDs: []int64{want[i].CompanyID}})[0].Reason; got != reason {
				t.Errorf("unmarked: reason %q, want %q", got, reason)
			}
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
			t.Errorf("published %q", events)
		}
		a.WantTrail("webhook add", "reconnect_required", "connection unmark")
	})
}

func TestLimitsOfWork(t *testing.T) {
	a := apptest.New(t, "DIRECTORY_DISCOVER_LIMIT=2", "DIRECTORY_SYNC_LIMIT=1")
	discover, sync := a.Connections.LimitDiscover, a.Connections.LimitSync
	for i, err := range []error{
		discover(t.Context(), 1, provider.SocialPages), discover(t.Context(), 1, provider.SocialPages),
		discover(t.Context(), 1, provider.SearchProfile), discover(t.Context(), 2, provider.SocialPages),
		sync(t.Context(), 1, provider.SocialPages), sync(t.Context(), 1, provider.SocialPhotos),
		sync(t.Context(), 2, provider.SocialPages),
	} {
		if err != nil {
			t.Errorf("step %d: %v", i, err)
		}
	}
	apptest.WantCode(t, discover(t.Context(), 1, provider.SocialPages), limit.CodeTooMuchWork)
	a.Clock.Pass(10*time.Minute - time.Second)
	apptest.WantCode(t, sync(t.Context(), 1, provider.SocialPages), limit.CodeTooMuchWork)
	a.Clock.Pass(time.Second)
	apptest.WantCode(t, sync(t.Context(), 1, provider.SocialPages), none)
}
