//go:build linux

package network

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/network/netns"
)

const (
	// lasting is the duration of a fault. A failover takes less.
	lasting = 8 * time.Second
	// healing is the longest recovery after a fault.
	healing = 90 * time.Second
)

// fault describes how a fault begins and ends.
type fault struct {
	name       string
	begin, end func(t *testing.T)
	above      int // look-ups above the agreed rate that are accepted
}

// result is the effect of a fault on the clients.
type result struct {
	requests, failed int
	bridged          time.Duration // from its begin to the last failure during the fault
	healed           time.Duration // from its end to the last failure
	acknowledged     int
	lost, aboveRate  int
}

// TestFaults kills and isolates each kind of machine under load, one after the other.
func TestFaults(t *testing.T) {
	f := newFleet(t)
	l := startLoad(t, f)
	chosen := regexp.MustCompile(os.Getenv("NETWORK_FAULTS"))
	var table strings.Builder
	for _, fault := range f.faults() {
		if !chosen.MatchString(fault.name) {
			continue
		}
		r := l.suffer(t, fault)
		fmt.Fprintf(&table, "| %s | %d | %d | %.1f | %.1f | %d | %d | %d |\n", fault.name, r.requests, r.failed,
			r.bridged.Seconds(), r.healed.Seconds(), r.acknowledged, r.lost, r.aboveRate)
		if r.lost > 0 || r.aboveRate > fault.above || r.acknowledged == 0 {
			t.Errorf("%s: %+v", fault.name, r)
		}
	}
	t.Logf("\n| fault, for %s | requests | failed | while it lasted, until | after it, until | acknowledged writes | lost | look-ups above the rate |\n"+
		"|---|---|---|---|---|---|---|---|\n%s", lasting, table.String())
}

// suffer applies a fault and counts the failures until every request succeeds again.
func (l *load) suffer(t *testing.T, fault fault) (r result) {
	t.Helper()
	f := l.fleet
	l.mu.Lock()
	l.sessions = nil
	l.mu.Unlock()
	asked := len(f.sandbox.Requests(t, "aggregator"))
	begun := time.Now()
	fault.begin(t)
	time.Sleep(time.Until(begun.Add(lasting)))
	ended := time.Now()
	fault.end(t)
	r.healed = l.awaitCalm(t, ended)
	f.awaitRedis(t)
	f.awaitPostgres(t)
	var failed []request
	r.requests, failed = l.between(begun, time.Now())
	r.failed = len(failed)
	reasons := map[string]int{}
	for _, request := range failed {
		if request.sent.Before(ended) {
			r.bridged = request.sent.Sub(begun)
		}
		reason := request.err
		if u := (*url.Error)(nil); errors.As(reason, &u) { // its text names the request
			reason = u.Err
		}
		reasons[fmt.Sprintf("%s: %.60v", request.kind, reason)]++
	}
	t.Logf("%s: %v", fault.name, reasons)
	r.acknowledged, r.lost = l.lost(t)
	r.aboveRate = aboveRate(f.sandbox.Requests(t, "aggregator")[asked:])
	return r
}

// faults returns the faults of each kind of machine and of single links.
func (f *fleet) faults() (faults []fault) {
	for _, kind := range []struct {
		name string
		pick func(*testing.T) *machine
	}{
		{"gateway", func(*testing.T) *machine { return f.gateways[0] }},
		{"hardware replica", func(*testing.T) *machine { return f.hardware[0] }},
		{"directory replica", func(*testing.T) *machine { return f.directories[0] }},
		{"PostgreSQL primary", func(*testing.T) *machine { return f.postgres[0].machine }},
		{"PostgreSQL standby", func(*testing.T) *machine { return f.postgres[1].machine }},
		{"Redis master", f.master},
		{"Redis replica", func(t *testing.T) *machine {
			return f.redis[1-slices.Index(f.redis, f.master(t))]
		}},
		{"sentinel", func(*testing.T) *machine { return f.sentinels[1] }},
	} {
		var m *machine
		heal := func(*testing.T) { f.net.Heal() }
		add := func(what string, begin, end func(t *testing.T)) {
			faults = append(faults, fault{kind.name + " " + what, func(t *testing.T) { m = kind.pick(t); begin(t) }, end, 0})
		}
		add("is killed", func(*testing.T) { m.Kill() }, func(t *testing.T) { m.start(t) })
		add("is cut off", func(*testing.T) { f.net.Part(m.Host, nil) }, heal)
		add("receives nothing", func(*testing.T) { f.net.Cut(nil, m.Host) }, heal)
		add("sends nothing", func(*testing.T) { f.net.Cut(m.Host, nil) }, heal)
	}
	promote := func(begin func()) func(*testing.T) { return func(t *testing.T) { begin(); f.promote(t) } }
	return append(faults,
		fault{"PostgreSQL primary is killed, standby promoted", promote(func() { f.postgres[0].Kill() }), f.demote, 0},
		fault{"PostgreSQL primary is cut off, standby promoted", promote(func() { f.net.Part(f.postgres[0].Host, nil) }), f.demote, 0},
		fault{"one hardware replica is cut off from Redis", func(*testing.T) {
			for _, m := range slices.Concat(f.redis, f.sentinels) {
				f.net.Part(f.hardware[0].Host, m.Host)
			}
			// It continues at its share of the rate, and the others do not slow down.
		}, func(*testing.T) { f.net.Heal() }, int((lasting + 5*time.Second) / (replicas * interval))},
		fault{"every packet takes 30 ms, one in 50 is lost", func(*testing.T) { f.net.Shape(30*time.Millisecond, 0.02) },
			func(*testing.T) { f.net.Shape(netns.Usual, 0) }, 0},
	)
}

const (
	// patience is the time-out of a request.
	patience = 5 * time.Second
	// dialling is the time-out of a connection. A lost first packet is sent again after a
	// second.
	dialling = 1500 * time.Millisecond
)

// towards returns a transport with a new connection for each request to the site. It tries
// the machines in turn, as a browser does for a name with several addresses.
func towards(machines ...*machine) *http.Transport {
	return &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, kind, address string) (conn net.Conn, err error) {
		from := &net.Dialer{Timeout: dialling, LocalAddr: &net.TCPAddr{IP: netns.Client().AsSlice()}}
		if address != "backend.test:80" {
			return from.DialContext(ctx, kind, address)
		}
		first := rand.N(len(machines)) // #nosec G404 -- any will do
		for i := range machines {
			if conn, err = from.DialContext(ctx, kind, machines[(first+i)%len(machines)].At(8080)); err == nil {
				return conn, nil
			}
		}
		return nil, err
	}}
}

// visitor returns a browser without cookies.
func (f *fleet) visitor(t *testing.T) *harness.Visitor {
	t.Helper()
	v := harness.NewVisitor(t, site)
	v.HTTP.Transport, v.HTTP.Timeout = towards(f.gateways...), patience
	return v
}

// request is the result of one request.
type request struct {
	sent time.Time
	kind string
	err  error // nil if it succeeded
}

// load is the traffic of the clients, with its results.
type load struct {
	t        *testing.T
	fleet    *fleet
	client   *http.Client
	emails   []string         // of the accounts that log in
	reader   *harness.Visitor // a user who is logged in
	mu       sync.Mutex
	requests []request
	sessions []*harness.Visitor // with acknowledged logins
}

// startLoad sends 24 requests a second until the test ends.
func startLoad(t *testing.T, f *fleet) *load {
	t.Helper()
	l := &load{t: t, fleet: f, client: &http.Client{Transport: towards(f.gateways...), Timeout: patience}, reader: f.visitor(t)}
	for range 16 { // an interrupted login counts as failed, and ten of these lock an account
		email := strings.ToLower(harness.NewKey()[:9]) + "@demo.example"
		f.directories[0].run(t, "user", "add", email, "--role", "OFFICE_MANAGER", "--company", "piekarnia-kowalski", "--password", harness.DemoPassword)
		l.emails = append(l.emails, email)
	}
	l.reader.Login(t, l.emails[0])
	get := func(path string) func(context.Context, int) error {
		return func(ctx context.Context, _ int) error {
			return harness.CheckOK(harness.Send(ctx, l.client, http.MethodGet, site+path, nil))
		}
	}
	const known = "/api/prices/ceneo?q=karta+znana"
	harness.Eventually(t, "a price is known", func() bool { return get(known)(t.Context(), 0) == nil })
	for kind, part := range map[string]struct {
		every time.Duration
		send  func(ctx context.Context, n int) error
	}{
		"ranking":     {200 * time.Millisecond, get("/api/benchmark/gpu?limit=10")},
		"known price": {200 * time.Millisecond, get(known)},
		"new price":   {200 * time.Millisecond, l.newPrice},
		"status":      {200 * time.Millisecond, l.status},
		"login":       {250 * time.Millisecond, l.login},
	} {
		harness.StartTraffic(t, part.every, func(n int) error {
			sent := time.Now()
			err := part.send(t.Context(), n)
			if t.Context().Err() == nil {
				l.note(request{sent, kind, err})
			}
			return err
		})
	}
	return l
}

func (l *load) status(ctx context.Context, _ int) error {
	return harness.CheckOK(l.reader.Try(ctx, http.MethodGet, "/api/oauth/status", nil))
}

// newPrice requests the price of a new product. There are more of these requests than
// slots, so that an excess request to the source would show. A 503 with Retry-After is a
// success.
func (l *load) newPrice(ctx context.Context, n int) error {
	a, err := harness.Send(ctx, l.client, http.MethodGet, fmt.Sprintf("%s/api/prices/ceneo?q=dysk+nowy+%d", site, n), nil)
	if err == nil && a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "" {
		return nil
	}
	return harness.CheckOK(a, err)
}

// login creates a session and stores it in sessions when it is acknowledged.
func (l *load) login(ctx context.Context, n int) error {
	v := l.fleet.visitor(l.t)
	err := harness.CheckOK(v.Try(ctx, http.MethodPost, "/api/auth/login", map[string]string{"email": l.emails[n%len(l.emails)], "password": harness.DemoPassword}))
	if err == nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.sessions = append(l.sessions, v)
	}
	return err
}

func (l *load) note(r request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests = append(l.requests, r)
}

// between returns the number of requests in a period, and those that failed.
func (l *load) between(from, until time.Time) (all int, failed []request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.requests {
		if r.sent.Before(from) || r.sent.After(until) {
			continue
		}
		if all++; r.err != nil {
			failed = append(failed, r)
		}
	}
	slices.SortFunc(failed, func(a, b request) int { return a.sent.Compare(b.sent) })
	return all, failed
}

// lastFailure returns when the last failed request was sent, or after if none failed since.
func (l *load) lastFailure(after time.Time) time.Time {
	_, failed := l.between(after, time.Now())
	if len(failed) == 0 {
		return after
	}
	return failed[len(failed)-1].sent
}

// awaitCalm waits until all requests succeed for longer than their time-out. It returns the
// time from after to the last failure.
func (l *load) awaitCalm(t *testing.T, after time.Time) time.Duration {
	t.Helper()
	harness.EventuallyWithin(t, healing, "all requests are answered", func() bool {
		return time.Since(l.lastFailure(after)) > patience+time.Second
	})
	return l.lastFailure(after).Sub(after)
}

// lost checks every session whose login was acknowledged. It returns their number and how
// many of them are lost.
func (l *load) lost(t *testing.T) (all, lost int) {
	t.Helper()
	l.mu.Lock()
	sessions := slices.Clone(l.sessions)
	l.mu.Unlock()
	for _, v := range sessions {
		a, err := v.Try(t.Context(), http.MethodGet, "/api/auth/me", nil)
		if err != nil || a.Status != http.StatusOK && a.Status != http.StatusUnauthorized {
			t.Fatalf("a session: %d, %v", a.Status, err)
		}
		if a.Status == http.StatusUnauthorized {
			lost++
		}
	}
	return len(sessions), lost
}

// aboveRate counts the requests above the agreed rate, by the leaky bucket of ITU-T I.371. A
// request conforms unless it is early by more than one interval of each replica.
func aboveRate(arrivals []harness.Arrival) (n int) {
	var expected int64
	for _, a := range slices.SortedFunc(slices.Values(arrivals), func(a, b harness.Arrival) int { return cmp.Compare(a.At, b.At) }) {
		if a.At < expected-replicas*int64(interval) {
			n++
			continue
		}
		expected = max(expected, a.At) + int64(interval)
	}
	return n
}

func TestAboveRate(t *testing.T) {
	for gap, want := range map[time.Duration]int{interval: 0, interval / 2: 3} {
		var arrivals []harness.Arrival
		for i := range 12 {
			arrivals = append(arrivals, harness.Arrival{At: int64(i) * int64(gap)})
		}
		if n := aboveRate(arrivals); n != want {
			t.Errorf("%d of 12 requests every %s are above the rate, want %d", n, gap, want)
		}
	}
}
