package httpapi_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/provider"
)

func TestStatus(t *testing.T) {
	const text = "Nie udzielono wszystkich wymaganych zgód. Połącz konto ponownie i zaznacz każdą z nich."
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		w.connectPage()
		w.connect(provider.Pair{Provider: provider.Search, Service: provider.SearchAnalytics},
			func(c *connection.Connection) { c.Scopes = []string{"mało"} })
		a := w.loggedInAs(w.Anna).get("/api/oauth/status").want(200)
		services, _ := a.at("services").(map[string]any)
		if len(services) != 4 {
			t.Errorf("%d services", len(services))
		}
		profile, analytics, pages, photos := "provider_search/search_profile", "provider_search/search_analytics",
			"provider_social/social_pages", "provider_social/social_photos"
		a.wantAt(true, "services", profile, "connected").wantAt("Konto", "services", profile, "account_name")
		a.wantAt("2026-11-21T13:00:00Z", "services", profile, "expires_at").wantAt(false, "services", profile, "needs_reconnect")
		a.wantAt(true, "services", analytics, "needs_reconnect").wantAt(text, "services", analytics, "reason")
		a.wantAt("104118", "services", pages, "account_id").wantAt(nil, "services", pages, "expires_at")
		a.wantAt(false, "services", photos, "connected").wantAt(nil, "services", photos, "account_name")
		a.wantAt(nil, "services", photos, "expires_at").wantAt(false, "services", photos, "is_expired")
	})
}

// TestStatusOfAnExpiredConnection: expired is only what cannot be renewed.
func TestStatusOfAnExpiredConnection(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		w.connect(pagesPair, func(c *connection.Connection) { c.ExpiresAt = ptr(w.Now.Add(time.Hour)) })
		w.pass(time.Hour)
		a := w.loggedInAs(w.Anna).get("/api/oauth/status").want(200)
		a.wantAt(false, "services", profilePair.String(), "is_expired").wantAt(true, "services", pagesPair.String(), "is_expired")
		a.wantAt(true, "services", pagesPair.String(), "needs_reconnect")
	})
}

// TestStatusIsOfTheOwnCompany: a user without a company gets no services, one of
// another company nothing of this one's.
func TestStatusIsOfTheOwnCompany(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(profilePair)
		a := w.loggedInAs(w.AddUser("jan", account.Admin, nil)).get("/api/oauth/status").want(200)
		if services, ok := a.at("services").(map[string]any); !ok || len(services) > 0 {
			t.Errorf("services %s", a.Body)
		}
		other := w.AddCompany("warsztat")
		w.loggedInAs(w.AddUser("ola", account.Member, &other)).get("/api/oauth/status").want(200).
			wantAt(false, "services", profilePair.String(), "connected")
	})
}
