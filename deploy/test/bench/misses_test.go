package bench

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

const (
	// interval is the least time between two requests to the aggregator.
	interval = 1200 * time.Millisecond
	// lookups is the number of different queries.
	lookups = 40
)

// TestMisses requests uncached prices from three replicas.
func TestMisses(t *testing.T) {
	table := newTable(t, "misses", "what", "measured", "wanted", "")
	s := harness.New(t, harness.Options{Replicas: 3, Redis: true, Env: []string{"HARDWARE_PRICE_MAX_WAIT=50s"}})
	ask(t, s.Hardware[0], "radeon rx 7600") // fetches robots.txt, which is no part of a look-up

	used := distinctMisses(t, s)
	table.row("slots used by 40 different look-ups", fmt.Sprintf("%.1f%%", 100*used), "at least 97%", verdict(used >= 0.97))
}

// distinctMisses runs six look-ups at a time, which all may wait. It returns the share of
// slots that were used.
func distinctMisses(t *testing.T, s *harness.Stack) (used float64) {
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
	return float64(len(gaps)) * interval.Seconds() / took.Seconds()
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
