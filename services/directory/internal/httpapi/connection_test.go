package httpapi_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
)

// connect begins an authorization and returns the state in the address at the provider.
func (b *browser) connect(p provider.Pair) (state string) {
	b.w.t.Helper()
	address, _ := b.post("/api/oauth/connect/"+p.String(), "").want(200).at("auth_url").(string)
	u, err := url.Parse(address)
	if err != nil {
		b.w.t.Error(err)
		return ""
	}
	return u.Query().Get("state")
}

// TestConnectRefused: the pair counts first, then the company, then the provider.
func TestConnectRefused(t *testing.T) {
	const textPair, textNotConfigured = "Nieprawidłowy dostawca lub usługa.", "Ten dostawca nie jest skonfigurowany."
	withService(t, func(t *testing.T, w *world) {
		alone := w.AddUser("jan", account.Admin, nil)
		w.Unconfigure(provider.Search)
		for _, pair := range []string{"provider_search/social_pages", "x/y", "provider_search/SEARCH_PROFILE", "provider_search/%00", "%FF/search_profile"} {
			w.loggedInAs(alone).post("/api/oauth/connect/"+pair, "").wantErrorOnly(400, textPair)
		}
		w.loggedInAs(alone).post("/api/oauth/connect/"+profilePair.String(), "").wantErrorOnly(403, textNoCompany)
		w.loggedInAs(w.Anna).post("/api/oauth/connect/"+profilePair.String(), "").wantErrorOnly(503, textNotConfigured)
		w.loggedInAs(w.Anna).post("/api/oauth/connect/%70rovider_social/social%5Fpages", "{not looked at").want(200)
	})
}

// busy is a session that cannot take an authorization.
type busy struct {
	account.BrowserSessions
	err error
}

func (b busy) Put(http.ResponseWriter, *http.Request, string, string) error { return b.err }

func TestConnectLosesTheSession(t *testing.T) {
	tests := []struct {
		err    error
		status int
		text   string
	}{
		{account.CodeNoSession.Fault(), 401, textNotLoggedIn},
		{account.CodeSessionConflict.Fault(), 503, account.CodeSessionConflict.Text},
		{errSecret, 500, textInternal},
	}
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for _, test := range tests {
			w.guard.Sessions = busy{w.sessions, test.err}
			b.post("/api/oauth/connect/"+profilePair.String(), "").wantErrorOnly(test.status, test.text)
		}
	})
}

// TestConnectsAtOnce: each request gets an address, and one of the states is kept.
func TestConnectsAtOnce(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b, states := w.loggedInAs(w.Anna), make([]string, 40)
		var all sync.WaitGroup
		for i := range states {
			all.Go(func() { states[i] = b.connect(pagesPair) })
		}
		all.Wait()
		text, err := w.sessions.Take(httptest.NewRecorder(), b.request("GET", "/", ""), connection.PendingName)
		w.ok(err)
		if pending, err := connection.ParsePending(text); err != nil || pending == nil || !slices.Contains(states, pending.State) {
			t.Errorf("kept %+v, %v", pending, err)
		}
	})
}

const searchConnected = "oauth_success=provider_search/search_profile"

// callback is what the provider sends the browser back with after consent.
func (b *browser) callback(p provider.Pair, state string) answer {
	return b.get("/api/oauth/callback/" + string(p.Provider) + "?" +
		url.Values{"code": {b.w.secret("code")}, "state": {state}}.Encode())
}

// redirects holds the answer to a redirect to the integrations with that query.
func (a answer) redirects(query string) answer {
	a.w.t.Helper()
	if got := a.Header().Get("Location"); a.Code != 302 || got != "/konto/integracje?"+query || a.Body.Len() > 0 {
		a.w.t.Errorf("answer %d to %q with %s, want %q", a.Code, got, a.Body, query)
	}
	return a
}

func TestCallback(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		for _, p := range provider.Pairs() {
			if !w.Providers[p.Provider].Configured {
				continue
			}
			b := w.loggedInAs(w.Anna)
			state := b.connect(p)
			w.pass(10 * time.Minute)
			b.callback(p, state).redirects("oauth_success=" + p.String())
			if c := w.Stored(p); !c.Active || c.UserID != w.Anna.ID || c.AccessToken == "" {
				t.Errorf("%s: stored %+v", p, c)
			}
		}
		for _, x := range append(w.Search.Exchanges, w.Social.Exchanges...) {
			if !strings.HasPrefix(x.Get("code"), "code-") || len(x.Get("verifier")) != 43 {
				t.Errorf("exchanged %+v", x)
			}
		}
	})
}

// TestCallbackSetsTheOutcome: the page believes the outcome that the callback set, and not its address.
func TestCallbackSetsTheOutcome(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		r := b.request("GET", "/", "")
		for _, c := range b.get("/api/oauth/callback/provider_search?error=access_denied").Result().Cookies() {
			r.AddCookie(c)
		}
		if outcome := w.sessions.TakeOutcome(httptest.NewRecorder(), r); outcome != "oauth_error=access_denied" {
			t.Errorf("outcome %q", outcome)
		}
	})
}

// TestCallbackRefused begins an authorization for each case; the placeholder STATE
// stands for its state. The order of the checks is proven in package connection.
func TestCallbackRefused(t *testing.T) {
	tests := []struct{ request, want string }{
		{"provider_search?error=access_denied&code=c&state=STATE", "access_denied"},
		{"provider_search?error=a+b%26oauth_success%3Dx%23%0D%0A%C5%82", "a+b%26oauth_success%3Dx%23%0D%0A%C5%82"},
		{"provider_search?error=" + strings.Repeat("x", 3000), strings.Repeat("x", 3000)},
		{"provider_search?error=%FF", "%3F"},
		{"provider_search?error=&code=&state=", "missing_params"},
		{"provider_search", "missing_params"},
		{"provider_search?code=c", "missing_params"},
		{"provider_search?state=STATE", "missing_params"},
		{"provider_search?code=c&state=STATEx", "invalid_state"},
		{"provider_search?code=c&state=%00%FF", "invalid_state"},
		{"provider_social?code=c&state=STATE", "invalid_state"},
		{"provider_search%20?code=c&state=STATE", "invalid_state"},
		{"%00?code=c&state=STATE", "invalid_state"},
		{"x?error=access_denied", "access_denied"},
	}
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for _, test := range tests {
			state := b.connect(profilePair)
			b.get("/api/oauth/callback/" + strings.ReplaceAll(test.request, "STATE", url.QueryEscape(state))).redirects("oauth_error=" + test.want)
			b.callback(profilePair, state).redirects("oauth_error=invalid_state") // consumed in any case
		}
		state := b.connect(profilePair)
		w.pass(10*time.Minute + time.Second)
		b.callback(profilePair, state).redirects("oauth_error=invalid_state")
		if len(w.Search.Exchanges) > 0 {
			t.Errorf("exchanged %v", w.Search.Exchanges)
		}
		b.get("/api/oauth/callback/provider%5Fsearch?code=c&state=" + url.QueryEscape(b.connect(profilePair))).redirects(searchConnected)
	})
}

// TestCallbackWithoutLogin: the provider's error comes first, then the login.
func TestCallbackWithoutLogin(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		state := b.connect(profilePair)
		for query, want := range map[string]string{
			"": "unauthorized", "?code=c&state=" + url.QueryEscape(state): "unauthorized", "?error=access_denied": "access_denied",
		} {
			w.browser().get("/api/oauth/callback/provider_search" + query).redirects("oauth_error=" + want)
		}
		b.post("/api/auth/logout", "").want(200)
		b.callback(profilePair, state).redirects("oauth_error=unauthorized")
	})
}

// TestHeadOfCallback changes nothing, because a HEAD is safe (RFC 9110, section 9.2.1).
func TestHeadOfCallback(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		state := b.connect(profilePair)
		path := "/api/oauth/callback/provider_search?code=c&state=" + url.QueryEscape(state)
		if location := b.do(http.MethodHead, path, "").want(http.StatusFound).Header().Get("Location"); location != "/konto/integracje" {
			t.Errorf("Location %q", location)
		}
		b.callback(profilePair, state).redirects(searchConnected)
	})
}

// TestStateIsOfItsSession: an authorization is finished once, in the session that began
// it last, and so no user connects another's account.
func TestStateIsOfItsSession(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		other := w.AddCompany("cukiernia")
		b, elsewhere, stranger := w.loggedInAs(w.Anna), w.loggedInAs(w.Anna), w.loggedInAs(w.AddUser("ewa", account.Manager, &other))
		replaced := b.connect(profilePair)
		forged, state := stranger.connect(profilePair), b.connect(profilePair)
		elsewhere.callback(profilePair, state).redirects("oauth_error=invalid_state")
		stranger.callback(profilePair, state).redirects("oauth_error=invalid_state")
		for _, wrong := range []string{forged, replaced} {
			b.callback(profilePair, wrong).redirects("oauth_error=invalid_state")
			b.callback(profilePair, state).redirects("oauth_error=invalid_state") // spent
			state = b.connect(profilePair)
		}
		b.callback(profilePair, state).redirects(searchConnected)
		for _, again := range []*browser{b, elsewhere} {
			again.connect(profilePair)
			again.callback(profilePair, state).redirects("oauth_error=invalid_state")
		}
		if len(w.Search.Exchanges) != 1 {
			t.Errorf("exchanged %d times", len(w.Search.Exchanges))
		}
	})
}

// TestCallbackIsTakenOnce sends the same callback many times at once.
func TestCallbackIsTakenOnce(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		state := url.QueryEscape(b.connect(profilePair))
		results := make([]string, 6)
		var callers sync.WaitGroup
		for i := range results {
			callers.Go(func() {
				recorder := httptest.NewRecorder()
				w.ServeHTTP(recorder, b.request("GET", "/api/oauth/callback/provider_search?code=c&state="+state, ""))
				results[i] = recorder.Header().Get("Location")
			})
		}
		callers.Wait()
		all := strings.Join(results, " ")
		if strings.Count(all, "oauth_success") != 1 || strings.Count(all, "invalid_state") != 5 || len(w.Search.Exchanges) != 1 {
			t.Errorf("answers %s, exchanged %d times", all, len(w.Search.Exchanges))
		}
	})
}

// gone are the sessions of a user who is not there any more, with an authorization under way.
type gone struct {
	account.BrowserSessions
	taken int
}

func (*gone) User(*http.Request) (*account.User, error) { return nil, nil }

func (s *gone) Take(http.ResponseWriter, *http.Request, string) (string, error) {
	s.taken++
	return (&connection.Pending{}).String(), nil
}

// SetOutcome fails, which does not change the response.
func (*gone) SetOutcome(http.ResponseWriter, string) error { return errors.New("no key") }

// TestUserIsGone: the authorization is spent all the same.
func TestUserIsGone(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		var sessions gone
		w.guard.Sessions = &sessions
		w.browser().get("/api/auth/me").wantErrorOnly(401, textNotLoggedIn)
		w.browser().get("/api/oauth/callback/provider_search?code=c&state=s").redirects("oauth_error=unauthorized")
		if sessions.taken != 1 {
			t.Errorf("the authorization was taken %d times, want once", sessions.taken)
		}
	})
}

func TestStatus(t *testing.T) {
	const text = "Nie udzielono wszystkich wymaganych zgód. Połącz konto ponownie i zaznacz każdą z nich."
	withService(t, func(_ *testing.T, w *world) {
		w.connect(profilePair)
		w.connectPage()
		w.connect(directorytest.AnalyticsPair, func(c *connection.Connection) { c.Scopes = []string{"mało"} })
		b := w.loggedInAs(w.Anna)
		a := b.get("/api/oauth/status").want(200).wantCount(len(provider.Pairs()), "services")
		profile, analytics, pages, photos := "provider_search/search_profile", "provider_search/search_analytics",
			"provider_social/social_pages", "provider_social/social_photos"
		a.wantAt(true, "services", profile, "connected").wantAt("Konto", "services", profile, "account_name")
		a.wantAt("2026-11-21T13:00:00Z", "services", profile, "expires_at").wantAt(false, "services", profile, "needs_reconnect")
		a.wantAt(true, "services", analytics, "needs_reconnect").wantAt(text, "services", analytics, "reason")
		a.wantAt("104118", "services", pages, "account_id").wantAt(nil, "services", pages, "expires_at")
		a.wantAt(true, "services", photos, "connected").wantAt("104118", "services", photos, "account_id")
		a.wantAt(nil, "services", photos, "expires_at").wantAt(false, "services", photos, "is_expired")
		w.connect(pagesPair, func(c *connection.Connection) { c.ExpiresAt = ptr(w.Now.Add(time.Hour)) })
		w.pass(time.Hour)
		b.get("/api/oauth/status").wantAt(true, "services", pages, "is_expired").wantAt(false, "services", profile, "is_expired")
	})
}

// TestDisconnect compares the pair with those that are stored, not with the valid ones.
func TestDisconnect(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		other := w.AddCompany("warsztat")
		b, alone, ola := w.loggedInAs(w.Anna), w.loggedInAs(w.AddUser("jan", account.Admin, nil)), w.loggedInAs(w.AddUser("ola", account.Admin, &other))
		for _, pair := range []string{"provider_search/search_profile", "x/y", "%00/%FF", "provider_search/social_pages"} {
			alone.post("/api/oauth/disconnect/"+pair, "").wantErrorOnly(403, textNoCompany)
			ola.post("/api/oauth/disconnect/"+pair, "").wantErrorOnly(404, textNoConnection)
		}
		if !w.Stored(profilePair).Active {
			t.Error("another company's user ended the connection")
		}
		b.post("/api/oauth/disconnect/provider_search/search%5Fprofile", "", "X-Request-Id", "req.7-x_Y").want(200).
			wantAt("Usługa została odłączona.", "message")
		if entries := w.Trail(); w.Stored(profilePair).Active || len(entries) != 2 || entries[0].RequestID != "req.7-x_Y" {
			t.Errorf("stored %+v, trail %+v", w.Stored(profilePair), entries)
		}
		b.post("/api/oauth/disconnect/"+profilePair.String(), "").want(200) // inactive, but there
		b.callback(profilePair, b.connect(profilePair)).redirects(searchConnected)
	})
}

const (
	discoverLocations = "/api/oauth/provider_search/discover-locations"
	selectLocation    = "/api/oauth/provider_search/select-location"
)

func TestLocations(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		b := w.loggedInAs(w.Anna)
		b.post(discoverLocations, "").want(200).wantAt(true, "complete").wantCount(2, "locations").
			wantAt("locations/1", "locations", "0", "name").wantAt("place-1", "locations", "0", "place_id")
		b.post(selectLocation, `{"location_name":"locations/2"}`).want(200).
			wantAt("Lokalizacja została wybrana.", "message").wantAt("Cukiernia", "location", "title")
		if c := w.Stored(profilePair); c.AccountID != "locations/2" || c.AccountName != "Cukiernia" {
			t.Errorf("stored %+v", c)
		}
		w.Search.Cut, w.Search.Unread = true, []string{"Sieć"}
		b.post(discoverLocations, "").want(200).wantAt(false, "complete").wantAt("Sieć", "unread_accounts", "0")
		w.Search.Locations = nil
		b.post(discoverLocations, "").want(200).wantCount(0, "locations")
	})
}

// TestOnlyLocationIsChosen: a client that only connects and discovers gets an audit of it.
func TestOnlyLocationIsChosen(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		w.Search.Locations = w.Search.Locations[:1]
		b := w.loggedInAs(w.Anna)
		b.post(discoverLocations, "").want(200)
		b.post(runAudit, of(w.Company)).want(200)
		b.get("/api/bizprofile/audit?slug="+w.Company.Slug).want(200).wantAt("business_profile", "audit", "audit_source")
	})
}

func TestLocationsRefused(t *testing.T) {
	const textNoLocation, textNoComponent = "Nie znaleziono wybranej lokalizacji.", "Zarządzanie profilem firmy jest niedostępne."
	withService(t, func(t *testing.T, w *world) {
		anna, alone := w.loggedInAs(w.Anna), w.loggedInAs(w.AddUser("jan", account.Admin, nil))
		alone.post(discoverLocations, "").wantErrorOnly(403, textNoCompany)
		guest := w.loggedInAs(w.AddUser("gosc", account.Unaffiliated, &w.Company))
		guest.post(selectLocation, `{"location_name":"locations/1"}`).wantErrorOnly(403, textNotAllowed)
		anna.post(discoverLocations, "").wantErrorOnly(404, textNoConnection)
		anna.post(selectLocation, `{"location_name":"locations/1"}`).wantErrorOnly(404, textNoConnection)
		w.connect(profilePair)
		for _, name := range []string{"locations/9", "Piekarnia", `\u0000`, " locations/1"} {
			anna.post(selectLocation, `{"location_name":"`+name+`"}`).wantErrorOnly(404, textNoLocation)
		}
		for _, body := range []string{`{}`, `{"location_name":""}`, `{"location_name":null}`} {
			anna.post(selectLocation, body).wantErrorOnly(400, textMissing("location_name"))
		}
		anna.post(selectLocation, `{"location_name":1}`).wantErrorOnly(400, textInvalid("location_name"))
		w.Search.Err = provider.NotSetUp(errSecret)
		requireNoLeak(t, anna.post(discoverLocations, "").wantErrorOnly(503, textNoComponent))
		requireNoLeak(t, anna.post(selectLocation, `{"location_name":"locations/1"}`).wantErrorOnly(503, textNoComponent))
		w.Search.Err = nil
		w.Unconfigure(provider.Search)
		anna.post(discoverLocations, "").wantErrorOnly(503, textNoComponent)
	})
}
