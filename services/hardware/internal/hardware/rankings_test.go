package hardware_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/fault"
)

var (
	shippedRows = []hardware.Row{{Type: "CPU", Model: "Shipped", Rank: 1, Benchmark: 100}}
	shippedAt   = time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)
)

// site is a RankingSource, its families' files and the times they were asked for.
type site struct {
	files map[catalog.Family]func(ctx context.Context) ([]hardware.Row, error)
	asked []time.Time
}

func (s *site) Ranking(ctx context.Context, f catalog.Family) (*hardware.Answer, error) {
	s.asked = append(s.asked, time.Now())
	have := rows
	if file := s.files[f]; file != nil {
		var err error
		if have, err = file(ctx); err != nil {
			return nil, err
		}
	}
	return hardware.EncodeRanking("bench.example", have)
}

// serve lets the site answer for f with err, or with the usual rows.
func (s *site) serve(f catalog.Family, err error) {
	s.files[f] = func(context.Context) ([]hardware.Row, error) { return rows, err }
}

// shelf is a LastGood.
type shelf struct {
	kept map[catalog.Family]*hardware.Answer
	full bool // saving fails
}

func (s *shelf) Load(ctx context.Context, f catalog.Family) (*hardware.Answer, error) {
	if a := s.kept[f]; a != nil {
		return a, ctx.Err()
	}
	return nil, errors.New("none")
}

func (s *shelf) Save(_ context.Context, f catalog.Family, a *hardware.Answer) error {
	if s.full {
		return errAway
	}
	s.kept[f] = a
	return nil
}

type rankingSetup struct {
	*hardware.Rankings
	site     *site
	shelf    *shelf
	breaker  *breaker
	observer *observer
	shipped  error // of the snapshot
}

func newRankings() *rankingSetup {
	r := &rankingSetup{
		site:  &site{files: map[catalog.Family]func(context.Context) ([]hardware.Row, error){}},
		shelf: &shelf{kept: map[catalog.Family]*hardware.Answer{}}, breaker: newBreaker(), observer: &observer{},
	}
	r.restart()
	return r
}

// restart begins with a process that holds no answer; the breaker remembers.
func (r *rankingSetup) restart() {
	snapshot := func(catalog.Family) ([]hardware.Row, time.Time, error) { return shippedRows, shippedAt, r.shipped }
	r.Rankings = hardware.NewRankings(r.site, r.shelf, snapshot, newStore().replica(), r.breaker, r.observer, day, time.Now, quiet)
}

// expect asks for f and compares the answer's source and first row.
func (r *rankingSetup) expect(t *testing.T, f catalog.Family, source string, first []hardware.Row) *hardware.Answer {
	t.Helper()
	a, _, err := r.Get(t.Context(), f)
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	_, row, _ := a.RankingBody(nil, f, 1)
	if want := ranking(t, "", first[:1]).Payload; a.Source != source || string(row) != string(want) {
		t.Errorf("%s: from %q, begins %s; want from %q, %s", f, a.Source, row, source, want)
	}
	if a.Shareable != (source == "bench.example") {
		t.Errorf("%s: from %q, shareable: %v", f, source, a.Shareable)
	}
	return a
}

// expectAsked says how often the site was asked since the last time.
func (r *rankingSetup) expectAsked(t *testing.T, times int) {
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
		r.observer.answered.expect(t, "metrics of answers", "ranking source", "ranking local", "ranking source")
		r.observer.lookups.expect(t, "metrics of look-ups", "benchmark found", "benchmark found")
		r.breaker.told.expect(t, "breaker", "succeed benchmark", "succeed benchmark/gpu", "succeed benchmark", "succeed benchmark/gpu")
	})
}

func TestEveryFailureFallsBack(t *testing.T) {
	failing := func(err error) func(context.Context) ([]hardware.Row, error) {
		return func(context.Context) ([]hardware.Row, error) { return nil, err }
	}
	for _, tt := range []struct {
		name, code, paused string
		file               func(context.Context) ([]hardware.Row, error)
	}{
		{"blocked", "source_blocked", "pause benchmark 30s", failing(upstream.Blocked(errAway, 0))},
		{"blocked for a moment", "source_blocked", "pause benchmark 30s", failing(upstream.Blocked(errAway, time.Second))},
		{"blocked for an hour", "source_blocked", "pause benchmark 1h0m0s", failing(upstream.Blocked(errAway, time.Hour))},
		{"blocked for a year", "source_blocked", "pause benchmark 24h0m0s", failing(upstream.Blocked(errAway, 365*day))},
		{"unreachable", "source_unavailable", "pause benchmark 30s", failing(upstream.Unreachable(errAway))},
		{"slow", "source_timeout", "pause benchmark 30s", failing(upstream.Slow(errAway))},
		{"changed", "source_changed", "pause benchmark/gpu 30s", failing(upstream.Changed(errAway))},
		{"unclassified", "internal", "pause benchmark 30s", failing(errAway)},
		{"no rows", "source_changed", "pause benchmark/gpu 30s", failing(nil)},
		{"a panic", "internal", "pause benchmark 30s", func(context.Context) ([]hardware.Row, error) { panic("parser") }},
		{"longer than a look-up may take", "source_timeout", "pause benchmark 30s", func(ctx context.Context) ([]hardware.Row, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := []string{tt.paused}
				if tt.code == "source_changed" {
					told = append(told, "succeed benchmark") // it did answer
				}
				lastGood := ranking(t, "bench.example", rows[1:])
				lastGood.FetchedAt, lastGood.ExpiresAt, lastGood.Shareable = shippedAt.Add(day), shippedAt.Add(2*day), true
				for _, kept := range []*hardware.Answer{nil, lastGood} {
					r, want, date := newRankings(), shippedRows, shippedAt
					if kept != nil {
						want, date = rows[1:], kept.FetchedAt
						r.shelf.kept["gpu"] = kept
					}
					r.site.files["gpu"] = tt.file
					a := r.expect(t, "gpu", hardware.LocalFallback, want)
					if !a.ExpiresAt.Equal(time.Now().Add(30*time.Second)) || !a.FetchedAt.Equal(date) {
						t.Errorf("data of %v, given out until %v", a.FetchedAt, a.ExpiresAt)
					}
					if marked := ranking(t, hardware.LocalFallback, want); a.Digest != marked.Digest {
						t.Error("the digest is that of the source's own answer")
					}
					if r.shelf.kept["gpu"] != kept || lastGood.Source != "bench.example" {
						t.Error("the fallback changed the last good copy")
					}
					r.breaker.told.expect(t, "breaker", told...)
					r.observer.lookups.expect(t, "metrics of look-ups", "benchmark "+tt.code)
				}
			})
		})
	}
}

func TestAFailingSourceIsAskedEvery30Seconds(t *testing.T) {
	for name, failure := range map[string]error{"site": upstream.Unreachable(errAway), "file": upstream.Changed(errAway)} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRankings()
				r.site.serve("gpu", failure)
				for range 10 * 60 {
					r.expect(t, "gpu", hardware.LocalFallback, shippedRows)
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
		{"a broken file does not pause the others", upstream.Changed(errAway), "bench.example", 0},
		{"a site that is down pauses all", upstream.Unreachable(errAway), hardware.LocalFallback, 30 * time.Second},
		{"a refusal pauses all for as long as it says", upstream.Blocked(errAway, time.Hour), hardware.LocalFallback, time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRankings()
				r.site.serve("gpu", tt.failure)
				r.expect(t, "gpu", hardware.LocalFallback, shippedRows)
				r.expectAsked(t, 1)
				r.restart()
				if tt.pause == 0 {
					r.expect(t, "cpu", "bench.example", rows)
					r.expect(t, "gpu", hardware.LocalFallback, shippedRows)
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
		r.expect(t, "gpu", hardware.LocalFallback, shippedRows)
		r.breaker.Succeed(t.Context(), "benchmark") // another replica had an answer
		time.Sleep(30*time.Second - 1)
		r.expect(t, "gpu", hardware.LocalFallback, shippedRows)
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
	r.site.serve("gpu", upstream.Unreachable(errAway))
	_, via, err := r.Get(t.Context(), "gpu")
	if f := fault.From(err); f == nil || via != "" || f.Kind != fault.Internal || !errors.Is(err, r.shipped) {
		t.Errorf("%q, %v; want an internal error with its cause", via, err)
	}
}
