package app_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/provider"
)

// wantProgress checks how far the services are, by their pairs.
func wantProgress(t *testing.T, b *apptest.Browser, want map[string]string) {
	t.Helper()
	services, _ := b.Get("/api/oauth/status").Want(http.StatusOK).JSON()["services"].(apptest.Body)
	got := map[string]string{}
	for pair, status := range services {
		state, _ := status.(apptest.Body)["state"].(apptest.Body)
		got[pair], _ = state["progress"].(string)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

// TestReadAfterConsentAndChoice checks that everything is read by the jobs that a consent and
// a choice insert, so that the status is true at once, and that no audit is run.
func TestReadAfterConsentAndChoice(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	const profile, website = "provider_search/search_profile", "provider_search/search_analytics"
	const pages, photos = "provider_social/social_pages", "provider_social/social_photos"
	for _, p := range provider.Pairs() {
		anna.Connect(p, "anna")
	}
	wantProgress(t, anna, map[string]string{profile: "failed", website: "reading", pages: "failed", photos: "reading"})
	a.Work()
	wantProgress(t, anna, map[string]string{profile: "failed", website: "read", pages: "failed", photos: "failed"})
	anna.Post("/api/oauth/provider_search/select-location",
		apptest.Body{"location_name": "locations/1002519486895516595"}).Want(http.StatusOK)
	anna.Post("/api/oauth/provider_social/select-page",
		apptest.Body{"company_id": a.Company.ID, "page_id": "105600000010001"}).Want(http.StatusOK)
	wantProgress(t, anna, map[string]string{profile: "reading", website: "read", pages: "read", photos: "reading"})
	a.Work()
	wantProgress(t, anna, map[string]string{profile: "read", website: "read", pages: "read", photos: "read"})
	anna.Get("/api/bizprofile/audit/piekarnia").Want(http.StatusNotFound)
}

// TestChoiceDuringAReading checks that what is chosen while something else is read is read as
// well.
func TestChoiceDuringAReading(t *testing.T) {
	t.Parallel()
	a := apptest.New(t)
	anna := a.Browser(a.Anna)
	anna.Connect(provider.AnalyticsPair, "anna")
	const chosen = "sc-domain:piekarnia-kowalski.example"
	var once sync.Once
	a.Intercept(func(_ http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/searchAnalytics/query") {
			once.Do(func() {
				anna.Post("/api/oauth/provider_search/select-property", apptest.Body{"property": chosen}).
					Want(http.StatusOK)
			})
		}
	})
	a.Work()
	if got := a.Connection(provider.AnalyticsPair).Readings[provider.SearchAnalytics].Of; got != chosen {
		t.Errorf("read of %q, want %q", got, chosen)
	}
}
