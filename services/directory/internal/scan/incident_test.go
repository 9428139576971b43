package scan_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
)

const people = 8

// connectPeople connects as many companies, each by a person of its own.
func connectPeople(a *apptest.App, connect func(companyID int64) connection.Connection) {
	for i := range people {
		c := connect(a.AddCompany(fmt.Sprint("firma-", i)).ID)
		c.ProviderUserID = fmt.Sprint("person-", i)
		if c.Pair == provider.ProfilePair {
			c.Chosen, c.AccountID = connection.ChosenLocation, location
		}
		a.Save(c)
	}
}

// marked counts the connections that only their users can repair.
func marked(a *apptest.App) int {
	a.T.Helper()
	list, err := a.Connections.List(a.T.Context(), connection.Query{})
	apptest.WantCode(a.T, err, none)
	n := 0
	for _, c := range list {
		if c.State != connection.StateOK {
			n++
		}
	}
	return n
}

// TestAppWideFailures: a refusal of everybody marks nobody, pauses the provider, and is over with the first success.
// Who was marked before is announced as broken and recovered.
func TestAppWideFailures(t *testing.T) {
	const year = 365 * 24 * time.Hour
	type connect = func(*apptest.App) func(int64) connection.Connection
	located := func(a *apptest.App) func(int64) connection.Connection {
		return func(id int64) connection.Connection { return profile(a, id, year) }
	}
	expired := func(a *apptest.App) func(int64) connection.Connection {
		return func(id int64) connection.Connection { return profile(a, id, -25*time.Hour) }
	}
	paged := func(a *apptest.App) func(int64) connection.Connection {
		return func(id int64) connection.Connection { return page(a, id, "anna", bakery, year) }
	}
	for name, test := range map[string]struct {
		connect connect
		search  bool // at Google
		fault   fake.Fault
		events  int
	}{
		"Google: 403": {located, true, fake.Fault{Match: "/v1/", Status: 403,
			Body: `{"error":{"status":"PERMISSION_DENIED"}}`}, 8},
		"Google: invalid_grant": {expired, true, fake.Fault{Match: "/token", Status: 400,
			Body: `{"error":"invalid_grant"}`}, 8},
		"Google: API disabled": {located, true, fake.Fault{Match: "/v1/", Status: 403,
			Body: `{"error":{"errors":[{"reason":"accessNotConfigured"}]}}`}, 0},
		"Graph: 190": {paged, false, fake.Fault{Status: 400, Body: `{"error":{"code":190}}`}, 8},
		"Graph: deactivated": {paged, false, fake.Fault{Status: 400,
			Body: `{"error":{"code":200,"message":"API access deactivated."}}`}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			w, err := a.Webhooks.Add(t.Context(), account.Actor{}.By(), nil, "https://hook.example")
			apptest.WantCode(t, err, none)
			connectPeople(a, test.connect(a))
			test.fault.Kind = "status"
			site, at := a.Meta.Fake, provider.Social
			if test.search {
				site, at = a.Google.Fake, provider.Search
			}
			site.SetFault(test.fault)
			for range 4 { // the pauses are a minute, then two
				a.Clock.Pass(time.Minute)
				run(a)
			}
			if n := marked(a); n > 0 {
				t.Errorf("%d are marked", n)
			}
			deliveries, err := a.Webhooks.Deliveries(t.Context(), w.ID, 99)
			if apptest.WantCode(t, err, none); len(deliveries) != test.events {
				t.Errorf("%d events, want %d", len(deliveries), test.events)
			}
			if list := pauses(a); len(list) == 0 || list[0].Provider != at {
				t.Errorf("pauses %+v", list)
			}
			site.ClearFault()
			a.Clock.Pass(26 * time.Hour)
			if result := run(a); result.Failed > 0 || result.Synced < people {
				t.Errorf("afterwards: %+v", result)
			}
			open, err := a.Incidents.List(t.Context())
			if apptest.WantCode(t, err, none); len(open) > 0 {
				t.Errorf("open afterwards: %+v", open)
			}
			for _, record := range []string{"app-wide failure begins", "app-wide failure ends"} {
				if !strings.Contains(a.Log.String(), record) {
					t.Errorf("the log lacks %q", record)
				}
			}
		})
	}
}

// TestStreaksThatAreNoIncident: people who lost their grants are marked.
func TestStreaksThatAreNoIncident(t *testing.T) {
	for name, test := range map[string]struct {
		statement string
		want      int // with those that are disconnected
	}{
		"four people":                   {"UPDATE oauth_tokens SET is_active = false WHERE id > 4", people},
		"one person with all companies": {"UPDATE oauth_tokens SET provider_user_id = 'agency'", people},
	} {
		a := apptest.New(t)
		connectPeople(a, func(id int64) connection.Connection { return page(a, id, "anna", bakery, time.Hour) })
		if err := a.DB.Write(t.Context()).Exec(test.statement).Error; err != nil {
			t.Fatal(err)
		}
		a.Meta.SetFault(fake.Fault{Kind: "status", Match: "/v25.0/" + bakery, Status: 400,
			Body: `{"error":{"code":190}}`})
		run(a)
		open, err := a.Incidents.List(t.Context())
		if apptest.WantCode(t, err, none); len(open) > 0 || marked(a) != test.want {
			t.Errorf("%s: %d marked, want %d; incidents %+v", name, marked(a), test.want, open)
		}
	}
}
