//go:build !race

// These compute for minutes under the race detector.

package prices_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/throttle"
	"backend.example/services/internal/kit/fault"
)

// The questions of the simulation.
const (
	questionsADay = 100_000
	popularFrom   = 24 // questions a day for a product: one an hour
	simulatedDays = 2
)

// zipf draws products by how popular they are: the n-th is asked for 1/n as often as the
// first one.
type zipf []float64

func newZipf(products int) zipf {
	sums, sum := make(zipf, products), 0.0
	for n := range sums {
		sum += 1 / float64(n+1)
		sums[n] = sum
	}
	return sums
}

func (z zipf) draw(rng *rand.Rand) int {
	return sort.SearchFloat64s(z, rng.Float64()*z[len(z)-1])
}

// question is one of a day: what is asked for, in whose words, and when.
type question struct {
	product int
	query   catalog.Query
	at      time.Duration
}

// questionsOf draws the questions of a day, which are the same for the same day. A
// product has five spellings, each half as frequent as the one before.
func questionsOf(day uint64, popularity zipf) []question {
	rng := rand.New(rand.NewPCG(day, 7)) // the same for every run
	questions := make([]question, questionsADay)
	for i := range questions {
		product, spelling := popularity.draw(rng), 1
		for spelling < 5 && rng.IntN(2) == 0 {
			spelling++
		}
		questions[i] = question{
			product: product, at: time.Duration(float64(24*time.Hour) * (float64(i) + rng.Float64()) / questionsADay),
			query: catalog.Query{Text: fmt.Sprintf("part %d spelling %d", product, spelling)},
		}
	}
	return questions
}

// tally is how a day went.
type tally struct {
	answers, refused, waited int
	popular, popularWaited   int // questions for popular products
	products                 map[int]bool
	requests                 int
	longest, sum             time.Duration // of the waits
}

// live answers the questions of a day as they come in, each of a client of its own.
func live(p *process, shop *fair, questions []question) tally {
	asked := map[int]int{}
	for _, q := range questions {
		asked[q.product]++
	}
	day := tally{products: map[int]bool{}, requests: -int(shop.requests.Load())}
	begun := time.Now()
	var mu sync.Mutex
	var callers sync.WaitGroup
	for i, q := range questions {
		time.Sleep(time.Until(begun.Add(q.at)))
		callers.Go(func() {
			caller := lookup.Caller{Client: fmt.Sprint(i)}
			came := time.Now()
			_, via, err := p.Get(context.Background(), caller, q.query)
			mu.Lock()
			defer mu.Unlock()
			day.note(q, asked[q.product] >= popularFrom && !isMissing(q.product), via, err, time.Since(came))
		})
	}
	callers.Wait()
	time.Sleep(time.Until(begun.Add(24 * time.Hour)))
	day.requests += int(shop.requests.Load())
	return day
}

func (d *tally) note(q question, popular bool, via lookup.Via, err error, took time.Duration) {
	waited := via != lookup.ViaLocal
	if popular {
		d.popular++
	}
	if popular && waited {
		d.popularWaited++
	}
	switch {
	case err != nil:
		d.refused++
		return
	case waited:
		d.waited++
	}
	d.answers++
	d.products[q.product] = true
	d.longest, d.sum = max(d.longest, took), d.sum+took
}

func (d *tally) perRequest() float64 { return float64(d.answers) / float64(d.requests) }

func (d *tally) popularWait() float64 { return float64(d.popularWaited) / float64(d.popular) }

func (d *tally) String() string {
	return fmt.Sprintf("%6d answers, %5d refused, %5d products, %5d requests (%.2f a product, %.2f answers each), %5d waited, longest %.1f s, popular %.2f%%",
		d.answers, d.refused, len(d.products), d.requests, float64(d.requests)/float64(len(d.products)), d.perRequest(),
		d.waited, d.longest.Seconds(), 100*d.popularWait())
}

// TestADayOfQuestions answers days of questions over the real look-ups and turns in virtual
// time. Without what is known of products, a request would lead to 3.8 answers.
func TestADayOfQuestions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shop := &fair{pacer: newPacer()}
		p := newProcess(shop)
		defer ahead(t, p)()
		var day tally
		for n := range simulatedDays {
			day = live(p, shop, questionsOf(uint64(n), newZipf(6000)))
			t.Logf("day %d: %s", n+1, &day)
		}
		if day.perRequest() < 1.8*3.8 {
			t.Errorf("%.2f answers for a request, want %.2f", day.perRequest(), 1.8*3.8)
		}
		if day.popularWait() > 0.01 {
			t.Errorf("%.2f%% of the questions for popular products waited", 100*day.popularWait())
		}
	})
}

// Warming takes no place in the queue of users. After an idle night people wait less for what
// was warmed; over a day without a quiet minute they wait as long for anything else.
func TestUsersWaitNoLongerBecauseOfWarming(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	t.Parallel()
	const nothing = "nothing"
	ratios := map[string]float64{"unpopular products": 1.005, "popular products": 0.99} // of the waits, at most
	var mu sync.Mutex
	days := map[string]tally{}
	t.Run("day", func(t *testing.T) {
		for name, products := range map[string][]catalog.Query{
			nothing: nil, "unpopular products": ranked(100_000), "popular products": ranked(0),
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					shop := &fair{pacer: newPacer()}
					p := newProcess(shop)
					defer ahead(t, p)()
					if products != nil {
						_, stop := warm(t, p, products)
						defer stop()
					}
					time.Sleep(2 * time.Hour)
					day := live(p, shop, questionsOf(0, newZipf(6000)))
					mu.Lock()
					defer mu.Unlock()
					days[name] = day
				})
			})
		}
	})
	without := days[nothing]
	for name, most := range ratios {
		with := days[name]
		ratio := with.sum.Seconds() / without.sum.Seconds()
		t.Logf("%s: %.0f s of waiting instead of %.0f s, ratio %.4f; %d refused instead of %d",
			name, with.sum.Seconds(), without.sum.Seconds(), ratio, with.refused, without.refused)
		if ratio > most || with.refused > without.refused+1 {
			t.Errorf("%s: ratio %.4f, want at most %.3f; %d refused instead of %d", name, ratio, most, with.refused, without.refused)
		}
	}
}

// The traffic of a day. A visit of a shopper is one question, or a list with the parts of a
// computer, for which its page comes back until all are known.
const (
	productsAsked  = 6000 // by shoppers, as many as the benchmark lists have
	listShare      = 20   // every 20th visit is a list
	listLength     = 10
	listPoll       = 2 * time.Second
	burstFactor    = 3 // as many visits in the first ten seconds of a minute
	shopperTries   = 4 // a shopper who is refused comes back as often
	crawlers       = 3 // addresses
	crawledADay    = questionsADay / 20
	floodASecond   = 50 // what the gateway lets through of one client
	firstCrawled   = 100_000
	firstFlooded   = 1_000_000
	daysRemembered = 7 // of the 30 for which products are
)

// hourly is how many of 1,000 visits of a day are in each hour.
var hourly = [24]float64{12, 7, 4, 3, 3, 5, 10, 20, 32, 42, 48, 50, 52, 52, 50, 50, 54, 62, 74, 86, 94, 90, 66, 34}

// visitsAt is the number of visits a second at that time of a day.
func visitsAt(at time.Duration) float64 {
	const visitsADay = questionsADay * listShare / (listShare - 1 + listLength)
	rate := visitsADay * hourly[int(at.Hours())%24] / 1000 / 3600 / (1 + (burstFactor-1)*10.0/60)
	if at%time.Minute < 10*time.Second {
		rate *= burstFactor
	}
	return rate
}

// outcomes is how one kind of clients fared.
type outcomes struct {
	mu                      sync.Mutex
	asked, refused, atOnce  int
	failed                  map[string]int // other faults, by code
	unanswered              int            // shoppers who were refused each time
	waits                   []time.Duration
	longest, longestRefused time.Duration // until an answer, and until a refusal
}

func (o *outcomes) note(err error, took time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked++
	switch f := fault.From(err); {
	case f == nil:
		o.waits, o.longest = append(o.waits, took), max(o.longest, took)
		if took <= 200*time.Millisecond {
			o.atOnce++
		}
	case f.Code == "throttle_queue_full" && f.RetryAfter > 0:
		o.refused++
		o.longestRefused = max(o.longestRefused, took)
	default:
		if o.failed == nil {
			o.failed = map[string]int{}
		}
		o.failed[f.Code]++
	}
}

func (o *outcomes) noteUnanswered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unanswered++
}

func (o *outcomes) refusedShare() float64 { return float64(o.refused) / float64(o.asked) }

func (o *outcomes) atOnceShare() float64 { return float64(o.atOnce) / float64(o.asked) }

func (o *outcomes) percentile(p int) time.Duration {
	slices.Sort(o.waits)
	return o.waits[(len(o.waits)-1)*p/100]
}

func (o *outcomes) String() string {
	return fmt.Sprintf("%7d asked, %5.1f%% at once, %6.2f%% refused, failed %v, waits p50 %.1f s, p99 %.1f s, longest %.1f s, refused after %.1f s at most",
		o.asked, 100*o.atOnceShare(), 100*o.refusedShare(), o.failed,
		o.percentile(50).Seconds(), o.percentile(99).Seconds(), o.longest.Seconds(), o.longestRefused.Seconds())
}

// traffic is what clients send to a fleet from a time of a day on.
type traffic struct {
	*fleet
	seed       uint64
	from       time.Duration
	length     time.Duration
	begun      time.Time
	popularity zipf
	clients    sync.WaitGroup
	shoppers   outcomes // single questions
	lists      outcomes // items of lists
	crawled    outcomes
	flooded    outcomes
}

func newTraffic(f *fleet, seed uint64, from, length time.Duration) *traffic {
	return &traffic{fleet: f, seed: seed, from: from, length: length, begun: time.Now(), popularity: newZipf(productsAsked)}
}

// rng returns a source of random choices for one kind of clients.
func (e *traffic) rng(kind uint64) *rand.Rand { return rand.New(rand.NewPCG(e.seed, kind)) }

func (e *traffic) draw(rng *rand.Rand) (product int, q catalog.Query) {
	product, spelling := e.popularity.draw(rng), 1
	for spelling < 5 && rng.IntN(2) == 0 {
		spelling++
	}
	return product, catalog.Query{Text: fmt.Sprintf("part %d spelling %d", product, spelling)}
}

// remember lets the replicas know what was asked for in the days before.
func (e *traffic) remember() {
	rng, now := e.rng(0), time.Now()
	for n := range daysRemembered * questionsADay {
		age := daysRemembered * day * time.Duration(daysRemembered*questionsADay-n) / (daysRemembered * questionsADay)
		product, q := e.draw(rng)
		found, at := offered(product), now.Add(-age)
		shop := prices.Match{Price: prices.Price{Finding: found, ScrapedAt: at}}
		switch {
		case isMissing(product):
		case product%20 == 19:
			put(e.matches, e.replicas[0].Key(q), shop, at, day)
		default:
			number := fmt.Sprint(product)
			shop.Number, shop.Key, shop.Offers = number, "offers:prices.example:"+number, nil
			put(e.matches, e.replicas[0].Key(q), shop, at, 30*day)
			put(e.offers, shop.Key, prices.Price{Finding: found, ScrapedAt: at}, at, day)
		}
	}
}

// put keeps what a replica found at a moment in the past, unless it was known then.
func put[V lookup.Value](s *sharedStore[V], key string, v V, at time.Time, ttl time.Duration) {
	if a := s.kept[key]; a == nil || !a.Fresh(at) {
		s.kept[key] = &lookup.Answer[V]{Value: v, Lifetime: lookup.Lifetime{FetchedAt: at, ExpiresAt: at.Add(ttl), Shareable: true}}
	}
}

// run sends everything, and returns when all is answered.
func (e *traffic) run() {
	e.clients.Go(e.shop)
	e.clients.Go(func() { e.ask(e.rng(2), crawledADay/day.Seconds(), crawlers, firstCrawled, &e.crawled) })
	e.clients.Go(func() { e.ask(e.rng(3), floodASecond, 1, firstFlooded, &e.flooded) })
	e.clients.Wait()
}

// arrivals calls arrive at random moments, rate times a second.
func (e *traffic) arrivals(rng *rand.Rand, rate func(at time.Duration) float64, arrive func(n int)) {
	for n := 0; ; n++ {
		time.Sleep(time.Duration(rng.ExpFloat64() / rate(e.from+time.Since(e.begun)) * float64(time.Second)))
		if time.Since(e.begun) >= e.length {
			return
		}
		arrive(n)
	}
}

// ask asks for another product each time, at some rate from as many addresses.
func (e *traffic) ask(rng *rand.Rand, rate float64, addresses, first int, o *outcomes) {
	e.arrivals(rng, func(time.Duration) float64 { return rate }, func(n int) {
		c, p := lookup.Caller{Client: fmt.Sprint(first + n%addresses)}, e.replicas[rng.IntN(len(e.replicas))]
		e.clients.Go(func() { _ = e.get(p, c, catalog.Query{Text: fmt.Sprintf("part %d spelling 1", first+n)}, o) })
	})
}

func (e *traffic) get(p *process, c lookup.Caller, q catalog.Query, o *outcomes) error {
	came := time.Now()
	_, _, err := p.Get(context.Background(), c, q)
	o.note(err, time.Since(came))
	return err
}

func (e *traffic) shop() {
	rng := e.rng(1)
	e.arrivals(rng, visitsAt, func(n int) {
		c, first := lookup.Caller{Client: fmt.Sprint("shopper ", n)}, rng.IntN(len(e.replicas))
		if n%listShare > 0 {
			_, q := e.draw(rng)
			e.clients.Go(func() { e.question(c, q, first) })
			return
		}
		var list []catalog.Query
		for range listLength {
			_, q := e.draw(rng)
			list = append(list, q)
		}
		e.clients.Go(func() { e.list(c, list, first) })
	})
}

// question asks until the question is answered, each time another replica.
func (e *traffic) question(c lookup.Caller, q catalog.Query, replica int) {
	for try := range shopperTries {
		err := e.get(e.replicas[(replica+try)%len(e.replicas)], c, q, &e.shoppers)
		if err == nil {
			return
		}
		time.Sleep(fault.From(err).RetryAfter)
	}
	e.shoppers.noteUnanswered()
}

// list asks for a list until all of it is known, each time another replica.
func (e *traffic) list(c lookup.Caller, list []catalog.Query, replica int) {
	came, noted := time.Now(), make([]bool, len(list))
	for n := 0; slices.Contains(noted, false); n++ {
		took := time.Since(came)
		for i, q := range e.quotes[(replica+n)%len(e.quotes)].Ask(context.Background(), c, list) {
			if noted[i] || q.IsPending() {
				continue
			}
			var err error
			if q.Fault != nil {
				err = q.Fault
			}
			noted[i] = true
			e.lists.note(err, took)
		}
		time.Sleep(listPoll)
	}
}

// TestADayOfAFleet sends the questions of an evening hour to 20 replicas that share one
// aggregator at the agreed rate: those of shoppers, alone and in lists, with bursts, of
// crawlers, and of a client who floods. SIMULATION_HOURS=24 is a whole day; SIMULATION_SEED
// repeats other random choices.
func TestADayOfAFleet(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	hours, seed := fromEnviron(t, "SIMULATION_HOURS", 1), fromEnviron(t, "SIMULATION_SEED", 1)
	t.Logf("SIMULATION_HOURS=%d SIMULATION_SEED=%d", hours, seed)
	synctest.Test(t, func(t *testing.T) {
		const interval, maxWait = 1200 * time.Millisecond, 25 * time.Second
		f := newFleet(20, throttle.NewPacer(throttle.Options{Interval: interval, MaxWait: maxWait, Log: quiet}))
		from := 20 * time.Hour
		if hours >= 24 {
			from = 0
		}
		e := newTraffic(f, uint64(seed), from, time.Duration(hours)*time.Hour) // #nosec G115 -- any will do
		e.remember()
		for _, p := range f.replicas {
			defer ahead(t, p)()
			_, stop := warm(t, p, ranked(0))
			defer stop()
		}
		e.run()
		lasted, requests := time.Since(e.begun), f.shop.requests.Load()
		t.Logf("%d requests in %.0f s, %v apart at least", requests, lasted.Seconds(), f.shop.closest)
		kinds := map[string]*outcomes{"shoppers": &e.shoppers, "lists": &e.lists, "crawlers": &e.crawled, "flooder": &e.flooded}
		for _, who := range []string{"shoppers", "lists", "crawlers", "flooder"} {
			t.Logf("%-8s %s", who, kinds[who])
		}
		if f.shop.closest < interval || requests > int64(lasted/interval)+1 {
			t.Errorf("requests %v apart, want %v", f.shop.closest, interval)
		}
		for _, o := range []*outcomes{&e.shoppers, &e.lists} {
			if len(o.failed) > 0 || o.unanswered > 0 || o.atOnceShare() < 0.9 || o.refusedShare() > 0.001 || o.percentile(99) > 10*time.Second {
				t.Errorf("shoppers: %s; %d unanswered", o, o.unanswered)
			}
		}
		for who, o := range kinds { // after its first turn a look-up takes a few more seconds
			if len(o.failed) > 0 || o.longest > maxWait+5*time.Second || o.longestRefused > maxWait+2*time.Second {
				t.Errorf("%s wait too long or fail: %s", who, o)
			}
		}
		if e.crawled.refusedShare() > 0.2 || e.flooded.refusedShare() < 0.9 {
			t.Errorf("%.2f of the crawlers and %.2f of the flood refused", e.crawled.refusedShare(), e.flooded.refusedShare())
		}
	})
}

func fromEnviron(t *testing.T, name string, otherwise int) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv(name), strconv.Itoa(otherwise)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}
