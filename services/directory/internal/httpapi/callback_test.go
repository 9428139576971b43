package httpapi_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
)

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

// hold puts an authorization with that state into the browser's session.
func (b *browser) hold(p provider.Name, state string) {
	b.w.t.Helper()
	pending := &connection.Pending{State: state, Provider: p, CreatedAt: b.w.Now}
	b.w.ok(b.w.sessions.Put(httptest.NewRecorder(), b.request("POST", "/", ""), connection.PendingName, pending.String()))
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

func TestCallback(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		for _, p := range provider.Pairs() {
			b := w.loggedInAs(w.Anna)
			b.callback(p, b.connect(p)).redirects("oauth_success=" + p.String())
			c := w.connection(p)
			if !c.Active || c.UserID != w.Anna.ID || c.AccessToken == "" || c.Pair != p {
				t.Errorf("%s: stored %+v", p, c)
			}
			if e := w.newestEntry(); e.Action != "connect" || e.Pair != p || *e.UserID != w.Anna.ID {
				t.Errorf("%s: trail %+v", p, e)
			}
		}
		for _, x := range append(w.Search.Exchanges, w.Social.Exchanges...) {
			if !strings.HasPrefix(x.Get("code"), "code-") || len(x.Get("verifier")) != 43 || !strings.HasPrefix(x.Get("redirect"), publicURL+"/api/oauth/callback/") {
				t.Errorf("exchanged %+v", x)
			}
		}
	})
}

// TestCallbackChecks begins an authorization for each case; the placeholder STATE
// stands for its state. Where several checks would fail, the first one speaks.
func TestCallbackChecks(t *testing.T) {
	tests := []struct{ query, want string }{
		{"error=access_denied", "access_denied"},
		{"error=access_denied&code=c&state=STATE", "access_denied"},
		{"error=access_denied&state=other", "access_denied"},
		{"error=a+b%26oauth_success%3Dx%23%0D%0A%C5%82", "a+b%26oauth_success%3Dx%23%0D%0A%C5%82"},
		{"error=" + strings.Repeat("x", 3000), strings.Repeat("x", 3000)},
		{"error=x" + strings.Repeat("%C5%82", 150), "x" + strings.Repeat("%C5%82", 150)},
		{"error=%FF", "%3F"},
		{"error=&code=&state=", "missing_params"},
		{"", "missing_params"},
		{"code=c", "missing_params"},
		{"state=STATE", "missing_params"},
		{"code=&state=STATE", "missing_params"},
		{"code=c&state=", "missing_params"},
		{"code=c&state=other", "invalid_state"},
		{"code=c&state=STATEx", "invalid_state"},
		{"code=c&state=state", "invalid_state"},
		{"code=c&state=%00%FF", "invalid_state"},
	}
	onEachDatabase(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for _, test := range tests {
			state := b.connect(profilePair)
			query := strings.ReplaceAll(test.query, "STATE", url.QueryEscape(state))
			b.get("/api/oauth/callback/provider_search?" + query).redirects("oauth_error=" + test.want)
			b.callback(profilePair, state).redirects("oauth_error=invalid_state") // consumed in any case
		}
		if len(w.Search.Exchanges) > 0 {
			t.Errorf("exchanged %v", w.Search.Exchanges)
		}
	})
}

// TestCallbackOfTheState looks at what the state names. The exchange would fail,
// so that every earlier check is seen to come first.
func TestCallbackOfTheState(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		w.Search.Fail["Exchange"] = errors.New("code refused by token.inner")
		own := fmt.Sprintf("%d:%d", w.Company.ID, w.Anna.ID)
		tests := map[string]string{ // state → oauth_error
			"x":                                     "invalid_state_format",
			own + ":search_profile":                 "invalid_state_format",
			own + "::r":                             "invalid_state_format",
			"a:1:search_profile:r":                  "invalid_state_format",
			"1:b:search_profile:r":                  "invalid_state_format",
			"99999999999999999999:1:s:r":            "invalid_state_format",
			fmt.Sprintf("%d:999:s:r", w.Company.ID): "unauthorized",
			fmt.Sprintf("999:%d:s:r", w.Anna.ID):    "unauthorized",
			own + ":search_profile:r":               "token_exchange_failed",
			own + ":social_pages:r":                 "token_exchange_failed", // not of this provider
			own + ":search_profile:r:s":             "token_exchange_failed",
		}
		b := w.loggedInAs(w.Anna)
		for state, want := range tests {
			b.hold(provider.Search, state)
			b.callback(profilePair, state).redirects("oauth_error=" + want)
		}
	})
}

func TestCallbackOfAnotherProvider(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for _, provider := range []string{"provider_social", "x", "provider_search%20", "%00", "PROVIDER_SEARCH"} {
			state := b.connect(profilePair)
			b.get("/api/oauth/callback/" + provider + "?code=c&state=" + url.QueryEscape(state)).redirects("oauth_error=invalid_state")
			b.callback(profilePair, state).redirects("oauth_error=invalid_state")
			b.get("/api/oauth/callback/" + provider + "?error=access_denied").redirects("oauth_error=access_denied") // comes first
		}
		b.get("/api/oauth/callback/provider%5Fsearch?code=c&state=" + url.QueryEscape(b.connect(profilePair))).
			redirects("oauth_success=provider_search/search_profile")
	})
}

func TestCallbackAge(t *testing.T) {
	tests := map[time.Duration]string{
		10 * time.Minute:             "oauth_success=provider_search/search_profile",
		10*time.Minute + time.Second: "oauth_error=invalid_state",
		12*time.Hour - time.Second:   "oauth_error=invalid_state",
		12 * time.Hour:               "oauth_error=unauthorized", // the session has ended
	}
	onEachDatabase(t, func(t *testing.T, w *world) {
		for age, want := range tests {
			b := w.loggedInAs(w.Anna)
			state := b.connect(profilePair)
			w.pass(age)
			b.callback(profilePair, state).redirects(want)
		}
	})
}

// TestCallbackWithoutLogin comes before all checks.
func TestCallbackWithoutLogin(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		state := b.connect(profilePair)
		for _, query := range []string{"", "?error=access_denied", "?code=c&state=" + url.QueryEscape(state)} {
			w.browser().get("/api/oauth/callback/provider_search" + query).redirects("oauth_error=unauthorized")
		}
		b.post("/api/auth/logout", "").want(200)
		b.callback(profilePair, state).redirects("oauth_error=unauthorized")
	})
}

// TestCallbackOfAnotherSession: a state is good in the session that it was made in.
func TestCallbackOfAnotherSession(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, w *world) {
		b, other := w.loggedInAs(w.Anna), w.loggedInAs(w.Anna)
		replaced := b.connect(profilePair)
		state := b.connect(profilePair)
		other.callback(profilePair, state).redirects("oauth_error=invalid_state")
		b.callback(profilePair, replaced).redirects("oauth_error=invalid_state")
		b.callback(profilePair, state).redirects("oauth_error=invalid_state")
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
