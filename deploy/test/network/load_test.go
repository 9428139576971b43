//go:build linux

package network

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
	"backend.example/deploy/test/network/netns"
)

const (
	// patience is how long a client waits for an answer.
	patience = 5 * time.Second
	// dialling is how long it tries one gateway; a first packet that was lost comes
	// again after a second.
	dialling = 1500 * time.Millisecond
)

// towards connects anew for each request of the site, to one of the machines that takes
// the connection, as a browser does with a name of several addresses.
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

// visitor is a browser without cookies.
func (f *fleet) visitor(t *testing.T) *harness.Visitor {
	t.Helper()
	v := harness.NewVisitor(t, site)
	v.HTTP.Transport, v.HTTP.Timeout = towards(f.gateways...), patience
	return v
}

// request is one that a client sent.
type request struct {
	sent time.Time
	kind string
	err  error // nil: it was answered well
}

// load is what clients send without end, and what came of it.
type load struct {
	t        *testing.T
	fleet    *fleet
	client   *http.Client
	emails   []string         // who log in
	reader   *harness.Visitor // somebody who is logged in
	mu       sync.Mutex
	requests []request
	sessions []*harness.Visitor // whose login was acknowledged
}

// startLoad begins to send 24 requests a second until the test ends.
func startLoad(t *testing.T, f *fleet) *load {
	t.Helper()
	l := &load{t: t, fleet: f, client: &http.Client{Transport: towards(f.gateways...), Timeout: patience}, reader: f.visitor(t)}
	for range 16 { // a login that the database interrupts counts as one that failed, ten of which lock an account
		l.emails = append(l.emails, f.addUser(t))
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

// newPrice asks for what nobody has asked for. More come than there are turns for, so
// that a request too many would be seen; who is told to come back was answered.
func (l *load) newPrice(ctx context.Context, n int) error {
	a, err := harness.Send(ctx, l.client, http.MethodGet, fmt.Sprintf("%s/api/prices/ceneo?q=dysk+nowy+%d", site, n), nil)
	if err == nil && a.Status == http.StatusServiceUnavailable && a.Header.Get("Retry-After") != "" {
		return nil
	}
	return harness.CheckOK(a, err)
}

// login writes a session, which is kept once it was acknowledged.
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

// between returns the requests that were sent in a time, and which of them failed.
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

// lastFailure is when the last request that failed was sent, at the earliest after.
func (l *load) lastFailure(after time.Time) time.Time {
	_, failed := l.between(after, time.Now())
	if len(failed) == 0 {
		return after
	}
	return failed[len(failed)-1].sent
}

// awaitCalm waits until every request is answered well for a while, which is longer than
// a client waits. It returns how long after the given moment the last failed one was sent.
func (l *load) awaitCalm(t *testing.T, after time.Time) time.Duration {
	t.Helper()
	harness.EventuallyWithin(t, healing, "all requests are answered", func() bool {
		return time.Since(l.lastFailure(after)) > patience+time.Second
	})
	return l.lastFailure(after).Sub(after)
}

// lost asks for every session whose login was acknowledged, and returns how many there
// were and how many are gone.
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

// aboveRate counts the requests that came faster than the agreed rate.
func aboveRate(arrivals []harness.Arrival) (n int) {
	var expected int64
	for _, a := range slices.SortedFunc(slices.Values(arrivals), func(a, b harness.Arrival) int { return cmp.Compare(a.At, b.At) }) {
		next, inTime := leak(expected, a.At)
		if expected = next; !inTime {
			n++
		}
	}
	return n
}

// leak is the leaky bucket of ITU-T I.371: a request conforms unless it comes earlier than
// expected by more than one interval of each replica. It returns when the next one is
// expected.
func leak(expected, at int64) (next int64, inTime bool) {
	if at < expected-replicas*int64(interval) {
		return expected, false
	}
	return max(expected, at) + int64(interval), true
}
