package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

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
			t.Fatalf("got the pages %+v, want 3", pages)
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
		choice := map[string]string{"location_name": locations[0].Name}
		harness.OK(t, v.Post(t, "/api/oauth/provider_search/select-location", choice))

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
			t.Errorf("the audit read in full: %+v", full)
		}
		short := harness.GetAs[audit](t, anonymous, "/api/bizprofile/audit/piekarnia-kowalski")
		if short.Audit.ID != full.Audit.ID || short.Audit.Source != "" {
			t.Errorf("the short audit is %+v, want id %d and no source", short, full.Audit.ID)
		}
		history := harness.GetAs[struct{ Audits []struct{ ID int64 } }](
			t, anonymous, "/api/bizprofile/audit/piekarnia-kowalski/history",
		)
		if len(history.Audits) == 0 || history.Audits[0].ID != full.Audit.ID {
			t.Errorf("the history is %+v, want audit %d first", history, full.Audit.ID)
		}
	})

	t.Run("pages for people", func(t *testing.T) {
		for _, path := range []string{"/konto/przeglad", "/konto/statystyki", "/konto/integracje", "/konto/audyt",
			"/konto/deweloper"} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, v.Base+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := harness.CheckOK(harness.Do(v.HTTP, request)); err != nil {
				t.Errorf("%s: %v", path, err)
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
				t.Errorf("%s: got %s, want oauth_error=access_denied", pair, result)
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
	v := harness.NewVisitor(s.Gateway).Login(t, "biuro@demo.example")
	back := v.Decide(t, harness.SearchProfile, url.Values{"decision": {"allow"}, "account": {"anna"}})
	if result := v.Callback(t, back); !strings.HasPrefix(result, "oauth_") {
		t.Fatalf("the callback ends with %q", result)
	}
	got := v.Connections(t)[harness.SearchProfile]
	if !got.NeedsReconnect || got.Reason == nil || *got.Reason == "" {
		t.Errorf("without its scope: %+v", got)
	}
}

func TestRevokedGrantAsksToReconnect(t *testing.T) {
	s := own(t, harness.Options{Directories: 1})
	v := harness.NewVisitor(s.Gateway).Login(t, "biuro@demo.example")
	for _, pair := range pairs {
		v.Connect(t, pair, "anna")
	}
	for _, site := range []string{"search", "social"} {
		s.Sandbox.Send(t, http.MethodPost, "/state/"+site+"/revoke-grants", "")
	}
	if a := v.Post(t, "/api/oauth/provider_search/discover-locations", nil); a.Status == http.StatusOK {
		t.Errorf("locations of a revoked grant: %s", a.Body)
	}
	a := v.Post(t, "/api/oauth/provider_social/discover-pages", map[string]int{"company_id": 1})
	if a.Status == http.StatusOK {
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
	s.Sandbox.Send(t, http.MethodPut, "/toggles/search", `{"access_token_seconds": 60}`)
	v := harness.NewVisitor(s.Gateway).Login(t, "biuro@demo.example")
	v.Connect(t, harness.SearchProfile, "anna")
	return v
}

// TestOneRefreshOverTwoProcesses uses a provider that revokes the whole grant if a refresh
// token is used twice.
func TestOneRefreshOverTwoProcesses(t *testing.T) {
	needsOwnPrograms(t)
	s := harness.New(t, harness.Options{Directories: 2, Database: harness.StartPostgres(t).NewDatabase(t)})
	s.Sandbox.Send(t, http.MethodPut, "/toggles/search", `{"rotate_refresh_tokens": true}`)
	v := expiring(t, s)
	s.Sandbox.Send(t, http.MethodPut, "/toggles/search", `{"access_token_seconds": 0}`)

	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			at := v.At(s.Directories[i%2].URL())
			if err := harness.CheckOK(at.Try(t.Context(), http.MethodPost, discover, nil)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := s.Sandbox.Refreshes(t); n != 1 {
		t.Errorf("100 calls made %d token requests, want 1", n)
	}
}

func TestStateIsValidOnceOverTwoProcesses(t *testing.T) {
	needsOwnPrograms(t)
	s := harness.New(t, harness.Options{Directories: 2, Database: harness.StartPostgres(t).NewDatabase(t)})
	v := harness.NewVisitor(s.Gateway).Login(t, "biuro@demo.example")
	back := v.Decide(t, harness.SearchProfile, url.Values{"decision": {"allow"}, "account": {"anna"}, "scope": {"all"}})
	locations := make([]string, 12)
	var wg sync.WaitGroup
	for i := range locations {
		wg.Go(func() {
			a, err := v.At(s.Directories[i%2].URL()).Try(t.Context(), http.MethodGet, back, nil)
			if err != nil {
				t.Error(err)
				return
			}
			locations[i] = a.Header.Get("Location")
		})
	}
	wg.Wait()
	slices.Sort(locations)
	want := slices.Repeat([]string{"/konto/integracje?oauth_error=invalid_state"}, 11)
	want = append(want, "/konto/integracje?oauth_success="+harness.SearchProfile)
	if !slices.Equal(locations, want) {
		t.Errorf("the callbacks redirect to %q, want %q", locations, want)
	}
}

// TestKilledWhileRefreshing kills the service at moments around the provider's response.
// The connection has to work with the old access token or the new one.
func TestKilledWhileRefreshing(t *testing.T) {
	needsOwnPrograms(t)
	s := harness.New(t, harness.Options{Directories: 1, Database: harness.StartPostgres(t).NewDatabase(t)})
	directory := s.Directories[0]
	v := expiring(t, s).At(directory.URL()) // every call refreshes
	for moment := range 8 {
		before := s.Sandbox.Refreshes(t)
		var sending sync.WaitGroup
		sending.Go(func() { _, _ = v.Try(context.Background(), http.MethodPost, discover, nil) }) // is interrupted
		harness.Eventually(t, "the provider receives the refresh token", func() bool {
			return s.Sandbox.Refreshes(t) > before
		})
		time.Sleep(time.Duration(moment) * 2 * time.Millisecond)
		directory.Kill()
		sending.Wait()
		directory.Start(t)
		if a := v.Post(t, discover, nil); a.Status != http.StatusOK {
			t.Fatalf("killed at moment %d: the next call gets %d %s", moment, a.Status, a.Body)
		}
	}
}

// TestFaultsScan kills one of two replicas in the middle of a scan of 1,000 due connections, and
// freezes the other one for longer than a job is kept for it. Every company is audited once, with
// one event, nothing is marked, and what the killed replica held is given to others within 150 s.
// E2E_COMPANIES is how many there are; the budget of the provider is in proportion.
func TestFaultsScan(t *testing.T) {
	companies := 1000
	if text := os.Getenv("E2E_COMPANIES"); text != "" {
		companies, _ = strconv.Atoi(text)
	}
	server := harness.StartPostgres(t)
	s := faulty(t, harness.Options{
		Directories: 2, Database: server.NewDatabase(t),
		Env: []string{"DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true"},
	})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	db := harness.OpenDatabase(t, s.Database)

	// Companies with a profile whose one location is chosen.
	harness.Execute(t, db, fmt.Sprintf(`INSERT INTO companies SELECT (jsonb_populate_record(c,
		jsonb_build_object('id', 1000000 + i, 'slug', 'firma-' || i))).* FROM companies c, generate_series(1, %d) i
		WHERE c.id = (SELECT min(id) FROM companies)`, companies))
	const users = 4
	t.Run("connect", func(t *testing.T) {
		for user := range users {
			t.Run(strconv.Itoa(user), func(t *testing.T) {
				t.Parallel()
				email := fmt.Sprintf("osoba-%d@demo.example", user)
				s.Directories[0].Run(t, "user", "add", email, "--role", "OFFICE_MANAGER", "--company", "firma-1",
					"--password", harness.DemoPassword)
				v := harness.NewVisitor(s.Gateway).Login(t, email)
				for i := 1 + user; i <= companies; i += users {
					harness.Execute(t, db, fmt.Sprintf("UPDATE users SET company_id = %d WHERE email = '%s'", 1000000+i,
						email))
					v.Connect(t, harness.SearchProfile, "marek")
					harness.OK(t, v.Post(t, "/api/oauth/provider_search/discover-locations", nil))
				}
			})
		}
	})

	s.Directories[0].Run(t, "webhook", "add", receiver.URL, "--all")
	for _, d := range s.Directories {
		d.Terminate(t)
		d.Env = append(d.Env, "DIRECTORY_SCAN_INTERVAL=24h", "DIRECTORY_SCAN_WORKERS=8",
			fmt.Sprintf("PROVIDER_SEARCH_PER_MINUTE=%d", max(30, companies*3/10)))
	}
	harness.Execute(t, db, "DELETE FROM profile_audits",
		"UPDATE oauth_tokens SET provider_user_id = 'person-' || id, scanned_at = '1970-01-01'")
	for _, d := range s.Directories {
		d.Start(t)
	}
	const audited = "SELECT count(DISTINCT company_id) FROM profile_audits"
	await := func(within time.Duration, what, query string, want int) {
		t.Helper()
		begin := time.Now()
		harness.EventuallyWithin(t, within, what, func() bool { return number(t, db, query) >= want })
		t.Logf("%s after %s", what, time.Since(begin).Round(time.Second))
	}
	await(3*time.Minute, "a tenth is audited", audited, companies/10)

	s.Directories[0].Kill()
	killed := time.Now()
	time.Sleep(5 * time.Second) // the other replica finishes what it has begun before
	held := fmt.Sprintf("FROM river_job WHERE kind = 'sync' AND attempted_at < to_timestamp(%d)", killed.Unix())
	t.Logf("the killed replica held %d jobs", number(t, db, "SELECT count(*) "+held+" AND state = 'running'"))
	s.Directories[0].Start(t)
	s.Directories[1].Freeze()
	time.AfterFunc(140*time.Second, s.Directories[1].Thaw)
	await(150*time.Second-time.Since(killed), "what the killed replica held has been given to others",
		"SELECT CASE WHEN count(*) = 0 THEN 1 ELSE 0 END "+held+" AND state = 'running'", 1)
	await(10*time.Minute, "all are audited", audited, companies)
	await(5*time.Minute, "no job is left",
		"SELECT CASE WHEN count(*) = 0 THEN 1 ELSE 0 END FROM river_job WHERE finalized_at IS NULL AND kind = 'sync'",
		1)
	time.Sleep(time.Until(killed.Add(170 * time.Second))) // the frozen replica has gone on
	for query, want := range map[string]int{
		"SELECT count(*) FROM profile_audits":                                           companies,
		"SELECT count(*) FROM webhook_deliveries WHERE type = 'audit.completed'":        companies,
		"SELECT count(*) FROM webhook_deliveries WHERE type = 'connection.broken'":      0,
		"SELECT count(*) FROM oauth_tokens WHERE reconnect_reason <> ''":                0,
		"SELECT count(*) FROM river_job WHERE state IN ('discarded', 'cancelled')":      0,
		"SELECT count(*) FROM oauth_tokens WHERE is_active AND scanned_at < '2000-1-1'": 0,
	} {
		if got := number(t, db, query); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
}

// TestFaultsReceivers checks that 3,000 overdue deliveries of a receiver that is away and 20 slow
// receivers, as many as a replica sends to at once, keep an event from another receiver for less
// than 60 s.
func TestFaultsReceivers(t *testing.T) {
	const slow, overdue = 20, 3000
	var underway, received atomic.Int32
	receivers := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthy" {
			received.Add(1)
			return
		}
		underway.Add(1)
		time.Sleep(8 * time.Second) // less than the service waits
	}))
	t.Cleanup(receivers.Close)
	s := faulty(t, harness.Options{
		Directories: 1, Database: harness.StartPostgres(t).NewDatabase(t),
		Env: []string{"DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true"},
	})
	directory, db := s.Directories[0], harness.OpenDatabase(t, s.Database)
	add := func(url string) { directory.Run(t, "webhook", "add", url, "--all") }
	add("http://127.0.0.1:1/")
	for i := range slow {
		add(fmt.Sprintf("%s/slow/%d", receivers.URL, i))
	}
	directory.Terminate(t)
	harness.Execute(t, db, fmt.Sprintf(`INSERT INTO webhook_deliveries
		(webhook_id, event_id, type, at, data, state, attempts, result, status, created_at)
		SELECT w.id, 'msg_' || w.id || '_' || i, 'audit.completed', now(), '{}', 'pending', 0, '', 0,
			now() - interval '1 hour'
		FROM webhooks w, generate_series(1, %d) i WHERE i <= 100 OR w.url LIKE '%%:1/'`, overdue))
	directory.Start(t)
	harness.Eventually(t, "all slow receivers are called", func() bool { return underway.Load() >= slow })
	add(receivers.URL + "/healthy")
	v := harness.NewVisitor(s.Gateway).Login(t, "kierownik@demo.example")
	harness.OK(t, v.Post(t, "/api/bizprofile/audit", map[string]any{"slug": "piekarnia-kowalski"}))
	begin := time.Now()
	harness.EventuallyWithin(t, time.Minute, "the event arrives", func() bool { return received.Load() > 0 })
	t.Logf("the event arrived after %s; the slow receivers were called %d times", time.Since(begin).Round(time.Second),
		underway.Load())
	if n := number(t, db, "SELECT count(*) FROM webhook_deliveries WHERE result = 'timeout'"); n > 0 {
		t.Errorf("%d attempts timed out before 10 s", n)
	}
}

func number(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
