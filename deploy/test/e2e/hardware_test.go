package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

type ranking struct {
	Source string
	Family string
	Count  int
	Rows   []struct {
		Type string
		Rank int
	}
}

type offer struct {
	Price      float64
	ShopRating float64
}

type price struct {
	Query       string
	Source      string
	ProductName string
	Lowest      struct{ Price float64 }
	Offers      []offer
	Note        string

	Alternatives []struct{ ProductName string }
}

type quotesItem struct {
	Q        string `json:"q"`
	Category string `json:"category"`
}

type quotesRequest struct {
	Items []quotesItem `json:"items"`
}

type quotes struct {
	Items []struct {
		Status string
		Price  price
	}
}

type failure struct {
	Code string
}

func requireFailure(t *testing.T, a harness.Answer, status int, code string) {
	t.Helper()
	if got := harness.Decode[failure](t, a); a.Status != status || got.Code != code {
		t.Errorf("%s: got status %d and code %q, want %d and %q", a.Request.URL, a.Status, got.Code, status, code)
	}
}

func TestHardwareThroughTheGateway(t *testing.T) {
	url := backend(t, harness.Options{})

	t.Run("rankings", func(t *testing.T) {
		for _, family := range []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"} {
			a := harness.Decode[ranking](t, harness.Get(t, url, "/api/benchmark/"+family+"?limit=3"))
			if a.Family != family || a.Count != 3 || len(a.Rows) != 3 {
				t.Fatalf("the first 3 of %s: got %+v", family, a)
			}
			if first := a.Rows[0]; first.Type != strings.ToUpper(family) || first.Rank != 1 {
				t.Errorf("%s: the first row is %+v", family, first)
			}
			if a.Source == "local-fallback" {
				t.Errorf("%s came from the fallback although the source responds", family)
			}
		}
	})

	t.Run("prices", func(t *testing.T) {
		first := harness.Get(t, url, "/api/prices/ceneo?q=rtx+4070+super&category=gpu")
		a := harness.Decode[price](t, first)
		if !strings.Contains(a.ProductName, "4070 SUPER") || strings.Contains(a.ProductName, "Ti") {
			t.Errorf("rtx 4070 super found %q", a.ProductName)
		}
		if len(a.Offers) == 0 || len(a.Offers) > 5 {
			t.Fatalf("got %d offers, want 1 to 5", len(a.Offers))
		}
		if !slices.IsSortedFunc(a.Offers, func(x, y offer) int { return cmp.Compare(x.Price, y.Price) }) {
			t.Errorf("the offers are not sorted by price: %+v", a.Offers)
		}
		if a.Lowest.Price != a.Offers[0].Price {
			t.Errorf("the lowest price is %v, but the first offer costs %v", a.Lowest.Price, a.Offers[0].Price)
		}
		if a.Offers[0].ShopRating == 0 {
			t.Errorf("the first offer has no shop rating: %+v", a.Offers[0])
		}
		if len(a.Alternatives) == 0 {
			t.Errorf("no alternatives: %s", first.Body)
		}
		again := harness.Get(t, url, "/api/prices/ceneo?q=RTX++4070+Super&category=gpu")
		got := harness.Decode[price](t, again)
		if got.Query != "RTX 4070 Super" || got.ProductName != a.ProductName {
			t.Errorf("the other spelling: query %q found %q, want %q", got.Query, got.ProductName, a.ProductName)
		}
		if status := again.Header.Get("Cache-Status"); !strings.Contains(status, "hit") {
			t.Errorf("the other spelling is no hit: Cache-Status %q", status)
		}
	})

	t.Run("quotes", func(t *testing.T) {
		parts := quotesRequest{
			Items: []quotesItem{{"RTX 4070 Super", "gpu"}, {"ryzen 5 7600", "cpu"}, {"Ryzen 5 7600", "cpu"}},
		}
		first := harness.Decode[quotes](t, harness.Post(t, url, "/api/prices/ceneo/quotes", parts))
		if len(first.Items) != 3 || first.Items[0].Status != "ready" || first.Items[0].Price.Query != "RTX 4070 Super" {
			t.Errorf("first response: %+v", first)
		}
		harness.Eventually(t, "all parts are ready", func() bool {
			all := harness.Decode[quotes](t, harness.Post(t, url, "/api/prices/ceneo/quotes", parts)).Items
			return all[1].Status == "ready" && all[2].Status == "ready" &&
				all[1].Price.ProductName == all[2].Price.ProductName
		})
	})

	t.Run("nothing matched", func(t *testing.T) {
		a := harness.Get(t, url, "/api/prices/ceneo?q=brakwyniku+xyz")
		if got := harness.Decode[price](t, a); got.Note == "" || len(got.Offers) != 0 {
			t.Errorf("got note %q and %d offers, want a note and none", got.Note, len(got.Offers))
		}
		if got := a.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("Cache-Control is %q, want no-store", got)
		}
	})

	for _, refused := range []struct {
		path   string
		status int
		code   string
	}{
		{path: "/api/benchmark/gpu?limit=abc", status: http.StatusBadRequest, code: "invalid_limit"},
		{path: "/api/prices/ceneo?q=rtx%00super", status: http.StatusBadRequest, code: "invalid_query"},
		{path: "/api/prices/other?q=rtx+4070", status: http.StatusNotFound, code: "unknown_aggregator"},
		{path: "/no/such/path", status: http.StatusNotFound, code: "not_found"},
	} {
		t.Run(refused.path[:min(len(refused.path), 40)], func(t *testing.T) {
			requireFailure(t, harness.Get(t, url, refused.path), refused.status, refused.code)
		})
	}
}

func TestBenchmarkSiteIsDown(t *testing.T) {
	s := own(t, harness.Options{})
	harness.Get(t, s.Gateway, "/api/benchmark/gpu")
	s.Sandbox.Fault(t, "benchmark", `{"kind":"down"}`)

	cached := harness.Get(t, s.Gateway, "/api/benchmark/gpu?limit=2")
	if status := cached.Header.Get("Cache-Status"); !strings.Contains(status, "hit") {
		t.Errorf("a cached ranking is no hit while the site is down: Cache-Status %q", status)
	}
	asked := len(s.Sandbox.Requests(t, "benchmark"))
	for range 20 {
		a := harness.OK(t, harness.Get(t, s.Gateway, "/api/benchmark/hdd?limit=10"))
		if got := harness.Decode[ranking](t, a); got.Source != "local-fallback" || got.Count != 10 {
			t.Fatalf("got %d rows from %q, want 10 from local-fallback", got.Count, got.Source)
		}
		if got := a.Header.Get("Cache-Control"); got != "no-store" {
			t.Fatalf("the fallback has Cache-Control %q, want no-store", got)
		}
	}
	if n := len(s.Sandbox.Requests(t, "benchmark")) - asked; n != 1 {
		t.Errorf("20 fallbacks sent %d requests to the site, want 1", n)
	}
}

func TestAggregatorRefuses(t *testing.T) {
	s := own(t, harness.Options{})
	s.Sandbox.Fault(t, "aggregator", `{"kind":"captcha"}`)
	refused := harness.Get(t, s.Gateway, "/api/prices/ceneo?q=rtx+4060")
	requireFailure(t, refused, http.StatusBadGateway, "source_blocked")
	asked := len(s.Sandbox.Requests(t, "aggregator"))
	paused := harness.Get(t, s.Gateway, "/api/prices/ceneo?q=rtx+4090")
	requireFailure(t, paused, http.StatusServiceUnavailable, "source_paused")
	if paused.Header.Get("Retry-After") == "" {
		t.Error("the answer during the pause has no Retry-After")
	}
	if n := len(s.Sandbox.Requests(t, "aggregator")) - asked; n != 0 {
		t.Errorf("a paused source got %d requests", n)
	}
}

// TestAggregatorRobotsAreObeyed sends queries whose obvious address robots.txt forbids:
// other addresses are used, and other queries are not affected.
func TestAggregatorRobotsAreObeyed(t *testing.T) {
	s := own(t, harness.Options{})
	for _, query := range []string{"q=klocki+magnetyczne&category=gpu", "q=klocki+magnetyczne", "q=rtx+4060"} {
		if a := harness.Get(t, s.Gateway, "/api/prices/ceneo?"+query); a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", query, a.Status, a.Body)
		}
	}
	for _, request := range s.Sandbox.Requests(t, "aggregator") {
		if strings.HasPrefix(request.Path, "/;") || strings.HasPrefix(strings.ToLower(request.Path), "/click/") {
			t.Errorf("the service requested %s, which robots.txt forbids", request.Path)
		}
	}
}

const (
	interval = 1200 * time.Millisecond // the default of HARDWARE_PRICE_INTERVAL
	// closest is how close two requests may come: a request leaves at most a twentieth of the
	// interval after its slot begins.
	closest = interval - interval/20
)

// watchLateness returns a function that returns how late timers have fired at most since then.
// The sandbox may record an arrival just as late, and the gap to the next one then seems too
// short.
func watchLateness(t *testing.T) (most func() time.Duration) {
	t.Helper()
	const nap = 5 * time.Millisecond
	var latest atomic.Int64
	done := make(chan struct{})
	t.Cleanup(func() { close(done) })
	go func() {
		for before := time.Now(); ; before = time.Now() {
			select {
			case <-done:
				return
			case <-time.After(nap):
				latest.Store(max(latest.Load(), int64(time.Since(before)-nap)))
			}
		}
	}()
	return func() time.Duration { return time.Duration(latest.Load()) }
}

func searches(requests []harness.Arrival) (n int) {
	for _, r := range requests {
		if strings.Contains(r.Path, "szukaj-") {
			n++
		}
	}
	return n
}

// requireOK may be called in any goroutine.
func requireOK(t *testing.T, client *http.Client, url string) {
	t.Helper()
	if err := harness.CheckOK(harness.Send(t.Context(), client, http.MethodGet, url, nil)); err != nil {
		t.Error(err)
	}
}

func TestReplicasLookUpOnce(t *testing.T) {
	s := own(t, harness.Options{Replicas: 3, Redis: true})
	var wg sync.WaitGroup
	for i := range 1000 {
		wg.Go(func() {
			url := s.Hardware[i%3].URL() + "/api/prices/ceneo?q=ryzen+7+7800x3d"
			a, err := harness.Send(t.Context(), harness.Client(), http.MethodGet, url, nil)
			if err := harness.CheckOK(a, err); err != nil {
				t.Error(err)
			} else if !strings.Contains(string(a.Body), `"offers":[{`) {
				t.Errorf("no offers in %s", a.Body)
			}
		})
	}
	wg.Wait()
	if n := searches(s.Sandbox.Requests(t, "aggregator")); n != 1 {
		t.Errorf("1,000 requests made %d look-ups, want 1", n)
	}
}

func TestReplicasShareOneRate(t *testing.T) {
	s, late := own(t, harness.Options{Replicas: 3, Redis: true}), watchLateness(t)
	var wg sync.WaitGroup
	parts := []string{"core+i5+12600k", "core+i5+13600k", "core+i5+14600k", "ryzen+5+5600", "ryzen+5+7600"}
	for i, part := range parts {
		wg.Go(func() {
			client := &http.Client{Transport: harness.ClientNumber(i)}
			requireOK(t, client, s.Hardware[i%3].URL()+"/api/prices/ceneo?q="+part)
		})
	}
	wg.Wait()
	requests := s.Sandbox.Requests(t, "aggregator")
	if len(requests) < 6 {
		t.Fatalf("only %d requests reached the aggregator, want at least 6", len(requests))
	}
	for i := 1; i < len(requests); i++ {
		before, after := requests[i-1], requests[i]
		if gap := after.At.Sub(before.At); gap+late() < closest {
			t.Errorf("%s came %s after %s; timers were up to %s late", after.Path, gap, before.Path, late())
		}
	}
}

func TestHardwareDrains(t *testing.T) {
	s := own(t, harness.Options{})
	// This look-up takes the first slot, so that the next one waits for its own.
	harness.Get(t, s.Gateway, "/api/prices/ceneo?q=ryzen+5+5600")
	answered := make(chan error, 1)
	go func() {
		url := s.Hardware[0].URL() + "/api/prices/ceneo?q=ryzen+5+7600"
		answered <- harness.CheckOK(harness.Send(t.Context(), harness.Client(), http.MethodGet, url, nil))
	}()
	harness.Eventually(t, "the look-up reaches the source", func() bool {
		return searches(s.Sandbox.Requests(t, "aggregator")) == 2
	})
	s.Hardware[0].Terminate(t)
	if err := <-answered; err != nil {
		t.Errorf("the request that was pending at SIGTERM: %v", err)
	}
}

// TestFaultsKeepThePace counts the requests at the aggregator under load while programs are
// killed and frozen. While Redis is there, no two are closer than the interval. While it is
// away, all replicas together stay within the rate.
func TestFaultsKeepThePace(t *testing.T) {
	s := faulty(t, harness.Options{Replicas: 3, Redis: true, Env: []string{"HARDWARE_MAX_REPLICAS=3"}})
	late := watchLateness(t)
	load := make([]*harness.Traffic, len(s.Hardware))
	for i, replica := range s.Hardware {
		load[i] = harness.StartTraffic(t, 300*time.Millisecond, func(n int) error {
			path := fmt.Sprintf("/api/prices/ceneo?category=gpu&q=karta+%d+%d", i, n)
			client := &http.Client{Transport: harness.ClientNumber(3*n + i)}
			_, err := harness.Send(t.Context(), client, http.MethodGet, replica.URL()+path, nil)
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
	type span struct{ from, to time.Time } // in which Redis was away
	var away []span
	for _, lost := range []time.Duration{0, 30 * time.Second} {
		from := time.Now()
		s.Redis.Kill()
		time.Sleep(lost)
		s.Redis.Start(t)
		away = append(away, span{from, time.Now().Add(2 * time.Second)}) // until the replicas notice
		time.Sleep(15 * time.Second)
	}
	for _, traffic := range load {
		traffic.Stop()
	}
	requests := s.Sandbox.Requests(t, "aggregator")
	if len(requests) < 40 {
		t.Errorf("only %d requests in two minutes, want at least 40", len(requests))
	}
	isAway := func(at time.Time) bool {
		return slices.ContainsFunc(away, func(s span) bool { return at.After(s.from) && at.Before(s.to) })
	}
	for i := 1; i < len(requests); i++ {
		before, after := requests[i-1], requests[i]
		gap := after.At.Sub(before.At)
		if gap+late() < closest && !isAway(before.At) && !isAway(after.At) {
			t.Errorf("%s came %v after %s; timers were up to %v late", after.Path, gap, before.Path, late())
		}
	}
	for _, lost := range away {
		n := 0
		for _, request := range requests {
			if request.At.After(lost.from) && request.At.Before(lost.to) {
				n++
			}
		}
		if most := int(lost.to.Sub(lost.from)/interval) + 1; n > most {
			t.Errorf("%d requests in %v without Redis, want at most %d", n, lost.to.Sub(lost.from), most)
		}
	}
}

// TestFaultsAreFair requires that a client that polls for 40 lists of 20 parts does not keep others
// waiting.
func TestFaultsAreFair(t *testing.T) {
	for _, test := range []struct {
		replicas int
		single   time.Duration // how long the look-up of one part may take
		list     time.Duration // how long a list of two parts may take
	}{
		{replicas: 1, single: 10 * time.Second, list: 30 * time.Second},
		{replicas: 3, single: 15 * time.Second, list: 40 * time.Second},
	} {
		t.Run(fmt.Sprintf("%d replicas", test.replicas), func(t *testing.T) {
			s := faulty(t, harness.Options{Replicas: test.replicas, Redis: true})
			t.Run("a whole build of one client at once", func(t *testing.T) {
				requireBuildInTime(t, s.Hardware)
			})
			greedy := harness.StartTraffic(t, 100*time.Millisecond, func(n int) error {
				var items []quotesItem
				for i := range 20 {
					items = append(items, quotesItem{Q: fmt.Sprintf("dysk %d-%d", n%40, i), Category: "storage"})
				}
				client := &http.Client{Transport: harness.From("198.51.100.40")}
				url := s.Hardware[n%test.replicas].URL() + "/api/prices/ceneo/quotes"
				_, err := harness.Send(t.Context(), client, http.MethodPost, url, quotesRequest{Items: items})
				return err
			})
			defer greedy.Stop()
			time.Sleep(5 * time.Second)
			var single sync.WaitGroup
			single.Go(func() {
				begin := time.Now()
				client := &http.Client{Transport: harness.From("198.51.100.1")}
				requireOK(t, client, s.Hardware[0].URL()+"/api/prices/ceneo?q=Ryzen+7+9700X&category=cpu")
				if took := time.Since(begin); took > test.single {
					t.Errorf("one part took %v, want at most %v", took, test.single)
				}
			})
			requireListInTime(t, s.Hardware, test.list)
			single.Wait()
		})
	}
}

func requireBuildInTime(t *testing.T, replicas []*harness.Service) {
	t.Helper()
	parts := []string{
		"Ryzen+7+7800X3D", "RTX+4070+SUPER", "MSI+B650+GAMING+PLUS+WIFI", "Kingston+FURY+Beast",
		"Samsung+990+PRO+2TB", "be+quiet+Pure+Power+12", "Noctua+NH-D15", "Fractal+Design+North",
	}
	client := &http.Client{Transport: harness.From("203.0.113.9")}
	begin := time.Now()
	var together sync.WaitGroup
	for i, part := range parts {
		together.Go(func() {
			requireOK(t, client, replicas[i%len(replicas)].URL()+"/api/prices/ceneo?q="+part)
		})
	}
	together.Wait()
	if took := time.Since(begin); took > 25*time.Second {
		t.Errorf("eight look-ups took %v, want at most 25s", took)
	}
}

// requireListInTime asks for a list of two parts once a second until both are ready.
func requireListInTime(t *testing.T, replicas []*harness.Service, limit time.Duration) {
	t.Helper()
	parts := quotesRequest{Items: []quotesItem{{"Ryzen 5 9600X", "cpu"}, {"Core i5-14600K", "cpu"}}}
	client := &http.Client{Transport: harness.From("198.51.100.2")}
	begin := time.Now()
	for i := 0; time.Since(begin) <= limit; i++ {
		url := replicas[i%len(replicas)].URL() + "/api/prices/ceneo/quotes"
		a, err := harness.Send(t.Context(), client, http.MethodPost, url, parts)
		if err := harness.CheckOK(a, err); err != nil {
			t.Errorf("a list of two: %v", err)
		} else if !strings.Contains(string(a.Body), `"queued"`) {
			t.Logf("a list of two was ready after %v", time.Since(begin))
			return
		}
		time.Sleep(time.Second)
	}
	t.Errorf("a list of two is not ready after %v", limit)
}
