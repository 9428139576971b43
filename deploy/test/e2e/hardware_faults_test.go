package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

const (
	interval = 1200 * time.Millisecond // of HARDWARE_PRICE_INTERVAL
	// closest is how close two requests may come: a request is at most a twentieth late for
	// its slot.
	closest = interval - interval/20
)

// span is a time in which Redis was away.
type span struct{ from, to time.Time }

// TestFaultsKeepThePace counts the requests at the aggregator under load while programs are
// killed and frozen. While Redis is there, no two are closer than the interval. While it is
// away, all replicas together stay within the rate.
func TestFaultsKeepThePace(t *testing.T) {
	s := faulty(t, harness.Options{Replicas: 3, Redis: true, Env: []string{"HARDWARE_MAX_REPLICAS=3"}})
	late := watchLateness(t)
	load := make([]*harness.Traffic, len(s.Hardware))
	for i, replica := range s.Hardware {
		clients := &http.Client{Transport: harness.ChangingAddresses()}
		load[i] = harness.StartTraffic(t, 300*time.Millisecond, func(n int) error {
			path := fmt.Sprintf("/api/prices/ceneo?category=gpu&q=karta+%d+%d", i, n)
			_, err := harness.Send(t.Context(), clients, http.MethodGet, replica.URL()+path, nil)
			return err // the outcome of a look-up is not the point
		})
	}
	time.Sleep(10 * time.Second)
	s.Hardware[0].Kill()
	time.Sleep(5 * time.Second)
	s.Hardware[0].Start(t)
	s.Hardware[1].Freeze()
	time.Sleep(20 * time.Second)
	s.Hardware[1].Thaw()
	time.Sleep(10 * time.Second)
	var away []span
	for _, lost := range []time.Duration{0, 30 * time.Second} {
		from := time.Now()
		s.Redis.Kill()
		time.Sleep(lost)
		s.Redis.Start(t)
		away = append(away, span{from, time.Now().Add(2 * time.Second)})
		time.Sleep(15 * time.Second)
	}
	for _, traffic := range load {
		traffic.Stop()
	}
	requests := s.Sandbox.Requests(t, "aggregator")
	if len(requests) < 40 {
		t.Errorf("only %d requests in two minutes", len(requests))
	}
	for i, gap := range harness.Gaps(requests) {
		before, after := time.Unix(0, requests[i].At), time.Unix(0, requests[i+1].At)
		if gap+late() < closest && !isAway(away, before) && !isAway(away, after) {
			t.Errorf("%s came %v after %s; timers were up to %v late", requests[i+1].Path, gap, requests[i].Path,
				late())
		}
	}
	for _, lost := range away {
		n := 0
		for _, request := range requests {
			if at := time.Unix(0, request.At); at.After(lost.from) && at.Before(lost.to) {
				n++
			}
		}
		if most := int(lost.to.Sub(lost.from)/interval) + 1; n > most {
			t.Errorf("%d requests in %v without Redis, want at most %d", n, lost.to.Sub(lost.from), most)
		}
	}
}

func isAway(away []span, at time.Time) bool {
	for _, s := range away {
		if at.After(s.from) && at.Before(s.to) {
			return true
		}
	}
	return false
}

// TestFaultsAreFair: nobody waits long, whatever others ask for.
func TestFaultsAreFair(t *testing.T) {
	for _, test := range []struct {
		replicas     int
		list, single time.Duration
	}{{1, 30 * time.Second, 10 * time.Second}, {3, 40 * time.Second, 15 * time.Second}} {
		t.Run(fmt.Sprintf("%d replicas", test.replicas), func(t *testing.T) {
			s := faulty(t, harness.Options{Replicas: test.replicas, Redis: true})
			at := func(i int) string { return s.Hardware[i%test.replicas].URL() }
			t.Run("eight at once", func(t *testing.T) { requireEightAtOnce(t, at) })
			stop := askForManyLists(t, at)
			defer stop()
			time.Sleep(5 * time.Second)
			var all sync.WaitGroup
			all.Go(func() {
				begin := time.Now()
				other := &http.Client{Transport: harness.From("198.51.100.1")}
				a, err := harness.Send(t.Context(), other, http.MethodGet,
					at(0)+"/api/prices/ceneo?q=Ryzen+7+9700X&category=cpu", nil)
				if took := time.Since(begin); err != nil || a.Status != http.StatusOK || took > test.single {
					t.Errorf("a single question: %d, %v after %v, want it within %v", a.Status, err, took, test.single)
				}
			})
			begin := time.Now()
			parts := quotesRequest{Items: []quotesItem{{"Ryzen 5 9600X", "cpu"}, {"Core i5-14600K", "cpu"}}}
			for i := 0; !isReady(t, "198.51.100.2", at(i), parts); i++ {
				if time.Since(begin) > test.list {
					t.Errorf("a list of two is not ready after %v", test.list)
					break
				}
				time.Sleep(time.Second)
			}
			t.Logf("a list of two was ready after %v", time.Since(begin))
			all.Wait()
		})
	}
}

// requireEightAtOnce looks a whole build up for one client, each part with a request of its own.
func requireEightAtOnce(t *testing.T, at func(int) string) {
	parts := []string{
		"Ryzen+7+7800X3D", "RTX+4070+SUPER", "MSI+B650+GAMING+PLUS+WIFI", "Kingston+FURY+Beast", "Samsung+990+PRO+2TB",
		"be+quiet+Pure+Power+12", "Noctua+NH-D15", "Fractal+Design+North",
	}
	client := &http.Client{Transport: harness.From("203.0.113.9")}
	begin := time.Now()
	var all sync.WaitGroup
	for i, part := range parts {
		all.Go(func() {
			a, err := harness.Send(t.Context(), client, http.MethodGet, at(i)+"/api/prices/ceneo?q="+part, nil)
			if err != nil || a.Status != http.StatusOK {
				t.Errorf("%s: %d %s, %v", part, a.Status, a.Body, err)
			}
		})
	}
	all.Wait()
	if took := time.Since(begin); took > 25*time.Second {
		t.Errorf("eight look-ups took %v", took)
	}
}

// askForManyLists is a client that polls for 40 lists of 20.
func askForManyLists(t *testing.T, at func(int) string) (stop func()) {
	t.Helper()
	traffic := harness.StartTraffic(t, 100*time.Millisecond, func(n int) error {
		var items []quotesItem
		for i := range 20 {
			items = append(items, quotesItem{Q: fmt.Sprintf("dysk %d-%d", n%40, i), Category: "storage"})
		}
		client := &http.Client{Transport: harness.From("198.51.100.40")}
		_, err := harness.Send(t.Context(), client, http.MethodPost, at(n)+"/api/prices/ceneo/quotes",
			quotesRequest{Items: items})
		return err
	})
	return func() { traffic.Stop() }
}

func isReady(t *testing.T, from, url string, parts quotesRequest) bool {
	t.Helper()
	a, err := harness.Send(t.Context(), &http.Client{Transport: harness.From(from)}, http.MethodPost,
		url+"/api/prices/ceneo/quotes", parts)
	if err != nil || a.Status != http.StatusOK {
		t.Errorf("list: %d %s, %v", a.Status, a.Body, err)
	}
	return !strings.Contains(string(a.Body), `"queued"`)
}
