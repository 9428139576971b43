package httpapi_test

import (
	"net/http"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/provider"
)

// TestFixedSession: a session that was planted in a browser does not become that
// of the one who logs in there.
func TestFixedSession(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		attacker := w.loggedInAs(w.AddUser("ewa", account.Member, nil))
		victim, password := w.browser(), w.setPassword(w.Anna)
		for _, planted := range []*http.Cookie{attacker.cookie, {Name: "session", Value: "chosen-by-ewa"}} {
			victim.cookie = planted
			victim.login("anna@poczta.example", password).want(200)
			victim.get("/api/auth/me").want(200).wantAt("anna@poczta.example", "user", "email")
			if victim.cookie.Value == planted.Value {
				t.Error("the planted id stays")
			}
			thief := w.browser()
			thief.cookie = planted
			thief.get("/api/auth/me").wantErrorOnly(401, textNotLoggedIn)
		}
	})
}

// TestForeignState: no user finishes the authorization that another user began, in
// whichever browser its answer ends, and so no user connects another's account.
func TestForeignState(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		other := w.AddCompany("cukiernia")
		attacker, victim := w.loggedInAs(w.AddUser("ewa", account.Manager, &other)), w.loggedInAs(w.Anna)
		forged, own := attacker.connect(profilePair), victim.connect(profilePair)

		victim.callback(profilePair, forged).redirects("oauth_error=invalid_state")
		attacker.callback(profilePair, own).redirects("oauth_error=invalid_state")
		victim.hold(provider.Search, forged) // even if it got into the session
		victim.callback(profilePair, forged).redirects("oauth_error=unauthorized")

		for _, company := range []company.Company{w.Company, other} {
			if found, err := w.Store.Connections.List(t.Context(), company.ID); err != nil || len(found) > 0 {
				t.Errorf("%s: connected %v, %v", company.Slug, found, err)
			}
		}
		if len(w.Search.Exchanges) > 0 {
			t.Errorf("codes were exchanged: %v", w.Search.Exchanges)
		}
	})
}

// TestReplayedCallback: the address that ended an authorization is of no more use,
// to the same browser or to another one of the same user.
func TestReplayedCallback(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		state := b.connect(profilePair)
		b.callback(profilePair, state).redirects("oauth_success=provider_search/search_profile")
		for _, again := range []*browser{b, w.loggedInAs(w.Anna)} {
			again.callback(profilePair, state).redirects("oauth_error=invalid_state")
		}
		b.connect(profilePair)
		b.callback(profilePair, state).redirects("oauth_error=invalid_state")
		if len(w.Search.Exchanges) != 1 {
			t.Errorf("exchanged %d times", len(w.Search.Exchanges))
		}
	})
}
