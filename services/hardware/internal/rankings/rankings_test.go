package rankings_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardwaretest"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
)

var (
	shippedRows = []rankings.Row{{Type: "CPU", Model: "Shipped", Rank: 1, Benchmark: 100}}
	shippedAt   = time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)
)

const day = 24 * time.Hour

// rows are what the source gives.
var rows = []rankings.Row{
	{Type: "GPU", Brand: "Nvidia", Model: "RTX 5090", Rank: 1, Benchmark: 436, Samples: 12, URL: "https://bench.example/Rating/1"},
	{Type: "GPU", PartNumber: "90YV", Brand: "Asus", Model: "ROG Astral", Rank: 1, Benchmark: 436, URL: "https://bench.example/Rating/2"},
}

// site is the source: its families' files and the times they were asked for.
type site struct {
	files map[catalog.Family]func(ctx context.Context) ([]rankings.Row, error)
	asked []time.Time
}

func (s *site) fetch(ctx context.Context, f catalog.Family) (rankings.Ranking, error) {
	s.asked = append(s.asked, time.Now())
	have := rows
	if file := s.files[f]; file != nil {
		var err error
		if have, err = file(ctx); err != nil {
			return rankings.Ranking{}, err
		}
	}
	return rankings.Ranking{Source: "bench.example", Rows: have}, nil
}

// serve lets the site answer for f with err, or with the usual rows.
func (s *site) serve(f catalog.Family, err error) {
	s.files[f] = func(context.Context) ([]rankings.Row, error) { return rows, err }
}

// shelf is a LastGood.
type shelf struct {
	kept map[catalog.Family]*rankings.Answer
	full bool // saving fails
}

func (s *shelf) Load(ctx context.Context, f catalog.Family) (*rankings.Answer, error) {
	if a := s.kept[f]; a != nil {
		return a, ctx.Err()
	}
	return nil, errors.New("none")
}

func (s *shelf) Save(_ context.Context, f catalog.Family, a *rankings.Answer) error {
	if s.full {
		return hardwaretest.ErrAway
	}
	s.kept[f] = a
	return nil
}

type setup struct {
	*rankings.Rankings
	site              *site
	shelf             *shelf
	breaker           *hardwaretest.Breaker
	answered, lookups hardwaretest.Notes
	shipped           error // of the snapshot
}

func newRankings() *setup {
	r := &setup{
		site:  &site{files: map[catalog.Family]func(context.Context) ([]rankings.Row, error){}},
		shelf: &shelf{kept: map[catalog.Family]*rankings.Answer{}}, breaker: hardwaretest.NewBreaker(),
	}
	r.restart()
	return r
}

// restart begins with a process that holds no answer; the breaker remembers.
func (r *setup) restart() {
	r.Rankings = rankings.New(rankings.Options{
		Fetch: r.site.fetch, LastGood: r.shelf,
		Shipped: func(catalog.Family) ([]rankings.Row, time.Time, error) { return shippedRows, shippedAt, r.shipped },
		Layers:  hardwaretest.NewStore[rankings.Ranking]().Replica(lookup.Options[rankings.Ranking]{}),
		Breaker: r.breaker, TTL: day, Now: time.Now, Log: hardwaretest.Quiet,
		Answered: func(via lookup.Via, err error) { r.answered.Add(string(via) + hardwaretest.CodeOf(err)) },
		LookedUp: func(outcome string, at time.Time) {
			if !at.Equal(time.Now()) {
				outcome += " at a wrong time"
			}
			r.lookups.Add(outcome)
		},
	})
}

// expect asks for f and compares the answer's source and first row.
func (r *setup) expect(t *testing.T, f catalog.Family, source string, first []rankings.Row) *rankings.Answer {
	t.Helper()
	a, _, err := r.Get(t.Context(), f)
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	if a.Value.Source != source || a.Value.Rows[0] != first[0] {
		t.Errorf("%s: from %q, begins %+v; want from %q, %+v", f, a.Value.Source, a.Value.Rows[0], source, first[0])
	}
	if a.Shareable != (source == "bench.example") {
		t.Errorf("%s: from %q, shareable: %v", f, source, a.Shareable)
	}
	return a
}

// expectAsked says how often the site was asked since the last time.
func (r *setup) expectAsked(t *testing.T, times int) {
	t.Helper()
	if n := len(r.site.asked); n != times {
		t.Errorf("the source was asked %d times, want %d", n, times)
	}
	r.site.asked = nil
}

func TestARankingIsKeptForADayAndAsTheLastGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, at := newRankings(), time.Now()
		a := r.expect(t, "gpu", "bench.example", rows)
		if !a.FetchedAt.Equal(at) || !a.ExpiresAt.Equal(at.Add(day)) || r.shelf.kept["gpu"] != a {
			t.Errorf("fetched %v, expires %v, last good: %v", a.FetchedAt, a.ExpiresAt, r.shelf.kept["gpu"] == a)
		}
		time.Sleep(day - 1)
		r.expect(t, "gpu", "bench.example", rows)
		r.expectAsked(t, 1)
		time.Sleep(time.Nanosecond)
		r.expect(t, "gpu", "bench.example", rows)
		r.expectAsked(t, 1)
		r.answered.Require(t, "metrics of answers", "source", "local", "source")
		r.lookups.Require(t, "metrics of look-ups", "found", "found")
		r.breaker.Calls.Require(t, "breaker", "succeed benchmark", "succeed benchmark/gpu", "succeed benchmark", "succeed benchmark/gpu")
	})
}

func TestEveryFailureFallsBack(t *testing.T) {
	failing := func(err error) func(context.Context) ([]rankings.Row, error) {
		return func(context.Context) ([]rankings.Row, error) { return nil, err }
	}
	for _, tt := range []struct {
		name, code, paused string
		file               func(context.Context) ([]rankings.Row, error)
	}{
		{"blocked", "source_blocked", "pause benchmark 30s", failing(lookup.Blocked(hardwaretest.ErrAway, 0))},
		{"blocked for a moment", "source_blocked", "pause benchmark 30s", failing(lookup.Blocked(hardwaretest.ErrAway, time.Second))},
		{"blocked for an hour", "source_blocked", "pause benchmark 1h0m0s", failing(lookup.Blocked(hardwaretest.ErrAway, time.Hour))},
		{"blocked for a year", "source_blocked", "pause benchmark 24h0m0s", failing(lookup.Blocked(hardwaretest.ErrAway, 365*day))},
		{"unreachable", "source_unavailable", "pause benchmark 30s", failing(lookup.Unreachable(hardwaretest.ErrAway))},
		{"slow", "source_timeout", "pause benchmark 30s", failing(lookup.Slow(hardwaretest.ErrAway))},
		{"changed", "source_changed", "pause benchmark/gpu 30s", failing(lookup.Changed(hardwaretest.ErrAway))},
		{"unclassified", "internal", "pause benchmark 30s", failing(hardwaretest.ErrAway)},
		{"no rows", "source_changed", "pause benchmark/gpu 30s", func(context.Context) ([]rankings.Row, error) { return []rankings.Row{}, nil }},
		{"a panic", "internal", "pause benchmark 30s", func(context.Context) ([]rankings.Row, error) { panic("parser") }},
		{"longer than a look-up may take", "source_timeout", "pause benchmark 30s", func(ctx context.Context) ([]rankings.Row, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				found := []string{tt.paused}
				if tt.code == "source_changed" {
					found = append(found, "succeed benchmark") // it did answer
				}
				lastGood := &rankings.Answer{
					Value:    rankings.Ranking{Source: "bench.example", Rows: rows[1:]},
					Lifetime: lookup.Lifetime{FetchedAt: shippedAt.Add(day), ExpiresAt: shippedAt.Add(2 * day), Shareable: true},
				}
				for _, kept := range []*rankings.Answer{nil, lastGood} {
					r, want, date := newRankings(), shippedRows, shippedAt
					if kept != nil {
						want, date = rows[1:], kept.FetchedAt
						r.shelf.kept["gpu"] = kept
					}
					r.site.files["gpu"] = tt.file
					a := r.expect(t, "gpu", rankings.LocalFallback, want)
					if !a.ExpiresAt.Equal(time.Now().Add(30*time.Second)) || !a.FetchedAt.Equal(date) {
						t.Errorf("data of %v, given out until %v", a.FetchedAt, a.ExpiresAt)
					}
					if r.shelf.kept["gpu"] != kept || lastGood.Value.Source != "bench.example" {
						t.Error("the fallback changed the last good copy")
					}
					r.breaker.Calls.Require(t, "breaker", found...)
					r.lookups.Require(t, "metrics of look-ups", tt.code)
				}
			})
		})
	}
}

func TestAFailingSourceIsAskedEvery30Seconds(t *testing.T) {
	for name, failure := range map[string]error{"site": lookup.Unreachable(hardwaretest.ErrAway), "file": lookup.Changed(hardwaretest.ErrAway)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRankings()
				r.site.serve("gpu", failure)
				for range 10 * 60 {
					r.expect(t, "gpu", rankings.LocalFallback, shippedRows)
					time.Sleep(time.Second)
				}
				for i := 1; i < len(r.site.asked); i++ {
					if gap := r.site.asked[i].Sub(r.site.asked[i-1]); gap != 30*time.Second {
						t.Errorf("asked again after %v", gap)
					}
				}
				r.expectAsked(t, 20)
				r.site.serve("gpu", nil)
				r.expect(t, "gpu", "bench.example", rows)
				time.Sleep(day)
				r.expect(t, "gpu", "bench.example", rows)
			})
		})
	}
}

func TestWhatFailedIsPausedForAllFamilies(t *testing.T) {
	for _, tt := range []struct {
		name    string
		failure error
		others  string        // source of the other families meanwhile
		pause   time.Duration // until they are asked for
	}{
		{"a broken file does not pause the others", lookup.Changed(hardwaretest.ErrAway), "bench.example", 0},
		{"a site that is down pauses all", lookup.Unreachable(hardwaretest.ErrAway), rankings.LocalFallback, 30 * time.Second},
		{"a refusal pauses all for as long as it says", lookup.Blocked(hardwaretest.ErrAway, time.Hour), rankings.LocalFallback, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRankings()
				r.site.serve("gpu", tt.failure)
				r.expect(t, "gpu", rankings.LocalFallback, shippedRows)
				r.expectAsked(t, 1)
				r.restart()
				if tt.pause == 0 {
					r.expect(t, "cpu", "bench.example", rows)
					r.expect(t, "gpu", rankings.LocalFallback, shippedRows)
					r.expectAsked(t, 1)
					return
				}
				time.Sleep(tt.pause - 10*time.Second)
				a := r.expect(t, "cpu", tt.others, shippedRows)
				if rest := time.Until(a.ExpiresAt); rest != 10*time.Second {
					t.Errorf("the fallback is given out for %v, the pause lasts 10 s more", rest)
				}
				r.expectAsked(t, 0)
				time.Sleep(10 * time.Second)
				r.expect(t, "cpu", "bench.example", rows)
				r.expectAsked(t, 1)
			})
		})
	}
}

func TestALongPauseIsLookedAtAgainEvery30Seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRankings()
		r.breaker.Pause(t.Context(), "benchmark", time.Hour)
		r.expect(t, "gpu", rankings.LocalFallback, shippedRows)
		r.breaker.Succeed(t.Context(), "benchmark") // another replica had an answer
		time.Sleep(30*time.Second - 1)
		r.expect(t, "gpu", rankings.LocalFallback, shippedRows)
		time.Sleep(time.Nanosecond)
		r.expect(t, "gpu", "bench.example", rows)
	})
}

func TestAShelfThatIsFullDoesNotFailTheAnswer(t *testing.T) {
	r := newRankings()
	r.shelf.full = true
	r.expect(t, "gpu", "bench.example", rows)
}

func TestWithoutAnyFallbackTheFailureIsOurOwn(t *testing.T) {
	r := newRankings()
	r.shipped = errors.New("no snapshot")
	r.site.serve("gpu", lookup.Unreachable(hardwaretest.ErrAway))
	_, via, err := r.Get(t.Context(), "gpu")
	if f := fault.From(err); f == nil || via != "" || f.Kind != fault.Internal || !errors.Is(err, r.shipped) {
		t.Errorf("%q, %v; want an internal error with its cause", via, err)
	}
}
