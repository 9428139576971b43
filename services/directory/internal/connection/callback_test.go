package connection_test

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// arrival is a callback as it comes in.
type arrival struct {
	*directorytest.Service
	actor   account.Actor
	pending *connection.Pending
	cb      connection.Callback
	restore func() // ends what spoiled the database; may be nil
}

// arrive is a callback that succeeds: anna connects p.
func arrive(s *directorytest.Service, p provider.Pair) *arrival {
	s.T.Helper()
	a := &arrival{Service: s, actor: anna(s)}
	_, pending, err := s.Connections.Connect(a.actor, p)
	if err != nil {
		s.T.Fatal(err)
	}
	a.pending, a.cb = pending, connection.Callback{Provider: p.Provider, Code: "the-code", State: pending.State}
	return a
}

func (a *arrival) finish() (provider.Pair, string) {
	done, oauthError := a.Connections.Finish(a.T.Context(), a.actor, a.pending, a.cb)
	return done.Pair, oauthError
}

// spoiler makes one of the checks fail.
type spoiler struct {
	want  string
	spoil func(*arrival)
}

// spoilers are the ways to fail of each check, the checks in the documented order.
func spoilers() [][]spoiler {
	return [][]spoiler{
		{{"access_denied", func(a *arrival) { a.cb.Error = "access_denied" }}},
		{
			{"missing_params", func(a *arrival) { a.cb.Code = "" }},
			{"missing_params", func(a *arrival) { a.cb.State = "" }},
		},
		{
			{"invalid_state", func(a *arrival) { a.pending = nil }},
			{
				"invalid_state",
				func(a *arrival) { a.pending = &connection.Pending{Provider: a.cb.Provider, CreatedAt: a.Now} },
			},
			{"invalid_state", func(a *arrival) { a.cb.State += "x" }},
			{"invalid_state", func(a *arrival) { a.Now = a.Now.Add(10*time.Minute + 1) }},
			{"invalid_state", func(a *arrival) { a.cb.Provider = provider.Social }},
		},
		{
			{"invalid_state_format", func(a *arrival) { a.cb.State, a.pending.State = "7:x", "7:x" }},
			{"invalid_state_format", func(a *arrival) { a.cb.State, a.pending.State = "a:b:c:d", "a:b:c:d" }},
		},
		{
			{"unauthorized", func(a *arrival) { a.actor = ewa(a.Service) }},
			{"unauthorized", func(a *arrival) { a.actor = directorytest.ActorOf(a.Anna, 9) }},
			{"unauthorized", func(a *arrival) { a.actor = directorytest.ActorOf(a.Anna, 0) }},
			{"unauthorized", func(a *arrival) { a.actor.User.Role = account.Unaffiliated; a.Strict = true; a.Wire() }},
		},
		{
			{
				"token_exchange_failed",
				func(a *arrival) { a.Search.Fail["Exchange"] = provider.Temporary(errors.New("away")) },
			},
		},
		{
			{"save_failed", func(a *arrival) { a.FailInserts("oauth_tokens") }},
			{"save_failed", func(a *arrival) { a.restore = a.Hide("oauth_tokens") }},
		},
	}
}

// Of two checks that fail, the first in the documented order is answered.
func TestCallbackChecksInTheDocumentedOrder(t *testing.T) {
	checks := spoilers()
	for i := range checks {
		for j := i + 1; j < len(checks); j++ {
			a := arrive(directorytest.New(t), profilePair)
			checks[j][0].spoil(a)
			checks[i][0].spoil(a)
			if _, got := a.finish(); got != checks[i][0].want {
				t.Errorf("checks %d and %d fail: oauth_error = %q, want %q", i+1, j+1, got, checks[i][0].want)
			}
		}
	}
}

func TestCallbackFailures(t *testing.T) {
	for i, check := range spoilers() {
		for j, s := range check {
			t.Run(fmt.Sprintf("%d/%d/%s", i+1, j, s.want), func(t *testing.T) {
				a := arrive(directorytest.New(t), profilePair)
				s.spoil(a)
				if _, got := a.finish(); got != s.want {
					t.Errorf("oauth_error = %q, want %q", got, s.want)
				}
				if exchanged := len(a.Search.Exchanges) > 0; exchanged != (i >= 5) {
					t.Errorf("code exchanged is %t", exchanged)
				}
				if a.restore != nil {
					a.restore()
				}
				if saved, err := a.Store.Connections.List(t.Context(), a.Company.ID); err != nil || len(saved) > 0 {
					t.Errorf("saved: %+v, %v", saved, err)
				}
				a.WantTrail()
			})
		}
	}
}

func TestCallbackConnects(t *testing.T) {
	a := arrive(directorytest.New(t), profilePair)
	a.Now = a.Now.Add(10 * time.Minute) // the last moment
	a.Search.AccountID, a.Search.Name = "accounts/1", "Anna"
	a.Search.Token = provider.Token{
		AccessToken: "access-1", RefreshToken: "refresh-1", ExpiresAt: directorytest.After(time.Hour),
		Scopes: []string{"a"}, ProviderUserID: "sub-1",
	}
	if p, oauthError := a.finish(); p != profilePair || oauthError != "" {
		t.Fatalf("Finish = %v, %q", p, oauthError)
	}
	want := connection.Connection{
		ID: 1, CompanyID: 1, UserID: 1, Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1",
		Scopes:    []string{"a"},
		AccountID: "accounts/1", AccountName: "Anna", OwnerName: "Anna", ExpiresAt: directorytest.After(time.Hour),
		Active: true, ProviderUserID: "sub-1",
	}
	if got := a.Stored(profilePair); !reflect.DeepEqual(got, want) {
		t.Errorf("stored = %+v, want %+v", got, want)
	}
	exchange := url.Values{
		"service": {"search_profile"}, "code": {"the-code"}, "verifier": {a.pending.Verifier},
		"redirect": {"https://firmy.example/api/oauth/callback/provider_search"},
	}
	if got := a.Search.Exchanges; !reflect.DeepEqual(got, []url.Values{exchange}) || a.pending.Verifier == "" {
		t.Errorf("exchanges = %v, want one of %v", got, exchange)
	}
	user := a.Anna.ID
	entry := trail.Entry{At: a.Now, CompanyID: 1, UserID: &user, Action: "connect", Pair: profilePair,
		RequestID: "req-1"}
	if got := a.Trail(); !reflect.DeepEqual(got, []trail.Entry{entry}) {
		t.Errorf("trail = %+v, want %+v", got, entry)
	}
}

func TestCallbackConnectsWithoutAnAccountName(t *testing.T) {
	a := arrive(directorytest.New(t), pagesPair)
	a.Social.Token = provider.Token{AccessToken: "access-1"}
	a.Social.Fail["Account"] = provider.Denied(errors.New("scope"))
	if p, oauthError := a.finish(); p != pagesPair || oauthError != "" || a.Stored(pagesPair).AccountName != "" {
		t.Errorf("Finish = %v, %q with %+v", p, oauthError, a.Stored(pagesPair))
	}
}

// A state that only this service could have made, but of another release.
func TestCallbackOfAPairThatIsNoMore(t *testing.T) {
	a := arrive(directorytest.New(t), profilePair)
	a.cb.State = strings.Replace(a.cb.State, "search_profile", "search_mail", 1)
	a.pending.State = a.cb.State
	if _, got := a.finish(); got != "token_exchange_failed" || len(a.Search.Exchanges) > 0 {
		t.Errorf("oauth_error = %q after %d exchanges", got, len(a.Search.Exchanges))
	}
}

func TestNoSecretOfACallbackIsLogged(t *testing.T) {
	for _, s := range append(spoilers()[5], spoilers()[6]...) {
		a := arrive(directorytest.New(t), profilePair)
		a.Search.Token = provider.Token{AccessToken: "access-1", RefreshToken: "refresh-1"}
		s.spoil(a)
		if _, got := a.finish(); got != s.want || !strings.Contains(a.Log.String(), "req-1") {
			t.Errorf("oauth_error = %q, log = %q", got, a.Log.String())
		}
		for _, secret := range []string{"the-code", a.pending.State, a.pending.Verifier, "access-1", "refresh-1"} {
			if strings.Contains(a.Log.String(), secret) {
				t.Errorf("%q is in the log: %s", secret, a.Log.String())
			}
		}
	}
}

func TestConnect(t *testing.T) {
	for _, tt := range []struct {
		pair     provider.Pair
		redirect string
		pkce     bool
	}{
		{profilePair, "https://firmy.example/api/oauth/callback/provider_search", true},
		{analyticsPair, "https://firmy.example/api/oauth/callback/provider_search", true},
		{pagesPair, "https://firmy.example/api/oauth/callback/provider_social", false},
		{photosPair, "https://firmy.example/api/oauth/callback/provider_social", false},
	} {
		t.Run(tt.pair.String(), func(t *testing.T) {
			s := directorytest.New(t)
			address, pending, err := s.Connections.Connect(anna(s), tt.pair)
			if err != nil {
				t.Fatal(err)
			}
			state := regexp.MustCompile(`^1:1:` + string(tt.pair.Service) + `:[A-Za-z0-9_-]{22}$`)
			if !state.MatchString(pending.State) || pending.Provider != tt.pair.Provider ||
				!pending.CreatedAt.Equal(directorytest.Start) {
				t.Errorf("pending = %+v", pending)
			}
			if verifier := regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`); verifier.MatchString(
				pending.Verifier,
			) != tt.pkce {
				t.Errorf("verifier = %q, with PKCE is %t", pending.Verifier, tt.pkce)
			}
			u, err := url.Parse(address)
			want := url.Values{"scope": {string(tt.pair.Service)}, "state": {pending.State},
				"redirect_uri": {tt.redirect}}
			if tt.pkce {
				want["code_challenge"] = u.Query()["code_challenge"]
			}
			if err != nil || !reflect.DeepEqual(u.Query(), want) {
				t.Errorf("address = %q, %v, want one of %v", address, err, want)
			}
		})
	}
}

func TestConnectMakesEachStateAndVerifierOnce(t *testing.T) {
	s := directorytest.New(t)
	_, first, err1 := s.Connections.Connect(anna(s), profilePair)
	_, second, err2 := s.Connections.Connect(anna(s), profilePair)
	if err1 != nil || err2 != nil {
		t.Fatalf("two connects: %+v, %v and %+v, %v", first, err1, second, err2)
	}
	if first.State == second.State || first.Verifier == second.Verifier {
		t.Errorf("two connects: %+v, %v and %+v, %v", first, err1, second, err2)
	}
}

func TestConnectFaults(t *testing.T) {
	crossed := provider.Pair{Provider: provider.Search, Service: provider.SocialPages}
	unknown := provider.Pair{Provider: "provider_x", Service: provider.SearchProfile}
	for name, tt := range map[string]struct {
		company      int64 // of the user; 0: none
		pair         provider.Pair
		unconfigured bool
		kind         fault.Kind
		code         string
	}{
		"service of the other provider": {1, crossed, false, fault.Invalid, "invalid_pair"},
		"unknown provider":              {1, unknown, false, fault.Invalid, "invalid_pair"},
		"nothing":                       {1, provider.Pair{}, false, fault.Invalid, "invalid_pair"},
		"no company":                    {0, profilePair, false, fault.Forbidden, "no_company"},
		"not configured":                {1, profilePair, true, fault.Unavailable, "not_configured"},
		"pair before company":           {0, crossed, true, fault.Invalid, "invalid_pair"},
		"company before configuration":  {0, profilePair, true, fault.Forbidden, "no_company"},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			if tt.unconfigured {
				s.Unconfigure(provider.Search)
			}
			address, pending, err := s.Connections.Connect(directorytest.ActorOf(s.Anna, tt.company), tt.pair)
			wantFault(t, err, tt.kind, tt.code)
			if address != "" || pending != nil {
				t.Errorf("address, pending = %q, %+v, want none", address, pending)
			}
		})
	}
	s := directorytest.New(t)
	delete(s.Providers, provider.Search)
	_, _, err := s.Connections.Connect(anna(s), profilePair)
	wantFault(t, err, fault.Unavailable, "not_configured")
}
