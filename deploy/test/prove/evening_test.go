package prove

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"backend.example/deploy/test/harness"
)

// The evening. The source is asked every 0.1 s instead of every 1.2 s, and everything else is
// as much faster: 12 questions a second are 86,400 on a day of 24 h.
const (
	eveningInterval = 100 * time.Millisecond
	eveningReplicas = 20
	eveningRate     = 12  // questions a second of the shoppers; three times as many in bursts
	popular         = 200 // products that are known from the day before
	unknown         = 7   // of 100 questions are for products that are not, as TestADayOfQuestions counts
	burstEvery      = time.Minute
	burstFor        = 10 * time.Second
	flood           = 100 // questions a second of one client
)

// TestEvening sends an evening's questions to twenty replicas: of shoppers, who prefer popular
// products, come in bursts and have lists of parts; of crawlers, 5% of the traffic, who go
// through all products; and of one client who floods.
func TestEvening(t *testing.T) {
	measured := report(t, "An evening over 20 replicas, with bursts, lists, 5% crawlers and a flooder: the agreed rate, and shoppers are answered")
	lasting := duration(t, "PROVE_EVENING", time.Minute)
	s := harness.New(t, harness.Options{Replicas: eveningReplicas, Redis: true, Env: []string{
		"HARDWARE_PRICE_INTERVAL=" + eveningInterval.String(), fmt.Sprintf("HARDWARE_MAX_REPLICAS=%d", eveningReplicas),
	}})
	e := newEvening(s.Gateway)
	e.dayBefore(t)
	s.Sandbox.Forget(t)
	shopping := []kind{{Name: "question", Share: 19, Send: e.question}, {Name: "list", Share: 1, Send: e.list}}
	run := func(kinds []kind, rate float64, d time.Duration) *loadResult {
		return runLoad(t.Context(), plan{Kinds: kinds, Rate: rate, Open: 2000, Time: d})
	}
	var calm, crawled, flooded *loadResult
	var bursts []*loadResult
	var under sync.WaitGroup
	begun := time.Now()
	under.Go(func() { calm = run(shopping, eveningRate, lasting) })
	under.Go(func() { crawled = run([]kind{{Name: "crawl", Share: 1, Send: e.crawl}}, 0.05*eveningRate, lasting) })
	under.Go(func() { flooded = run([]kind{{Name: "flood", Share: 1, Send: e.flood}}, flood, lasting) })
	under.Go(func() {
		for at := burstEvery / 2; at < lasting; at += burstEvery {
			time.Sleep(time.Until(begun.Add(at)))
			bursts = append(bursts, run(shopping, 2*eveningRate, burstFor))
		}
	})
	under.Wait()
	requests := s.Sandbox.Requests(t, "aggregator")
	took := time.Since(begun)
	shopped := *calm
	for _, b := range bursts {
		shopped.Sent, shopped.Refused, shopped.Wrong = shopped.Sent+b.Sent, shopped.Refused+b.Refused, shopped.Wrong+b.Wrong
		if shopped.First == nil {
			shopped.First = b.First
		}
	}
	measured("%d requests to the source in %s, at most %d in 10 s; shoppers: %d sent, %d refused, %d wrong, p50 %s, p99 %s; crawlers: %d of %d refused; flooder: %d of %d refused",
		len(requests), took.Round(time.Second), most(requests, 10*time.Second), shopped.Sent, shopped.Refused, shopped.Wrong,
		calm.Percentile(50).Round(time.Millisecond), calm.Percentile(99).Round(time.Millisecond),
		crawled.Refused, crawled.Sent, flooded.Refused, flooded.Sent)
	// Arrivals are up to a few intervals late on a busy machine.
	if n, allowed := most(requests, 10*time.Second), int(10*time.Second/eveningInterval); n > allowed+allowed/20 {
		t.Errorf("%d requests in 10 s, want at most %d", n, allowed)
	}
	for who, r := range map[string]*loadResult{"shoppers": &shopped, "crawlers": crawled, "flooder": flooded} {
		if r.Wrong > 0 {
			t.Errorf("%s: %d wrong answers, first: %v", who, r.Wrong, r.First)
		}
	}
	if shopped.Refused > shopped.Sent/50 {
		t.Errorf("%d of %d questions of shoppers were refused", shopped.Refused, shopped.Sent)
	}
	if calm.Of["list"] == 0 {
		t.Error("no list was answered")
	}
}

// most returns the largest number of requests that arrived within d.
func most(requests []harness.Arrival, d time.Duration) (n int) {
	first := 0
	for i, r := range requests {
		for requests[first].At <= r.At-int64(d) {
			first++
		}
		n = max(n, i-first+1)
	}
	return n
}

// evening is who asks.
type evening struct {
	shoppers, crawlers, flooder clients
	asked, crawled, flooded     atomic.Int64
}

func newEvening(base string) *evening {
	return &evening{
		shoppers: clients{base: base, clients: clientsOf(2, concurrent)},
		crawlers: clients{base: base, clients: clientsOf(3, 3)},
		flooder:  clients{base: base, clients: clientsOf(4, 1)},
	}
}

// clientsOf returns clients with an address each, in a network of their own.
func clientsOf(network byte, n int) (all []*http.Client) {
	for i := range n {
		from := &net.TCPAddr{IP: net.IPv4(127, network, byte(i/250), byte(1+i%250))}
		all = append(all, &http.Client{Timeout: time.Minute, Transport: &http.Transport{
			DialContext: (&net.Dialer{LocalAddr: from}).DialContext, MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute,
		}})
	}
	return all
}

// product returns a name for a product that shoppers ask for: the n-th popular one is asked
// for 1/n as often as the first one.
func (e *evening) product() string {
	if rand.N(100) < unknown { // #nosec G404 -- mixes traffic
		return fmt.Sprintf("procesor nowy %d", e.asked.Add(1))
	}
	return popularProduct(int(math.Exp(rand.Float64() * math.Log(popular)))) // #nosec G404 -- mixes traffic
}

func popularProduct(n int) string { return fmt.Sprintf("procesor znany %d", n) }

// dayBefore lets shoppers with lists ask for the popular products.
func (e *evening) dayBefore(t *testing.T) {
	t.Helper()
	var lists sync.WaitGroup
	for first := 1; first <= popular; first += 10 {
		lists.Go(func() {
			var names []string
			for n := range 10 {
				names = append(names, popularProduct(first+n))
			}
			if _, err := e.answered(t.Context(), e.shoppers.clients[first], names); err != nil {
				t.Error(err)
			}
		})
	}
	lists.Wait()
}

func (c *clients) price(ctx context.Context, product string) (verdict, error) {
	return c.get("/api/prices/ceneo?q="+url.QueryEscape(product), "", `"offers":[`)(ctx)
}

func (e *evening) question(ctx context.Context) (verdict, error) {
	return e.shoppers.price(ctx, e.product())
}

func (e *evening) crawl(ctx context.Context) (verdict, error) {
	return e.crawlers.price(ctx, fmt.Sprintf("procesor dawny %d", e.crawled.Add(1)))
}

func (e *evening) flood(ctx context.Context) (verdict, error) {
	return e.flooder.price(ctx, fmt.Sprintf("karta testowa %d", e.flooded.Add(1)))
}

// list asks for ten parts of a computer.
func (e *evening) list(ctx context.Context) (verdict, error) {
	var names []string
	for range 10 {
		names = append(names, e.product())
	}
	return e.answered(ctx, e.shoppers.clients[rand.N(len(e.shoppers.clients))], names) // #nosec G404 -- any will do
}

// answered asks for a list and comes back every 5 s until all of it is known.
func (e *evening) answered(ctx context.Context, client *http.Client, names []string) (verdict, error) {
	var items []map[string]string
	for _, name := range names {
		items = append(items, map[string]string{"q": name})
	}
	for {
		a, err := harness.Send(ctx, client, http.MethodPost, e.shoppers.base+"/api/prices/ceneo/quotes", map[string]any{"items": items})
		if err = harness.CheckOK(a, err); err != nil {
			return wrong, err
		}
		if !bytes.Contains(a.Body, []byte(`"status":"queued"`)) {
			return right, nil
		}
		select {
		case <-ctx.Done():
			return wrong, fmt.Errorf("the list is still %s", a.Body)
		case <-time.After(5 * time.Second):
		}
	}
}
