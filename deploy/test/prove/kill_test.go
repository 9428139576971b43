package prove

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// target is a program to kill and restart. The weight is its relative probability.
type target struct {
	weight int
	stop   func(syscall.Signal) error
	start  func(*testing.T)
}

// staleConnection is how long stale connections to a restarted database may make requests
// fail. A connection that was idle for more than a second is checked before use.
const staleConnection = 1100 * time.Millisecond

// TestKill kills every program at random moments during writes. After each restart every
// acknowledged write exists, and no partial one.
func TestKill(t *testing.T) {
	measured := report(t, "kill -9 of every program during writes: each acknowledged write is there after the restart, no half-written one")
	kills := number(t, "PROVE_KILLS", 200)
	r := choices(t)
	var acknowledged int
	t.Run("postgresql", func(t *testing.T) {
		server := harness.StartPostgres(t)
		database := server.NewDatabase(t)
		s := harness.New(t, harness.Options{
			Directories: 2, Replicas: 2, Redis: true, Database: database,
			Env: []string{"HARDWARE_PRICE_INTERVAL=20ms", "HARDWARE_MAX_REPLICAS=2"},
		})
		targets := programs(s)
		targets["postgresql"] = target{weight: 4, stop: func(s syscall.Signal) error { return server.Stop(s) }, start: func(t *testing.T) {
			server.Start(t)
			<-time.After(staleConnection)
		}}
		run := newKillRun(t, s, r, targets)
		run.database = harness.OpenDatabase(t, database)
		run.kill(t, kills-kills/4)
		acknowledged += run.acknowledged()
	})
	t.Run("sqlite", func(t *testing.T) {
		s := harness.New(t, harness.Options{Directories: 2})
		all := programs(s)
		run := newKillRun(t, s, r, map[string]target{"directory": all["directory"], "directory-2": all["directory-2"]})
		run.kill(t, kills/4)
		acknowledged += run.acknowledged()
	})
	measured("%d kills, %d acknowledged writes looked for", kills, acknowledged)
}

// programs returns the parts of a stack that may be killed. deploy/test/compose kills Redis.
func programs(s *harness.Stack) map[string]target {
	service := func(weight int, p *harness.Service) target {
		return target{weight: weight, stop: func(s syscall.Signal) error { return p.Stop(s) }, start: p.Start}
	}
	return map[string]target{
		"directory": service(4, s.Directories[0]), "directory-2": service(4, s.Directories[1]),
		"hardware": service(3, s.Hardware[0]), "gateway": service(1, s.Proxy),
	}
}

// killRun is a series of kills in a stack.
type killRun struct {
	stack     *harness.Stack
	choices   *rand.Rand
	targets   map[string]target
	companies []*companyClient
	prices    *priceClient
	database  *sql.DB // nil if only the API is checked
}

func newKillRun(t *testing.T, s *harness.Stack, r *rand.Rand, targets map[string]target) *killRun {
	t.Helper()
	return &killRun{stack: s, choices: r, targets: targets, companies: newCompanyClients(t, s, 4), prices: newPriceClient(t, s)}
}

func (r *killRun) acknowledged() int {
	n := len(r.prices.known)
	for _, c := range r.companies {
		n += c.acknowledged
	}
	return n
}

func (r *killRun) kill(t *testing.T, kills int) {
	t.Helper()
	count := map[string]int{}
	for i := range kills {
		name := r.pick()
		count[name]++
		r.writeDuring(t, func() { _ = r.targets[name].stop(syscall.SIGKILL) })
		r.targets[name].start(t)
		r.stack.AwaitGateway(t)
		for _, c := range r.companies {
			c.verify(t)
		}
		r.prices.verify(t)
		if r.database != nil {
			requireConsistent(t, r.database)
		}
		if t.Failed() {
			t.Fatalf("after kill %d, of %s", i+1, name)
		}
	}
	withdrawn := 0
	for _, c := range r.companies {
		withdrawn += c.withdrawn
	}
	t.Logf("killed: %v; %d connections were made before the previous grant was revoked", count, withdrawn)
}

// pick chooses a target by weight.
func (r *killRun) pick() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(r.targets)) {
		names = append(names, slices.Repeat([]string{name}, r.targets[name].weight)...)
	}
	return names[r.choices.IntN(len(names))]
}

// writeDuring writes with all clients and kills at a random moment. It returns when each
// client has received its last response or an error.
func (r *killRun) writeDuring(t *testing.T, kill func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	stopped := make(chan struct{})
	var wg sync.WaitGroup
	seed := r.choices.Uint64()
	for i, c := range r.companies {
		c.visitor.HTTP.CloseIdleConnections()
		wg.Go(func() { c.write(ctx, rand.New(rand.NewPCG(seed, uint64(i))), stopped) }) // #nosec G404 G115 -- choices of a test
	}
	wg.Go(func() { r.prices.ask(ctx, stopped) })
	<-time.After(time.Duration(r.choices.IntN(60_000)) * time.Microsecond)
	kill()
	close(stopped)
	wg.Wait()
}

// write makes changes until one fails or stopped is closed.
func (c *companyClient) write(ctx context.Context, r *rand.Rand, stopped <-chan struct{}) {
	for c.change(ctx, r) == nil {
		select {
		case <-stopped:
			return
		default:
		}
	}
}

// requireConsistent checks the database for partial changes. Rows that are written in one
// transaction have to agree.
func requireConsistent(t *testing.T, db *sql.DB) {
	t.Helper()
	contradictions := map[string]string{
		"connections that differ from the newest line of their trail": `
			SELECT count(*) FROM oauth_tokens o CROSS JOIN LATERAL (
				SELECT action FROM audit_trail a WHERE a.company_id = o.company_id AND a.provider = o.provider
				AND a.service = o.service AND action IN ('connect', 'disconnect') ORDER BY id DESC LIMIT 1) newest
			WHERE o.is_active <> (newest.action = 'connect')`,
		"connections without a line": `
			SELECT count(*) FROM oauth_tokens o WHERE NOT EXISTS (SELECT 1 FROM audit_trail a
				WHERE a.company_id = o.company_id AND a.provider = o.provider AND a.service = o.service)`,
		"page configurations that differ from their connection": `
			SELECT count(*) FROM social_media_configs c LEFT JOIN oauth_tokens o
				ON o.company_id = c.company_id AND o.service = 'social_pages' AND o.account_id = c.page_id AND o.is_active = c.is_active
			WHERE o.id IS NULL`,
		"active connections without a credential": `
			SELECT count(*) FROM oauth_tokens WHERE is_active AND access_token = ''`,
		"ended connections with a credential": `
			SELECT count(*) FROM oauth_tokens WHERE NOT is_active AND (access_token <> '' OR refresh_token <> '')`,
	}
	for what, query := range contradictions {
		if n, err := count(t.Context(), db, query); n != 0 || err != nil {
			t.Errorf("%d %s (%v)", n, what, err)
		}
	}
}

// count retries, because the pool may have connections to the killed server.
func count(ctx context.Context, db *sql.DB, query string) (n int, err error) {
	for range 3 {
		if err = db.QueryRowContext(ctx, query).Scan(&n); err == nil {
			return n, nil
		}
	}
	return 0, fmt.Errorf("count: %w", err)
}

// priceClient requests the prices of new products, and a ranking. Known answers have to stay
// available, because look-ups are scarce.
type priceClient struct {
	stack *harness.Stack
	http  *http.Client
	asked int
	known map[string]string // scrapedAt by path
	rows  int               // of the ranking
}

func newPriceClient(t *testing.T, s *harness.Stack) *priceClient {
	t.Helper()
	c := &priceClient{stack: s, http: &http.Client{Transport: harness.ChangingAddresses()}, known: map[string]string{}}
	c.rows = c.rankingRows(t)
	return c
}

// price requests a price. Any status but 200 is an error.
func price(ctx context.Context, by *http.Client, url string) (scrapedAt string, offers int, err error) {
	a, err := harness.Send(ctx, by, http.MethodGet, url, nil)
	if err != nil {
		return "", 0, err
	}
	if a.Status != http.StatusOK {
		return "", 0, fmt.Errorf("%d %.200s", a.Status, a.Body)
	}
	var body struct {
		ScrapedAt string
		Offers    []any
	}
	err = json.Unmarshal(a.Body, &body)
	return body.ScrapedAt, len(body.Offers), err
}

// ask sends requests until one fails or stopped is closed.
func (c *priceClient) ask(ctx context.Context, stopped <-chan struct{}) {
	c.http.CloseIdleConnections()
	for {
		c.asked++
		path := fmt.Sprintf("/api/prices/ceneo?q=dysk+model+%d", c.asked)
		scrapedAt, offers, err := price(ctx, c.http, c.stack.Gateway+path)
		if err != nil {
			return
		}
		if offers > 0 { // an empty result is not cached
			c.known[path] = scrapedAt
		}
		select {
		case <-stopped:
			return
		default:
		}
	}
}

// verify requests one of the known prices again, and the ranking.
func (c *priceClient) verify(t *testing.T) {
	t.Helper()
	for path, before := range c.known {
		now, _, err := price(t.Context(), c.http, c.stack.Gateway+path)
		if err != nil || now != before && !c.redisWasLate() {
			t.Errorf("%s: %v, scraped at %q; before it was %q", path, err, now, before)
		}
		c.known[path] = now
		break // a random one, by the order of the map
	}
	if rows := c.rankingRows(t); rows != c.rows {
		t.Errorf("the ranking has %d rows, before it had %d", rows, c.rows)
	}
}

// redisWasLate reports whether a replica has logged a time-out of Redis. That happens on a
// busy machine, and then the replica does not share its result.
func (c *priceClient) redisWasLate() bool {
	for _, replica := range c.stack.Hardware {
		if log := replica.Log.String(); strings.Contains(log, "shared store is away") || strings.Contains(log, "outcome not shared") {
			return true
		}
	}
	return false
}

func (c *priceClient) rankingRows(t *testing.T) int {
	t.Helper()
	a, err := harness.Send(t.Context(), c.http, http.MethodGet, c.stack.Gateway+"/api/benchmark/ssd?limit=500", nil)
	if err != nil {
		t.Fatal(err)
	}
	return harness.Decode[struct{ Count int }](t, a).Count
}
