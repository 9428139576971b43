package rankings

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/hardware/internal/userbenchmark"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

// noon is when the rankings were fetched.
var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// lastGoodOf keeps the rankings of a host.
func lastGoodOf(dir string, client redis.UniversalClient, host string) *LastGood {
	return NewLastGood(dir, client, userbenchmark.New(fetch.Options{BaseURL: &url.URL{Scheme: "https", Host: host}}))
}

func TestRankingWithTooFewRowsIsRefused(t *testing.T) {
	r := &Rankings{lastGood: lastGoodOf(t.TempDir(), nil, "site.example")}
	if err := r.checkWhole(t.Context(), "gpu", 1); err != nil {
		t.Errorf("the first ranking: %v", err)
	}
	whole := rankingOf(noon, "RTX 4070")
	whole.Value.Rows = slices.Repeat(whole.Value.Rows, 10)
	if err := r.lastGood.Save(t.Context(), "gpu", whole); err != nil {
		t.Fatal(err)
	}
	for rows, want := range map[int]bool{0: true, 7: true, 8: false, 11: false} { // whether it is refused
		err := r.checkWhole(t.Context(), "gpu", rows)
		if refused := fault.Is(err, fetch.Changed); refused != want {
			t.Errorf("%d rows after 10: refused %t, want %t (error %v)", rows, refused, want, err)
		}
	}
}

// rankingOf is a ranking that was fetched at the given time.
func rankingOf(at time.Time, model string) *Answer {
	return &Answer{
		Value:    Ranking{Source: "example.com", Rows: []Row{{Model: model}}},
		Lifetime: lookup.Lifetime{FetchedAt: at, ExpiresAt: at.Add(24 * time.Hour), Shareable: true},
	}
}

// load returns the model of the ranking that is kept, or its error.
func load(t *testing.T, l *LastGood, f catalog.Family) string {
	t.Helper()
	a, err := l.Load(t.Context(), f)
	if err != nil {
		return err.Error()
	}
	return a.Value.Rows[0].Model
}

func TestLastGoodRankingIsKeptInEitherPlace(t *testing.T) {
	client := redistest.Client(t)
	for name, of := range map[string]func(host string) *LastGood{
		"files": func(host string) *LastGood { return lastGoodOf(t.TempDir()+"/made/on/demand", nil, host) },
		"redis": func(host string) *LastGood { return lastGoodOf("/dev/null/no/folder", client, host) },
	} {
		t.Run(name, func(t *testing.T) {
			l := of("site.example")
			for _, model := range []string{"older", "newer"} {
				for _, f := range catalog.Families() {
					_ = l.Save(t.Context(), catalog.Family(f), rankingOf(noon, model+f)) // the other place fails
				}
			}
			redistest.Age(t, client, 1000*time.Hour)
			for _, f := range catalog.Families() {
				got, err := l.Load(t.Context(), catalog.Family(f))
				if err != nil {
					t.Errorf("%s: %v", f, err)
				}
				testkit.Equal(t, f, got, rankingOf(noon, "newer"+f))
			}
			if _, err := of("127.0.0.1").Load(t.Context(), "gpu"); err == nil {
				t.Error("figures of a stand-in pass for those of the source")
			}
		})
	}
}

func TestNewestRankingIsLoaded(t *testing.T) {
	client := redistest.Client(t)
	own, other := t.TempDir(), t.TempDir()
	one, two := lastGoodOf(own, client, "site.example"), lastGoodOf(other, client, "site.example")
	withoutRedis := lastGoodOf(own, nil, "site.example") // on the disk of one
	for i, step := range []struct {
		saves                *LastGood
		model                string
		wantByOne, wantByTwo string
	}{
		{one, "first", "first", "first"},
		{two, "second", "second", "second"},
		{withoutRedis, "third", "third", "second"},
	} {
		if err := step.saves.Save(t.Context(), "gpu", rankingOf(noon.Add(time.Duration(i)), step.model)); err != nil {
			t.Fatal(err)
		}
		if got := load(t, one, "gpu"); got != step.wantByOne {
			t.Errorf("after the %s was saved, one replica loads the %s, want the %s", step.model, got, step.wantByOne)
		}
		if got := load(t, two, "gpu"); got != step.wantByTwo {
			t.Errorf("after the %s was saved, the other loads the %s, want the %s", step.model, got, step.wantByTwo)
		}
	}
}

func TestFilesAreReplacedWhole(t *testing.T) {
	l := lastGoodOf(t.TempDir(), nil, "site.example")
	long, short := strings.Repeat("a", 1<<19), "short"
	var writing sync.WaitGroup
	defer writing.Wait()
	for i, model := range []string{long, short} {
		if err := l.Save(t.Context(), "gpu", rankingOf(noon, model)); err != nil {
			t.Fatal(err)
		}
		writing.Go(func() {
			for range 10 + i {
				_ = l.Save(t.Context(), "gpu", rankingOf(noon, model))
			}
		})
	}
	for range 100 {
		if got := load(t, l, "gpu"); got != long && got != short {
			t.Fatalf("loaded %.40q, which is neither of the rankings", got)
		}
	}
}

func TestDamagedFilesAreNotLoaded(t *testing.T) {
	l := lastGoodOf(t.TempDir(), nil, "site.example")
	if err := l.Save(t.Context(), "gpu", rankingOf(noon, "whole")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.dir, "cpu.ranking.456"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Load(t.Context(), "cpu"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that was not renamed: error %v, want %v", err, fs.ErrNotExist)
	}
	if err := os.Truncate(l.path("gpu"), 60); err != nil {
		t.Fatal(err)
	}
	if a, err := l.Load(t.Context(), "gpu"); err == nil {
		t.Errorf("a cut file is loaded as %+v", a)
	}
}

func TestFilesAreForTheirOwner(t *testing.T) {
	l := lastGoodOf(t.TempDir(), nil, "site.example")
	if err := l.Save(t.Context(), "gpu", rankingOf(noon, "whole")); err != nil {
		t.Fatal(err)
	}
	for path, allowed := range map[string]os.FileMode{l.dir: 0o750, l.path("gpu"): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode&^allowed != 0 {
			t.Errorf("%s has mode %o, want at most %o", filepath.Base(path), mode, allowed)
		}
	}
}

func TestFileThatCannotBeSavedLeavesNothing(t *testing.T) {
	l := lastGoodOf(t.TempDir(), nil, "site.example")
	if err := os.MkdirAll(filepath.Join(l.path("gpu"), "full"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := l.Save(t.Context(), "gpu", rankingOf(noon, "whole")); err == nil {
		t.Error("want an error where a folder has the name")
	}
	if left, _ := filepath.Glob(l.path("gpu") + ".*"); len(left) > 0 {
		t.Errorf("%q were left behind", left)
	}
}
