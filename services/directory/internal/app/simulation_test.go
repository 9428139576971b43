//go:build !race

package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
)

const (
	day = 24 * time.Hour
	// fullFleet is the size for which the quotas are those of the providers. A smaller fleet
	// has its share of them, but at least a quarter: people need a share of each minute.
	fullFleet                 = 100_000
	defaultFleet, defaultDays = 100, 30
)

// The quotas at full size: of each API of Google in a minute
// (https://developers.google.com/my-business/content/limits), and of Meta's app in an hour,
// which has 200 calls for each of its daily users
// (https://developers.facebook.com/docs/graph-api/overview/rate-limiting).
const (
	googleQuota = 300
	graphQuota  = 200 * 150
)

// cause is a failure of a provider. It begins with the first request after a time since the
// beginning, so that it meets a scan.
type cause struct {
	name         string
	provider     provider.Name
	from, length time.Duration
	longest      time.Duration // of a pause, if the provider says so; 0: as long as the cause has lasted
	whole        bool          // also at the token endpoint
	status       int
	header       http.Header
	body         string

	begin    time.Time // zero before it
	refused  int       // requests
	pauses   []pauseBegun
	caughtUp time.Time // when nothing was overdue any more
}

func (c *cause) end() time.Time { return c.begin.Add(c.length) }

// concerns reports whether a failure at a time may be because of c.
func (c *cause) concerns(p provider.Name, at time.Time) bool {
	return c.provider == p && !c.begin.IsZero() && !at.Before(c.begin) && at.Before(c.end().Add(time.Minute))
}

func causes() []*cause {
	const (
		perMinute = `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED",
			"metadata":{"quota_limit":"DefaultRequestsPerMinutePerProject","quota_unit":"1/min/{project}","quota_limit_value":"300"}}]}}`
		perDay = `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED",
			"metadata":{"quota_limit":"DefaultRequestsPerDayPerProject","quota_unit":"1/d/{project}","quota_limit_value":"1000000"}}]}}`
		deactivated = `{"error":{"code":200,"type":"OAuthException","message":"API access deactivated. To reactivate, go to the app dashboard."}}`
	)
	return []*cause{
		{name: "outage of an hour", provider: provider.Search, from: 4 * day, length: time.Hour, whole: true, status: 503},
		{name: "app deactivated for an hour", provider: provider.Social, from: 6 * day, length: time.Hour, status: 400, body: deactivated},
		{name: "app deactivated for two hours", provider: provider.Social, from: 8 * day, length: 2 * time.Hour, status: 400, body: deactivated},
		{name: "quota of a minute", provider: provider.Search, from: 10 * day, length: time.Minute, longest: time.Minute, status: 429, body: perMinute},
		{name: "Retry-After of ten years", provider: provider.Search, from: 12 * day, length: time.Minute, longest: day, status: 429, body: perDay,
			header: http.Header{"Retry-After": {"315360000"}}},
	}
}

// outside is the providers and the receivers of webhooks.
type outside struct {
	t      *testing.T
	begin  time.Time
	google int // quotas
	graph  int
	causes []*cause

	mu       sync.Mutex
	sent     map[string][]time.Time // by API, in the time of its quota
	most     map[string]int         // in that time
	calls    map[string]int
	full     []time.Time // responses with an almost full usage of the app
	received map[string]int
	slowest  time.Duration // from an event to its delivery
}

// send responds to a request. One of people begins no cause.
func (o *outside) send(r *http.Request, people bool) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Host, ".example") {
		return o.receive(r)
	}
	select {
	case <-time.After(200 * time.Millisecond):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	since, header := time.Since(o.begin), http.Header{}
	at, api, token := provider.Search, r.URL.Host, strings.HasSuffix(r.URL.Path, "/token")
	if api == "graph.facebook.com" {
		at = provider.Social
	}
	o.calls[api]++
	for _, c := range o.causes {
		if c.provider != at || since < c.from || token && !c.whole {
			continue
		}
		if c.begin.IsZero() && !people {
			c.begin = time.Now()
		}
		if time.Now().Before(c.end()) {
			c.refused++
			return response(c.status, c.header, c.body), nil
		}
	}
	switch {
	case token:
		return response(200, header, `{"access_token":"access-`+strconv.Itoa(o.calls[api])+`","token_type":"Bearer","expires_in":3599}`), nil
	case at == provider.Search:
		if n := o.count(api, time.Minute); n > o.google {
			o.t.Errorf("%s: %s: %d requests in a minute", since, api, n)
		}
		return response(200, header, `{"name":"locations/`+path.Base(r.URL.Path)+`","title":"Firma","metadata":{"hasVoiceOfMerchant":true},
			"siteEntry":[{"siteUrl":"sc-domain:firmy.example","permissionLevel":"siteOwner"}],
			"searchKeywordsCounts":[{"searchKeyword":"firma","insightsValue":{"value":"10"}}]}`), nil
	}
	used := o.count(api, time.Hour) * 100 / o.graph
	if used >= 100 {
		o.t.Errorf("%s: %s: %d%% of the calls of an hour", since, api, used)
	}
	if used >= 95 {
		o.full = append(o.full, time.Now())
	}
	header.Set("X-App-Usage", fmt.Sprintf(`{"call_count":%d,"total_time":1,"total_cputime":1}`, used))
	return response(200, header, `{"id":"`+path.Base(r.URL.Path)+`","name":"Firma","fan_count":50,"data":[]}`), nil
}

// count adds a request to those of an API, and returns how many there are in a length of time.
func (o *outside) count(api string, length time.Duration) int {
	now := time.Now()
	list := append(o.sent[api], now)
	for !list[0].After(now.Add(-length)) {
		list = list[1:]
	}
	o.sent[api], o.most[api] = list, max(o.most[api], len(list))
	return len(list)
}

// receive is the receivers: those at dead.example refuse, the others take a moment.
func (o *outside) receive(r *http.Request) (*http.Response, error) {
	var event struct{ Timestamp time.Time }
	err := json.NewDecoder(r.Body).Decode(&event)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.received[r.URL.Host]++
	if strings.HasPrefix(r.URL.Host, "dead") {
		return nil, errors.Join(err, errors.New("connection refused"))
	}
	o.slowest = max(o.slowest, time.Since(event.Timestamp))
	return response(200, nil, ""), err
}

func response(status int, header http.Header, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body))}
}

// pauseLog is a log that keeps the pauses that begin.
type pauseLog struct {
	slog.Handler
	mu     sync.Mutex
	pauses []pauseBegun
}

type pauseBegun struct {
	of        provider.Name
	at, until time.Time
}

// Handle implements slog.Handler.
func (l *pauseLog) Handle(_ context.Context, r slog.Record) error {
	p := pauseBegun{at: r.Time}
	r.Attrs(func(a slog.Attr) bool {
		switch a.Key {
		case "provider":
			name, _, _ := strings.Cut(a.Value.String(), "/")
			p.of = provider.Name(name)
		case "until":
			p.until = a.Value.Time()
		}
		return true
	})
	if strings.HasPrefix(r.Message, "pause begins") || strings.HasPrefix(r.Message, "app-wide failure") && !p.until.IsZero() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.pauses = append(l.pauses, p)
	}
	return nil
}

// Enabled implements slog.Handler.
func (*pauseLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// replica is a process that may freeze or be killed.
type replica struct {
	*app
	out    *outside
	people bool // it serves people and does not scan
	stop   context.CancelFunc

	mu     sync.Mutex
	called time.Time
	thawed chan struct{} // nil unless it is frozen
	killed bool
}

// RoundTrip implements http.RoundTripper.
func (r *replica) RoundTrip(req *http.Request) (*http.Response, error) {
	r.hold()
	r.mu.Lock()
	r.called = time.Now()
	r.mu.Unlock()
	return r.out.send(req, r.people)
}

// hold returns when the replica is not frozen, and reports whether it lives.
func (r *replica) hold() bool {
	r.mu.Lock()
	thawed := r.thawed
	r.mu.Unlock()
	if thawed != nil {
		<-thawed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.killed
}

func (r *replica) freeze(length time.Duration) {
	thawed := make(chan struct{})
	r.mu.Lock()
	r.thawed = thawed
	r.mu.Unlock()
	time.Sleep(length)
	r.mu.Lock()
	r.thawed = nil
	r.mu.Unlock()
	close(thawed)
}

// kill ends the replica at once: nothing that it does is stored any more.
func (r *replica) kill() {
	r.mu.Lock()
	r.killed = true
	r.mu.Unlock()
	r.stop()
}

// simulation is a month of a fleet: two replicas of the service on one database, with the
// clock of a bubble.
type simulation struct {
	*outside
	t        *testing.T
	url      string
	settings []string
	log      *pauseLog
	working  sync.WaitGroup
	owners   []connection.Connection // of profiles
}

// open opens a replica, on which nothing recurs yet.
func (s *simulation) open() *replica {
	s.t.Helper()
	cfg, err := loadConfig(s.settings)
	ok(s.t, err)
	db := databasetest.Open(s.t, s.url, database.WithLeaseClock(time.Now))
	ok(s.t, db.Write(s.t.Context()).Exec("PRAGMA synchronous = off").Error)
	dead, die := context.WithCancel(s.t.Context())
	die()
	r := &replica{out: s.outside}
	ok(s.t, db.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		if name == "raw" && !r.hold() || name != "raw" && r.isKilled() { // leases and turns; a frozen transaction would hold SQLite's only lock
			ctx = dead
		}
		return ctx, func(error) {}
	}))
	r.app, err = newApp(thisBuild(), cfg, db, slog.New(s.log), nil, func(a *app) { a.network = r })
	ok(s.t, err)
	return r
}

// start starts a replica with what recurs, except webhooks.
func (s *simulation) start() *replica {
	s.t.Helper()
	r := s.open()
	ctx, stop := context.WithCancel(s.t.Context())
	r.stop = stop
	s.working.Go(func() { r.scan.Every(ctx, r.cfg.ScanInterval) })
	s.working.Go(func() { r.cleanUp(ctx) })
	return r
}

// scanning waits for a scan, and returns the replica that runs it and the other one.
func (s *simulation) scanning(a, b *replica) (runs, waits *replica) {
	for begin := time.Now(); ; time.Sleep(time.Second) {
		if a.callAfter(begin) {
			return a, b
		}
		if b.callAfter(begin) {
			return b, a
		}
	}
}

func (r *replica) callAfter(at time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.called.After(at)
}

func (r *replica) isKilled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.killed
}

// connect connects n services: of ten companies, nine have a profile only, and one has
// search figures and a page, too. It returns how many companies there are.
func (s *simulation) connect(n int) (companies int64) {
	s.t.Helper()
	store := directorytest.NewStore(databasetest.Open(s.t, s.url))
	ok(s.t, store.Write(s.t.Context()).Exec("PRAGMA synchronous = off").Error)
	save := func(companyID int64, p provider.Pair, c connection.Connection) connection.Connection {
		c.CompanyID, c.Pair, c.ProviderUserID = companyID, p, fmt.Sprint(p.Provider, "-", companyID)
		ok(s.t, store.Connections.Save(s.t.Context(), &c, nil, trail.Entry{CompanyID: companyID, Action: "connect", Pair: p}))
		return c
	}
	google := connection.Connection{AccessToken: "access", RefreshToken: "refresh", ExpiresAt: new(s.begin)}
	for done := 0; done < n; done++ {
		owner := company.Company{Name: "Firma", Slug: fmt.Sprint("firma-", done), Status: company.StatusActive, Website: "https://firmy.example"}
		ok(s.t, store.Companies().Create(s.t.Context(), &owner))
		companies++
		profile := google
		profile.Chosen, profile.AccountID = connection.ChosenLocation, fmt.Sprint("locations/", owner.ID)
		s.owners = append(s.owners, save(owner.ID, provider.ProfilePair, profile))
		if companies%10 == 0 {
			save(owner.ID, provider.AnalyticsPair, google)
			save(owner.ID, provider.PagesPair, connection.Connection{
				AccessToken: "page", Chosen: connection.ChosenPage, AccountID: fmt.Sprint(owner.ID),
				UserAccessToken: "user", UserExpiresAt: new(s.begin.Add(60 * day)),
			})
			done += 2
		}
	}
	return companies
}

// until lets time pass until a time since the beginning.
func (s *simulation) until(since time.Duration) { time.Sleep(time.Until(s.begin.Add(since))) }

// visit is people who use the service all the time: their requests must not wait behind
// scans. It returns how many were refused, and the longest wait.
func (s *simulation) visit(ctx context.Context, r *replica) (visits, refused int, longest time.Duration) {
	random := rand.New(rand.NewPCG(1, 2))
	for ctx.Err() == nil {
		time.Sleep(time.Duration(random.Int64N(int64(20 * time.Minute))))
		c := s.owners[random.IntN(len(s.owners))]
		begin := time.Now()
		_, err := r.locations.Read(ctx, c)
		if s.during(begin) || s.during(time.Now()) {
			continue
		}
		visits++
		if err != nil && ctx.Err() == nil {
			refused++
			s.t.Logf("%s: a person's request: %v (%s)", begin.Sub(s.begin), err, fault.From(err).Code)
		}
		longest = max(longest, time.Since(begin))
	}
	return visits, refused, longest
}

// during reports whether a time is in the one of a cause.
func (s *simulation) during(at time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.causes, func(c *cause) bool { return c.concerns(c.provider, at) })
}

// TestFleet lets a fleet run for a month, with two replicas, failures of the providers, a
// killed and a frozen replica and dead receivers, and checks that each company is audited
// once a week, that no quota is exceeded, that no pause is longer than its cause, that nobody
// is marked, and that people do not wait. The full size, SIMULATION_CONNECTIONS=100000, takes
// more than an hour; SIMULATION_DAYS shortens it.
func TestFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	n, days := fromEnviron(t, "SIMULATION_CONNECTIONS", defaultFleet), fromEnviron(t, "SIMULATION_DAYS", defaultDays)
	url := databasetest.NewSQLite(t) // outside the bubble: its template is for all tests
	synctest.Test(t, func(t *testing.T) { simulate(t, url, n, time.Duration(days)*day) })
}

func fromEnviron(t *testing.T, name string, value int) int {
	t.Helper()
	if text := os.Getenv(name); text != "" {
		var err error
		value, err = strconv.Atoi(text)
		ok(t, err)
	}
	return value
}

func simulate(t *testing.T, url string, n int, length time.Duration) {
	share := max(float64(n)/fullFleet, 0.25)
	quota := func(full int) int { return int(float64(full) * share) }
	s := &simulation{
		t: t, url: url, log: &pauseLog{Handler: slog.DiscardHandler},
		outside: &outside{
			t: t, begin: time.Now(), google: quota(googleQuota), graph: quota(graphQuota), causes: causes(),
			sent: map[string][]time.Time{}, most: map[string]int{}, calls: map[string]int{}, received: map[string]int{},
		},
		settings: []string{
			"DIRECTORY_DATABASE_URL=" + url, "DIRECTORY_SESSION_KEYS=" + goodKey, "DIRECTORY_ENCRYPTION_KEYS=" + databasetest.Keys,
			"PROVIDER_SEARCH_CLIENT_ID=id", "PROVIDER_SEARCH_CLIENT_SECRET=secret", "PROVIDER_SOCIAL_CLIENT_ID=id", "PROVIDER_SOCIAL_CLIENT_SECRET=secret",
			fmt.Sprint("PROVIDER_SEARCH_PER_MINUTE=", quota(240)), fmt.Sprint("PROVIDER_SOCIAL_PER_MINUTE=", quota(600)),
		},
	}
	companies := s.connect(n)
	first, second, third := s.start(), s.start(), s.open()
	third.people = true
	people, leave := context.WithCancel(t.Context())
	var visits, refused int
	var longest time.Duration
	s.working.Go(func() { visits, refused, longest = s.visit(people, third) })
	s.working.Go(func() { s.observe(people, third) })

	s.until(2 * day)
	killed, alive := s.scanning(first, second)
	killed.kill()
	s.until(2*day + time.Hour)
	first, second = alive, s.start()
	s.until(3 * day)
	frozen, _ := s.scanning(first, second)
	frozen.freeze(140 * time.Second) // longer than the work on a connection may take
	s.until(3*day + time.Hour)
	s.deliver(first, second)
	s.until(length)
	leave()
	first.stop()
	second.stop()
	s.working.Wait()

	s.checkAudits(third.db, companies)
	s.checkPauses()
	if visits == 0 || refused > 0 || longest > 5*time.Second {
		t.Errorf("of %d requests of people %d failed, the longest took %s", visits, refused, longest)
	}
	t.Logf("people: %d requests, the longest took %s", visits, longest)
	for api, calls := range s.calls {
		t.Logf("%s: %d requests, at most %d in the time of its quota", api, calls, s.most[api])
	}
}

// observe notes, every ten minutes, whether something has waited for half an hour more than
// the interval, and reports each day.
func (s *simulation) observe(ctx context.Context, r *replica) {
	for n := 1; ctx.Err() == nil; n++ {
		s.until(time.Duration(n) * 10 * time.Minute)
		overdue, err := r.scan.Due(ctx, time.Now().Add(-r.cfg.ScanInterval-30*time.Minute))
		if err != nil {
			continue
		}
		s.mu.Lock()
		for _, c := range s.causes {
			if overdue == 0 && c.caughtUp.IsZero() && !c.begin.IsZero() && time.Now().After(c.end()) {
				c.caughtUp = time.Now()
				s.t.Logf("%s: %d refused requests, caught up %s after its end", c.name, c.refused, c.caughtUp.Sub(c.end()).Round(time.Minute))
			}
		}
		s.mu.Unlock()
		if n%(24*6) == 0 {
			s.report(n/24/6, overdue)
		}
	}
}

// report logs how far the simulation is.
func (s *simulation) report(day, overdue int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	refused := 0
	for _, c := range s.causes {
		refused += c.refused
	}
	s.t.Logf("day %d: %d overdue, %d requests refused, of each quota (%d, Meta %d) at most %v used", day, overdue, refused, s.google, s.graph, s.most)
}

// checkAudits checks that each company was audited at first and then once in each of its
// weeks, and that no connection was ever marked.
func (s *simulation) checkAudits(db *database.DB, companies int64) {
	var rows []struct {
		CompanyID int64
		AuditDate time.Time
	}
	ok(s.t, db.Read(s.t.Context()).Raw("SELECT company_id, audit_date FROM profile_audits ORDER BY company_id, audit_date").Scan(&rows).Error)
	audits := map[int64][]time.Time{}
	for _, r := range rows {
		audits[r.CompanyID] = append(audits[r.CompanyID], r.AuditDate)
	}
	if int64(len(audits)) != companies {
		s.t.Errorf("%d of %d companies were audited", len(audits), companies)
	}
	var longest time.Duration
	for id, dates := range audits {
		for i, at := range append(dates[1:], time.Now()) {
			gap, shortest := at.Sub(dates[i]), 5*day
			if i == 0 { // its weeks begin at a time of its own
				shortest = 20 * time.Hour
			}
			if gap > 9*day || gap < shortest && i+1 < len(dates) {
				s.t.Errorf("company %d: audit %d after %s: %s", id, i+1, gap, dates)
			}
			longest = max(longest, gap)
		}
	}
	var marks int64
	ok(s.t, db.Read(s.t.Context()).Raw("SELECT COUNT(*) FROM audit_trail WHERE action = 'reconnect_required'").Scan(&marks).Error)
	if marks > 0 {
		s.t.Errorf("%d connections were marked", marks)
	}
	s.t.Logf("%d companies, %d audits, at most %s between two", companies, len(rows), longest.Round(time.Minute))
}

// checkPauses checks that each pause has a cause, and is no longer than that.
func (s *simulation) checkPauses() {
	for _, p := range s.log.pauses {
		i := slices.IndexFunc(s.causes, func(c *cause) bool { return c.concerns(p.of, p.at) })
		length := p.until.Sub(p.at)
		if i >= 0 {
			c := s.causes[i]
			c.pauses = append(c.pauses, p)
			if length > cmp.Or(c.longest, max(time.Minute, p.at.Sub(c.begin)))+time.Millisecond { // times are stored in microseconds
				s.t.Errorf("%s: paused for %s after %s", c.name, length, p.at.Sub(c.begin))
			}
			continue
		}
		full := func(at time.Time) bool { return !at.After(p.at) && at.After(p.at.Add(-time.Minute)) }
		if p.of != provider.Social || !slices.ContainsFunc(s.full, full) || length > time.Hour {
			s.t.Errorf("%s: %s is paused for %s without a cause", p.at.Sub(s.begin), p.of, length)
		}
	}
	for _, c := range s.causes {
		if c.begin.IsZero() && time.Since(s.begin) <= c.from+day {
			continue // a shorter simulation
		}
		if c.refused == 0 || len(c.pauses) == 0 {
			s.t.Errorf("%s: %d refused requests, %d pauses", c.name, c.refused, len(c.pauses))
			continue
		}
		last := c.pauses[len(c.pauses)-1]
		s.t.Logf("%s: %d pauses, over %s after its end", c.name, len(c.pauses), last.until.Sub(c.end()).Round(time.Second))
	}
}

// deliver lets both replicas deliver events for an hour: to ten receivers that refuse, each
// with 300 overdue events, and to one that gets the events of all companies.
func (s *simulation) deliver(replicas ...*replica) {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Hour)
	defer cancel()
	hooks := replicas[0].webhooks
	for i := range 10 {
		hook, err := hooks.Add(ctx, trail.Entry{}, &s.owners[i].CompanyID, fmt.Sprintf("https://dead-%d.example/", i))
		ok(s.t, err)
		overdue := make([]webhook.Delivery, 300)
		for n := range overdue {
			overdue[n] = webhook.Delivery{
				WebhookID: hook.ID, EventID: fmt.Sprint(i, "-", n), Type: "audit.completed", Data: "{}", State: webhook.Pending, At: time.Now(), NextAt: time.Now().Add(-time.Hour),
			}
		}
		ok(s.t, replicas[0].db.Write(ctx).Create(&overdue).Error)
	}
	_, err := hooks.Add(ctx, trail.Entry{}, nil, "https://healthy.example/")
	ok(s.t, err)
	var delivering sync.WaitGroup
	for _, r := range replicas {
		delivering.Go(func() { r.webhooks.Run(ctx) })
	}
	for range 60 {
		ok(s.t, replicas[0].db.Transaction(s.t.Context(), func(tx *gorm.DB) error {
			return webhook.Publish(tx, "audit.completed", s.owners[0].CompanyID, struct{}{})
		}))
		time.Sleep(time.Minute)
	}
	delivering.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	dead := 0
	for host, n := range s.received {
		if strings.HasPrefix(host, "dead") {
			dead += n
		}
	}
	if s.received["healthy.example"] < 60 || s.slowest > time.Minute {
		s.t.Errorf("the healthy receiver got %d events, after %s at most", s.received["healthy.example"], s.slowest)
	}
	s.t.Logf("webhooks: ten dead receivers got %d attempts, the healthy one %d events, after %s at most", dead, s.received["healthy.example"], s.slowest)
}
