package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

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
		DirectoryEnv: []string{"DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true"},
	})
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(receiver.Close)
	db := harness.OpenDatabase(t, s.Database)
	connectCompanies(t, s, db, companies)
	s.Directories[0].Run(t, "webhook", "add", receiver.URL, "--all")
	for _, d := range s.Directories {
		d.Terminate(t)
		d.Env = append(d.Env, "DIRECTORY_SCAN_INTERVAL=24h", "DIRECTORY_SCAN_WORKERS=8",
			fmt.Sprintf("PROVIDER_SEARCH_PER_MINUTE=%d", max(30, companies*3/10)))
	}
	harness.Execute(t, db, "DELETE FROM profile_audits",
		"UPDATE oauth_tokens SET provider_user_id = 'person-' || id, sync_scanned_at = '1970-01-01', "+
			"renewal_scanned_at = '1970-01-01'")
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
	held := fmt.Sprintf("FROM river_job WHERE kind IN ('sync', 'renewal') AND attempted_at < to_timestamp(%d)",
		killed.Unix())
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
		"SELECT count(*) FROM profile_audits":                                                companies,
		"SELECT count(*) FROM webhook_deliveries WHERE type = 'audit.completed'":             companies,
		"SELECT count(*) FROM webhook_deliveries WHERE type = 'connection.broken'":           0,
		"SELECT count(*) FROM oauth_tokens WHERE reconnect_reason <> ''":                     0,
		"SELECT count(*) FROM river_job WHERE state IN ('discarded', 'cancelled')":           0,
		"SELECT count(*) FROM oauth_tokens WHERE is_active AND sync_scanned_at < '2000-1-1'": 0,
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
		DirectoryEnv: []string{"DIRECTORY_WEBHOOK_ALLOW_PRIVATE=true"},
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
	v := harness.LoggedIn(t, s.Gateway, "kierownik@demo.example")
	harness.OK(t, v.Post(t, "/api/bizprofile/audit", map[string]any{"slug": "piekarnia-kowalski"}))
	begin := time.Now()
	harness.EventuallyWithin(t, time.Minute, "the event arrives", func() bool { return received.Load() > 0 })
	t.Logf("the event arrived after %s; the slow receivers were called %d times", time.Since(begin).Round(time.Second),
		underway.Load())
	if n := number(t, db, "SELECT count(*) FROM webhook_deliveries WHERE result = 'timeout'"); n > 0 {
		t.Errorf("%d attempts timed out before 10 s", n)
	}
}

// connectCompanies adds companies with a profile whose one location is chosen.
func connectCompanies(t *testing.T, s *harness.Stack, db *sql.DB, n int) {
	t.Helper()
	harness.Execute(t, db, fmt.Sprintf(`INSERT INTO companies SELECT (jsonb_populate_record(c,
		jsonb_build_object('id', 1000000 + i, 'slug', 'firma-' || i))).* FROM companies c, generate_series(1, %d) i
		WHERE c.id = (SELECT min(id) FROM companies)`, n))
	const users = 4
	t.Run("connect", func(t *testing.T) {
		for user := range users {
			t.Run(strconv.Itoa(user), func(t *testing.T) {
				t.Parallel()
				email := fmt.Sprintf("osoba-%d@demo.example", user)
				s.Directories[0].Run(t, "user", "add", email, "--role", "OFFICE_MANAGER", "--company", "firma-1",
					"--password", harness.DemoPassword)
				v := harness.LoggedIn(t, s.Gateway, email)
				for i := 1 + user; i <= n; i += users {
					harness.Execute(t, db, fmt.Sprintf("UPDATE users SET company_id = %d WHERE email = '%s'", 1000000+i,
						email))
					v.Connect(t, harness.SearchProfile, "marek")
					harness.OK(t, v.Post(t, "/api/oauth/provider_search/discover-locations", nil))
				}
			})
		}
	})
}

func number(t *testing.T, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
