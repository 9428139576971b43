package connection_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// arrival is a callback as it comes in.
type arrival struct {
	*apptest.App
	actor   account.Actor
	pending *connection.Pending
	cb      connection.Callback
}

// arrive returns a callback that succeeds: Anna connects services of Google with one consent, and grants scopes.
func arrive(t *testing.T, a *apptest.App, scopes []string, more ...provider.Service) *arrival {
	t.Helper()
	actor := apptest.Actor(a.Anna)
	address, pending, err := a.Connections.Connect(actor, provider.ProfilePair, more...)
	apptest.WantCode(t, err, none)
	u, err := url.Parse(address)
	apptest.WantCode(t, err, none)
	if pending, err = connection.ParsePending(pending.String()); err != nil { // as the session keeps it
		t.Fatal(err)
	}
	code := a.Google.Code("anna", u.Query().Get("code_challenge"), scopes...)
	return &arrival{a, actor, pending, connection.Callback{Provider: provider.Search, Code: code,
		State: pending.State}}
}

func (a *arrival) finish() (connection.Granted, string) {
	return a.Connections.Finish(a.T.Context(), a.actor, a.pending, a.cb)
}

var profileScopes = []string{"openid", scopeProfile}

// callbackFailures are ways to spoil a callback, and the oauth_error of each.
var callbackFailures = map[string]struct {
	want  string
	spoil func(*arrival)
}{
	"denied":           {"access_denied", func(a *arrival) { a.cb.Error = "access_denied" }},
	"no code":          {"missing_params", func(a *arrival) { a.cb.Code = "" }},
	"no state":         {"missing_params", func(a *arrival) { a.cb.State = "" }},
	"nothing kept":     {"invalid_state", func(a *arrival) { a.pending = nil }},
	"another state":    {"invalid_state", func(a *arrival) { a.cb.State += "x" }},
	"another provider": {"invalid_state", func(a *arrival) { a.cb.Provider = provider.Social }},
	"too late":         {"invalid_state", func(a *arrival) { a.Clock.Pass(10*time.Minute + 1) }},
	"no parts":         {"invalid_state_format", func(a *arrival) { a.cb.State, a.pending.State = "7:x", "7:x" }},
	"another user": {"unauthorized", func(a *arrival) {
		a.actor = apptest.Actor(a.AddUser("ewa", account.Member, &a.Company))
	}},
	"another company": {"unauthorized", func(a *arrival) { a.actor.User.CompanyID = new(int64(9)) }},
	"no company":      {"unauthorized", func(a *arrival) { a.actor.User.CompanyID = nil }},
	"no right":        {"unauthorized", func(a *arrival) { a.actor.User.Role = account.Unaffiliated }},
	"refused": {"token_exchange_failed", func(a *arrival) {
		a.Google.SetReply(tokenEndpoint, grantLost)
	}},
	"pair of another release": {"token_exchange_failed", func(a *arrival) {
		a.pending.State = strings.Replace(a.pending.State, "search_profile", "search_mail", 1)
		a.cb.State = a.pending.State
	}},
	"not stored": {"save_failed", func(a *arrival) {
		execute(a.App, "CREATE TRIGGER fails BEFORE INSERT ON oauth_tokens BEGIN SELECT RAISE(FAIL, 'full'); END")
	}},
}

func TestCallbackFailures(t *testing.T) {
	for name, test := range callbackFailures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := arrive(t, apptest.New(t, "DIRECTORY_COMPANY_ACCESS=strict"), profileScopes)
			test.spoil(a)
			if _, got := a.finish(); got != test.want {
				t.Errorf("oauth_error = %q, want %q", got, test.want)
			}
			saved, err := a.Store.List(t.Context(), a.Company.ID)
			apptest.WantCode(t, err, none)
			if len(saved) > 0 {
				t.Errorf("a failed callback saved %+v", saved)
			}
			a.WantTrail()
			issued, _ := a.Google.Secrets()
			for _, secret := range issued {
				if strings.Contains(a.Log.String(), secret.Value) {
					t.Errorf("%s is in the log: %s", secret.Kind, a.Log.String())
				}
			}
		})
	}
}

func TestCallbackChecksInTheDocumentedOrder(t *testing.T) {
	inOrder := []string{"denied", "no code", "nothing kept", "no parts", "no company", "refused"}
	for i, first := range inOrder {
		for _, later := range inOrder[i+1:] {
			a := arrive(t, apptest.New(t), profileScopes)
			callbackFailures[later].spoil(a)
			callbackFailures[first].spoil(a)
			_, got := a.finish()
			if want := callbackFailures[first].want; got != want {
				t.Errorf("%s and %s: oauth_error = %q, want %q", first, later, got, want)
			}
		}
	}
}

func TestCallbackConnects(t *testing.T) {
	a := arrive(t, apptest.New(t), profileScopes)
	a.Clock.Pass(10 * time.Minute) // the last moment
	done, oauthError := a.finish()
	granted := connection.Granted{Pair: provider.ProfilePair, More: []provider.Service{}}
	if diff := cmp.Diff(granted, done); diff != "" {
		t.Fatalf("oauth_error %q, granted (-want +got):\n%s", oauthError, diff)
	}
	got := a.Connection(provider.ProfilePair)
	want := connection.Connection{
		ID: 1, CompanyID: a.Company.ID, UserID: a.Anna.ID, Pair: provider.ProfilePair, AccessToken: got.AccessToken,
		RefreshToken: got.RefreshToken, Scopes: profileScopes, AccountID: got.AccountID, AccountName: "Anna Kowalska",
		ExpiresAt: new(a.Clock.Now().Add(3599 * time.Second)), Active: true, ProviderUserID: got.ProviderUserID,
		Metadata:  connection.Metadata{OwnerName: "Anna Kowalska", ConnectedAt: a.Clock.Now()},
		CreatedAt: a.Clock.Now(), UpdatedAt: a.Clock.Now(),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored (-want +got):\n%s", diff)
	}
	for name, value := range map[string]string{
		"access token": got.AccessToken, "refresh token": got.RefreshToken, "user of the provider": got.ProviderUserID,
	} {
		if value == "" {
			t.Errorf("the %s is not stored", name)
		}
	}
	lines, err := trail.Find(t.Context(), a.DB, trail.Search{CompanyID: a.Company.ID, Limit: 9})
	apptest.WantCode(t, err, none)
	entry := trail.Entry{At: a.Clock.Now(), CompanyID: a.Company.ID, UserID: &a.Anna.ID, Action: "connect",
		Pair: provider.ProfilePair, RequestID: "req-1"}
	if diff := cmp.Diff([]trail.Entry{entry}, lines); diff != "" {
		t.Errorf("trail (-want +got):\n%s", diff)
	}
}

func TestCallbackConnectsWithoutAnAccountName(t *testing.T) {
	a := arrive(t, apptest.New(t), profileScopes)
	a.Google.SetReply("GET /v1/accounts", busy)
	if _, oauthError := a.finish(); oauthError != "" {
		t.Fatalf("oauth_error = %q, want none", oauthError)
	}
	if name := a.Connection(provider.ProfilePair).AccountName; name != "" {
		t.Errorf("account name = %q, want none", name)
	}
}

func TestOneConsentConnectsWhatItGrants(t *testing.T) {
	profile, analytics := provider.SearchProfile, provider.SearchAnalytics
	for name, test := range map[string]struct {
		scopes    []string
		want      connection.Granted
		reconnect bool
	}{
		"everything": {[]string{scopeProfile, scopeAnalytics},
			connection.Granted{Pair: provider.ProfilePair, More: []provider.Service{analytics}}, false},
		"the first service": {[]string{scopeProfile}, connection.Granted{
			Pair: provider.ProfilePair, More: []provider.Service{}, Refused: []provider.Service{analytics}}, false},
		"the other service": {[]string{scopeAnalytics}, connection.Granted{
			Pair: provider.AnalyticsPair, More: []provider.Service{}, Refused: []provider.Service{profile}}, false},
		"nothing": {[]string{"openid"}, connection.Granted{
			Pair: provider.ProfilePair, More: []provider.Service{}, Refused: []provider.Service{analytics}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := arrive(t, apptest.New(t), test.scopes, provider.SearchAnalytics)
			done, oauthError := a.finish()
			if diff := cmp.Diff(test.want, done); diff != "" {
				t.Fatalf("oauth_error %q, granted (-want +got):\n%s", oauthError, diff)
			}
			saved, err := a.Store.List(t.Context(), a.Company.ID)
			apptest.WantCode(t, err, none)
			if want := 1 + len(done.More); len(saved) != want {
				t.Errorf("%d connections are saved, want %d: %+v", len(saved), want, saved)
			}
			if got := statusOf(a.App, done.Pair).NeedsReconnect; got != test.reconnect {
				t.Errorf("needs reconnection = %t, want %t", got, test.reconnect)
			}
		})
	}
}

func TestOneConsentInterrupted(t *testing.T) {
	a := arrive(t, apptest.New(t), []string{scopeProfile, scopeAnalytics}, provider.SearchAnalytics)
	execute(a.App, "CREATE TRIGGER fails BEFORE INSERT ON oauth_tokens WHEN new.service = 'search_analytics' "+
		"BEGIN SELECT RAISE(FAIL, 'full'); END")
	if _, oauthError := a.finish(); oauthError != "save_failed" {
		t.Errorf("oauth_error = %q, want save_failed", oauthError)
	}
	if !statusOf(a.App, provider.ProfilePair).Connected {
		t.Error("the first service, which could be saved, is not connected")
	}
	if statusOf(a.App, provider.AnalyticsPair).Connected {
		t.Error("the second service, which could not be saved, is connected")
	}
	execute(a.App, "DROP TRIGGER fails")
	arrive(t, a.App, []string{scopeProfile, scopeAnalytics}, provider.SearchAnalytics).finish()
	if !statusOf(a.App, provider.AnalyticsPair).Connected {
		t.Error("a new consent does not connect the second service")
	}
}

func TestOneConsentSharesTheNextRefreshToken(t *testing.T) {
	a := arrive(t, apptest.New(t), []string{scopeProfile, scopeAnalytics}, provider.SearchAnalytics)
	a.finish()
	a.Google.SetToggle("rotate_refresh_tokens", true)
	for range 2 {
		for _, p := range []provider.Pair{provider.ProfilePair, provider.AnalyticsPair} {
			a.Clock.Pass(2 * time.Hour)
			apptest.WantCode(t, use(a.App, a.Connection(p)), none)
		}
	}
	a.Change(provider.AnalyticsPair, func(c *connection.Connection) { c.RefreshToken = "of another consent" })
	a.Clock.Pass(2 * time.Hour)
	apptest.WantCode(t, use(a.App, a.Connection(provider.ProfilePair)), none)
	if got := a.Connection(provider.AnalyticsPair).RefreshToken; got != "of another consent" {
		t.Errorf("the connection of another consent was given the refresh token %q", got)
	}
}

func TestConnect(t *testing.T) {
	a := apptest.New(t)
	for _, p := range provider.Pairs() {
		address, pending, err := a.Connections.Connect(apptest.Actor(a.Anna), p)
		apptest.WantCode(t, err, none)
		state := regexp.MustCompile(`^1:1:` + string(p.Service) + `:[A-Za-z0-9_-]{22}$`)
		if !state.MatchString(pending.State) {
			t.Errorf("%s: state = %q, want the form %s", p, pending.State, state)
		}
		verifier := regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`)
		if !verifier.MatchString(pending.Verifier) {
			t.Errorf("%s: verifier = %q, want the form %s", p, pending.Verifier, verifier)
		}
		u, err := url.Parse(address)
		apptest.WantCode(t, err, none)
		got := []string{u.Query().Get("state"), u.Query().Get("redirect_uri")}
		want := []string{pending.State, apptest.PublicURL + "/api/oauth/callback/" + string(p.Provider)}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: state and redirect_uri of the address (-want +got):\n%s", p, diff)
		}
		_, again, err := a.Connections.Connect(apptest.Actor(a.Anna), p)
		apptest.WantCode(t, err, none)
		if again.Verifier == pending.Verifier {
			t.Errorf("%s: the verifier %q is used twice", p, again.Verifier)
		}
		if again.State == pending.State {
			t.Errorf("%s: the state %q is used twice", p, again.State)
		}
	}
}

func TestConnectFaults(t *testing.T) {
	crossed := provider.Pair{Provider: provider.Search, Service: provider.SocialPages}
	unconfigured := []string{"PROVIDER_SEARCH_CLIENT_ID=", "PROVIDER_SEARCH_CLIENT_SECRET="}
	for name, test := range map[string]struct {
		settings []string
		company  *int64 // of the user
		pair     provider.Pair
		more     []provider.Service
		want     fault.Code
	}{
		"other provider's service": {nil, new(int64(1)), crossed, nil, connection.CodeInvalidPair},
		"unknown provider": {nil, new(int64(1)), provider.Pair{Provider: "x", Service: provider.SearchProfile}, nil,
			connection.CodeInvalidPair},
		"nothing": {nil, new(int64(1)), provider.Pair{}, nil, connection.CodeInvalidPair},
		"more of another provider": {nil, new(int64(1)), provider.ProfilePair,
			[]provider.Service{provider.SocialPages},
			connection.CodeInvalidPair},
		"the same twice": {nil, new(int64(1)), provider.ProfilePair, []provider.Service{provider.SearchProfile},
			connection.CodeInvalidPair},
		"no company": {nil, nil, provider.ProfilePair, nil, account.CodeNoCompany},
		"not configured": {unconfigured, new(int64(1)), provider.ProfilePair, nil,
			connection.CodeNotConfigured},
		"pair before company":          {unconfigured, nil, crossed, nil, connection.CodeInvalidPair},
		"company before configuration": {unconfigured, nil, provider.ProfilePair, nil, account.CodeNoCompany},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.New(t, test.settings...)
			actor := apptest.Actor(a.Anna)
			actor.User.CompanyID = test.company
			address, pending, err := a.Connections.Connect(actor, test.pair, test.more...)
			apptest.WantCode(t, err, test.want)
			if address != "" || pending != nil {
				t.Errorf("address, pending = %q, %+v, want none", address, pending)
			}
		})
	}
}

func TestBrowserLeavesDuringCallback(t *testing.T) {
	for _, test := range []struct {
		pair  provider.Pair
		calls []string // prefixes of paths
	}{
		{provider.ProfilePair, []string{"/token", "/v1/accounts"}},
		{provider.PagesPair, []string{"/v25.0/oauth/access_token", "/v25.0/me/permissions", "/v25.0/me"}},
	} {
		for _, call := range test.calls {
			t.Run(test.pair.String()+call, func(t *testing.T) {
				a := apptest.New(t)
				anna := a.Browser(a.Anna)
				callback := anna.Authorize(test.pair).Allow("anna")
				ctx, leave := context.WithCancel(t.Context())
				a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
					if strings.HasPrefix(r.URL.Path, call) {
						leave()
					}
				})
				first := httptest.NewRequestWithContext(ctx, http.MethodGet, callback, nil)
				anna.Dress(first)
				a.Handler.ServeHTTP(httptest.NewRecorder(), first)
				if ctx.Err() == nil {
					t.Fatal("the browser has not left")
				}
				if !a.Connection(test.pair).Active {
					t.Fatal("the connection is not stored although the browser began the callback")
				}
				second := anna.Get(callback).Want(http.StatusFound).Header().Get("Location")
				if want := "/konto/integracje?oauth_error=invalid_state"; second != want {
					t.Errorf("the second navigation leads to %s, want %s", second, want)
				}
				if strings.Contains(openPage(anna, second), "trwało zbyt długo") {
					t.Error("the page reports a failure of a service that is connected")
				}
			})
		}
	}
}

// openPage opens a page, which may redirect once, and returns its text.
func openPage(b *apptest.Browser, path string) string {
	response := b.Get(path)
	if location := response.Header().Get("Location"); location != "" {
		response = b.Get(location)
	}
	return response.Body.String()
}

func TestSpeculativeCallback(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	callback := anna.Authorize(provider.ProfilePair).Allow("anna")
	for _, header := range [][2]string{{"Sec-Purpose", "prefetch;prerender"}, {"Purpose", "prefetch"}} {
		response := anna.Get(callback, header[0], header[1]).Want(http.StatusServiceUnavailable)
		if got := response.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control = %q, want no-store", header[0], got)
		}
	}
	anna.Get(callback).WantRedirect("/konto/integracje?oauth_success=provider_search/search_profile")
}

func TestPersonSharesRefreshToken(t *testing.T) {
	a := apptest.New(t)
	a.Browser(a.Anna).Connect(provider.ProfilePair, "anna")
	first := a.Connection(provider.ProfilePair)
	other := a.AddCompany("druga")
	b := a.Browser(a.AddUser("druga", account.Manager, &other))
	b.Connect(provider.AnalyticsPair, "anna")
	if got := a.Connection(provider.ProfilePair); got.RefreshToken != first.RefreshToken {
		t.Error("a token without the scope for locations is shared")
	}
	b.Connect(provider.ProfilePair, "anna")
	newest, err := a.Store.Find(t.Context(), other.ID, provider.ProfilePair)
	if err != nil {
		t.Fatal(err)
	}
	got := a.Connection(provider.ProfilePair)
	if got.RefreshToken == first.RefreshToken {
		t.Error("the first company still has its first refresh token")
	}
	if got.RefreshToken != newest.RefreshToken {
		t.Errorf("the first company's refresh token = %q, want the newest, %q", got.RefreshToken, newest.RefreshToken)
	}
	third := a.AddCompany("trzecia")
	a.Browser(a.AddUser("trzecia", account.Manager, &third)).Connect(provider.ProfilePair, "piotr")
	if again := a.Connection(provider.ProfilePair); again.RefreshToken != got.RefreshToken {
		t.Error("the token of another person is shared")
	}
}

func TestDisconnectOfAnyStoredPair(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.ProfilePair, "anna")
	old := provider.Pair{Provider: provider.Search, Service: "search_ads"}
	err := a.DB.Write(t.Context()).Exec("UPDATE oauth_tokens SET service = ?, access_token = '', refresh_token = ''",
		old.Service).Error
	if err != nil {
		t.Fatal(err)
	}
	anna.Post("/api/oauth/disconnect/provider_search/search_ads", nil).Want(http.StatusOK)
	if a.Connection(old).Active {
		t.Errorf("%s is still active", old)
	}
	anna.Post("/api/oauth/disconnect/provider_search/unknown", nil).Want(http.StatusNotFound)
}

func TestCallbackRepeatedAfterAMinuteFails(t *testing.T) {
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	callback := anna.Authorize(provider.ProfilePair).Allow("anna")
	anna.Get(callback)
	a.Clock.Pass(2 * time.Minute)
	repeated := anna.Get(callback).Header().Get("Location")
	if !strings.Contains(openPage(anna, repeated), "trwało zbyt długo") {
		t.Error("the page does not report that connecting took too long")
	}
}

func TestFindWithoutAConnection(t *testing.T) {
	a := apptest.New(t)
	_, err := a.Store.Find(t.Context(), a.Company.ID, provider.PhotosPair)
	apptest.WantCode(t, err, connection.CodeNoConnection)
}
