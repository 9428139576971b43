package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
)

// connect begins an authorization and returns its state.
func (b *browser) connect(p provider.Pair) (state string) {
	b.w.t.Helper()
	return b.w.authQuery(b.post("/api/oauth/connect/"+p.String(), "").want(200)).Get("state")
}

// authQuery is the query of the address at the provider.
func (w *world) authQuery(a answer) url.Values {
	w.t.Helper()
	address, _ := a.at("auth_url").(string)
	u, err := url.Parse(address)
	w.ok(err)
	return u.Query()
}

func TestConnect(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b, states := w.loggedInAs(w.Anna), map[string]bool{}
		for _, p := range append(provider.Pairs(), provider.Pairs()...) {
			q := w.authQuery(b.post("/api/oauth/connect/"+p.String(), "").want(200))
			form := regexp.MustCompile(fmt.Sprintf(`^%d:%d:%s:[\w-]{22}$`, w.Company.ID, w.Anna.ID, p.Service))
			if state := q.Get("state"); !form.MatchString(state) || states[state] {
				t.Errorf("%s: state %q", p, state)
			}
			states[q.Get("state")] = true
			if got, want := q.Get("redirect_uri"), publicURL+"/api/oauth/callback/"+string(p.Provider); got != want {
				t.Errorf("redirect_uri %q, want %q", got, want)
			}
		}
		b.post("/api/oauth/connect/%70rovider_search/search%5Fprofile", "").want(200)
		b.post("/api/oauth/connect/provider_search/search_profile", "{not looked at").want(200)
	})
}

// TestConnectRefused: the pair counts first, then the company, then the provider.
func TestConnectRefused(t *testing.T) {
	const textPair, textNotConfigured = "Nieprawidłowy dostawca lub usługa.", "Ten dostawca nie jest skonfigurowany."
	withService(t, func(t *testing.T, w *world) {
		alone := w.AddUser("jan", account.Admin, nil)
		w.Unconfigure(provider.Search)
		for _, pair := range []string{
			"provider_search/social_pages", "provider_social/search_profile", "x/y", "provider_search/SEARCH_PROFILE",
			"provider_search/search_profile%20", "provider_search/%00", "%FF/search_profile", "provider_search%2Fx/search_profile",
		} {
			w.loggedInAs(alone).post("/api/oauth/connect/"+pair, "").wantErrorOnly(400, textPair)
			w.loggedInAs(w.Anna).post("/api/oauth/connect/"+pair, "").wantErrorOnly(400, textPair)
		}
		w.loggedInAs(alone).post("/api/oauth/connect/"+profilePair.String(), "").wantErrorOnly(403, textNoCompany)
		w.loggedInAs(w.Anna).post("/api/oauth/connect/"+profilePair.String(), "").wantErrorOnly(503, textNotConfigured)
		w.loggedInAs(w.Anna).post("/api/oauth/connect/"+pagesPair.String(), "").want(200)
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

// TestConnectsAtOnce: whoever connects often at once gets an address each time, and one
// of the states is kept.
func TestConnectsAtOnce(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		var all sync.WaitGroup
		var mu sync.Mutex
		var states []string
		for range 40 {
			all.Go(func() {
				a := b.post("/api/oauth/connect/provider_social/social_pages", "")
				address, _ := a.at("auth_url").(string)
				u, err := url.Parse(address)
				mu.Lock()
				defer mu.Unlock()
				if a.Code != 200 || err != nil {
					t.Errorf("connect: %d %s", a.Code, a.Body)
					return
				}
				states = append(states, u.Query().Get("state"))
			})
		}
		all.Wait()
		text, err := w.sessions.Take(httptest.NewRecorder(), b.request("GET", "/", ""), connection.PendingName)
		w.ok(err)
		pending, err := connection.ParsePending(text)
		if err != nil || pending == nil || !slices.Contains(states, pending.State) {
			t.Errorf("kept %+v, %v", pending, err)
		}
	})
}
