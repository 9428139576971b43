package connection_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// renewals is how often Google was asked to renew a token.
func renewals(a *apptest.App) int {
	n := 0
	for _, r := range a.Google.Requests() {
		if r.Path == "/token" {
			n++
		}
	}
	return n
}

func refused(reason string) error { return provider.Revoked(errors.New("401"), reason) }

func TestManyCallersRenewOnce(t *testing.T) {
	for name, test := range map[string]struct {
		reply *fake.Reply
		want  fault.Code
		trail string
	}{
		"renewed": {nil, none, "refresh"},
		"lost":    {&grantLost, provider.CodeReconnect, "reconnect_required"},
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, a *apptest.App) {
				c := granted(a, time.Minute)
				if test.reply != nil {
					a.Google.SetReply(tokenEndpoint, *test.reply)
				}
				var callers sync.WaitGroup
				for range 20 {
					callers.Go(func() { apptest.WantCode(t, use(a, c), test.want) })
				}
				callers.Wait()
				if n := renewals(a); n != 1 {
					t.Errorf("%d renewals, want 1", n)
				}
				a.WantTrail(test.trail)
				apptest.WantCode(t, use(a, a.Connection(c.Pair)), test.want)
				if n := renewals(a); n != 1 {
					t.Errorf("%d renewals after one more use, want still 1", n)
				}
			})
		})
	}
}

func TestPassingFailureOfARenewalMarksNothing(t *testing.T) {
	for want, reply := range map[fault.Code]fake.Reply{
		provider.CodeThrottled: busy,
		provider.CodeOperator:  {Status: 401, Body: `{"error":"deleted_client"}`},
		provider.CodeChanged:   {Body: "<html>"},
	} {
		a := apptest.New(t)
		c := granted(a, time.Minute)
		a.Google.SetReply(tokenEndpoint, reply)
		apptest.WantCode(t, use(a, c), want)
		if diff := cmp.Diff(c, a.Connection(c.Pair)); diff != "" {
			t.Errorf("%s: stored (-want +got):\n%s", want, diff)
		}
		a.WantTrail()
	}
}

func TestWhenATokenIsRenewed(t *testing.T) {
	const day = 24 * time.Hour
	for name, test := range map[string]struct {
		life      time.Duration
		use, scan bool
	}{
		"ended a day ago": {-day - 1, true, true},
		"ended today":     {-day, true, false},
		"under 5 minutes": {5*time.Minute - 1, true, false},
		"5 minutes":       {5 * time.Minute, false, false},
	} {
		for caller, want := range map[string]bool{"use": test.use, "scan": test.scan} {
			a := apptest.New(t)
			c := granted(a, test.life)
			if caller == "use" {
				apptest.WantCode(t, use(a, c), none)
			} else if _, err := a.Connections.RenewEarly(t.Context(), c); err != nil {
				t.Error(err)
			}
			wanted := 0
			if want {
				wanted = 1
			}
			if got := renewals(a); got != wanted {
				t.Errorf("%s, %s: %d renewals, want %d", name, caller, got, wanted)
			}
		}
	}
}

func TestScanRenewsATokenThatIsRenewedWithItselfTenDaysBeforeItsEnd(t *testing.T) {
	const tenDays = 10 * 24 * time.Hour
	for life, want := range map[time.Duration]bool{tenDays - 1: true, tenDays: false} {
		a := apptest.New(t)
		before := withPage(a, life)
		after, err := a.Connections.RenewEarly(t.Context(), before)
		apptest.WantCode(t, err, none)
		if renewed := after.UserAccessToken != before.UserAccessToken; renewed != want {
			t.Errorf("%s left: the user's token is renewed = %t, want %t", life, renewed, want)
		}
		if after.AccessToken != before.AccessToken {
			t.Errorf("%s left: the page's token is replaced", life)
		}
	}
}

func TestWhatARenewalReplaces(t *testing.T) {
	for body, change := range map[string]func(*connection.Connection){
		`{"access_token":"access-2"}`: func(*connection.Connection) {},
		`{"access_token":"access-2","refresh_token":"refresh-2"}`: func(c *connection.Connection) {
			c.RefreshToken = "refresh-2"
		},
		`{"access_token":"access-2","scope":"b"}`: func(c *connection.Connection) { c.Scopes = []string{"b"} },
		`{"access_token":"access-2","expires_in":60}`: func(c *connection.Connection) {
			c.ExpiresAt = new(apptest.Start.Add(time.Minute))
		},
	} {
		a := apptest.New(t)
		before := granted(a, 0)
		a.Google.SetReply(tokenEndpoint, fake.Reply{Body: body})
		apptest.WantCode(t, use(a, before), none)
		want := before
		want.AccessToken, want.ExpiresAt = "access-2", nil
		change(&want)
		if diff := cmp.Diff(want, a.Connection(want.Pair)); diff != "" {
			t.Errorf("response %s: stored (-want +got):\n%s", body, diff)
		}
	}
}

func TestRenewalOutlivesItsCaller(t *testing.T) {
	a := apptest.New(t)
	c := granted(a, time.Minute)
	ctx, leave := context.WithCancel(t.Context())
	a.Intercept(func(http.ResponseWriter, *http.Request) { leave() })
	_, err := connection.Use(ctx, a.Connections, c, (&reads{}).read)
	apptest.WantCode(t, err, none)
	if ctx.Err() == nil {
		t.Fatal("the caller has not left")
	}
	if a.Connection(c.Pair).AccessToken == c.AccessToken {
		t.Error("the renewed token is not stored")
	}
}

func TestRenewalSeesTheConnectionAsItIsNow(t *testing.T) {
	a := apptest.New(t)
	c := granted(a, time.Minute)
	a.Change(c.Pair, func(c *connection.Connection) { c.Active = false })
	apptest.WantCode(t, use(a, c), connection.CodeNoConnection)
	a.Change(c.Pair, func(c *connection.Connection) { c.Active, c.ReconnectReason = true, "Hasło zmienione." })
	apptest.WantCode(t, use(a, c), provider.CodeReconnect)
	if n := renewals(a); n > 0 {
		t.Errorf("%d renewals, want none", n)
	}
}

func TestUse(t *testing.T) {
	passing := provider.Temporary(errors.New("503"))
	for name, test := range map[string]struct {
		errs    []error     // of the reads
		renewal *fake.Reply // nil for a new token
		want    fault.Code
		reason  string // stored; empty if it is not marked
		trail   []string
	}{
		"works":        {nil, nil, none, "", nil},
		"refused once": {[]error{refused("A")}, nil, none, "", []string{"refresh"}},
		"refused again": {[]error{refused("A"), refused("B")}, nil, provider.CodeReconnect, "B",
			[]string{"refresh", "reconnect_required"}},
		"refused, grant lost": {[]error{refused("A")}, &grantLost, provider.CodeReconnect,
			"Google cofnęło nam dostęp albo dostęp wygasł. Połącz konto ponownie.", []string{"reconnect_required"}},
		"refused, renewal fails": {[]error{refused("A")}, &busy, provider.CodeThrottled, "", nil},
		"fails for now":          {[]error{passing}, nil, provider.CodeTemporary, "", nil},
		"lacks a permission":     {[]error{provider.Denied(nil)}, nil, provider.CodePermission, "", nil},
		"renewed, then fails": {[]error{refused("A"), passing}, nil, provider.CodeTemporary, "",
			[]string{"refresh"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			c := granted(a, time.Hour)
			if test.renewal != nil {
				a.Google.SetReply(tokenEndpoint, *test.renewal)
			}
			err := use(a, c, test.errs...)
			apptest.WantCode(t, err, test.want)
			if got := a.Connection(c.Pair).ReconnectReason; got != test.reason {
				t.Errorf("reason stored = %q, want %q", got, test.reason)
			}
			if test.reason != "" && fault.From(err).Message != test.reason {
				t.Errorf("message = %q, want %q", fault.From(err).Message, test.reason)
			}
			a.WantTrail(test.trail...)
		})
	}
}

func TestUseWithoutARefreshToken(t *testing.T) {
	a := apptest.New(t)
	c := a.Save(connection.Connection{Pair: provider.ProfilePair, AccessToken: "access-1"})
	apptest.WantCode(t, use(a, c, refused("A")), provider.CodeReconnect)
	made := reads{}
	_, err := connection.Use(t.Context(), a.Connections, a.Connection(c.Pair), made.read)
	apptest.WantCode(t, err, provider.CodeReconnect)
	if len(made.tokens) > 0 {
		t.Errorf("the lost token was read with: %q", made.tokens)
	}
	if message := fault.From(err).Message; message != "A" {
		t.Errorf("message = %q, want the reason A that was stored", message)
	}
}

func TestUseMarksNothingThatChangedMeanwhile(t *testing.T) {
	for name, change := range map[string]func(*connection.Connection){
		"connected again": func(c *connection.Connection) { c.AccessToken = "access-9" },
		"disconnected":    func(c *connection.Connection) { c.Active, c.AccessToken = false, "" },
		"marked already":  func(c *connection.Connection) { c.ReconnectReason = "Z" },
	} {
		a := apptest.New(t)
		c := a.Save(connection.Connection{Pair: provider.ProfilePair, AccessToken: "access-1"})
		var want connection.Connection
		_, err := connection.Use(t.Context(), a.Connections, c,
			func(context.Context, string, string) (string, error) {
				a.Change(c.Pair, change)
				want = a.Connection(c.Pair)
				return "", refused("A")
			})
		apptest.WantCode(t, err, provider.CodeReconnect)
		if diff := cmp.Diff(want, a.Connection(c.Pair)); diff != "" {
			t.Errorf("%s: stored (-want +got):\n%s", name, diff)
		}
	}
}

func TestPageAndUserUses(t *testing.T) {
	const page, user, renewed = "page", "user", "renewed"
	for name, test := range map[string]struct {
		asUser bool
		life   time.Duration // of the user's token
		lost   bool          // the page's token
		errs   []error
		tokens []string
		want   fault.Code
		trail  []string
	}{
		"page, user's token ended": {false, -time.Hour, false, nil, []string{page}, none, nil},
		"page, refused": {false, time.Hour, false, []error{refused("A")}, []string{page}, provider.CodeReconnect,
			[]string{"reconnect_required"}},
		"user":            {true, time.Hour, false, nil, []string{user}, none, nil},
		"user, due":       {true, time.Minute, false, nil, []string{renewed}, none, []string{"refresh"}},
		"user, page lost": {true, time.Minute, true, nil, []string{renewed}, none, []string{"refresh"}},
		"user, refused": {true, time.Hour, false, []error{refused("A")}, []string{user}, provider.CodeReconnect,
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t)
			c := withPage(a, test.life)
			if test.lost {
				a.Change(c.Pair, func(c *connection.Connection) { c.ReconnectReason = "A" })
			}
			c = a.Connection(c.Pair)
			made := reads{errs: test.errs}
			var err error
			if test.asUser {
				_, err = connection.UseAsUser(t.Context(), a.Connections, c,
					func(ctx context.Context, token string) (string, error) { return made.read(ctx, token, "") })
			} else {
				_, err = connection.Use(t.Context(), a.Connections, c, made.read)
			}
			apptest.WantCode(t, err, test.want)
			for i, token := range made.tokens {
				switch token {
				case c.AccessToken:
					made.tokens[i] = page
				case c.UserAccessToken:
					made.tokens[i] = user
				case a.Connection(c.Pair).UserAccessToken:
					made.tokens[i] = renewed
				}
			}
			if diff := cmp.Diff(test.tokens, made.tokens); diff != "" {
				t.Errorf("tokens of the reads (-want +got):\n%s", diff)
			}
			a.WantTrail(test.trail...)
		})
	}
}

func TestLostUserTokenMarksNoPage(t *testing.T) {
	a := apptest.New(t)
	c := withPage(a, -time.Hour)
	a.Meta.Do("expire-tokens", `{"account":"anna"}`)
	_, err := a.Connections.RenewEarly(t.Context(), c)
	apptest.WantCode(t, err, provider.CodeReconnect)
	if diff := cmp.Diff(c, a.Connection(c.Pair)); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	apptest.WantCode(t, use(a, c), none)
}

func TestMissingPermission(t *testing.T) {
	const pages, photos = provider.SocialPages, provider.SocialPhotos
	type edit = func(*connection.Connection)
	gone := provider.Gone(errors.New("404"))
	for name, test := range map[string]struct {
		before, meanwhile edit
		err               error
		want              []provider.Service
		trail             []string
	}{
		"missing": {nil, nil, provider.Denied(nil), []provider.Service{pages},
			[]string{"reconnect_required"}},
		"connected again": {nil, func(c *connection.Connection) { c.ConnectedAt = c.CreatedAt.Add(time.Second) },
			provider.Denied(nil), nil, nil},
		"another choice": {nil, func(c *connection.Connection) { c.AccountID = branch }, provider.Denied(nil),
			nil, nil},
		"another person": {nil, func(c *connection.Connection) { c.ProviderUserID = "p-2" },
			provider.Denied(nil), nil, nil},
		"marked already": {deny(pages), nil, provider.Denied(nil), []provider.Service{pages}, nil},
		"marked for photos": {deny(photos), nil, provider.Denied(nil), []provider.Service{photos, pages},
			[]string{"reconnect_required"}},
		"given again":     {deny(photos, pages), nil, nil, []provider.Service{photos}, nil},
		"nothing to read": {deny(photos, pages), nil, gone, []provider.Service{photos}, nil},
		"no page": {deny(photos, pages), nil, connection.CodeNoPage.Fault(), []provider.Service{photos},
			nil},
		"fails for another reason": {deny(pages), nil, provider.Temporary(nil), []provider.Service{pages}, nil},
	} {
		a := apptest.New(t)
		withPage(a, time.Hour)
		if test.before != nil {
			a.Change(provider.PagesPair, test.before)
		}
		c := a.Connection(provider.PagesPair)
		if test.meanwhile != nil {
			a.Change(provider.PagesPair, test.meanwhile)
		}
		if err := a.Connections.NoteDenial(t.Context(), c, pages, test.err); !errors.Is(err, test.err) {
			t.Errorf("%s: NoteDenial returns %v, want %v", name, err, test.err)
		}
		if diff := cmp.Diff(test.want, a.Connection(provider.PagesPair).Denied); diff != "" {
			t.Errorf("%s: denied services (-want +got):\n%s", name, diff)
		}
		a.WantTrail(test.trail...)
	}
}

func deny(services ...provider.Service) func(*connection.Connection) {
	return func(c *connection.Connection) { c.Denied = services }
}

func TestFailuresAreReported(t *testing.T) {
	a := apptest.New(t)
	ctx := t.Context()
	id, actor := a.Company.ID, apptest.Actor(a.Anna)
	var c connection.Connection
	connected := func() { c = withPage(a, time.Hour) }
	ended := func() {
		execute(a, "DELETE FROM revocations")
		disconnect(a)
	}
	a.FailEach([]databasetest.Call{
		{Name: "status", Before: connected,
			Run: func() error { return databasetest.ErrorOf(a.Connections.Status(ctx, actor)) }},
		{Name: "active", Run: func() error {
			return databasetest.ErrorOf(a.Connections.Active(ctx, id, provider.PagesPair))
		}},
		{Name: "list", Run: func() error {
			return databasetest.ErrorOf(a.Connections.List(ctx, connection.Query{}))
		}},
		{Name: "broken", Run: func() error { return databasetest.ErrorOf(a.Connections.Broken(ctx, 0, 9)) }},
		{Name: "photos", Run: func() error { _, _, err := a.Connections.PhotosVia(ctx, id); return err }},
		{Name: "sync", Run: func() error { return a.Connections.LimitSync(ctx, id, provider.SocialPages) }},
		{Name: "use", Before: connected, Run: func() error {
			err := use(a, c, refused("A"))
			if fault.Is(err, provider.CodeReconnect) { // as it has to be, also if it is not counted
				return nil
			}
			return err
		}},
		{Name: "unmark", Before: func() {
			a.Change(provider.PagesPair, func(c *connection.Connection) { c.ReconnectReason = "Połącz ponownie." })
		}, Run: func() error {
			return databasetest.ErrorOf(a.Connections.Unmark(ctx, trail.Entry{}, connection.Query{}))
		}},
		{Name: "disconnect", Before: connected, Run: func() error {
			return a.Connections.Disconnect(ctx, actor, provider.PagesPair)
		}},
		{Name: "withdrawal", Before: ended, Run: func() error { return withdraw(a) }},
		{Name: "forget", Before: ended, Run: func() error {
			return a.Store.ForgetRevocations(ctx, provider.Social, "p-1", a.Clock.Now())
		}},
	}...)
}

func TestLostKey(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App) {
		withPage(a, time.Minute)
		beside := granted(a, time.Hour)
		execute(a, "UPDATE oauth_tokens SET access_token = 'lost:AAAA' WHERE service = 'social_pages'")
		status := statusOf(a, provider.PagesPair)
		if !status.NeedsReconnect || status.Reason != connection.ReasonUnreadable {
			t.Errorf("needs reconnection = %t, reason = %q, want %q", status.NeedsReconnect, status.Reason,
				connection.ReasonUnreadable)
		}
		anna := a.Browser(a.Anna)
		body := apptest.Body{"company_id": a.Company.ID, "page_id": bakery}
		for _, path := range []string{"select-page", "sync-facebook", "sync-instagram"} {
			response := anna.Post("/api/oauth/provider_social/"+path, body)
			if !strings.Contains(response.Body.String(), connection.ReasonUnreadable) {
				t.Errorf("%s: the response does not say why: %d %s", path, response.Code, response.Body)
			}
		}
		_, err := a.Connections.RenewEarly(t.Context(), a.Connection(provider.PagesPair))
		apptest.WantCode(t, err, provider.CodeReconnect)
		apptest.WantCode(t, use(a, beside), none)
		if !strings.Contains(a.Log.String(), "cannot be decrypted") {
			t.Error("the log does not say that the secrets cannot be decrypted")
		}
		anna.Connect(provider.PagesPair, "anna")
		if c := a.Connection(provider.PagesPair); c.AccountID != bakery {
			t.Errorf("connected again: chosen = %q, want still the page %s", c.AccountID, bakery)
		}
		if status := statusOf(a, provider.PagesPair); status.NeedsReconnect {
			t.Errorf("connected again: needs reconnection: %s", status.Reason)
		}
		execute(a, "UPDATE oauth_tokens SET access_token = 'lost:AAAA'")
		anna.Post("/api/oauth/disconnect/provider_social/social_pages", nil).Want(http.StatusOK)
	})
}

func TestRefusalsOfFivePeople(t *testing.T) {
	type call = func(a *apptest.App, c connection.Connection, err error) error
	read := func(a *apptest.App, c connection.Connection, err error) error { return use(a, c, err) }
	furtherRead := func(a *apptest.App, c connection.Connection, err error) error {
		return databasetest.ErrorOf(connection.UseOptional(t.Context(), a.Connections, c,
			func(context.Context, string, string) (string, error) { return "", err }))
	}
	renewal := func(a *apptest.App, c connection.Connection, err error) error {
		a.Google.SetReply(tokenEndpoint, fake.Reply{Body: `{"access_token":"a","expires_in":3600}`})
		if err != nil {
			a.Google.SetReply(tokenEndpoint, fake.Reply{Status: 401, Body: `{"error":"deleted_client"}`})
		}
		if errors.Is(err, errLost) {
			a.Google.SetReply(tokenEndpoint, grantLost)
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
		"token, further API": {furtherRead, lost, []incident.Subject{of(incident.Token)}, true},
		"renewal": {renewal, lost, []incident.Subject{{Provider: provider.Search, Kind: incident.Renewal}},
			true},
		"permission": {denial, provider.Denied(nil), []incident.Subject{of(incident.Permission)}, true},
		"app":        {read, app, []incident.Subject{of(incident.App)}, false},
		"app, at a renewal": {renewal, app, []incident.Subject{{Provider: provider.Search, Kind: incident.App}},
			false},
		"app, further API":       {furtherRead, app, nil, false},
		"temporary":              {read, passing, nil, false},
		"denied while reading":   {read, provider.Denied(nil), nil, false},
		"temporary, further API": {furtherRead, passing, nil, false},
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
				want := test.marks && i < 4
				if now := find(a, c.CompanyID, c.Pair); now.NeedsUser() != want {
					t.Errorf("person %d: marked = %t, want %t: %q %q", i+1, !want, want,
						now.ReconnectReason, now.Denied)
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
		a.T.Errorf("incidents (-want +got):\n%s", diff)
	}
}
