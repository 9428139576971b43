package cache

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/hardware/internal/redistest"
)

// openLastGoods open the implementations of rankings.LastGood, and advance their time.
func openLastGoods() map[string]func(t *testing.T) (rankings.LastGood, func(time.Duration)) {
	files := func(t *testing.T) *Files { return NewFiles(t.TempDir()+"/made/on", "demand") }
	return map[string]func(t *testing.T) (rankings.LastGood, func(time.Duration)){
		"files": func(t *testing.T) (rankings.LastGood, func(time.Duration)) { return files(t), func(time.Duration) {} },
		"miniredis": func(t *testing.T) (rankings.LastGood, func(time.Duration)) {
			client, advance := newMiniredis(t)
			return NewRedisLastGood(client, "site.example"), advance
		},
		"redis": func(t *testing.T) (rankings.LastGood, func(time.Duration)) {
			client := redistest.Client(t)
			return NewRedisLastGood(client, "site.example"), func(d time.Duration) { redistest.Age(t, client, d) }
		},
		"newest": func(t *testing.T) (rankings.LastGood, func(time.Duration)) {
			client, advance := newMiniredis(t)
			return Newest{files(t), NewRedisLastGood(client, "site.example")}, advance
		},
		"newest with one place down": func(t *testing.T) (rankings.LastGood, func(time.Duration)) {
			return forgiving{Newest{files(t), newDown(t)}}, func(time.Duration) {}
		},
	}
}

// forgiving ignores, as the domain does, that a ranking was not saved everywhere.
type forgiving struct{ rankings.LastGood }

func (f forgiving) Save(ctx context.Context, family catalog.Family, a *rankings.Answer) error {
	_ = f.LastGood.Save(ctx, family, a)
	return nil
}

// newDown is a place that does not answer.
func newDown(t *testing.T) rankings.LastGood {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { _ = client.Close() })
	server.Close()
	return NewRedisLastGood(client, "site.example")
}

// rankingOf is a ranking that was fetched at the given time.
func rankingOf(at time.Time, model string) *rankings.Answer {
	return &rankings.Answer{
		Value:    rankings.Ranking{Source: "example.com", Rows: []rankings.Row{{Model: model}}},
		Lifetime: lookup.Lifetime{FetchedAt: at, ExpiresAt: at.Add(24 * time.Hour), Shareable: true},
	}
}

func save(t *testing.T, s rankings.LastGood, f catalog.Family, a *rankings.Answer) {
	t.Helper()
	if err := s.Save(t.Context(), f, a); err != nil {
		t.Fatal(err)
	}
}

func wantLoaded(t *testing.T, s rankings.LastGood, f catalog.Family, want *rankings.Answer) {
	t.Helper()
	got, err := s.Load(t.Context(), f)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: loaded %+v, want %+v", f, got, want)
	}
}

func TestLastGood(t *testing.T) {
	suite := map[string]func(t *testing.T, s rankings.LastGood, advance func(time.Duration)){
		"nothing was saved": func(t *testing.T, s rankings.LastGood, _ func(time.Duration)) {
			if a, err := s.Load(t.Context(), "gpu"); !errors.Is(err, errNoRanking) || a != nil {
				t.Fatalf("got %+v, error %v, want %v", a, err, errNoRanking)
			}
		},
		"a ranking comes back": func(t *testing.T, s rankings.LastGood, _ func(time.Duration)) {
			want := samples()["ranking"].Answer
			save(t, s, "gpu", want)
			wantLoaded(t, s, "gpu", want)
		},
		"a newer one takes its place": func(t *testing.T, s rankings.LastGood, _ func(time.Duration)) {
			want := rankingOf(noon.Add(time.Hour), "new")
			save(t, s, "gpu", rankingOf(noon, "the old one was longer"))
			save(t, s, "gpu", want)
			wantLoaded(t, s, "gpu", want)
		},
		"families are apart": func(t *testing.T, s rankings.LastGood, _ func(time.Duration)) {
			for _, f := range catalog.Families() {
				save(t, s, catalog.Family(f), rankingOf(noon, f))
			}
			for _, f := range catalog.Families() {
				wantLoaded(t, s, catalog.Family(f), rankingOf(noon, f))
			}
		},
		"it never expires": func(t *testing.T, s rankings.LastGood, advance func(time.Duration)) {
			want := rankingOf(noon, "old")
			save(t, s, "gpu", want)
			advance(1000 * time.Hour)
			wantLoaded(t, s, "gpu", want)
		},
	}
	for implementation, open := range openLastGoods() {
		for name, test := range suite {
			t.Run(implementation+"/"+name, func(t *testing.T) {
				s, advance := open(t)
				test(t, s, advance)
			})
		}
	}
}

// Figures of a stand-in must never pass for what the real source last said.
func TestLastGoodRankingsAreThoseOfTheirSource(t *testing.T) {
	server, dir := miniredis.RunT(t), t.TempDir()
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { _ = client.Close() })
	for name, of := range map[string]func(source string) rankings.LastGood{
		"files": func(source string) rankings.LastGood { return NewFiles(dir, source) },
		"redis": func(source string) rankings.LastGood { return NewRedisLastGood(client, source) },
	} {
		want := rankingOf(noon, "of the stand-in")
		save(t, of("127.0.0.1"), "gpu", want)
		if a, err := of("site.example").Load(t.Context(), "gpu"); !errors.Is(err, errNoRanking) {
			t.Errorf("%s: loaded %+v, %v", name, a, err)
		}
		wantLoaded(t, of("127.0.0.1"), "gpu", want)
	}
}

func TestNewestLoadsTheNewest(t *testing.T) {
	older, newer := NewFiles(t.TempDir(), "site.example"), NewFiles(t.TempDir(), "site.example")
	want := rankingOf(noon.Add(time.Minute), "newer")
	save(t, older, "gpu", rankingOf(noon, "older"))
	save(t, newer, "gpu", want)
	for _, places := range []Newest{{older, newer}, {newer, older}, {older, newDown(t), newer}} {
		wantLoaded(t, places, "gpu", want)
	}
}

func TestNewestSavesWhereItCan(t *testing.T) {
	first, last := NewFiles(t.TempDir(), "site.example"), NewFiles(t.TempDir(), "site.example")
	want := rankingOf(noon, "saved")
	if err := (Newest{first, newDown(t), last}).Save(t.Context(), "gpu", want); err == nil {
		t.Error("want the error of the place that is down")
	}
	wantLoaded(t, first, "gpu", want)
	wantLoaded(t, last, "gpu", want)
}

func TestNewestWithoutAnything(t *testing.T) {
	if a, err := (Newest{}).Load(t.Context(), "gpu"); err == nil {
		t.Errorf("no place at all: loaded %+v, want an error", a)
	}
	if _, err := (Newest{newDown(t)}).Load(t.Context(), "gpu"); err == nil {
		t.Error("the only place is down: want an error")
	}
}
