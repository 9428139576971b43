package app

import (
	"context"
	"errors"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/outbound"
)

// TestStopWaits stops the service while work that no request waits for is at a
// provider, which responds only when the requests have ended.
func TestStopWaits(t *testing.T) {
	for action, begin := range map[string]func(*testing.T, *fakeProvider) *process{
		"revoke":  disconnect,
		"refresh": scanExpired,
	} {
		t.Run(action, func(t *testing.T) {
			provider := newFakeProvider(t)
			reached, answer := make(chan struct{}), make(chan struct{})
			wait := sync.OnceFunc(func() { close(reached); <-answer })
			provider.onRevoke, provider.onRefresh = wait, wait
			p := begin(t, provider)
			<-reached
			p.stop()
			p.await(t, "draining")
			awaitClosed(t, p.admin)
			close(answer)
			p.end(t)
			lines, err := provider.store.Trail(t.Context(), trail.Search{CompanyID: 1, Limit: 1})
			if err != nil || len(lines) != 1 || lines[0].Action != action || lines[0].Detail != "" {
				t.Errorf("the newest line of the trail is %+v, %v, want %s", lines, err, action)
			}
		})
	}
}

// TestWebhooksReachNoPrivateAddress unless that is allowed.
func TestWebhooksReachNoPrivateAddress(t *testing.T) {
	inside := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(inside.Close)
	for _, allowed := range []bool{false, true} {
		a := &App{cfg: Config{WebhookPrivate: allowed}}
		hooks := a.newWebhooks(nil, metrics.New(prometheus.NewRegistry()))
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, inside.URL, nil)
		response, err := hooks.Transport.RoundTrip(request)
		if err == nil {
			_ = response.Body.Close()
		}
		if hooks.AllowPrivate != allowed || (err == nil) != allowed || !allowed && !errors.Is(err, outbound.ErrPrivateAddress) {
			t.Errorf("allowed %t: AllowPrivate is %t, the call ends with %v", allowed, hooks.AllowPrivate, err)
		}
	}
}

// disconnect makes the service withdraw a grant.
func disconnect(t *testing.T, f *fakeProvider) *process {
	t.Helper()
	p := start(t, f.settings)
	b := login(t, p.url, "biuro@demo.example")
	b.authorize(t, profilePair)
	b.require(t, 200, "/api/oauth/disconnect/"+profilePair, "")
	return p
}

// scanExpired makes the service scan a connection whose token has expired.
func scanExpired(t *testing.T, f *fakeProvider) *process {
	t.Helper()
	addExpired(t, f.store)
	return startScanning(t, f.settings)
}

// addExpired connects the first company with a token that expired long enough ago for a scan
// to renew it.
func addExpired(t *testing.T, s *directorytest.Store) {
	t.Helper()
	c := connection.Connection{
		CompanyID: 1, UserID: 1, Pair: provider.ProfilePair, AccessToken: "access-1", RefreshToken: "refresh-1",
		ExpiresAt: new(time.Now().Add(-48 * time.Hour)),
	}
	ok(t, s.Connections.Save(t.Context(), &c, nil, directorytest.Entry(c, "connect")))
}

// awaitClosed returns once no server listens on address: then the requests have ended.
func awaitClosed(t *testing.T, address string) {
	t.Helper()
	for t.Context().Err() == nil {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			return
		}
		_ = conn.Close()
		runtime.Gosched()
	}
}

func TestTuneForProcessors(t *testing.T) {
	percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(math.MaxInt64)
	defer func() {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	for processors, want := range map[int]struct {
		hashes int
		limit  int64
	}{1: {1, 80 << 20}, 2: {1, 80 << 20}, 4: {2, 100 << 20}, 8: {4, 140 << 20}, 64: {4, 140 << 20}} {
		debug.SetMemoryLimit(math.MaxInt64) // not set by the operator
		hashes := concurrentHashes(processors)
		tuneGarbageCollector(hashes)
		if percent, limit := debug.SetGCPercent(100), debug.SetMemoryLimit(-1); percent != 400 || limit != want.limit || hashes != want.hashes {
			t.Errorf("%d processors: %d logins at once, %d percent and %d bytes, want 400 percent and %+v", processors, hashes, percent, limit, want)
		}
	}
	debug.SetMemoryLimit(math.MaxInt64)
	if _, err := command(t, []string{"DIRECTORY_ADR=:80"}, "serve"); err == nil { // it begins with the limit
		t.Error("served")
	}
	if limit, want := debug.SetMemoryLimit(-1), memoryLimit(concurrentHashes(runtime.GOMAXPROCS(0))); limit != want {
		t.Errorf("a service has a limit of %d bytes, want %d", limit, want)
	}
}

// TestDeadlineOfEveryRequest leaves no time at all for a response. The gateway waits 60 s.
func TestDeadlineOfEveryRequest(t *testing.T) {
	settings, _ := newDirectory(t)
	require(t, settings, "seed")
	a := openApp(t, settings)
	if a.timeout != 55*time.Second {
		t.Errorf("a response may take %s", a.timeout)
	}
	for timeout, want := range map[time.Duration]int{a.timeout: http.StatusNotFound, 1: http.StatusServiceUnavailable} {
		a.timeout, a.registry = timeout, prometheus.NewRegistry()
		handler, err := a.Handler()
		ok(t, err)
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/api/bizprofile/audit/piekarnia-kowalski", nil))
		if response.Code != want {
			t.Errorf("with a timeout of %s: %d %s", timeout, response.Code, response.Body)
		}
	}
}

// TestServerWaits checks how long the server lets a response take, and a stop.
func TestServerWaits(t *testing.T) {
	settings, _ := newDirectory(t, "DIRECTORY_DRAIN_DELAY=3s", "DIRECTORY_DRAIN_TIMEOUT=20s")
	server := openApp(t, settings).server(http.NotFoundHandler(), httpx.NewHealth(nil))
	want := [3]time.Duration{time.Minute, 3 * time.Second, 20 * time.Second}
	if got := [3]time.Duration{server.WriteTimeout, server.DrainDelay, server.DrainTimeout}; got != want {
		t.Errorf("a response, the delay and the requests in progress have %v, want %v", got, want)
	}
}

// TestOtherOrigins: an allowed app may log in and read refusals, and others may do neither.
// Pages are for their own origin alone.
func TestOtherOrigins(t *testing.T) {
	const app = "http://localhost:3000"
	settings, _ := newDirectory(t, "DIRECTORY_ALLOWED_ORIGINS=https://app.example.pl,"+app)
	require(t, settings, "seed")
	handler, err := openApp(t, settings).Handler()
	ok(t, err)
	send := func(method, path, body, origin string) (int, http.Header) {
		request := httptest.NewRequest(method, path, strings.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Origin", origin)
		request.Header.Set("Sec-Fetch-Site", "same-site")
		request.Header.Set("Access-Control-Request-Method", http.MethodPost)
		response := httptest.NewRecorder()
		handler.ServeHTTP(response, request)
		return response.Code, response.Header()
	}
	const login = `{"email":"biuro@demo.example","password":"` + cli.DemoPassword + `"}`
	for _, test := range []struct {
		method, path, body, origin string
		status                     int
		allowed                    bool
	}{
		{"OPTIONS", "/api/auth/login", "", app, 204, true},
		{"POST", "/api/auth/login", login, app, 200, true},
		{"POST", "/api/auth/login", "{", app, 400, true},
		{"GET", "/api/oauth/status", "", app, 401, true},
		{"OPTIONS", "/api/auth/login", "", "http://localhost:3001", 204, false},
		{"POST", "/api/auth/login", login, "http://localhost:3001", 403, false},
		{"GET", "/api/oauth/status", "", "http://localhost:3001", 401, false},
		{"GET", "/konto/logowanie", "", app, 200, false},
	} {
		status, header := send(test.method, test.path, test.body, test.origin)
		want := map[bool][2]string{true: {test.origin, "true"}}[test.allowed]
		if got := [2]string{header.Get("Access-Control-Allow-Origin"), header.Get("Access-Control-Allow-Credentials")}; status != test.status || got != want {
			t.Errorf("%s %s from %s: %d %q, want %d %q", test.method, test.path, test.origin, status, got, test.status, want)
		}
	}
}

// TestCleanUp: what has expired is deleted, what still counts stays.
func TestCleanUp(t *testing.T) {
	const day = 24 * time.Hour
	settings, s := newDirectory(t)
	ctx, now, limits := t.Context(), time.Now(), limit.New(s.DB)
	login := func(subject string) limit.Limit {
		return limit.Limit{Kind: "login", Subject: subject, Max: 1, Window: 30 * day}
	}
	for id, lastSeen := range map[string]time.Time{"expired": now.Add(-13 * time.Hour), "alive": now} {
		ok(t, s.Sessions().Insert(ctx, account.Session{IDHash: hashOf(id), CreatedAt: now.Add(-day), LastSeenAt: lastSeen}))
	}
	for subject, age := range map[string]time.Duration{"old": 9 * day, "counts": 7 * day} {
		ok(t, limits.Take(ctx, now.Add(-age), account.CodeTooManyAttempts, login(subject)))
	}
	ok(t, s.Write(ctx).Exec("INSERT INTO webhooks (id, url, secret, old_secret, disabled, created_at) VALUES (1, 'https://x.example', '', '', '', ?)", now).Error)
	for event, age := range map[string]time.Duration{"old": 15 * day, "kept": 13 * day} {
		ok(t, s.Write(ctx).Exec("INSERT INTO webhook_deliveries (webhook_id, event_id, type, at, data, state, attempts, result, status, next_at, created_at) "+
			"VALUES (1, ?, 'audit.completed', ?, '{}', 'delivered', 1, 'delivered', 200, ?, ?)", event, now, now, now.Add(-age)).Error)
	}
	deliveries := func(ctx context.Context) (events []string, err error) {
		err = s.Read(ctx).Table("webhook_deliveries").Order("event_id").Pluck("event_id", &events).Error
		return events, err
	}
	p := start(t, settings)
	patience, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for { // deliveries are cleaned up after sessions and limits
		if events, err := deliveries(patience); err != nil || !slices.Contains(events, "old") {
			break
		}
		runtime.Gosched()
	}
	if events, err := deliveries(ctx); err != nil || !slices.Equal(events, []string{"kept"}) {
		t.Errorf("deliveries %q, %v", events, err)
	}
	for subject, gone := range map[string]bool{"old": true, "counts": false} {
		if state, err := limits.Peek(ctx, now, login(subject)); state.OK != gone || err != nil {
			t.Errorf("the use of %q: %+v, %v", subject, state, err)
		}
	}
	for id, stays := range map[string]bool{"expired": false, "alive": true} {
		if _, err := s.Sessions().Find(ctx, hashOf(id)); (err == nil) != stays {
			t.Errorf("session %s: %v", id, err)
		}
	}
	requireAbsent(t, p.end(t), "not deleted")
}

// TestServeLogsWhatFails: what recurs goes on, and says what it could not do.
func TestServeLogsWhatFails(t *testing.T) {
	settings, s := newDirectory(t)
	for _, table := range []string{
		"sessions", "password_links", "limit_entries", "webhook_deliveries", "social_statistics_history", "oauth_tokens", "pending_deletions", "password_mails",
	} {
		ok(t, s.Write(t.Context()).Exec("ALTER TABLE "+table+" RENAME TO lost_"+table).Error)
	}
	p := start(t, settings)
	for _, message := range []string{
		"old sessions not deleted", "old links not deleted", "old uses of limits not deleted", "old deliveries not deleted", "old rows not deleted",
		"connections not counted", "data of a person not deleted; it is tried again", "e-mails not read",
	} {
		if !strings.Contains(strings.Join(p.lines, "\n"), `"msg":"`+message+`"`) {
			p.await(t, message)
		}
	}
	p.requireMetric(t, "directory_ready", "1")
	log := p.end(t)
	for _, table := range []string{"sessions", "password_links", "limit_entries", "webhook_deliveries", "social_statistics_history", "oauth_tokens", "password_mails"} {
		if !regexp.MustCompile(`"error":"[^"]*no such table: ` + table).MatchString(log) {
			t.Errorf("the log does not say that %s is missing:\n%s", table, log)
		}
	}
}

// TestCleanUpPrunes checks that a service which does not scan deletes what is older than the
// settings say.
func TestCleanUpPrunes(t *testing.T) {
	const day = 24 * time.Hour
	settings, s := newDirectory(t, "DIRECTORY_KEEP_READINGS=2400h", "DIRECTORY_KEEP_AUDITS=2400h", "DIRECTORY_KEEP_TRAIL=0", "DIRECTORY_SCAN_INTERVAL=0")
	require(t, settings, "company", "add", "Firma", "--slug", "firma")
	a, ctx := openApp(t, settings), t.Context()
	for _, age := range []time.Duration{200 * day, day} {
		at := time.Now().Add(-age)
		ok(t, history.Save(ctx, s.DB, directorytest.Reading(1, at)))
		ok(t, a.Audits.Save(ctx, &audit.Audit{CompanyID: 1, Category: "poor", At: at}))
		ok(t, s.Record(ctx, trail.Entry{CompanyID: 1, Action: "refresh", At: at}))
	}
	left := func() [3]int { // readings, audits, lines of the trail
		_, readings, err := history.Read[struct{}](ctx, s.DB, 1, provider.SocialPages)
		ok(t, err)
		_, audits, err := a.Audits.History(ctx, "firma", 0, 9)
		ok(t, err)
		lines, err := s.Trail(ctx, trail.Search{CompanyID: 1, Limit: 9})
		ok(t, err)
		return [3]int{len(readings), len(audits), len(lines)}
	}
	_, err := a.DB.Exclusively(ctx, "prune", a.prune) // as in another replica
	if want := [3]int{2, 2, 3}; err != nil || left() != want {
		t.Errorf("two replicas at once: %v, left %v, want %v", err, left(), want)
	}
	p := start(t, settings)
	patience, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for want := [3]int{1, 1, 3}; left() != want; runtime.Gosched() {
		if patience.Err() != nil {
			t.Fatalf("left %v, want %v", left(), want)
		}
	}
	p.end(t)
}

func TestScheduledScan(t *testing.T) {
	p := scanExpired(t, newFakeProvider(t))
	p.await(t, "scan done")
	_, metrics := fetch(t, "http://"+p.admin+"/metrics")
	requireAbsent(t, metrics, `directory_scans_total{outcome="ok"} 0`, "directory_scan_last_success_timestamp_seconds 0\n")
	p.end(t)
}

// TestScanOfPages syncs the pages of several companies with their photo accounts. Its
// requests are those of scans, and those of a user's sync are not.
func TestScanOfPages(t *testing.T) {
	f := newFakeProvider(t, "PROVIDER_SOCIAL_PER_MINUTE=10000")
	const companies = 12
	for i := range companies {
		u := directorytest.AddUser(t, f.store, "firma-"+strconv.Itoa(i))
		c := connection.Connection{
			CompanyID: *u.CompanyID, UserID: u.ID, Pair: provider.PagesPair,
			AccessToken: "page", UserAccessToken: "user", AccountID: strconv.Itoa(i), ProviderUserID: "person",
		}
		ok(t, f.store.Connections.Save(t.Context(), &c, nil, directorytest.Entry(c, "connect")))
	}
	a := openApp(t, f.settings)
	result, err := a.Scan.Run(t.Context(), nil)
	if err != nil || result.Synced != 2*companies || result.Left != 0 || result.Failed != 0 {
		t.Errorf("%+v, %v", result, err)
	}
	scanned := turns(t, a.registry)
	if scanned["scans"] < 2*companies || scanned["people"] > 0 {
		t.Errorf("turns of the scan: %v", scanned)
	}
	c, err := f.store.Companies().BySlug(t.Context(), "firma-0")
	ok(t, err)
	_, err = a.Social.SyncPage(t.Context(), c.ID)
	if synced := turns(t, a.registry); err != nil || synced["people"] == 0 || synced["scans"] != scanned["scans"] {
		t.Errorf("%v, turns after a user's sync: %v", err, synced)
	}
}

// turns returns how many requests to provider_social had a turn, by what for.
func turns(t *testing.T, registry prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	ok(t, err)
	by := map[string]float64{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			if labels := series.GetLabel(); family.GetName() == "directory_provider_requests_total" && labels[2].GetValue() == "provider_social" {
				by[labels[1].GetValue()] = series.GetCounter().GetValue()
			}
		}
	}
	return by
}

func TestConnectionsAreCounted(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string, s *directorytest.Store) {
		require(t, settings, "seed")
		a, ctx := openApp(t, settings), t.Context()
		count := func(what string, interval time.Duration, broken, due float64, oldest bool) {
			t.Helper()
			a.cfg.ScanInterval, a.registry = interval, prometheus.NewRegistry()
			ok(t, a.countConnections().Count(ctx))
			is := gauges(t, a.registry)
			age := time.Since(time.Unix(int64(is["directory_scan_oldest_timestamp_seconds"]), 0))
			if is["directory_connections_broken"] != broken || is["directory_scan_interval_seconds"] != interval.Seconds() ||
				is["directory_scan_due_connections"] != due || oldest != (age < time.Hour) {
				t.Errorf("%s: %v", what, is)
			}
		}
		count("nothing connected", time.Hour, 0, 0, false)
		addExpired(t, s)
		count("connected", time.Hour, 0, 1, true)
		count("connected, and nothing scans", 0, 0, 0, true)
		_, err := s.Connections.Change(ctx, 1, provider.ProfilePair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
			c.ReconnectReason = "Dostęp wygasł."
			return nil, nil
		})
		ok(t, err)
		count("broken", time.Hour, 1, 1, true)
		ok(t, s.Write(ctx).Exec("UPDATE oauth_tokens SET sync_scanned_at = ?", time.Now().Add(-time.Minute)).Error)
		count("scanned", time.Hour, 1, 0, true)
		ok(t, s.Write(ctx).Exec("UPDATE oauth_tokens SET sync_scanned_at = ?", time.Now().AddDate(9, 0, 0)).Error)
		a.registry = prometheus.NewRegistry()
		ok(t, a.countConnections().Count(ctx))
		if ahead := gauges(t, a.registry)["directory_scan_ahead_connections"]; ahead != 1 {
			t.Errorf("%v connections were scanned in the future, want 1", ahead)
		}
		_, err = s.Connections.End(ctx, 1, provider.ProfilePair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
			c.End()
			return nil, nil
		})
		ok(t, err)
		a.registry = prometheus.NewRegistry()
		ok(t, a.countConnections().Count(ctx))
		is := gauges(t, a.registry)
		if since := time.Since(time.Unix(int64(is["directory_revocation_oldest_timestamp_seconds"]), 0)); is["directory_revocations_pending"] != 1 || since > time.Hour {
			t.Errorf("revocations: %v", is)
		}
	})
}

// gauges sums what the registry shows by name.
func gauges(t *testing.T, registry prometheus.Gatherer) map[string]float64 {
	t.Helper()
	families, err := registry.Gather()
	ok(t, err)
	sums := map[string]float64{}
	for _, family := range families {
		for _, series := range family.GetMetric() {
			sums[family.GetName()] += series.GetGauge().GetValue()
		}
	}
	return sums
}
