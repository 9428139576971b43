package connection_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// withdrawal is the request that withdraws the grant of withPage.
const withdrawal = "DELETE /v25.0/p-1/permissions"

// refusal is a response with an error of the Graph API.
func refusal(code int) fake.Reply {
	return fake.Reply{Status: http.StatusBadRequest, Body: fmt.Sprintf(`{"error":{"code":%d}}`, code)}
}

// disconnect ends a connection to Anna's page. The job that withdraws the grant waits.
func disconnect(a *apptest.App) {
	a.T.Helper()
	withPage(a, time.Hour)
	err := a.Connections.Disconnect(a.T.Context(), apptest.Actor(a.Anna), provider.PagesPair)
	apptest.WantCode(a.T, err, none)
	a.Meta.SetReply(withdrawal, fake.Reply{Body: `{"success":true}`})
	a.Meta.ClearRequests()
}

// withdraw does the job of the revocation, and returns its error.
func withdraw(a *apptest.App) error {
	a.T.Helper()
	var r connection.Revocation
	if err := a.DB.Read(a.T.Context()).Take(&r).Error; err != nil {
		return err
	}
	return a.Connections.Withdraw(a.T.Context(), &river.Job[jobs.Revocation]{Args: jobs.Revocation{ID: r.ID}})
}

// withdrawn counts the requests to withdraw a grant.
func withdrawn(a *apptest.App) (n int) {
	for _, r := range a.Meta.Requests() {
		if r.Method == http.MethodDelete {
			n++
		}
	}
	return n
}

func pending(a *apptest.App) int64 {
	a.T.Helper()
	n, oldest, err := a.Store.PendingRevocations(a.T.Context(), provider.Social)
	apptest.WantCode(a.T, err, none)
	if oldest.IsZero() != (n == 0) {
		a.T.Errorf("%d revocations are pending, but the oldest is from %s", n, oldest)
	}
	return n
}

func TestDisconnect(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		connected := withPage(a, time.Hour)
		for range 2 {
			err := a.Connections.Disconnect(t.Context(), apptest.Actor(a.Anna), provider.PagesPair)
			apptest.WantCode(t, err, none)
		}
		want := connected
		want.Chosen, want.Active = connection.ChosenNothing, false
		want.AccessToken = ""
		want.UserAccessToken = ""
		want.UserExpiresAt = nil
		if diff := cmp.Diff(want, a.Connection(provider.PagesPair)); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
		if n := withdrawn(a); n > 0 {
			t.Errorf("%d withdrawals before the job, so that the response waits for the provider", n)
		}
		a.Meta.SetReply(withdrawal, fake.Reply{Body: `{"success":true}`})
		a.Work()
		if n := withdrawn(a); n != 1 {
			t.Errorf("the job made %d withdrawals, want 1", n)
		}
		a.WantTrail("disconnect", "disconnect", "revoke")
	})
}

func TestDisconnectFaults(t *testing.T) {
	a := apptest.New(t)
	withPage(a, time.Hour)
	actor := apptest.Actor(a.Anna)
	unknown := provider.Pair{Provider: "provider_x", Service: "mail"}
	for _, p := range []provider.Pair{provider.ProfilePair, unknown} {
		apptest.WantCode(t, a.Connections.Disconnect(t.Context(), actor, p), connection.CodeNoConnection)
	}
	actor.User.CompanyID = nil
	apptest.WantCode(t, a.Connections.Disconnect(t.Context(), actor, provider.PagesPair), account.CodeNoCompany)
	a.WantTrail()
}

func TestFailedRevocationIsRetried(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a := apptest.New(t, apptest.On(db.URL))
		disconnect(a)
		a.Meta.SetReply(withdrawal, refusal(10))
		apptest.WantCode(t, withdraw(a), provider.CodePermission)
		stored := fmt.Sprint(db.Query(t, "SELECT * FROM revocations"), db.Query(t, "SELECT args FROM river_job"))
		issued, _ := a.Meta.Secrets()
		for _, secret := range issued {
			if strings.Contains(stored+a.Log.String(), secret.Value) {
				t.Errorf("%s is stored or logged in the clear", secret.Kind)
			}
		}
		for _, clear := range []string{"p-1", "piekarnia"} {
			if strings.Contains(stored, clear) {
				t.Errorf("%q is stored in the clear: %s", clear, stored)
			}
		}
		apptest.WantCode(t, a.DB.Transaction(t.Context(), a.Store.ScheduleRevocations), none)
		if n := db.Query(t, "SELECT kind FROM river_job WHERE kind = 'revocation'"); len(n) != 1 {
			t.Errorf("%d jobs of revocations, want one", len(n))
		}
		a.Meta.SetReply(withdrawal, fake.Reply{Body: `{"success":true}`})
		apptest.WantCode(t, withdraw(a), none)
		if n := pending(a); n != 0 {
			t.Errorf("%d revocations are pending after a withdrawal, want none", n)
		}
		a.WantTrail("disconnect", "revoke", "revoke")
	})
}

func TestWithdraw(t *testing.T) {
	const week = 7 * 24 * time.Hour
	connectAs := func(person string) func(*apptest.App) {
		return func(a *apptest.App) {
			a.Save(connection.Connection{Pair: provider.PagesPair, AccessToken: "new", ProviderUserID: person})
		}
	}
	replies := func(reply fake.Reply) func(*apptest.App) {
		return func(a *apptest.App) { a.Meta.SetReply(withdrawal, reply) }
	}
	waitAnHour := refusal(613) // too many calls
	waitAnHour.Header = http.Header{
		"X-Business-Use-Case-Usage": {`{"1":[{"call_count":100,"estimated_time_to_regain_access":60}]}`},
	}
	type facts struct {
		Err       string // its code, or for how long the job snoozes
		Withdrawn int    // requests
		Pending   int64
	}
	for name, test := range map[string]struct {
		after   time.Duration // the disconnection
		prepare func(*apptest.App)
		want    facts
	}{
		"granted again meanwhile":    {0, connectAs("p-1"), facts{}},
		"another person has granted": {0, connectAs("p-2"), facts{Withdrawn: 1}},
		"refused": {week - time.Second, replies(refusal(10)),
			facts{provider.CodePermission.Name, 1, 1}},
		"the provider asks to wait": {0, replies(waitAnHour), facts{"snooze 1h0m0s", 1, 1}},
		"not readable": {0, func(a *apptest.App) { execute(a, "UPDATE revocations SET secret = 'lost:'") },
			facts{"secret_unreadable", 0, 1}},
		"need not readable": {0, func(a *apptest.App) {
			execute(a, "ALTER TABLE oauth_tokens RENAME COLUMN provider_user_id TO hidden")
		}, facts{"internal", 0, 1}},
		"given up": {week + time.Second, replies(refusal(10)), facts{}},
	} {
		a := apptest.New(t)
		disconnect(a)
		a.Clock.Pass(test.after)
		test.prepare(a)
		err := withdraw(a)
		got := facts{Withdrawn: withdrawn(a), Pending: pending(a)}
		var snooze *river.JobSnoozeError
		switch {
		case errors.As(err, &snooze):
			got.Err = "snooze " + snooze.Duration.String()
		case err != nil:
			got.Err = fault.From(err).Code
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDisconnectWhileRenewalsHang(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		hanging, respond := make(chan struct{}), make(chan struct{})
		a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/token" {
				hanging <- struct{}{}
				<-respond
			}
		})
		var renewals sync.WaitGroup
		defer renewals.Wait()
		defer close(respond)
		for i := range 4 {
			c := granted(a, time.Minute)
			c.CompanyID = a.AddCompany(fmt.Sprint("firma-", i)).ID
			c = a.Save(c)
			renewals.Go(func() { _ = use(a, c) })
			<-hanging
		}
		disconnect(a)
		if a.Connection(provider.PagesPair).Active {
			t.Error("the connection is still active")
		}
	})
}

func TestGrantNeeded(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		other := a.AddCompany("druga")
		ewa := a.AddUser("ewa", account.Manager, &other)
		ended := connection.Connection{CompanyID: a.Company.ID, UserID: a.Anna.ID, Pair: provider.PagesPair,
			ProviderUserID: "p-1"}
		type edit = func(*connection.Connection)
		for name, test := range map[string]struct {
			active connection.Connection
			ended  edit
			want   bool
		}{
			"of the same person": {connection.Connection{ProviderUserID: "p-1"}, func(*connection.Connection) {},
				true},
			"of another person": {connection.Connection{ProviderUserID: "p-2"}, func(*connection.Connection) {},
				false},
			"of another provider": {connection.Connection{ProviderUserID: "p-1"},
				func(c *connection.Connection) { c.Pair = provider.ProfilePair }, false},
			"of an unknown person": {connection.Connection{}, func(*connection.Connection) {}, false},
			"both unknown, of the same user": {connection.Connection{},
				func(c *connection.Connection) { c.ProviderUserID, c.UserID = "", ewa.ID }, true},
			"both unknown, of other users": {connection.Connection{},
				func(c *connection.Connection) { c.ProviderUserID = "" }, false},
		} {
			test.active.CompanyID = other.ID
			test.active.UserID = ewa.ID
			test.active.Pair = provider.PagesPair
			a.Save(test.active)
			c := ended
			test.ended(&c)
			got, err := a.Store.GrantNeeded(t.Context(), c)
			if apptest.WantCode(t, err, none); got != test.want {
				t.Errorf("%s: needed = %t, want %t", name, got, test.want)
			}
		}
		a.Save(connection.Connection{Pair: provider.PhotosPair, AccessToken: "t"})
		got, err := a.Store.GrantNeeded(t.Context(), ended)
		if apptest.WantCode(t, err, none); !got {
			t.Error("not needed by an unknown person's connection of the same company")
		}
	})
}
