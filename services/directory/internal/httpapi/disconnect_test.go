package httpapi_test

import (
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/provider"
)

func TestDisconnect(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		b := w.loggedInAs(w.Anna)
		b.post("/api/oauth/disconnect/provider_search/search%5Fprofile", "", "X-Request-Id", "req.7-x_Y").want(200).
			wantAt("Usługa została odłączona.", "message")
		if c := w.connection(profilePair); c.Active || c.AccessToken != "" || c.RefreshToken != "" {
			t.Errorf("stored %+v", c)
		}
		if e := w.newestEntry(); e.Action != "revoke" || e.RequestID != "req.7-x_Y" || len(w.Search.Revoked) != 1 {
			t.Errorf("trail %+v, revoked %d times", e, len(w.Search.Revoked))
		}
		b.get("/api/oauth/status").wantAt(false, "services", profilePair.String(), "connected")
		b.post("/api/oauth/disconnect/"+profilePair.String(), "").want(200) // inactive, but there
		b.callback(profilePair, b.connect(profilePair)).redirects("oauth_success=" + profilePair.String())
		b.get("/api/oauth/status").wantAt(true, "services", profilePair.String(), "connected")
	})
}

// TestDisconnectRefused: the pair is not compared with the valid ones, so one
// that cannot be is just not there.
func TestDisconnectRefused(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		other := w.AddCompany("warsztat")
		alone, ola := w.loggedInAs(w.AddUser("jan", account.Admin, nil)), w.loggedInAs(w.AddUser("ola", account.Admin, &other))
		for _, pair := range []string{"provider_search/search_profile", "x/y", "%00/%FF", "provider_search/social_pages"} {
			alone.post("/api/oauth/disconnect/"+pair, "").wantErrorOnly(403, textNoCompany)
			ola.post("/api/oauth/disconnect/"+pair, "").wantErrorOnly(404, textNoConnection)
		}
		w.loggedInAs(w.Anna).post("/api/oauth/disconnect/x/y", "").wantErrorOnly(404, textNoConnection)
		if !w.connection(profilePair).Active {
			t.Error("another company's user ended the connection")
		}
	})
}

// TestDisconnectDespiteTheProvider: the grant is withdrawn where that works.
func TestDisconnectDespiteTheProvider(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		w.Search.Err = provider.Temporary(errSecret)
		w.loggedInAs(w.Anna).post("/api/oauth/disconnect/"+profilePair.String(), "").want(200)
		if e := w.newestEntry(); e.Detail != "failed: provider_temporary" {
			t.Errorf("trail %+v", e)
		}
	})
}
