package prove

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/prove/faultproxy"
)

// The longest time for a response during a fault. The database and the providers are
// retried until the service gives up, the sources of the hardware service time out with
// each request, and all other requests must not wait.
const (
	brokenLimit     = 60 * time.Second
	sourceLimit     = 8 * time.Second
	unaffectedLimit = 5 * time.Second
)

// faultyStack is a stack with a fault proxy before each of its upstreams.
type faultyStack struct {
	*harness.Stack
	proxies map[string]*faultproxy.Proxy
	visitor *harness.Visitor
	company int64
}

// newFaultyStack starts a faultyStack whose directory service uses a PostgreSQL server.
func newFaultyStack(t *testing.T, server *harness.Postgres) *faultyStack {
	t.Helper()
	n := &faultyStack{proxies: map[string]*faultproxy.Proxy{}}
	through := func(name, address string) string {
		p, err := faultproxy.Listen(address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close() })
		n.proxies[name] = p
		return p.Addr()
	}
	n.Stack = harness.New(t, harness.Options{
		Redis: true, Directories: 1, Through: through,
		Database:     strings.Replace(server.NewDatabase(t), server.Addr, through("database", server.Addr), 1),
		DirectoryEnv: []string{"PROVIDER_TIMEOUT=2s"},
		Env:          []string{"HARDWARE_SOURCE_TIMEOUT=2s", "HARDWARE_PRICE_INTERVAL=50ms", "HARDWARE_CACHE_TTL=1s"},
	})
	n.visitor = harness.LoggedIn(t, n.Gateway, "biuro@demo.example")
	for _, pair := range []string{harness.SearchProfile, harness.SocialPages} {
		n.visitor.Connect(t, pair, "anna")
	}
	n.company = n.visitor.Company(t)
	return n
}

// request is a request during a fault with the allowed statuses besides 200.
type request struct {
	name    string
	send    func(t *testing.T) harness.Answer
	allowed []int
}

func (n *faultyStack) get(path string, allowed ...int) request {
	return request{path, func(t *testing.T) harness.Answer { return n.visitor.Get(t, path) }, allowed}
}

func (n *faultyStack) post(path string, body any, allowed ...int) request {
	return request{path, func(t *testing.T) harness.Answer { return n.visitor.Post(t, path, body) }, allowed}
}

// hardware requests something new each time, which is not in the cache.
func (n *faultyStack) hardware(path string, allowed ...int) request {
	var mu sync.Mutex
	asked := 0
	return request{path, func(t *testing.T) harness.Answer {
		mu.Lock()
		asked++
		unique := fmt.Sprintf(path, asked)
		mu.Unlock()
		return harness.Get(t, n.Gateway, unique)
	}, allowed}
}

// upstreams returns the requests that depend on each upstream.
func (n *faultyStack) upstreams() map[string][]request {
	of := map[string]any{"company_id": n.company}
	return map[string][]request{
		"database": {
			n.get("/api/oauth/status", 500, 503), n.get("/api/bizprofile/audit/health", 503),
			n.get("/api/bizprofile/audit?slug=piekarnia-kowalski", 404, 500, 503),
		},
		"search": {n.post("/api/oauth/provider_search/discover-locations", nil, 500, 503)},
		"social": {n.post("/api/oauth/provider_social/discover-pages", of, 500, 503)},
		// Without its sources an audit uses stored data.
		"places":     {n.post("/api/bizprofile/audit", map[string]any{"slug": "warsztat-nowak", "save": false}, 403)},
		"redis":      {n.hardware("/api/prices/ceneo?q=rtx+40%d0"), n.hardware("/api/benchmark/gpu?limit=%d")},
		"benchmark":  {n.hardware("/api/benchmark/cpu?limit=%d")},
		"aggregator": {n.hardware("/api/prices/ceneo?q=ryzen+5+%d600", 502, 504)},
	}
}

// unaffected returns requests that do not need the broken upstream.
func (n *faultyStack) unaffected(broken string) []request {
	var left []request
	if broken != "database" {
		left = append(left, n.get("/api/oauth/status"), n.get("/api/bizprofile/audit/health"))
	}
	if broken != "redis" && broken != "benchmark" {
		left = append(left, n.hardware("/api/benchmark/ram?limit=%d"))
	}
	return left
}

func TestFaults(t *testing.T) {
	measured := report(t, "Each upstream cut, reset, half-open, late, dripping or garbled: a documented answer in time, nothing else is touched, and it heals by itself")
	server := harness.StartPostgres(t)
	var mu sync.Mutex
	longest, healed, cases, slowest := time.Duration(0), time.Duration(0), 0, ""
	t.Run("kinds", func(t *testing.T) {
		for _, fault := range faultproxy.Faults() {
			t.Run(string(fault), func(t *testing.T) {
				t.Parallel()
				n := newFaultyStack(t, server)
				for name, requests := range n.upstreams() {
					took, healing := n.breakUpstream(t, name, fault, requests)
					mu.Lock()
					if took > longest {
						longest, slowest = took, name+" "+string(fault)
					}
					healed, cases = max(healed, healing), cases+1
					mu.Unlock()
				}
			})
		}
	})
	measured("%d cases; longest answer %s (%s), longest recovery %s", cases, longest.Round(100*time.Millisecond), slowest, healed.Round(100*time.Millisecond))
}

// breakUpstream makes one upstream fail. It returns the time of the slowest response and the
// time until all requests succeed again.
func (n *faultyStack) breakUpstream(t *testing.T, name string, fault faultproxy.Fault, requests []request) (longest, healing time.Duration) {
	t.Helper()
	n.proxies[name].Set(fault)
	limit := brokenLimit
	if name == "benchmark" || name == "aggregator" {
		limit = sourceLimit
	}
	var wg sync.WaitGroup
	took := make([]time.Duration, len(requests))
	for i, p := range requests {
		wg.Go(func() { took[i] = p.check(t, name+" "+string(fault), append(p.allowed, 200), limit) })
	}
	for _, p := range n.unaffected(name) {
		wg.Go(func() { p.check(t, name+" "+string(fault)+", which it does not need", []int{200}, unaffectedLimit) })
	}
	wg.Wait()
	n.proxies[name].Set(faultproxy.None)
	begun := time.Now()
	for _, p := range requests {
		for a := p.send(t); a.Status >= 500; a = p.send(t) {
			if time.Since(begun) > brokenLimit {
				t.Errorf("%s after %s was repaired: still %d %s", p.name, name, a.Status, a.Body)
				break
			}
			<-time.After(100 * time.Millisecond)
		}
	}
	return slices.Max(took), time.Since(begun)
}

// check sends the request once.
func (p request) check(t *testing.T, when string, allowed []int, limit time.Duration) time.Duration {
	t.Helper()
	begun := time.Now()
	a := p.send(t)
	took := time.Since(begun)
	if !slices.Contains(allowed, a.Status) {
		t.Errorf("%s with %s: %d %.300s", p.name, when, a.Status, a.Body)
	}
	if took > limit {
		t.Errorf("%s with %s: took %s", p.name, when, took)
	}
	if a.Status == http.StatusServiceUnavailable || a.Status == http.StatusInternalServerError {
		if leak := leaked(a.Body); leak != "" {
			t.Errorf("%s with %s shows %q: %s", p.name, when, leak, a.Body)
		}
	}
	return took
}
