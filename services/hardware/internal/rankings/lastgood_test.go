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

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/hardware/internal/userbenchmark"
	"backend.example/services/internal/kit/fault"
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
	for rows, want := range map[int]bool{0: true, 7: true, 8: false, 11: false} {
		err := r.checkWhole(t.Context(), "gpu", rows)
		if refused := fault.Is(err, fetch.Changed); refused != want {
			t.Errorf("%d rows after 10: %v", rows, err)
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

func TestLastGood(t *testing.T) {
	client := redistest.Client(t)
	for name, of := range map[string]func(host string) *LastGood{
		"files": func(host string) *LastGood { return lastGoodOf(t.TempDir()+"/made/on/demand", nil, host) },
		"redis": func(host string) *LastGood { return lastGoodOf("/dev/null/no/folder", client, host) },
	} {
		t.Run(name, func(t *testing.T) {
			l := of("site.example")
			for _, model := range []string{"older", "newer"} {
				for _, f := range catalog.Families() {
					_ = l.Save(t.Context(), catalog.Family(f), rankingOf(noon, model+f)) // one place fails
				}
			}
			redistest.Age(t, client, 1000*time.Hour)
			for _, f := range catalog.Families() {
				got, err := l.Load(t.Context(), catalog.Family(f))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(rankingOf(noon, "newer"+f), got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", f, diff)
				}
			}
			if _, err := of("127.0.0.1").Load(t.Context(), "gpu"); err == nil {
				t.Error("figures of a stand-in pass for those of the source")
			}
		})
	}
}

func TestNewestPlaceIsLoaded(t *testing.T) {
	client := redistest.Client(t)
	own, other := t.TempDir(), t.TempDir()
	one, two := lastGoodOf(own, client, "site.example"), lastGoodOf(other, client, "site.example")
	alone := lastGoodOf(own, nil, "site.example")
	for i, test := range []struct {
		save *LastGood
		want string // that both replicas load
	}{{one, "0"}, {two, "1"}, {alone, "1"}} {
		model := string(rune('0' + i))
		if err := test.save.Save(t.Context(), "gpu", rankingOf(noon.Add(time.Duration(i)), model)); err != nil {
			t.Fatal(err)
		}
		if got := load(t, two, "gpu"); got != test.want {
			t.Errorf("after %s was saved: %s, want %s", model, got, test.want)
		}
	}
	if got := load(t, one, "gpu"); got != "2" {
		t.Errorf("the newest is on disk, but %s was loaded", got)
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
			t.Fatalf("loaded %.40q", got)
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
		t.Errorf("half a file: %v", err)
	}
	if err := os.Truncate(l.path("gpu"), 60); err != nil {
		t.Fatal(err)
	}
	if a, err := l.Load(t.Context(), "gpu"); err == nil {
		t.Errorf("a cut file: %+v", a)
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
