//go:build linux

package network

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/test/network/netns"
)

const (
	// lasting is how long a fault lasts: longer than it takes to choose another master.
	lasting = 8 * time.Second
	// healing bounds how long the backend may need after a fault.
	healing = 90 * time.Second
)

// fault is what goes wrong, and how that ends.
type fault struct {
	name       string
	begin, end func(t *testing.T)
	above      int // look-ups above the agreed rate that are accepted
}

// result is what clients noticed of a fault.
type result struct {
	requests, failed int
	bridged          time.Duration // from its begin until the last failure while it lasted
	healed           time.Duration // from its end until the last failure
	acknowledged     int
	lost, aboveRate  int
}

// TestFaults kills each kind of machine and cuts it off under load, one after the other.
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

// suffer counts what fails from the begin of a fault until all is well again.
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

// faults are those of each kind of machine, and of a link.
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
