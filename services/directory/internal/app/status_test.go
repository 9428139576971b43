package app_test

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/app"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/build"
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

// TestConnectionList checks that the command shows the state of each service that the status
// shows, also of what is read with the connection of another one.
func TestConnectionList(t *testing.T) {
	url := databasetest.NewSQLite(t)
	a := apptest.New(t, apptest.On(url))
	anna := a.Browser(a.Anna)
	anna.Connect(provider.ProfilePair, "anna")
	anna.Connect(provider.PagesPair, "anna")
	anna.Post("/api/oauth/provider_social/select-page", apptest.Body{
		"company_id": a.Company.ID, "page_id": "105600000010002", // has no Instagram account
	}).Want(http.StatusOK)
	a.Work()
	var out strings.Builder
	environ := []string{"DIRECTORY_DATABASE_URL=" + url, "DIRECTORY_ENCRYPTION_KEYS=" + databasetest.Keys,
		"DIRECTORY_SESSION_KEYS=test:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32)))}
	program := app.NewProgram(build.New("", "", ""), environ, strings.NewReader(""), &out, &out)
	if err := program.Run(t.Context(), []string{"connection", "list", "--json"}); err != nil {
		t.Fatal(err)
	}
	var lines []struct {
		Provider, Service string
		State             apptest.Body `json:"service_state"`
	}
	if err := json.Unmarshal([]byte(out.String()), &lines); err != nil {
		t.Fatal(err)
	}
	services := anna.Get("/api/oauth/status").Want(http.StatusOK).JSON()["services"].(apptest.Body)
	got, want := apptest.Body{}, apptest.Body{}
	for _, line := range lines {
		pair := line.Provider + "/" + line.Service
		got[pair], want[pair] = line.State, services[pair].(apptest.Body)["state"]
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 3 {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
