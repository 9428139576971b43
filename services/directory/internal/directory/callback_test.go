package directory_test

import (
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// arrival is a callback as it comes in.
type arrival struct {
	*link
	actor   directory.Actor
	pending *directory.Pending
	cb      directory.Callback
}

// arrive is a callback that succeeds: user 42 of company 7 connects p.
func (l *link) arrive(p directory.Pair) *arrival {
	l.t.Helper()
	a := &arrival{link: l, actor: linkActor(42, 7)}
	_, pending, err := l.oauth.Connect(a.actor, p)
	if err != nil {
		l.t.Fatal(err)
	}
	a.pending, a.cb = pending, directory.Callback{Provider: p.Provider, Code: "the-code", State: pending.State}
	return a
}

func (a *arrival) finish() (directory.Pair, string) {
	return a.oauth.Finish(a.t.Context(), a.actor, a.pending, a.cb)
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
			{"invalid_state", func(a *arrival) { a.pending = &directory.Pending{Provider: a.cb.Provider, CreatedAt: a.now} }},
			{"invalid_state", func(a *arrival) { a.cb.State += "x" }},
			{"invalid_state", func(a *arrival) { a.now = a.now.Add(10*time.Minute + 1) }},
			{"invalid_state", func(a *arrival) { a.cb.Provider = directory.ProviderSocial }},
		},
		{
			{"invalid_state_format", func(a *arrival) { a.cb.State, a.pending.State = "7:x", "7:x" }},
			{"invalid_state_format", func(a *arrival) { a.cb.State, a.pending.State = "a:b:c:d", "a:b:c:d" }},
		},
		{
			{"unauthorized", func(a *arrival) { a.actor = linkActor(43, 7) }},
			{"unauthorized", func(a *arrival) { a.actor = linkActor(42, 8) }},
			{"unauthorized", func(a *arrival) { a.actor = linkActor(42, 0) }},
		},
		{{"token_exchange_failed", func(a *arrival) { a.search.exchangeErr = directory.Temporary(errors.New("away")) }}},
		{
			{"save_failed", func(a *arrival) { a.store.saveErr = errors.New("database is away") }},
			{"save_failed", func(a *arrival) { a.store.readErr = errors.New("database is away") }},
		},
	}
}

// Every set of checks that fail together answers with the first of them.
func TestCallbackChecksInTheDocumentedOrder(t *testing.T) {
	checks := spoilers()
	for set := range 1 << len(checks) {
		a := newLink(t).arrive(profilePair)
		want := ""
		for i := len(checks) - 1; i >= 0; i-- {
			if set&(1<<i) != 0 {
				checks[i][0].spoil(a)
				want = checks[i][0].want
			}
		}
		if _, got := a.finish(); got != want {
			t.Errorf("set of failing checks %07b: oauth_error = %q, want %q", set, got, want)
		}
	}
}

func TestCallbackFailures(t *testing.T) {
	for i, check := range spoilers() {
		for j, s := range check {
			t.Run(fmt.Sprintf("%d/%d/%s", i+1, j, s.want), func(t *testing.T) {
				a := newLink(t).arrive(profilePair)
				s.spoil(a)
				if _, got := a.finish(); got != s.want {
					t.Errorf("oauth_error = %q, want %q", got, s.want)
				}
				if exchanged := len(a.search.exchanges) > 0; exchanged != (i >= 5) {
					t.Errorf("code exchanged is %t", exchanged)
				}
				if len(a.store.connections) > 0 {
					t.Errorf("saved: %+v", a.store.connections)
				}
				a.trail()
			})
		}
	}
}

func TestCallbackConnects(t *testing.T) {
	a := newLink(t).arrive(profilePair)
	a.now = a.now.Add(10 * time.Minute) // the last moment
	a.search.accountID, a.search.accountName = "accounts/1", "Anna"
	a.search.token = directory.Token{
		AccessToken: "access-1", RefreshToken: "refresh-1", ExpiresAt: linkTime(time.Hour), Scopes: []string{"a"}, ProviderUserID: "sub-1",
	}
	if p, oauthError := a.finish(); p != profilePair || oauthError != "" {
		t.Fatalf("Finish = %v, %q", p, oauthError)
	}
	want := directory.Connection{
		ID: 1, CompanyID: 7, UserID: 42, Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Scopes: []string{"a"},
		AccountID: "accounts/1", AccountName: "Anna", ExpiresAt: linkTime(time.Hour), Active: true, ProviderUserID: "sub-1",
	}
	if got := a.stored(1); !reflect.DeepEqual(got, want) {
		t.Errorf("stored = %+v, want %+v", got, want)
	}
	exchange := url.Values{
		"service": {"search_profile"}, "code": {"the-code"}, "verifier": {a.pending.Verifier},
		"redirect": {"https://firmy.example/api/oauth/callback/provider_search"},
	}
	if got := a.search.exchanges; !reflect.DeepEqual(got, []url.Values{exchange}) || a.pending.Verifier == "" {
		t.Errorf("exchanges = %v, want one of %v", got, exchange)
	}
	user := int64(42)
	entry := directory.Entry{At: a.now, CompanyID: 7, UserID: &user, Action: "connect", Pair: profilePair, RequestID: "req-1"}
	if got := a.store.trail; !reflect.DeepEqual(got, []directory.Entry{entry}) {
		t.Errorf("trail = %+v, want %+v", got, entry)
	}
}

func TestCallbackConnectsWithoutAnAccountName(t *testing.T) {
	a := newLink(t).arrive(pagesPair)
	a.social.token = directory.Token{AccessToken: "access-1"}
	a.social.accountErr = directory.Denied(errors.New("scope"))
	if p, oauthError := a.finish(); p != pagesPair || oauthError != "" || a.stored(1).AccountName != "" {
		t.Errorf("Finish = %v, %q with %+v", p, oauthError, a.stored(1))
	}
	l := newLink(t)
	bare := &linkLogin{token: directory.Token{AccessToken: "access-1"}}
	l.oauth = l.with(map[directory.Provider]directory.Abilities{directory.ProviderSearch: bare.abilities()})
	if p, oauthError := l.arrive(profilePair).finish(); p != profilePair || oauthError != "" {
		t.Errorf("Finish at a provider that names no account = %v, %q", p, oauthError)
	}
}

// A state that only this service could have made, but of another release.
func TestCallbackOfAPairThatIsNoMore(t *testing.T) {
	a := newLink(t).arrive(profilePair)
	a.cb.State = strings.Replace(a.cb.State, "search_profile", "search_mail", 1)
	a.pending.State = a.cb.State
	if _, got := a.finish(); got != "token_exchange_failed" || len(a.search.exchanges) > 0 {
		t.Errorf("oauth_error = %q after %d exchanges", got, len(a.search.exchanges))
	}
}

func TestReconnectingKeepsAChosenLocationAlone(t *testing.T) {
	for name, tt := range map[string]struct {
		pair                  directory.Pair
		before                directory.Connection
		accountID, accountNam string
	}{
		"location": {
			profilePair, directory.Connection{Chosen: directory.ChosenLocation, AccountID: "locations/9", AccountName: "Piekarnia"}, "locations/9", "Piekarnia",
		},
		"account": {profilePair, directory.Connection{AccountID: "accounts/8", AccountName: "Ewa"}, "accounts/1", "Anna"},
		"page": {
			pagesPair, directory.Connection{
				Chosen: directory.ChosenPage, AccountID: "100", AccountName: "Strona", UserAccessToken: "user-0", UserExpiresAt: linkTime(time.Hour),
				ReconnectReason: "Hasło do konta zostało zmienione.",
			}, "accounts/1", "Anna",
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLink(t)
			tt.before.Pair, tt.before.AccessToken = tt.pair, "access-0"
			l.connected(tt.before)
			for _, p := range []*linkProvider{l.search, l.social} {
				p.token, p.accountID, p.accountName = directory.Token{AccessToken: "access-1"}, "accounts/1", "Anna"
			}
			if _, oauthError := l.arrive(tt.pair).finish(); oauthError != "" {
				t.Fatal(oauthError)
			}
			want := directory.Connection{
				ID: 1, CompanyID: 7, UserID: 42, Pair: tt.pair, AccessToken: "access-1", Active: true,
				AccountID: tt.accountID, AccountName: tt.accountNam,
			}
			if got := l.stored(1); !reflect.DeepEqual(got, want) {
				t.Errorf("stored = %+v, want %+v", got, want)
			}
		})
	}
}

func TestPageHasToBeChosenAgainAfterReconnecting(t *testing.T) {
	l := newLink(t)
	l.connected(directory.Connection{Pair: pagesPair, AccessToken: "page-0", Chosen: directory.ChosenPage, AccountID: "100", UserAccessToken: "user-0"})
	l.social.token = directory.Token{AccessToken: "user-1"}
	if _, oauthError := l.arrive(pagesPair).finish(); oauthError != "" {
		t.Fatal(oauthError)
	}
	_, err := directory.NewPages(l.oauth, l.store, l.clock, l.logger()).SyncPage(t.Context(), 7)
	wantFault(t, err, fault.NotFound, "no_page")
}

func TestNoSecretOfACallbackIsLogged(t *testing.T) {
	for _, s := range append(spoilers()[5], spoilers()[6]...) {
		a := newLink(t).arrive(profilePair)
		a.search.token = directory.Token{AccessToken: "access-1", RefreshToken: "refresh-1"}
		s.spoil(a)
		if _, got := a.finish(); got != s.want || !strings.Contains(a.log.String(), "req-1") {
			t.Errorf("oauth_error = %q, log = %q", got, a.log.String())
		}
		for _, secret := range []string{"the-code", a.pending.State, a.pending.Verifier, "access-1", "refresh-1"} {
			if strings.Contains(a.log.String(), secret) {
				t.Errorf("%q is in the log: %s", secret, a.log.String())
			}
		}
	}
}
