package scan_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

const (
	bakery        = "105600000010001" // a page of Anna, with an account on Instagram
	workshop      = "105600000010004" // a page of Marek, without one
	pageReply     = "GET /v25.0/" + bakery
	photosReply   = pageReply + "?fields=instagram_business_account"
	location      = "locations/1002519486895516595" // of Anna
	locationReply = "GET /v1/" + location
	scopeProfile  = "https://www.googleapis.com/auth/business.manage"
)

// none is the code of no fault.
var none fault.Code

var pagesScopes = []string{"pages_show_list", "pages_read_engagement", "read_insights", "instagram_basic",
	"instagram_manage_insights", "business_management"}

func refusal(code int) fake.Reply {
	return fake.Reply{Status: http.StatusBadRequest, Body: fmt.Sprintf(`{"error":{"code":%d}}`, code)}
}

// page stores a connection of a company to the page of a person, whose own token ends after that time.
func page(a *apptest.App, companyID int64, person, id string, life time.Duration) connection.Connection {
	user := a.Meta.Grant(person, pagesScopes...)
	return a.Save(connection.Connection{
		CompanyID: companyID, Pair: provider.PagesPair, AccessToken: a.Meta.PageToken(user, id), AccountID: id,
		Chosen: connection.ChosenPage, Scopes: pagesScopes, ProviderUserID: person,
		Metadata: connection.Metadata{UserAccessToken: user, UserExpiresAt: new(a.Clock.Now().Add(life))},
	})
}

// profile stores a connection of a company to Anna's Business Profile, whose token ends after that time.
func profile(a *apptest.App, companyID int64, life time.Duration) connection.Connection {
	tokens := a.Google.Grant("anna", scopeProfile)
	return a.Save(connection.Connection{
		CompanyID: companyID, Pair: provider.ProfilePair, AccessToken: tokens.Access, RefreshToken: tokens.Refresh,
		Scopes: []string{scopeProfile}, ExpiresAt: new(a.Clock.Now().Add(life)),
		ProviderUserID: fmt.Sprint("person-", companyID),
	})
}

// run scans, and returns the result without an error.
func run(a *apptest.App) scan.Result {
	a.T.Helper()
	got, err := a.Scan.Run(a.T.Context(), nil)
	apptest.WantCode(a.T, err, none)
	return got
}

func pauses(a *apptest.App) []scan.Pause {
	a.T.Helper()
	list, err := a.Scan.Pauses(a.T.Context())
	apptest.WantCode(a.T, err, none)
	return list
}

func TestScan(t *testing.T) {
	const year, token = 365 * 24 * time.Hour, "POST /v25.0/oauth/access_token"
	meta := func(pattern string, reply fake.Reply) func(*apptest.App) {
		return func(a *apptest.App) { a.Meta.SetReply(pattern, reply) }
	}
	google := func(reply fake.Reply) func(*apptest.App) {
		return func(a *apptest.App) { a.Google.SetReply("POST /token", reply) }
	}
	edit := func(change func(*connection.Connection)) func(*apptest.App) {
		return func(a *apptest.App) { a.Change(provider.PagesPair, change) }
	}
	for name, test := range map[string]struct {
		life   time.Duration // of the tokens
		change func(*apptest.App)
		want   scan.Result
	}{
		"all well": {year, func(*apptest.App) {}, scan.Result{Connections: 3, Synced: 3}},
		"tokens renewed": {-25 * time.Hour, func(*apptest.App) {},
			scan.Result{Connections: 3, Renewed: 2, Synced: 3}},
		"renewal fails": {-25 * time.Hour, both(google(fake.Reply{Status: 429}), meta(token, refusal(190))),
			scan.Result{Connections: 3, Synced: 3, Failed: 2, Left: 1}},
		"a person asked to wait": {-25 * time.Hour, meta(token, refusal(17)),
			scan.Result{Connections: 3, Renewed: 1, Synced: 1, Failed: 1, Left: 1}},
		"photos fail": {year, meta(photosReply, refusal(2500)), scan.Result{Connections: 3, Synced: 2, Failed: 1}},
		"page fails": {year, meta(pageReply+"/insights", refusal(2500)),
			scan.Result{Connections: 3, Synced: 2, Failed: 1}},
		"no photo network": {year, meta(photosReply, fake.Reply{Body: `{"id":"1"}`}),
			scan.Result{Connections: 3, Synced: 2}},
		"page's token lost": {year, meta(photosReply, refusal(190)),
			scan.Result{Connections: 3, Synced: 1, Failed: 1}},
		"page asked to wait": {year, meta(photosReply, refusal(80001)),
			scan.Result{Connections: 3, Synced: 1, Failed: 1, Left: 1}},
		"app asked to wait": {year, meta(photosReply, refusal(4)), scan.Result{Connections: 2, Failed: 1, Left: 2}},
		"waits for its user": {year, edit(func(c *connection.Connection) { c.ReconnectReason = "Dostęp wygasł." }),
			scan.Result{Connections: 3, Synced: 1, Skipped: 1}},
		"disconnected": {year, edit(func(c *connection.Connection) { c.End() }),
			scan.Result{Connections: 2, Synced: 1}},
		"no page yet": {year, edit(func(c *connection.Connection) { c.Chosen, c.UserAccessToken = 0, "" }),
			scan.Result{Connections: 3, Synced: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t, "DIRECTORY_SCAN_WORKERS=1")
			profile(a, a.Company.ID, test.life)
			page(a, a.Company.ID, "anna", bakery, test.life)
			page(a, a.AddCompany("warsztat").ID, "marek", workshop, year)
			test.change(a)
			if diff := cmp.Diff(test.want, run(a)); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			if n := strings.Count(a.Log.String(), "scan step failed"); n != test.want.Failed {
				t.Errorf("%d failures logged, want %d", n, test.want.Failed)
			}
		})
	}
}

// both changes a service twice.
func both(first, second func(*apptest.App)) func(*apptest.App) {
	return func(a *apptest.App) { first(a); second(a) }
}

func TestScanProgress(t *testing.T) {
	a := apptest.New(t)
	page(a, a.Company.ID, "anna", bakery, time.Hour)
	a.Meta.SetReply(photosReply, refusal(2500))
	var got []scan.Progress
	_, err := a.Scan.Run(t.Context(), func(p scan.Progress) { got = append(got, p) })
	apptest.WantCode(t, err, none)
	if diff := cmp.Diff([]scan.Progress{{Done: 1, Total: 1, Failed: 1}}, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestPauses(t *testing.T) {
	for name, code := range map[string]int{"page": 80001, "app": 4} {
		t.Run(name, func(t *testing.T) {
			databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
				a := apptest.New(t, apptest.On(db.URL))
				page(a, a.Company.ID, "anna", bakery, 365*24*time.Hour)
				replica := apptest.New(t, apptest.On(db.URL))
				for i, minutes := range []time.Duration{1, 1, 2, 4, 0, 1} { // 0: a run that succeeds
					a.Meta.ClearFault()
					if minutes > 0 {
						a.Meta.SetFault(fake.Fault{Kind: "status", Match: "/v25.0/" + bakery, Status: 400,
							Body: fmt.Sprintf(`{"error":{"code":%d}}`, code)})
					}
					run(a)
					list := pauses(a)
					if minutes == 0 {
						if len(list) > 0 {
							t.Fatalf("run %d succeeded, but there are the pauses %+v", i, list)
						}
						a.Clock.Pass(time.Minute)
						continue
					}
					if len(list) != 1 {
						t.Fatalf("run %d: %d pauses, want one: %+v", i, len(list), list)
					}
					if length := list[0].Until.Sub(a.Clock.Now()); length != minutes*time.Minute {
						t.Errorf("run %d: a pause of %s, want %d min", i, length, minutes)
					}
					a.Clock.Pass(minutes*time.Minute - time.Second)
					replica.Clock.Pass(a.Clock.Now().Sub(replica.Clock.Now()))
					run(replica)
					if n := len(replica.Meta.Requests()); n > 0 {
						t.Errorf("run %d: %d requests of another replica during the pause", i, n)
					}
					a.Clock.Pass(time.Second)
				}
				if n := strings.Count(a.Log.String(), "pause begins"); n != 5 {
					t.Errorf("%d beginnings of pauses are logged, want 5", n)
				}
				a.Clock.Pass(-time.Second)
				n, err := a.Scan.Lift(t.Context(), trail.Entry{}, provider.Social)
				apptest.WantCode(t, err, none)
				if n != 1 {
					t.Errorf("%d pauses lifted, want 1", n)
				}
				if list := pauses(a); len(list) > 0 {
					t.Errorf("pauses are left after lifting: %+v", list)
				}
				a.Meta.ClearFault()
				if got := run(a); got.Synced != 2 {
					t.Errorf("after lifting: %d synced, want 2: %+v", got.Synced, got)
				}
			})
		})
	}
}

func TestQuotaOfOneAPI(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a := apptest.New(t, apptest.On(db.URL), "DIRECTORY_SCAN_WORKERS=1")
		for i := range 3 {
			c := profile(a, a.AddCompany(fmt.Sprint("firma-", i)).ID, 365*24*time.Hour)
			c.Chosen, c.AccountID = connection.ChosenLocation, location
			a.Save(c)
		}
		page(a, a.Company.ID, "anna", bakery, 365*24*time.Hour)
		a.Google.SetFault(fake.Fault{Kind: "status", Status: 429, Body: `{"error":{"details":[{"@type":
			"type.googleapis.com/google.rpc.ErrorInfo","metadata":{"quota_limit":"RequestsPerMinutePerProject"}}]}}`})
		if diff := cmp.Diff(scan.Result{Connections: 2, Synced: 2, Failed: 1, Left: 3}, run(a)); diff != "" {
			t.Errorf("with the quota used up (-want +got):\n%s", diff)
		}
		want := []scan.Pause{{Provider: provider.Search, Service: provider.SearchProfile,
			Until: a.Clock.Now().Add(time.Minute)}}
		list := pauses(a)
		for i := range list {
			list[i].Until = list[i].Until.UTC()
		}
		if diff := cmp.Diff(want, list); diff != "" {
			t.Errorf("pauses (-want +got):\n%s", diff)
		}
		a.Google.ClearFault()
		a.Clock.Pass(time.Minute)
		if got := run(a); got.Left+got.Failed > 0 {
			t.Errorf("a minute later, connections are left or failed: %+v", got)
		}
	})
}

func TestOutageEndsTheRun(t *testing.T) {
	a := apptest.New(t, "DIRECTORY_SCAN_WORKERS=1", "PROVIDER_TIMEOUT=200ms") // no time for retries
	for i := range 8 {
		page(a, a.AddCompany(fmt.Sprint("firma-", i)).ID, "anna", bakery, 365*24*time.Hour)
	}
	a.Meta.SetFault(fake.Fault{Kind: "status", Status: 503})
	if diff := cmp.Diff(scan.Result{Connections: 3, Failed: 5, Left: 5}, run(a)); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	if list := pauses(a); len(list) != 1 || !list[0].Until.Equal(a.Clock.Now().Add(time.Minute)) {
		t.Errorf("pauses %+v, want one of a minute", list)
	}
}

func TestInterruptedScan(t *testing.T) {
	a := apptest.New(t, "DIRECTORY_SCAN_WORKERS=1")
	for i := range 3 {
		page(a, a.AddCompany(fmt.Sprint("firma-", i)).ID, "anna", bakery, 365*24*time.Hour)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/insights") {
			interrupt()
		}
	})
	got, err := a.Scan.Run(ctx, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v, want that the scan was interrupted", err)
	}
	if got.Failed > 0 {
		t.Errorf("%d steps count as failed, want none of an interruption", got.Failed)
	}
	a.Intercept(nil)
	a.Clock.Pass(time.Minute)
	if got := run(a); got.Synced != 6 || got.Left > 0 {
		t.Errorf("the next run: %+v, want 6 synced and none left", got)
	}
}

func TestLongestWaitingFirst(t *testing.T) {
	a := apptest.New(t, "DIRECTORY_SCAN_WORKERS=1")
	for _, hours := range rand.Perm(9) {
		c := page(a, a.AddCompany(fmt.Sprint("firma-", hours)).ID, "anna", bakery, 365*24*time.Hour)
		at := a.Clock.Now().Add(-time.Duration(hours+1) * time.Hour)
		err := a.DB.Write(t.Context()).Exec("UPDATE oauth_tokens SET scanned_at = ? WHERE id = ?", at, c.ID).Error
		apptest.WantCode(t, err, none)
	}
	inOrder := func() (ids []int64) {
		err := a.DB.Read(t.Context()).Table("oauth_tokens").Order("scanned_at").Pluck("id", &ids).Error
		apptest.WantCode(t, err, none)
		return ids
	}
	want := inOrder()
	a.Intercept(func(http.ResponseWriter, *http.Request) { a.Clock.Pass(time.Second) })
	run(a)
	if diff := cmp.Diff(want, inOrder()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

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
		search  bool // at Google, otherwise at Meta
		fault   fake.Fault
		events  int // to webhooks
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
			site, pausedAt := a.Meta.Fake, provider.Social
			if test.search {
				site, pausedAt = a.Google.Fake, provider.Search
			}
			site.SetFault(test.fault)
			for range 4 { // the pauses are a minute, then two
				a.Clock.Pass(time.Minute)
				run(a)
			}
			if n := marked(a); n > 0 {
				t.Errorf("%d connections are marked, want none", n)
			}
			deliveries, err := a.Webhooks.Deliveries(t.Context(), w.ID, 99)
			apptest.WantCode(t, err, none)
			if len(deliveries) != test.events {
				t.Errorf("%d events, want %d", len(deliveries), test.events)
			}
			if list := pauses(a); len(list) == 0 || list[0].Provider != pausedAt {
				t.Errorf("pauses %+v, want one of %s", list, pausedAt)
			}
			site.ClearFault()
			a.Clock.Pass(26 * time.Hour)
			if result := run(a); result.Failed > 0 || result.Synced < people {
				t.Errorf("once it works again: %+v, want %d synced and none failed", result, people)
			}
			open, err := a.Incidents.List(t.Context())
			apptest.WantCode(t, err, none)
			if len(open) > 0 {
				t.Errorf("incidents are open once it works again: %+v", open)
			}
			for _, record := range []string{"app-wide failure begins", "app-wide failure ends"} {
				if !strings.Contains(a.Log.String(), record) {
					t.Errorf("the log lacks %q", record)
				}
			}
		})
	}
}
