//go:build !race

// These compute for minutes under the race detector.

package prices_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sort"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
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
