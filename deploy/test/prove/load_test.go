package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// concurrent is the number of clients. Each waits for its response before the next request.
const concurrent = 200

// TestLoad measures the capacity, applies a load of 80% of it, then of 300%, and checks the
// recovery.
func TestLoad(t *testing.T) {
	measured := report(t, "80% of the measured capacity, mixed traffic through the gateway: no error, flat memory and goroutines")
	lasting := duration(t, "PROVE_LOAD", 5*time.Minute)
	s := harness.New(t, harness.Options{
		Directories: 1, Redis: true, Postgres: true,
		// The gateway is on this machine, and so are the clients.
		DirectoryEnv: []string{"DIRECTORY_TRUSTED_PROXIES=127.0.0.1/32"},
		Env:          []string{"HARDWARE_PRICE_INTERVAL=5ms", "HARDWARE_PRICE_MAX_WAIT=2s"},
		GatewayEnv:   []string{"GATEWAY_MAX_RATE=0"},
	})
	c := newClients(t, s, concurrent)
	capacity := measure(t, c)
	steady := func(lasting time.Duration) *loadResult {
		return runLoad(t.Context(), plan{Kinds: c.traffic(), Rate: 0.8 * capacity, Open: concurrent, Time: lasting})
	}
	steady(min(lasting/3, 30*time.Second)) // fills caches, pools and the heap
	before := usage(t, s)
	result := steady(lasting)
	after := usage(t, s)
	t.Logf("right answers: %v", result.Of)
	for _, kind := range c.traffic() {
		if result.Of[kind.Name] == 0 {
			t.Errorf("the load was without %s", kind.Name)
		}
	}
	measured("capacity %.0f/s; %d requests in %s, %d errors, p50 %s, p99 %s; %s", capacity, result.Sent, lasting,
		result.Wrong+result.Refused, result.Percentile(50).Round(10*time.Microsecond), result.Percentile(99).Round(100*time.Microsecond), growth(before, after))
	if result.Wrong+result.Refused > 0 {
		t.Errorf("%d wrong, %d refused; first: %v", result.Wrong, result.Refused, result.First)
	}
	if result.Skipped > result.Sent/20 {
		t.Errorf("%d requests were not sent because all %d clients were busy", result.Skipped, concurrent)
	}
	requireFlat(t, before, after)
	t.Run("overload", func(t *testing.T) { overload(t, s, c, capacity, result.Percentile(99)) })
}

// measure saturates the backend and returns the right answers per second, the lower result of
// two runs.
func measure(t *testing.T, c *clients) float64 {
	t.Helper()
	saturated := func(lasting time.Duration) float64 {
		r := runLoad(t.Context(), plan{Kinds: c.traffic(), Open: concurrent, Time: lasting})
		t.Logf("saturated: %.0f/s, p99 %s", r.PerSecond(), r.Percentile(99))
		if r.Wrong > 0 {
			t.Fatalf("while measuring: %d wrong, first: %v", r.Wrong, r.First)
		}
		return r.PerSecond()
	}
	saturated(3 * time.Second) // fills caches and pools
	return min(saturated(5*time.Second), saturated(5*time.Second))
}

// overload sends three times the capacity. The gateway is limited to a part of the capacity
// for each service.
func overload(t *testing.T, s *harness.Stack, c *clients, capacity float64, calm time.Duration) {
	measured := report(t, "Overload, 3 times the capacity: right answers, or 429/503 with Retry-After; recovered within 5 s")
	s.Proxy.Env = append(s.Proxy.Env, fmt.Sprintf("GATEWAY_MAX_RATE=%.0f", 0.4*capacity)) // the last one counts
	_ = s.Proxy.Stop(syscall.SIGTERM)
	s.Proxy.Start(t)
	s.AwaitGateway(t)
	r := runLoad(t.Context(), plan{Kinds: c.traffic(), Rate: 3 * capacity, Open: concurrent, Time: 10 * time.Second})
	if r.Wrong > 0 {
		t.Errorf("%d wrong answers, first: %v", r.Wrong, r.First)
	}
	if r.Refused == 0 {
		t.Error("nothing was refused")
	}
	begun, recovered := time.Now(), time.Duration(0)
	for recovered == 0 && time.Since(begun) < 5*time.Second {
		second := runLoad(t.Context(), plan{Kinds: c.traffic(), Rate: 0.3 * capacity, Open: concurrent, Time: time.Second})
		if second.Wrong+second.Refused == 0 && second.Percentile(99) < max(5*calm, 250*time.Millisecond) {
			recovered = time.Since(begun)
		}
	}
	if recovered == 0 {
		t.Error("not recovered within 5 s")
	}
	measured("%d sent (%d more were skipped), %d right at p99 %s, %d refused, %d wrong; calm after %s",
		r.Sent, r.Skipped, r.Right, r.Percentile(99).Round(time.Millisecond), r.Refused, r.Wrong, recovered.Round(100*time.Millisecond))
}

// used contains goroutines, live bytes of the last garbage collection, and resident bytes.
type used struct{ goroutines, live, resident float64 }

// usage reads the metrics of all programs.
func usage(t *testing.T, s *harness.Stack) map[string]used {
	t.Helper()
	all := map[string]used{}
	for name, service := range map[string]*harness.Service{"gateway": s.Proxy, "hardware": s.Hardware[0], "directory": s.Directories[0]} {
		text := service.Metrics(t)
		all[name] = used{
			goroutines: metric(t, text, "go_goroutines"),
			live:       metric(t, text, "go_memstats_next_gc_bytes") / (1 + metric(t, text, "go_gc_gogc_percent")/100),
			resident:   metric(t, text, "process_resident_memory_bytes"),
		}
	}
	return all
}

// metric returns the value of a series without labels, or NaN.
func metric(t *testing.T, metrics, name string) float64 {
	t.Helper()
	for line := range strings.Lines(metrics) {
		if text, found := strings.CutPrefix(strings.TrimSpace(line), name+" "); found {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				t.Fatal(err)
			}
			return value
		}
	}
	return math.NaN()
}

func growth(before, after map[string]used) string {
	var parts []string
	for _, name := range []string{"gateway", "hardware", "directory"} {
		b, a := before[name], after[name]
		parts = append(parts, fmt.Sprintf("%s %.0f→%.0f MB live, %.0f→%.0f MB resident, %.0f→%.0f goroutines", name,
			b.live/1e6, a.live/1e6, b.resident/1e6, a.resident/1e6, b.goroutines, a.goroutines))
	}
	return strings.Join(parts, "; ")
}

// hashMemory is the memory of password hashes: four at once, 19 MiB each, released late.
const hashMemory = 4 * 19 << 20

// requireFlat refuses growth beyond hashes, open connections and newly cached answers. It
// compares the live heap, because the resident size follows only after minutes.
func requireFlat(t *testing.T, before, after map[string]used) {
	t.Helper()
	for name, b := range before {
		a := after[name]
		slack := 16e6
		if name == "directory" {
			slack += hashMemory
		}
		if !(a.live < 1.25*b.live+slack) { // NaN fails, too
			t.Errorf("%s used %.0f MB, then %.0f MB", name, b.live/1e6, a.live/1e6)
		}
		if !(a.goroutines < 1.25*b.goroutines+100) {
			t.Errorf("%s had %.0f goroutines, then %.0f", name, b.goroutines, a.goroutines)
		}
	}
}

// audited is the company whose profile is read and audited.
const audited = "piekarnia-kowalski"

// clients have an address each, so that the rate limit for one client does not apply.
type clients struct {
	base     string
	clients  []*http.Client
	sessions []string // values of the Cookie header
	products []string // paths of cached prices
	auditors *auditors
	unique   atomic.Int64 // makes requests unique
}

func newClients(t *testing.T, s *harness.Stack, n int) *clients {
	t.Helper()
	c := &clients{base: s.Gateway}
	for i := range n {
		from := &net.TCPAddr{IP: net.IPv4(127, 1, byte(i/250), byte(1+i%250))}
		c.clients = append(c.clients, &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{
			DialContext: (&net.Dialer{LocalAddr: from}).DialContext, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
		}})
	}
	for _, name := range []string{"biuro", "kierownik", "pracownik", "czlonek"} {
		c.sessions = append(c.sessions, newSession(t, s, name+"@demo.example"))
	}
	for i := range 20 {
		path := fmt.Sprintf("/api/prices/ceneo?q=karta+graficzna+%d", i)
		harness.Get(t, s.Gateway, path)
		c.products = append(c.products, path)
	}
	c.auditors = newAuditors(t, s, c)
	return c
}

// newSession logs in a user and returns the Cookie header of the session.
func newSession(t *testing.T, s *harness.Stack, email string) string {
	t.Helper()
	v := harness.NewVisitor(t, s.Gateway)
	v.HTTP.Transport = harness.ChangingAddresses()
	v.Login(t, email)
	return v.CookieHeader(t)
}

// traffic returns the mix of requests: mostly cached rankings and prices, pages, accounts and
// audits, and some new products, new audits and logins.
func (c *clients) traffic() []kind {
	kinds := []kind{
		{Name: "ranking", Share: 300, Send: c.get("/api/benchmark/gpu?limit=10", "", `"count":10`)},
		{Name: "ranking", Share: 100, Send: c.get("/api/benchmark/cpu", "", `"count":200`)},
		{Name: "audit", Share: 100, Send: c.get("/api/bizprofile/audit?slug="+audited, "", `"completeness_score"`)},
		{Name: "history", Share: 50, Send: c.get("/api/bizprofile/audit/"+audited+"/history", "", `"completeness_score"`)},
		{Name: "page", Share: 10, Send: c.get("/", "", "</html>")},
		{Name: "page", Share: 10, Send: c.get("/audyt/"+audited, "", "</html>")},
		{Name: "page", Share: 10, Send: c.get("/kreator/ranking/gpu", "", "</html>")},
		{Name: "price miss", Share: 2, Send: c.newProduct},
		{Name: "refused login", Share: 2, Send: c.wrongLogin},
		{Name: "new audit", Share: 1, Send: c.auditors.audit},
	}
	for _, path := range c.products {
		kinds = append(kinds, kind{Name: "price hit", Share: 15, Send: c.get(path, "", `"offers":[{`)})
	}
	for _, session := range c.sessions {
		kinds = append(kinds,
			kind{Name: "status", Share: 40, Send: c.get("/api/oauth/status", session, `"success":true`)},
			kind{Name: "account", Share: 20, Send: c.get("/api/auth/me", session, `@demo.example"`)},
			kind{Name: "page", Share: 5, Send: c.get("/konto/integracje", session, "</html>")})
	}
	return kinds
}

// get requests path. The answer has to contain want.
func (c *clients) get(path, session, want string) sender {
	return func(ctx context.Context) (verdict, error) {
		return c.send(ctx, http.MethodGet, path, session, nil, http.StatusOK, want)
	}
}

// newProduct requests a price that is not cached.
func (c *clients) newProduct(ctx context.Context) (verdict, error) {
	return c.get(fmt.Sprintf("/api/prices/ceneo?q=nowy+procesor+%d", c.unique.Add(1)), "", `"offers":[`)(ctx)
}

// wrongLogin sends a wrong password, which is hashed and refused.
func (c *clients) wrongLogin(ctx context.Context) (verdict, error) {
	body := map[string]any{"email": fmt.Sprintf("nikt-%d@demo.example", c.unique.Add(1)), "password": "zgaduj-zgadula"}
	return c.send(ctx, http.MethodPost, "/api/auth/login", "", body, http.StatusUnauthorized, `"success":false`)
}

// send sends body as JSON, unless it is nil, from a random client. The answer has to have the
// status and contain want, or to be a refusal with Retry-After.
func (c *clients) send(ctx context.Context, method, path, session string, body map[string]any, status int, want string) (verdict, error) {
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return wrong, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(content))
	if err != nil {
		return wrong, err
	}
	request.Header.Set("Content-Type", "application/json")
	if session != "" {
		request.Header.Set("Cookie", session)
	}
	a, err := harness.Do(c.clients[rand.N(len(c.clients))], request) // #nosec G404 -- any will do
	retryAfter := a.Header.Get("Retry-After")
	switch {
	case err != nil:
		return wrong, err
	case a.Status == status && bytes.Contains(a.Body, []byte(want)):
		return right, nil
	case (a.Status == http.StatusTooManyRequests || a.Status == http.StatusServiceUnavailable) && retryAfter != "":
		return refused, nil
	}
	return wrong, fmt.Errorf("%s %s: %d, Retry-After %q\n%.200s", method, path, a.Status, retryAfter, a.Body)
}

// auditsOfAnAccount is the limit of an account during a run, less what the preparation uses.
const auditsOfAnAccount = 20 - 1

// auditors audit in turn. When their limits are used up, reads replace these requests.
type auditors struct {
	clients  *clients
	sessions []string // values of the Cookie header
	audits   atomic.Int64
}

func newAuditors(t *testing.T, s *harness.Stack, c *clients) *auditors {
	t.Helper()
	a := &auditors{clients: c}
	for i := range 50 {
		email := fmt.Sprintf("pracownik-%d@demo.example", i)
		addUser(t, s, email, audited)
		a.sessions = append(a.sessions, newSession(t, s, email))
	}
	if verdict, err := a.audit(t.Context()); verdict != right {
		t.Fatalf("the first audit: %v", err)
	}
	return a
}

// audit audits the company with the next account.
func (a *auditors) audit(ctx context.Context) (verdict, error) {
	n := int(a.audits.Add(1)) - 1
	if n >= auditsOfAnAccount*len(a.sessions) {
		return a.clients.get("/api/bizprofile/audit?slug="+audited, "", `"completeness_score"`)(ctx)
	}
	body := map[string]any{"slug": audited}
	return a.clients.send(ctx, http.MethodPost, "/api/bizprofile/audit", a.sessions[n%len(a.sessions)], body, http.StatusOK, `"completeness_score"`)
}
