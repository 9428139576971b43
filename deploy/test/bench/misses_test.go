package bench

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

const (
	// interval is the least time between two requests to the aggregator.
	interval = 1200 * time.Millisecond
	// callers is the number of requests for one query, lookups that of different queries.
	callers = 1000
	lookups = 40
)

// TestMisses requests uncached prices from three replicas.
func TestMisses(t *testing.T) {
	table := newTable(t, "misses", "what", "measured", "wanted", "")
	s := harness.New(t, harness.Options{Replicas: 3, Redis: true})
	ask(t, s.Hardware[0], "radeon rx 7600") // fetches robots.txt, which is no part of a look-up

	most, ratio := identicalMisses(t, s)
	table.row("look-ups for 1,000 callers at once of one missing answer", most, "1", verdict(most == 1))
	table.row("99th percentile of their waits / the look-up", spread(ratio), "at most 1.1", verdict(ratio.Median <= 1.1))

	used, least := distinctMisses(t, s)
	table.row("slots used by 40 different look-ups", fmt.Sprintf("%.1f%%", 100*used), "at least 97%", verdict(used >= 0.97))
	table.row("least time between two of their requests", least.Round(time.Millisecond), "at least 1.2 s", verdict(least >= interval))
}

// identicalMisses returns the maximum of look-ups for one query, and the ratio of the 99th
// percentile of all waits to the wait of the caller that caused the look-up.
func identicalMisses(t *testing.T, s *harness.Stack) (most int, spread ratio) {
	t.Helper()
	var ratios []float64
	for round := range 5 {
		before := len(arrivals(t, s))
		waits, lookup := askAtOnce(t, s, fmt.Sprintf("nowy model 14%02d", round))
		ratios = append(ratios, quantile(waits, 0.99)/lookup)
		searches := 0
		for _, request := range arrivals(t, s)[before:] {
			if strings.Contains(request.Path, "szukaj-") {
				searches++
			}
		}
		most = max(most, searches)
	}
	return most, ratio{Median: quantile(ratios, 0.5), Low: quantile(ratios, 0.25), High: quantile(ratios, 0.75)}
}

// askAtOnce distributes the callers over the replicas. It returns their waits and the wait of
// the caller that caused the look-up, in seconds.
func askAtOnce(t *testing.T, s *harness.Stack, query string) (waits []float64, lookup float64) {
	t.Helper()
	waits = make([]float64, callers)
	status := make([]string, callers)
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			begun := time.Now()
			status[i] = ask(t, s.Hardware[i%len(s.Hardware)], query).Header.Get("Cache-Status")
			waits[i] = time.Since(begun).Seconds()
		})
	}
	all.Wait()
	for i := range callers {
		if strings.Contains(status[i], "fwd=miss") && !strings.Contains(status[i], "collapsed") {
			lookup = waits[i]
		}
	}
	if lookup == 0 {
		t.Fatal("no request was the look-up")
	}
	return waits, lookup
}

// distinctMisses runs six look-ups at a time, as many as may wait. It returns the share of
// slots that were used and the minimum time between two requests.
func distinctMisses(t *testing.T, s *harness.Stack) (used float64, least time.Duration) {
	t.Helper()
	before := len(arrivals(t, s))
	queries := make(chan string, lookups)
	for i := range lookups {
		queries <- fmt.Sprintf("nowy model 16%02d", i+10)
	}
	close(queries)
	var all sync.WaitGroup
	for i := range 6 {
		all.Go(func() {
			for query := range queries {
				ask(t, s.Hardware[i%len(s.Hardware)], query)
			}
		})
	}
	all.Wait()
	gaps := harness.Gaps(arrivals(t, s)[before:])
	if len(gaps) < lookups {
		t.Fatalf("%d look-ups took %d requests", lookups, len(gaps)+1)
	}
	var took time.Duration
	for _, gap := range gaps {
		took += gap
	}
	return float64(len(gaps)) * interval.Seconds() / took.Seconds(), slices.Min(gaps)
}

// arrivals returns the requests that have reached the aggregator.
func arrivals(t *testing.T, s *harness.Stack) []harness.Arrival {
	t.Helper()
	return s.Sandbox.Requests(t, "aggregator")
}

// askers have different addresses, because slots go round-robin over the clients.
var askers = &http.Client{Transport: harness.ChangingAddresses()}

// ask requests a price, which has to succeed.
func ask(t *testing.T, replica *harness.Service, query string) harness.Answer {
	t.Helper()
	a, err := harness.Send(t.Context(), askers, http.MethodGet, replica.URL()+"/api/prices/ceneo?q="+url.QueryEscape(query), nil)
	if err = harness.CheckOK(a, err); err != nil {
		t.Error(err)
	}
	return a
}
