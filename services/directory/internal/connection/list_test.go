package connection_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// TestList compares what is listed of a connection in each state, what each part of a query selects, and what is
// unmarked.
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
			"company":  {connection.Query{CompanyID: want[3].CompanyID}, []int{3}},
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
			if got := list(connection.Query{CompanyID: want[i].CompanyID})[0].Reason; got != reason {
				t.Errorf("unmarked: reason %q, want %q", got, reason)
			}
		}
	})
}

// TestUnmark: marks are undone for what was selected, with a line of the trail and an event for each.
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
			{connection.Query{CompanyID: 99}, 0},
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

// TestLimitsOfWork: discoveries and syncs are limited apart, for each company and service.
func TestLimitsOfWork(t *testing.T) {
	a := apptest.New(t, apptest.Setting("DIRECTORY_DISCOVER_LIMIT=2", "DIRECTORY_SYNC_LIMIT=1"))
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
