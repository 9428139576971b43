package prices_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/throttle"
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

// fair is an aggregator that takes 300 ms for every request, when its turn has come.
// Every 20th product is a single shop's, every 33rd is not there at all.
type fair struct {
	pacer    *throttle.Pacer
	requests atomic.Int64
}

func (f *fair) request(ctx context.Context, r *lookup.Request) error {
	sent, err := f.pacer.Turn(ctx, r)
	if err != nil {
		return err
	}
	sent()
	f.requests.Add(1)
	time.Sleep(300 * time.Millisecond)
	return nil
}

func (f *fair) Search(ctx context.Context, r *lookup.Request, q catalog.Query) (string, prices.Finding, error) {
	var product, spelling int
	_, _ = fmt.Sscanf(q.Text, "part %d spelling %d", &product, &spelling)
	if err := f.request(ctx, r); err != nil {
		return "", prices.Finding{}, err
	}
	switch found := offered(product); {
	case isMissing(product):
		return "", nothing, nil
	case product%20 == 19:
		return "", found, nil
	default:
		return fmt.Sprint(product), prices.Finding{ProductName: found.ProductName}, nil
	}
}

func (f *fair) Product(ctx context.Context, r *lookup.Request, number string, _ int) (prices.Finding, error) {
	var product int
	_, _ = fmt.Sscan(number, &product)
	return offered(product), f.request(ctx, r)
}

func isMissing(product int) bool { return product%33 == 32 }

func offered(product int) prices.Finding {
	return prices.Finding{ProductName: fmt.Sprintf("part %d", product), Offers: []prices.Offer{{Store: "a.example", Price: 99}}}
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

func newPacer() *throttle.Pacer {
	return throttle.NewPacer(throttle.Options{Interval: 1200 * time.Millisecond, MaxWait: 15 * time.Second, Log: quiet})
}
