package e2e

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"
)

// pairs are all that a company can connect.
var pairs = []string{
	"provider_search/search_profile", "provider_search/search_analytics",
	"provider_social/social_pages", "provider_social/social_photos",
}

type status struct {
	Services map[string]struct {
		Connected      bool
		AccountID      *string `json:"account_id"`
		AccountName    *string `json:"account_name"`
		Expired        bool    `json:"is_expired"`
		NeedsReconnect bool    `json:"needs_reconnect"`
		Reason         *string
	}
}

type audit struct {
	Saved bool
	Audit struct {
		ID          int64
		Score       float64 `json:"completeness_score"`
		Category    string  `json:"score_category"`
		PlaceID     string  `json:"place_id"`
		ReviewCount int     `json:"review_count"`
		Source      string  `json:"audit_source"`
	}
	Fetch *struct {
		Success bool
	} `json:"google_fetch"`
}

// directoryBase returns a backend with the demonstration data.
func directoryBase(t *testing.T) string {
	t.Helper()
	if url := os.Getenv("E2E_BASE_URL"); url != "" {
		return strings.TrimSuffix(url, "/")
	}
	return newStack(t, options{directories: 1}).gateway
}

// ok fails the test unless the answer is 200.
func ok(t *testing.T, a answer) answer {
	t.Helper()
	if a.status != http.StatusOK {
		t.Fatalf("%d %s", a.status, a.body)
	}
	return a
}

// TestDirectoryThroughTheGateway is the whole story of a company.
func TestDirectoryThroughTheGateway(t *testing.T) {
	v := newVisitor(t, directoryBase(t))
	if a := v.get(t, "/api/oauth/status"); a.status != http.StatusUnauthorized {
		t.Errorf("status without a login: %d", a.status)
	}
	v.login(t, "biuro@demo.example")
	company := decode[struct{ Company struct{ ID int64 } }](t, ok(t, v.get(t, "/api/auth/me"))).Company.ID
	of := map[string]any{"company_id": company}

	for _, pair := range pairs {
		v.connect(t, pair, "anna")
	}
	for pair, s := range decode[status](t, ok(t, v.get(t, "/api/oauth/status"))).Services {
		if !s.Connected || s.Expired || s.NeedsReconnect || s.AccountName == nil {
			t.Errorf("%s after connecting: %+v", pair, s)
		}
	}

	t.Run("pages", func(t *testing.T) {
		pages := decode[struct{ Pages []struct{ ID, Name string } }](t, ok(t, v.post(t, "/api/oauth/provider_social/discover-pages", of))).Pages
		if len(pages) != 3 {
			t.Fatalf("pages: %+v", pages)
		}
		selected := decode[struct {
			Page struct{ ID string }
			Sync *struct {
				FanCount int `json:"fan_count"`
			}
		}](t, ok(t, v.post(t, "/api/oauth/provider_social/select-page", map[string]any{"company_id": company, "page_id": pages[0].ID})))
		if selected.Page.ID != pages[0].ID || selected.Sync == nil || selected.Sync.FanCount == 0 {
			t.Errorf("selected: %+v", selected)
		}
		ok(t, v.post(t, "/api/oauth/provider_social/sync-facebook", of))
		photos := decode[struct{ Data struct{ Media []any } }](t, ok(t, v.post(t, "/api/oauth/provider_social/sync-instagram", of)))
		if len(photos.Data.Media) != 25 {
			t.Errorf("%d media, want the newest 25", len(photos.Data.Media))
		}
	})

	t.Run("location and audit", func(t *testing.T) {
		locations := decode[struct {
			Locations []struct{ Name, Title string }
		}](t, ok(t, v.post(t, "/api/oauth/provider_search/discover-locations", nil))).Locations
		if len(locations) == 0 {
			t.Fatal("no locations")
		}
		ok(t, v.post(t, "/api/oauth/provider_search/select-location", map[string]string{"location_name": locations[0].Name}))

		run := decode[audit](t, ok(t, v.post(t, "/api/bizprofile/audit", map[string]any{"company_id": company, "force_refresh": true})))
		if !run.Saved || run.Audit.Score != 100 || run.Audit.Category != "excellent" || run.Fetch == nil || !run.Fetch.Success {
			t.Errorf("audit of a full profile: %+v", run)
		}
		stranger := newVisitor(t, v.base)
		full := decode[audit](t, ok(t, stranger.get(t, "/api/bizprofile/audit?slug=piekarnia-kowalski")))
		if full.Audit.Score != 100 || full.Audit.Source != "business_profile" || full.Audit.ReviewCount == 0 {
			t.Errorf("read: %+v", full)
		}
		if short := decode[audit](t, ok(t, stranger.get(t, "/api/bizprofile/audit/piekarnia-kowalski"))); short.Audit.ID != full.Audit.ID || short.Audit.Source != "" {
			t.Errorf("by slug: %+v", short)
		}
		history := decode[struct{ Audits []struct{ ID int64 } }](t, ok(t, stranger.get(t, "/api/bizprofile/audit/piekarnia-kowalski/history")))
		if len(history.Audits) == 0 || history.Audits[0].ID != full.Audit.ID {
			t.Errorf("history: %+v", history)
		}
	})

	t.Run("disconnect and reconnect", func(t *testing.T) {
		pair := "provider_search/search_profile"
		ok(t, v.post(t, "/api/oauth/disconnect/"+pair, nil))
		if s := decode[status](t, ok(t, v.get(t, "/api/oauth/status"))).Services[pair]; s.Connected {
			t.Errorf("after disconnect: %+v", s)
		}
		if a := v.post(t, "/api/oauth/provider_search/discover-locations", nil); a.status != http.StatusNotFound {
			t.Errorf("locations without a connection: %d %s", a.status, a.body)
		}
		v.connect(t, pair, "anna")
		ok(t, v.post(t, "/api/oauth/provider_search/discover-locations", nil))
	})

	t.Run("refused consent", func(t *testing.T) {
		for _, pair := range pairs {
			back := v.decide(t, v.authorize(t, pair), url.Values{"decision": {"deny"}})
			if result := v.callback(t, back); result != "oauth_error=access_denied" {
				t.Errorf("%s: %s", pair, result)
			}
		}
	})

	ok(t, v.post(t, "/api/auth/logout", nil))
	if a := v.get(t, "/api/auth/me"); a.status != http.StatusUnauthorized {
		t.Errorf("after logout: %d", a.status)
	}
}

func TestUntickedScopeAsksToReconnect(t *testing.T) {
	s := native(t, options{directories: 1})
	v := newVisitor(t, s.gateway)
	v.login(t, "biuro@demo.example")
	back := v.decide(t, v.authorize(t, "provider_search/search_profile"), url.Values{"decision": {"allow"}, "account": {"anna"}})
	if result := v.callback(t, back); !strings.HasPrefix(result, "oauth_") {
		t.Fatal(result)
	}
	got := decode[status](t, ok(t, v.get(t, "/api/oauth/status"))).Services["provider_search/search_profile"]
	if !got.NeedsReconnect || got.Reason == nil || *got.Reason == "" {
		t.Errorf("without its scope: %+v", got)
	}
}

func TestRevokedGrantAsksToReconnect(t *testing.T) {
	s := native(t, options{directories: 1})
	v := newVisitor(t, s.gateway)
	v.login(t, "biuro@demo.example")
	for _, pair := range pairs {
		v.connect(t, pair, "anna")
	}
	for _, site := range []string{"search", "social"} {
		s.sandbox.do(t, site, "revoke-grants")
	}
	if a := v.post(t, "/api/oauth/provider_search/discover-locations", nil); a.status == http.StatusOK {
		t.Errorf("locations of a revoked grant: %s", a.body)
	}
	if a := v.post(t, "/api/oauth/provider_social/discover-pages", map[string]int{"company_id": 1}); a.status == http.StatusOK {
		t.Errorf("pages of a revoked grant: %s", a.body)
	}
	services := decode[status](t, ok(t, v.get(t, "/api/oauth/status"))).Services
	for _, pair := range []string{"provider_search/search_profile", "provider_social/social_pages"} {
		if got := services[pair]; !got.NeedsReconnect || got.Reason == nil {
			t.Errorf("%s after the grant was revoked: %+v", pair, got)
		}
		v.connect(t, pair, "anna")
	}
	services = decode[status](t, ok(t, v.get(t, "/api/oauth/status"))).Services
	if got := services["provider_search/search_profile"]; got.NeedsReconnect {
		t.Errorf("after reconnecting: %+v", got)
	}
}
