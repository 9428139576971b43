package e2e

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"backend.example/deploy/stack"
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
	return stack.New(t, stack.Options{Directories: 1}).Gateway
}

// ok fails the test unless the answer is 200.
func ok(t *testing.T, a stack.Answer) stack.Answer {
	t.Helper()
	if a.Status != http.StatusOK {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	return a
}

// TestDirectoryThroughTheGateway is the whole story of a company.
func TestDirectoryThroughTheGateway(t *testing.T) {
	v := stack.NewVisitor(t, directoryBase(t))
	if a := v.Get(t, "/api/oauth/status"); a.Status != http.StatusUnauthorized {
		t.Errorf("status without a login: %d", a.Status)
	}
	v.Login(t, "biuro@demo.example")
	company := stack.Decode[struct{ Company struct{ ID int64 } }](t, ok(t, v.Get(t, "/api/auth/me"))).Company.ID
	of := map[string]any{"company_id": company}

	for _, pair := range pairs {
		v.Connect(t, pair, "anna")
	}
	for pair, s := range stack.Decode[status](t, ok(t, v.Get(t, "/api/oauth/status"))).Services {
		if !s.Connected || s.Expired || s.NeedsReconnect || s.AccountName == nil {
			t.Errorf("%s after connecting: %+v", pair, s)
		}
	}

	t.Run("pages", func(t *testing.T) {
		pages := stack.Decode[struct{ Pages []struct{ ID, Name string } }](t, ok(t, v.Post(t, "/api/oauth/provider_social/discover-pages", of))).Pages
		if len(pages) != 3 {
			t.Fatalf("pages: %+v", pages)
		}
		selected := stack.Decode[struct {
			Page struct{ ID string }
			Sync *struct {
				FanCount int `json:"fan_count"`
			}
		}](t, ok(t, v.Post(t, "/api/oauth/provider_social/select-page", map[string]any{"company_id": company, "page_id": pages[0].ID})))
		if selected.Page.ID != pages[0].ID || selected.Sync == nil || selected.Sync.FanCount == 0 {
			t.Errorf("selected: %+v", selected)
		}
		ok(t, v.Post(t, "/api/oauth/provider_social/sync-facebook", of))
		photos := stack.Decode[struct{ Data struct{ Media []any } }](t, ok(t, v.Post(t, "/api/oauth/provider_social/sync-instagram", of)))
		if len(photos.Data.Media) != 25 {
			t.Errorf("%d media, want the newest 25", len(photos.Data.Media))
		}
	})

	t.Run("location and audit", func(t *testing.T) {
		locations := stack.Decode[struct {
			Locations []struct{ Name, Title string }
		}](t, ok(t, v.Post(t, "/api/oauth/provider_search/discover-locations", nil))).Locations
		if len(locations) == 0 {
			t.Fatal("no locations")
		}
		ok(t, v.Post(t, "/api/oauth/provider_search/select-location", map[string]string{"location_name": locations[0].Name}))

		run := stack.Decode[audit](t, ok(t, v.Post(t, "/api/bizprofile/audit", map[string]any{"company_id": company, "force_refresh": true})))
		if !run.Saved || run.Audit.Score != 100 || run.Audit.Category != "excellent" || run.Fetch == nil || !run.Fetch.Success {
			t.Errorf("audit of a full profile: %+v", run)
		}
		stranger := stack.NewVisitor(t, v.Base)
		full := stack.Decode[audit](t, ok(t, stranger.Get(t, "/api/bizprofile/audit?slug=piekarnia-kowalski")))
		if full.Audit.Score != 100 || full.Audit.Source != "business_profile" || full.Audit.ReviewCount == 0 {
			t.Errorf("read: %+v", full)
		}
		if short := stack.Decode[audit](t, ok(t, stranger.Get(t, "/api/bizprofile/audit/piekarnia-kowalski"))); short.Audit.ID != full.Audit.ID || short.Audit.Source != "" {
			t.Errorf("by slug: %+v", short)
		}
		history := stack.Decode[struct{ Audits []struct{ ID int64 } }](t, ok(t, stranger.Get(t, "/api/bizprofile/audit/piekarnia-kowalski/history")))
		if len(history.Audits) == 0 || history.Audits[0].ID != full.Audit.ID {
			t.Errorf("history: %+v", history)
		}
	})

	t.Run("disconnect and reconnect", func(t *testing.T) {
		pair := "provider_search/search_profile"
		ok(t, v.Post(t, "/api/oauth/disconnect/"+pair, nil))
		if s := stack.Decode[status](t, ok(t, v.Get(t, "/api/oauth/status"))).Services[pair]; s.Connected {
			t.Errorf("after disconnect: %+v", s)
		}
		if a := v.Post(t, "/api/oauth/provider_search/discover-locations", nil); a.Status != http.StatusNotFound {
			t.Errorf("locations without a connection: %d %s", a.Status, a.Body)
		}
		v.Connect(t, pair, "anna")
		ok(t, v.Post(t, "/api/oauth/provider_search/discover-locations", nil))
	})

	t.Run("refused consent", func(t *testing.T) {
		for _, pair := range pairs {
			back := v.Decide(t, v.Authorize(t, pair), url.Values{"decision": {"deny"}})
			if result := v.Callback(t, back); result != "oauth_error=access_denied" {
				t.Errorf("%s: %s", pair, result)
			}
		}
	})

	ok(t, v.Post(t, "/api/auth/logout", nil))
	if a := v.Get(t, "/api/auth/me"); a.Status != http.StatusUnauthorized {
		t.Errorf("after logout: %d", a.Status)
	}
}

func TestUntickedScopeAsksToReconnect(t *testing.T) {
	s := native(t, stack.Options{Directories: 1})
	v := stack.NewVisitor(t, s.Gateway)
	v.Login(t, "biuro@demo.example")
	back := v.Decide(t, v.Authorize(t, "provider_search/search_profile"), url.Values{"decision": {"allow"}, "account": {"anna"}})
	if result := v.Callback(t, back); !strings.HasPrefix(result, "oauth_") {
		t.Fatal(result)
	}
	got := stack.Decode[status](t, ok(t, v.Get(t, "/api/oauth/status"))).Services["provider_search/search_profile"]
	if !got.NeedsReconnect || got.Reason == nil || *got.Reason == "" {
		t.Errorf("without its scope: %+v", got)
	}
}

func TestRevokedGrantAsksToReconnect(t *testing.T) {
	s := native(t, stack.Options{Directories: 1})
	v := stack.NewVisitor(t, s.Gateway)
	v.Login(t, "biuro@demo.example")
	for _, pair := range pairs {
		v.Connect(t, pair, "anna")
	}
	for _, site := range []string{"search", "social"} {
		s.Sandbox.Do(t, site, "revoke-grants")
	}
	if a := v.Post(t, "/api/oauth/provider_search/discover-locations", nil); a.Status == http.StatusOK {
		t.Errorf("locations of a revoked grant: %s", a.Body)
	}
	if a := v.Post(t, "/api/oauth/provider_social/discover-pages", map[string]int{"company_id": 1}); a.Status == http.StatusOK {
		t.Errorf("pages of a revoked grant: %s", a.Body)
	}
	services := stack.Decode[status](t, ok(t, v.Get(t, "/api/oauth/status"))).Services
	for _, pair := range []string{"provider_search/search_profile", "provider_social/social_pages"} {
		if got := services[pair]; !got.NeedsReconnect || got.Reason == nil {
			t.Errorf("%s after the grant was revoked: %+v", pair, got)
		}
		v.Connect(t, pair, "anna")
	}
	services = stack.Decode[status](t, ok(t, v.Get(t, "/api/oauth/status"))).Services
	if got := services["provider_search/search_profile"]; got.NeedsReconnect {
		t.Errorf("after reconnecting: %+v", got)
	}
}
