package rankings_test

import (
	"context"
	"errors"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/hardware/internal/throttle"
	"backend.example/services/internal/kit/fault"
)

var (
	shippedRows = []rankings.Row{{Type: "CPU", Model: "Shipped", Rank: 1, Benchmark: 100}}
	shippedAt   = time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)
)

const day = 24 * time.Hour

var (
	errAway = errors.New("away")
	quiet   = slog.New(slog.DiscardHandler)
)

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
		return errAway
	}
	s.kept[f] = a
	return nil
}

type setup struct {
	*rankings.Rankings
	site              *site
	shelf             *shelf
	breaker           *throttle.Breaker
	answered, lookups []string // what the metrics got
	shipped           error    // of the snapshot
}

func newRankings() *setup {
	r := &setup{
		site:  &site{files: map[catalog.Family]func(context.Context) ([]rankings.Row, error){}},
		shelf: &shelf{kept: map[catalog.Family]*rankings.Answer{}}, breaker: throttle.NewBreaker(quiet),
	}
	r.restart()
	return r
}

// restart begins with a process that holds no answer; the breaker remembers.
func (r *setup) restart() {
	r.Rankings = rankings.New(rankings.Options{
		Fetch: r.site.fetch, LastGood: r.shelf,
		Shipped: func(catalog.Family) ([]rankings.Row, time.Time, error) { return shippedRows, shippedAt, r.shipped },
		Layers: lookup.New(lookup.Options[rankings.Ranking]{
			Local: lookup.NewLocal(8 << 20), Timing: lookup.DefaultTiming(), Now: time.Now, Log: quiet,
		}),
		Breaker: r.breaker, TTL: day, Now: time.Now, Log: quiet,
		Answered: func(via lookup.Via, _ error) { r.answered = append(r.answered, string(via)) },
		LookedUp: func(outcome string, at time.Time) {
			if !at.Equal(time.Now()) {
				outcome += " at a wrong time"
			}
			r.lookups = append(r.lookups, outcome)
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
		if want := []string{"source", "local", "source"}; !slices.Equal(r.answered, want) {
			t.Errorf("metrics of answers %q, want %q", r.answered, want)
		}
		if want := []string{"found", "found"}; !slices.Equal(r.lookups, want) {
			t.Errorf("metrics of look-ups %q, want %q", r.lookups, want)
		}
	})
}

func TestEveryFailureFallsBack(t *testing.T) {
	failing := func(err error) func(context.Context) ([]rankings.Row, error) {
		return func(context.Context) ([]rankings.Row, error) { return nil, err }
	}
	for _, tt := range []struct {
		name, code string
		site, own  time.Duration // what is paused: the site, or the family's file
		file       func(context.Context) ([]rankings.Row, error)
	}{
		{"blocked", "source_blocked", 30 * time.Second, 0, failing(lookup.Blocked(errAway, 0))},
		{"blocked for a moment", "source_blocked", 30 * time.Second, 0, failing(lookup.Blocked(errAway, time.Second))},
		{"blocked for an hour", "source_blocked", time.Hour, 0, failing(lookup.Blocked(errAway, time.Hour))},
		{"blocked for a year", "source_blocked", day, 0, failing(lookup.Blocked(errAway, 365*day))},
		{"unreachable", "source_unavailable", 30 * time.Second, 0, failing(lookup.Unreachable(errAway))},
		{"slow", "source_timeout", 30 * time.Second, 0, failing(lookup.Slow(errAway))},
		{"changed", "source_changed", 0, 30 * time.Second, failing(lookup.Changed(errAway))},
		{"unclassified", "internal", 30 * time.Second, 0, failing(errAway)},
		{"no rows", "source_changed", 0, 30 * time.Second, func(context.Context) ([]rankings.Row, error) { return []rankings.Row{}, nil }},
		{"a panic", "internal", 30 * time.Second, 0, func(context.Context) ([]rankings.Row, error) { panic("parser") }},
		{"longer than a look-up may take", "source_timeout", 30 * time.Second, 0, func(ctx context.Context) ([]rankings.Row, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
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
					site, own := r.breaker.Rest(t.Context(), "benchmark"), r.breaker.Rest(t.Context(), "benchmark/gpu")
					if site != tt.site || own != tt.own {
						t.Errorf("the site is paused for %v, want %v; the file for %v, want %v", site, tt.site, own, tt.own)
					}
					if want := []string{tt.code}; !slices.Equal(r.lookups, want) {
						t.Errorf("metrics of look-ups %q, want %q", r.lookups, want)
					}
				}
			})
		})
	}
}

func TestAFailingSourceIsAskedEvery30Seconds(t *testing.T) {
	for name, failure := range map[string]error{"site": lookup.Unreachable(errAway), "file": lookup.Changed(errAway)} {
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
		{"a broken file does not pause the others", lookup.Changed(errAway), "bench.example", 0},
		{"a site that is down pauses all", lookup.Unreachable(errAway), rankings.LocalFallback, 30 * time.Second},
		{"a refusal pauses all for as long as it says", lookup.Blocked(errAway, time.Hour), rankings.LocalFallback, time.Hour},
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
				r.expect(t, "ssd", "bench.example", rows)
				r.expectAsked(t, 2)
			})
		})
	}
}

func TestAnyResponseEndsThePause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRankings()
		r.site.serve("gpu", lookup.Unreachable(errAway))
		r.expect(t, "gpu", rankings.LocalFallback, shippedRows)
		time.Sleep(30 * time.Second)
		r.site.serve("gpu", lookup.Changed(errAway)) // the site responds
		r.expect(t, "gpu", rankings.LocalFallback, shippedRows)
		r.expect(t, "cpu", "bench.example", rows)
		time.Sleep(30 * time.Second)
		r.site.serve("gpu", nil)
		r.expect(t, "gpu", "bench.example", rows)
		r.restart()
		r.expect(t, "gpu", "bench.example", rows)
	})
}

func TestALongPauseIsLookedAtAgainEvery30Seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRankings()
		r.breaker.Pause(t.Context(), "benchmark", time.Hour)
		a := r.expect(t, "gpu", rankings.LocalFallback, shippedRows)
		if rest := time.Until(a.ExpiresAt); rest != 30*time.Second {
			t.Errorf("the fallback is given out for %v", rest)
		}
	})
}

func TestAShelfThatIsFullDoesNotFailTheAnswer(t *testing.T) {
	r, log := newRankings(), strings.Builder{}
	r.Log = slog.New(slog.NewTextHandler(&log, nil))
	r.expect(t, "cpu", "bench.example", rows)
	if log.Len() > 0 {
		t.Errorf("of one with room, logged %q", log.String())
	}
	r.shelf.full = true
	r.expect(t, "gpu", "bench.example", rows)
	if !strings.Contains(log.String(), "level=WARN") || !strings.Contains(log.String(), "family=gpu error="+errAway.Error()) {
		t.Errorf("logged %q", log.String())
	}
}

func TestWithoutAnyFallbackTheFailureIsOurOwn(t *testing.T) {
	r, log := newRankings(), strings.Builder{}
	r.Log = slog.New(slog.NewTextHandler(&log, nil))
	r.shipped = errors.New("no snapshot")
	r.site.serve("gpu", lookup.Unreachable(errAway))
	for range 2 { // the second time the source is paused
		_, via, err := r.Get(t.Context(), "gpu")
		if f := fault.From(err); f == nil || via != "" || f.Kind != fault.Internal || !errors.Is(err, r.shipped) {
			t.Errorf("%q, %v; want an internal error with its cause", via, err)
		}
	}
	if !strings.Contains(log.String(), `msg="ranking not fetched" family=gpu error=`) || strings.Count(log.String(), "msg=") != 1 {
		t.Errorf("logged %q", log.String())
	}
}

func TestSizeGrowsWithTheRows(t *testing.T) {
	text := strings.Repeat("x", 1000)
	row := rankings.Row{PartNumber: text, Brand: text, Model: text, URL: text}
	want := len(text) + 4*len(text) + 4*int(reflect.TypeFor[rankings.Row]().Size())
	if got := (rankings.Ranking{Source: text, Rows: []rankings.Row{row, {}, {}, {}}}).Size(); got != want {
		t.Errorf("%d bytes, want %d", got, want)
	}
}

func TestNameHoldsTheBrandOnce(t *testing.T) {
	for want, row := range map[string]rankings.Row{
		"Nvidia RTX 5090":       {Brand: "Nvidia", Model: "RTX 5090"},
		"MSI RTX 5070 Ti":       {Brand: "MSI", Model: "MSI RTX 5070 Ti"},
		"NVidia Titan RTX 24GB": {Brand: "Nvidia", Model: "NVidia Titan RTX 24GB"},
		"Intel Intelligent SSD": {Brand: "Intel", Model: "Intelligent SSD"},
		"Exos X18 18TB":         {Model: "Exos X18 18TB"},
		"WD":                    {Brand: "WD", Model: "WD"},
		"Samsung":               {Brand: "Samsung"},
		"Żółw Żó\xc5":           {Brand: "Żółw", Model: "Żó\xc5"},
		"":                      {},
	} {
		if got := row.Name(); got != want {
			t.Errorf("%+v is %q, want %q", row, got, want)
		}
	}
}

func TestSearchName(t *testing.T) {
	for model, want := range map[string]string{
		"RTX 5090": "WD RTX 5090", "Gold 12TB (2017)": "WD Gold 12TB", "Gold 8TB (256MB Cache 2017) Pro": "WD Gold 8TB Pro",
		"270K (Plus)": "WD 270K Plus", "GTX 1080 (Mobile)": "WD GTX 1080 Mobile", "a (b (c1) d) e": "WD a b d e", "open (x": "WD open x", "x) y": "WD x y", "": "WD",
	} {
		if got := (rankings.Row{Brand: "WD", Model: model}).SearchName(); got != want {
			t.Errorf("%s: %s, want %s", model, got, want)
		}
	}
	for want, row := range map[string]rankings.Row{
		"WD Blue 1TB HDD WD10EZEX":      {Type: "HDD", Brand: "WD", Model: "Blue 1TB (2012)", PartNumber: "WD10EZEX"},
		"Hitachi 2TB HDD":               {Type: "HDD", Brand: "Hitachi", Model: "2TB"},
		"Intel Optane ssd 900P XPOINT1": {Type: "SSD", Brand: "Intel", Model: "Optane ssd 900P", PartNumber: "XPOINT1"},
		"Corsair LPX 2x8GB CMK16":       {Type: "RAM", Brand: "Corsair", Model: "LPX 2x8GB", PartNumber: "CMK16"},
		"MSI RTX 5080 Ventus":           {Type: "GPU", Brand: "MSI", Model: "RTX 5080 Ventus", PartNumber: "V510"},
	} {
		if got := row.SearchName(); got != want {
			t.Errorf("%+v: %s, want %s", row, got, want)
		}
	}
}
