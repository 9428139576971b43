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
			{profilePair, func(c *connection.Connection) { c.ReconnectReason, c.LostChoice = "Hasło zmienione.", "Piekarnia" }, connection.StateReconnect, "Hasło zmienione."},
			{pagesPair, func(c *connection.Connection) { c.ReconnectReason, c.Denied = "Hasło zmienione.", denied }, connection.StateReconnect, "Hasło zmienione."},
			{pagesPair, func(c *connection.Connection) { c.Denied = denied }, connection.StatePermission, provider.CodePermission.Text},
			{pagesPair, func(c *connection.Connection) { c.LostChoice, c.Denied = "Piekarnia", denied }, connection.StateChoice, "To konto na Facebooku nie zarządza stroną „Piekarnia”. Wybierz inną lub połącz właściwe konto."},
			{profilePair, func(c *connection.Connection) { c.LostChoice = "Piekarnia" }, connection.StateChoice, "To konto Google nie zarządza lokalizacją „Piekarnia”. Wybierz inną lub połącz właściwe konto."},
			{analyticsPair, inactive, connection.StateEnded, ""},
			{analyticsPair, func(c *connection.Connection) { c.Active, c.ReconnectReason = false, "Zakończono." }, connection.StateEnded, "Zakończono."},
		} {
			c := s.Connect(connection.Connection{CompanyID: s.AddCompany(fmt.Sprint("firma-", i)).ID, Pair: test.pair, AccessToken: "t"})
			change(t, s.Store, c, test.edit)
			want = append(want, connection.Listed{
				ID: c.ID, CompanyID: c.CompanyID, Slug: fmt.Sprint("firma-", i), Pair: test.pair, State: test.state, Reason: test.reason, UpdatedAt: s.Now,
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
		requireEqual(t, "broken", map[provider.Pair]int{profilePair: 1, pagesPair: 1}, must(s.Store.Connections.CountBroken(t.Context()))(t))
		for after, companies := range map[int64][]int64{0: {want[1].CompanyID, want[2].CompanyID}, want[1].CompanyID: {want[2].CompanyID}, want[2].CompanyID: nil} {
			requireEqual(t, "broken companies", fmt.Sprint(companies), fmt.Sprint(must(s.Connections.Broken(t.Context(), after, 9))(t)))
		}
		requireEqual(t, "the first", []int64{want[1].CompanyID}, must(s.Connections.Broken(t.Context(), 0, 1))(t))
		stop := errors.New("stop")
		calls := 0
		err := s.Store.Connections.Each(t.Context(), connection.Query{}, func(connection.Listed) error { calls++; return stop })
		if !errors.Is(err, stop) || calls != 1 {
			t.Errorf("%v after %d calls", err, calls)
		}
		if n, err := s.Connections.Unmark(t.Context(), trail.Entry{}, connection.Query{}); n != 3 || err != nil {
			t.Errorf("%d unmarked, %v", n, err)
		}
		for i, reason := range map[int]string{1: want[5].Reason, 2: "", 3: "", 7: "Zakończono."} {
			if l := must(s.Connections.List(t.Context(), connection.Query{CompanyID: want[i].CompanyID}))(t); len(l) != 1 || l[0].Reason != reason {
				t.Errorf("unmarked: %+v, want reason %q", l, reason)
			}
		}
	})
}

// TestListOfManyConnections checks that each is listed once, however many there are.
func TestListOfManyConnections(t *testing.T) {
	s := directorytest.New(t)
	first := s.Connect(connection.Connection{Pair: profilePair, AccessToken: "t"})
	const company = "status, address, phone, website, hours, description, categories, services, logo_url, cover_photo_url, place_id, created_at, updated_at"
	const token = "provider, service, access_token, refresh_token, scopes, account_id, account_name, is_active, provider_user_id, reconnect_reason, metadata_json"
	for _, statement := range []string{
		`INSERT INTO companies (name, slug, ` + company + `) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
			SELECT 'Firma', 'firma-' || i, ` + company + ` FROM n JOIN companies c ON c.id = 1`,
		`INSERT INTO oauth_tokens (company_id, created_at, updated_at, ` + token + `)
			SELECT c.id, t.created_at, t.updated_at, ` + token + ` FROM oauth_tokens t JOIN companies c ON c.id > 1 WHERE t.id = 1`,
	} {
		ok(t, s.Store.Write(t.Context()).Exec(statement).Error)
	}
	for _, n := range []int{1001, 1000, 999} {
		seen, last := 0, first.ID-1
		ok(t, s.Store.Connections.Each(t.Context(), connection.Query{}, func(l connection.Listed) error {
			if seen++; l.ID <= last {
				return fmt.Errorf("connection %d after %d", l.ID, last)
			}
			last = l.ID
			return nil
		}))
		if seen != n {
			t.Errorf("%d connections are listed, want %d", seen, n)
		}
		ok(t, s.Store.Write(t.Context()).Exec("DELETE FROM oauth_tokens WHERE id = (SELECT MAX(id) FROM oauth_tokens)").Error)
	}
}

// TestUnmarkLeavesWhatWorks checks that a connection that works is not locked.
func TestUnmarkLeavesWhatWorks(t *testing.T) {
	s := directorytest.New(t)
	lasting(s, "refresh-1")
	noLocks(s)
	if n, err := s.Connections.Unmark(t.Context(), trail.Entry{}, connection.Query{}); n != 0 || err != nil || locked(s) {
		t.Errorf("%d unmarked, %v, locked %t", n, err, locked(s))
	}
}

// TestUnreadableRows checks that a row in an unknown format is an error, and not left out.
func TestUnreadableRows(t *testing.T) {
	s := directorytest.New(t)
	c := lasting(s, "refresh-1")
	for _, unknown := range []string{"updated_at = 'once'", "updated_at = created_at, metadata_json = '[]'"} {
		ok(t, s.Store.Write(t.Context()).Exec("UPDATE oauth_tokens SET "+unknown).Error)
		if list, err := s.Store.Connections.List(t.Context(), c.CompanyID); err == nil {
			t.Errorf("%s: listed %+v", unknown, list)
		}
		if c, err := s.Store.Connections.Find(t.Context(), c.CompanyID, c.Pair); err == nil {
			t.Errorf("%s: found %+v", unknown, c)
		}
		if list, err := s.Connections.List(t.Context(), connection.Query{}); err == nil {
			t.Errorf("%s: listed %+v", unknown, list)
		}
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

// TestChoicesThatAreMadeAgain checks that a choice is made up to three times while the
// connection is replaced meanwhile.
func TestChoicesThatAreMadeAgain(t *testing.T) {
	changed, other := connection.CodeConnectionChanged.Fault(), connection.CodeNoPage.Fault()
	for name, tt := range map[string]struct {
		results []error
		want    error
	}{
		"at once":           {[]error{nil}, nil},
		"the second time":   {[]error{changed, nil}, nil},
		"another fault":     {[]error{changed, other}, other},
		"changes too often": {[]error{changed, changed, changed}, changed},
	} {
		calls := 0
		err := connection.RetryChanged(func() error { calls++; return tt.results[calls-1] })
		if !errors.Is(err, tt.want) || calls != len(tt.results) {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
	}
}
