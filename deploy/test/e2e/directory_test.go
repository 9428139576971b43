package e2e

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// pairs are all services that a company can connect.
var pairs = []string{harness.SearchProfile, harness.SearchAnalytics, harness.SocialPages, harness.SocialPhotos}

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

// TestDirectoryThroughTheGateway connects, syncs, audits and disconnects a company.
func TestDirectoryThroughTheGateway(t *testing.T) {
	v := harness.NewVisitor(backend(t, harness.Options{Directories: 1}))
	if a := v.Get(t, "/api/oauth/status"); a.Status != http.StatusUnauthorized {
		t.Errorf("status without a login: %d", a.Status)
	}
	v.Login(t, "biuro@demo.example")
	company := v.Company(t)
	of := map[string]any{"company_id": company}

	for _, pair := range pairs {
		v.Connect(t, pair, "anna")
	}
	for pair, s := range v.Connections(t) {
		if !s.Connected || s.Expired || s.NeedsReconnect {
			t.Errorf("%s after connecting: %+v", pair, s)
		}
	}

	t.Run("pages", func(t *testing.T) {
		pages := harness.PostAs[struct{ Pages []struct{ ID, Name string } }](
			t, v, "/api/oauth/provider_social/discover-pages", of,
		).Pages
		if len(pages) != 3 {
			t.Fatalf("pages: %+v", pages)
		}
		selected := harness.PostAs[struct {
			Page struct{ ID string }
			Sync *struct {
				FanCount int `json:"fan_count"`
			}
		}](t, v, "/api/oauth/provider_social/select-page", map[string]any{
			"company_id": company, "page_id": pages[0].ID,
		})
		if selected.Page.ID != pages[0].ID || selected.Sync == nil || selected.Sync.FanCount == 0 {
			t.Errorf("selected: %+v", selected)
		}
		harness.OK(t, v.Post(t, "/api/oauth/provider_social/sync-facebook", of))
		photos := harness.PostAs[struct{ Data struct{ Media []any } }](
			t, v, "/api/oauth/provider_social/sync-instagram", of,
		)
		if len(photos.Data.Media) != 25 {
			t.Errorf("%d media, want the newest 25", len(photos.Data.Media))
		}
	})

	t.Run("location and audit", func(t *testing.T) {
		locations := harness.PostAs[struct {
			Locations []struct{ Name, Title string }
		}](t, v, "/api/oauth/provider_search/discover-locations", nil).Locations
		if len(locations) == 0 {
			t.Fatal("no locations")
		}
		harness.OK(
			t,
			v.Post(t, "/api/oauth/provider_search/select-location",
				map[string]string{"location_name": locations[0].Name}),
		)

		run := harness.PostAs[audit](t, v, "/api/bizprofile/audit",
			map[string]any{"company_id": company, "force_refresh": true})
		if !run.Saved || run.Audit.Score != 100 || run.Audit.Category != "excellent" {
			t.Errorf("audit of a full profile: %+v", run)
		}
		if run.Fetch == nil || !run.Fetch.Success {
			t.Errorf("the profile was not fetched: %+v", run.Fetch)
		}
		anonymous := harness.NewVisitor(v.Base)
		full := harness.GetAs[audit](t, anonymous, "/api/bizprofile/audit?slug=piekarnia-kowalski")
		if full.Audit.Score != 100 || full.Audit.Source != "business_profile" || full.Audit.ReviewCount == 0 {
			t.Errorf("read: %+v", full)
		}
		short := harness.GetAs[audit](t, anonymous, "/api/bizprofile/audit/piekarnia-kowalski")
		if short.Audit.ID != full.Audit.ID || short.Audit.Source != "" {
			t.Errorf("by slug: %+v", short)
		}
		history := harness.GetAs[struct{ Audits []struct{ ID int64 } }](
			t, anonymous, "/api/bizprofile/audit/piekarnia-kowalski/history",
		)
		if len(history.Audits) == 0 || history.Audits[0].ID != full.Audit.ID {
			t.Errorf("history: %+v", history)
		}
	})

	t.Run("pages for people", func(t *testing.T) {
		for _, path := range []string{"/konto/przeglad", "/konto/statystyki", "/konto/integracje", "/konto/audyt",
			"/konto/deweloper"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.Base+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if a, err := harness.Do(v.HTTP, request); err != nil || a.Status != http.StatusOK {
				t.Errorf("%s: %v, %d %.300s", path, err, a.Status, a.Body)
			}
		}
	})

	t.Run("disconnect and reconnect", func(t *testing.T) {
		pair := harness.SearchProfile
		harness.OK(t, v.Post(t, "/api/oauth/disconnect/"+pair, nil))
		if s := v.Connections(t)[pair]; s.Connected {
			t.Errorf("after disconnect: %+v", s)
		}
		if a := v.Post(t, "/api/oauth/provider_search/discover-locations", nil); a.Status != http.StatusNotFound {
			t.Errorf("locations without a connection: %d %s", a.Status, a.Body)
		}
		v.Connect(t, pair, "anna")
		harness.OK(t, v.Post(t, "/api/oauth/provider_search/discover-locations", nil))
	})

	t.Run("refused consent", func(t *testing.T) {
		for _, pair := range pairs {
			back := v.Decide(t, pair, url.Values{"decision": {"deny"}})
			if result := v.Callback(t, back); result != "oauth_error=access_denied" {
				t.Errorf("%s: %s", pair, result)
			}
		}
	})

	harness.OK(t, v.Post(t, "/api/auth/logout", nil))
	if a := v.Get(t, "/api/auth/me"); a.Status != http.StatusUnauthorized {
		t.Errorf("after logout: %d", a.Status)
	}
}

func TestUntickedScopeAsksToReconnect(t *testing.T) {
	s := own(t, harness.Options{Directories: 1})
	v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
	back := v.Decide(t, harness.SearchProfile, url.Values{"decision": {"allow"}, "account": {"anna"}})
	if result := v.Callback(t, back); !strings.HasPrefix(result, "oauth_") {
		t.Fatal(result)
	}
	got := v.Connections(t)[harness.SearchProfile]
	if !got.NeedsReconnect || got.Reason == nil || *got.Reason == "" {
		t.Errorf("without its scope: %+v", got)
	}
}

func TestRevokedGrantAsksToReconnect(t *testing.T) {
	s := own(t, harness.Options{Directories: 1})
	v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
	for _, pair := range pairs {
		v.Connect(t, pair, "anna")
	}
	for _, site := range []string{"search", "social"} {
		s.Sandbox.Do(t, site, "revoke-grants")
	}
	if a := v.Post(t, "/api/oauth/provider_search/discover-locations", nil); a.Status == http.StatusOK {
		t.Errorf("locations of a revoked grant: %s", a.Body)
	}
	if a := v.Post(t, "/api/oauth/provider_social/discover-pages",
		map[string]int{"company_id": 1}); a.Status == http.StatusOK {
		t.Errorf("pages of a revoked grant: %s", a.Body)
	}
	services := v.Connections(t)
	for _, pair := range []string{harness.SearchProfile, harness.SocialPages} {
		if got := services[pair]; !got.NeedsReconnect || got.Reason == nil {
			t.Errorf("%s after the grant was revoked: %+v", pair, got)
		}
		v.Connect(t, pair, "anna")
	}
	services = v.Connections(t)
	if got := services[harness.SearchProfile]; got.NeedsReconnect {
		t.Errorf("after reconnecting: %+v", got)
	}
}

const discover = "/api/oauth/provider_search/discover-locations"

// expiring connects a search profile whose access token is about to expire.
func expiring(t *testing.T, s *harness.Stack) *harness.Visitor {
	t.Helper()
	s.Sandbox.Toggle(t, "search", `{"access_token_seconds": 60}`)
	v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
	v.Connect(t, harness.SearchProfile, "anna")
	return v
}

// TestOneRefreshOverTwoProcesses uses a provider that revokes the whole grant if a refresh
// token is used twice.
func TestOneRefreshOverTwoProcesses(t *testing.T) {
	needsOwnPrograms(t)
	s := harness.New(t, harness.Options{Directories: 2, Database: harness.StartPostgres(t).NewDatabase(t)})
	s.Sandbox.Toggle(t, "search", `{"rotate_refresh_tokens": true}`)
	v := expiring(t, s)
	s.Sandbox.Toggle(t, "search", `{"access_token_seconds": 0}`)

	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if a := v.At(s.Directories[i%2].URL()).Post(t, discover, nil); a.Status != http.StatusOK {
				t.Errorf("%d %s", a.Status, a.Body)
			}
		})
	}
	wg.Wait()
	if n := s.Sandbox.Count(t, "search", "token_requests", "refresh_token"); n != 1 {
		t.Errorf("100 calls made %d token requests, want 1", n)
	}
}

// TestStateIsValidOnceOverTwoProcesses sends one callback many times to both processes.
func TestStateIsValidOnceOverTwoProcesses(t *testing.T) {
	needsOwnPrograms(t)
	s := harness.New(t, harness.Options{Directories: 2, Database: harness.StartPostgres(t).NewDatabase(t)})
	v := harness.LoggedIn(t, s.Gateway, "biuro@demo.example")
	back := v.Decide(t, harness.SearchProfile, harness.AllowAll("anna"))
	results := make([]string, 12)
	var wg sync.WaitGroup
	for i := range results {
		wg.Go(func() { results[i] = v.At(s.Directories[i%2].URL()).Callback(t, back) })
	}
	wg.Wait()
	slices.Sort(results)
	if want := append(slices.Repeat([]string{"oauth_error=invalid_state"}, 11), "oauth_success="+
		harness.SearchProfile); !slices.Equal(results, want) {
		t.Errorf("results %q", results)
	}
}

// TestKilledWhileRefreshing kills the service at moments around the provider's response.
// The connection has to work with the old access token or the new one.
func TestKilledWhileRefreshing(t *testing.T) {
	needsOwnPrograms(t)
	s := harness.New(t, harness.Options{Directories: 1, Database: harness.StartPostgres(t).NewDatabase(t)})
	directory := s.Directories[0]
	v := expiring(t, s).At(directory.URL()) // every call refreshes
	refreshes := func() int { return s.Sandbox.Count(t, "search", "token_requests", "refresh_token") }
	for moment := range 8 {
		before := refreshes()
		var sending sync.WaitGroup
		sending.Go(func() { _, _ = v.Try(context.Background(), http.MethodPost, discover, nil) }) // is interrupted
		harness.Eventually(t, "the provider receives the refresh token", func() bool { return refreshes() > before })
		time.Sleep(time.Duration(moment) * 2 * time.Millisecond)
		directory.Kill()
		sending.Wait()
		directory.Start(t)
		if a := v.Post(t, discover, nil); a.Status != http.StatusOK {
			t.Fatalf("moment %d: %d %s", moment, a.Status, a.Body)
		}
	}
}
