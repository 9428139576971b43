package connection_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// TestListOfConnections checks what is listed of a connection in each state, and what each
// part of a query selects.
func TestListOfConnections(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		type edit = func(*connection.Connection)
		denied := []provider.Service{provider.SocialPages}
		want := []connection.Listed{}
		for i, test := range []struct {
			pair   provider.Pair
			edit   edit
			state  connection.State
			reason string
		}{
			{profilePair, func(*connection.Connection) {}, connection.StateOK, ""},
			{
				profilePair, func(c *connection.Connection) {
					c.ReconnectReason, c.LostChoice = "Hasło zmienione.",
						"Piekarnia"
				}, connection.StateReconnect, "Hasło zmienione.",
			},
			{pagesPair, func(c *connection.Connection) { c.ReconnectReason, c.Denied = "Hasło zmienione.", denied },
				connection.StateReconnect, "Hasło zmienione."},
			{pagesPair, func(c *connection.Connection) { c.Denied = denied }, connection.StatePermission,
				provider.CodePermission.Text},
			{pagesPair, func(c *connection.Connection) { c.LostChoice, c.Denied = "Piekarnia", denied },
				connection.StateChoice, "To konto na Facebooku nie zarządza stroną „Piekarnia”. Wybierz inną lub " +
					"połącz właściwe konto."},
			{profilePair, func(c *connection.Connection) { c.LostChoice = "Piekarnia" }, connection.StateChoice,
				"To konto Google nie zarządza lokalizacją „Piekarnia”. Wybierz inną lub połącz właściwe konto."},
			{analyticsPair, inactive, connection.StateEnded, ""},
			{analyticsPair, func(c *connection.Connection) { c.Active, c.ReconnectReason = false, "Zakończono." },
				connection.StateEnded, "Zakończono."},
		} {
			c := s.Connect(connection.Connection{CompanyID: s.AddCompany(fmt.Sprint("firma-", i)).ID, Pair: test.pair,
				AccessToken: "t"})
			change(t, s.Store, c, test.edit)
			want = append(want, connection.Listed{
				ID: c.ID, CompanyID: c.CompanyID, Slug: fmt.Sprint("firma-", i), Pair: test.pair, State: test.state,
				Reason: test.reason, UpdatedAt: s.Now,
			})
		}
		requireEqual(t, "all", want, must(s.Connections.List(t.Context(), connection.Query{}))(t))
		at := func(numbers ...int) (some []connection.Listed) {
			for _, n := range numbers {
				some = append(some, want[n])
			}
			return some
		}
		for name, test := range map[string]struct {
			query connection.Query
			want  []connection.Listed
		}{
			"provider":     {connection.Query{Provider: provider.Social}, at(2, 3, 4)},
			"company":      {connection.Query{CompanyID: want[3].CompanyID}, at(3)},
			"companies":    {connection.Query{CompanyIDs: []int64{want[7].CompanyID, want[0].CompanyID}}, at(0, 7)},
			"no companies": {connection.Query{CompanyIDs: []int64{}}, nil},
			"state":        {connection.Query{State: connection.StateChoice}, at(4, 5)},
			"both":         {connection.Query{State: connection.StateReconnect, Provider: provider.Search}, at(1)},
		} {
			requireEqual(t, name, test.want, must(s.Connections.List(t.Context(), test.query))(t))
		}
		requireEqual(t, "broken", map[provider.Pair]int{profilePair: 1, pagesPair: 1},
			must(s.Store.Connections.CountBroken(t.Context()))(t))
		for after, companies := range map[int64][]int64{0: {want[1].CompanyID, want[2].CompanyID},
			want[1].CompanyID: {want[2].CompanyID}, want[2].CompanyID: nil} {
			requireEqual(t, "broken companies", fmt.Sprint(companies),
				fmt.Sprint(must(s.Connections.Broken(t.Context(), after, 9))(t)))
		}
		requireEqual(t, "the first", []int64{want[1].CompanyID}, must(s.Connections.Broken(t.Context(), 0, 1))(t))
		stop := errors.New("stop")
		calls := 0
		err := s.Store.Connections.Each(t.Context(), connection.Query{}, func(connection.Listed) error {
			calls++
			return stop
		})
		if !errors.Is(err, stop) || calls != 1 {
			t.Errorf("%v after %d calls", err, calls)
		}
		if n, err := s.Connections.Unmark(t.Context(), trail.Entry{}, connection.Query{}); n != 3 || err != nil {
			t.Errorf("%d unmarked, %v", n, err)
		}
		for i, reason := range map[int]string{1: want[5].Reason, 2: "", 3: "", 7: "Zakończono."} {
			if l := must(s.Connections.List(t.Context(), connection.Query{CompanyID: want[i].CompanyID}))(t); len(
				l,
			) != 1 || l[0].Reason != reason {
				t.Errorf("unmarked: %+v, want reason %q", l, reason)
			}
		}
	})
}

// TestUnmarkLeavesWhatWorks checks that a connection that works is not locked.
func TestUnmarkLeavesWhatWorks(t *testing.T) {
	s := directorytest.New(t)
	lasting(s, "refresh-1")
	noLocks(s)
	if n, err := s.Connections.Unmark(t.Context(), trail.Entry{}, connection.Query{}); n != 0 || err != nil ||
		locked(s) {
		t.Errorf("%d unmarked, %v, locked %t", n, err, locked(s))
	}
}

// TestLimitsOfWork checks that discoveries and syncs are limited apart, for each company and
// service.
func TestLimitsOfWork(t *testing.T) {
	s := directorytest.New(t)
	s.Discovers, s.Syncs = 2, 1
	s.Wire()
	discover := func(company int64, service provider.Service) error {
		return s.Connections.LimitDiscover(t.Context(), company, service)
	}
	sync := func(company int64, service provider.Service) error {
		return s.Connections.LimitSync(t.Context(), company, service)
	}
	for i, step := range []struct {
		err  error
		code string
	}{
		{discover(1, provider.SocialPages), ""},
		{discover(1, provider.SocialPages), ""},
		{discover(1, provider.SocialPages), limit.CodeTooMuchWork.Name},
		{discover(1, provider.SearchProfile), ""},
		{discover(2, provider.SocialPages), ""},
		{sync(1, provider.SocialPages), ""},
		{sync(1, provider.SocialPages), limit.CodeTooMuchWork.Name},
		{sync(1, provider.SocialPhotos), ""},
		{sync(2, provider.SocialPages), ""},
	} {
		if wantCode(t, step.err, step.code); t.Failed() {
			t.Fatalf("step %d", i+1)
		}
	}
	s.Now = s.Now.Add(10*time.Minute - time.Second)
	wantCode(t, sync(1, provider.SocialPages), limit.CodeTooMuchWork.Name)
	s.Now = s.Now.Add(time.Second)
	wantCode(t, sync(1, provider.SocialPages), "")
}
