package connection_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
)

// TestRefusalsOfFivePeople compares which refusals make an incident and of what. The marks of the four people before
// are undone then, and the first success ends it.
func TestRefusalsOfFivePeople(t *testing.T) {
	type call = func(a *apptest.App, c connection.Connection, err error) error
	read := func(a *apptest.App, c connection.Connection, err error) error { return use(a, c, err) }
	beside := func(a *apptest.App, c connection.Connection, err error) error {
		return databasetest.ErrorOf(connection.UseOptional(t.Context(), a.Connections, c,
			func(context.Context, string, string) (string, error) { return "", err }))
	}
	renewal := func(a *apptest.App, c connection.Connection, err error) error {
		a.Google.SetReply(tokenEndpoint, fake.Reply{Body: `{"access_token":"a","expires_in":3600}`})
		if err != nil {
			a.Google.SetReply(tokenEndpoint, map[bool]fake.Reply{
				true: grantLost, false: {Status: 401, Body: `{"error":"deleted_client"}`},
			}[errors.Is(err, errLost)])
		}
		c.RefreshToken, c.ExpiresAt = "refresh", new(a.Clock.Now())
		return use(a, a.Save(c))
	}
	denial := func(a *apptest.App, c connection.Connection, err error) error {
		return a.Connections.NoteDenial(t.Context(), c, provider.SearchProfile, err)
	}
	profile := incident.Subject{Provider: provider.Search, Service: provider.SearchProfile}
	of := func(kind incident.Kind) incident.Subject { profile.Kind = kind; return profile }
	app, passing := provider.NotSetUp(errors.New("403")), provider.Temporary(errors.New("503"))
	lost := provider.Revoked(errLost, "A")
	for name, test := range map[string]struct {
		call  call
		fails error
		want  []incident.Subject
		marks bool // of the people before the incident
	}{
		"token":              {read, lost, []incident.Subject{of(incident.Token)}, true},
		"token, further API": {beside, lost, []incident.Subject{of(incident.Token)}, true},
		"renewal": {renewal, lost, []incident.Subject{{Provider: provider.Search, Kind: incident.Renewal}},
			true},
		"permission": {denial, provider.Denied(nil), []incident.Subject{of(incident.Permission)}, true},
		"app":        {read, app, []incident.Subject{of(incident.App)}, false},
		"app, at a renewal": {renewal, app, []incident.Subject{{Provider: provider.Search, Kind: incident.App}},
			false},
		"app, further API":       {beside, app, nil, false},
		"temporary":              {read, passing, nil, false},
		"denied while reading":   {read, provider.Denied(nil), nil, false},
		"temporary, further API": {beside, passing, nil, false},
		"temporary denial":       {denial, passing, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			var connected []connection.Connection
			for i := range 5 {
				c := a.Save(connection.Connection{CompanyID: a.AddCompany(fmt.Sprint("firma-", i)).ID,
					Pair: provider.ProfilePair, AccessToken: "access-1", ProviderUserID: fmt.Sprint("p-", i)})
				connected = append(connected, c)
				a.Clock.Pass(time.Second)
				_ = test.call(a, c, test.fails)
				if marked := find(a, c.CompanyID, c.Pair); marked.NeedsUser() != (test.marks && i < 4) {
					t.Errorf("person %d: %+v", i+1, marked)
				}
			}
			wantIncidents(a, test.want)
			for i, c := range connected {
				if now := find(a, c.CompanyID, c.Pair); now.NeedsUser() {
					t.Errorf("afterwards person %d is marked: %q %q", i+1, now.ReconnectReason, now.Denied)
				}
			}
			apptest.WantCode(t, test.call(a, connected[4], nil), none)
			if name != "token, further API" { // whose success says nothing of the service
				wantIncidents(a, nil)
			}
		})
	}
}

// errLost is the cause of a lost credential.
var errLost = errors.New("lost")

func wantIncidents(a *apptest.App, want []incident.Subject) {
	a.T.Helper()
	list, err := a.Incidents.List(a.T.Context())
	apptest.WantCode(a.T, err, none)
	var got []incident.Subject
	for _, i := range list {
		got = append(got, i.Subject)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		a.T.Errorf("incidents: %s", diff)
	}
}
