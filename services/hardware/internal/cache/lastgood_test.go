package cache

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/hardware/internal/redistest"
)

// noon is when the rankings were fetched.
var noon = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

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

// TestLastGood holds every place to the same rules.
func TestLastGood(t *testing.T) {
	dir, client := t.TempDir()+"/made/on/demand", redistest.Client(t)
	for name, of := range map[string]func(source string) rankings.LastGood{
		"files": func(source string) rankings.LastGood { return NewFiles(dir, source) },
		"redis": func(source string) rankings.LastGood { return NewRedisLastGood(client, source) },
	} {
		t.Run(name, func(t *testing.T) {
			s := of("site.example")
			wantNone(t, s, "gpu")
			save(t, s, "gpu", rankingOf(noon, "RTX 5090"))
			wantLoaded(t, s, "gpu", rankingOf(noon, "RTX 5090"))
			for _, f := range catalog.Families() { // a newer one takes the place of the first
				save(t, s, catalog.Family(f), rankingOf(noon, f))
			}
			redistest.Age(t, client, 1000*time.Hour)
			for _, f := range catalog.Families() {
				wantLoaded(t, s, catalog.Family(f), rankingOf(noon, f))
			}
			wantNone(t, of("127.0.0.1"), "gpu") // figures of a stand-in never pass for the source's
		})
	}
}

func wantNone(t *testing.T, s rankings.LastGood, f catalog.Family) {
	t.Helper()
	if a, err := s.Load(t.Context(), f); !errors.Is(err, errNoRanking) || a != nil {
		t.Errorf("loaded %+v, error %v, want %v", a, err, errNoRanking)
	}
}

func TestNewestLoadsTheNewest(t *testing.T) {
	older, newer := NewFiles(t.TempDir(), "site.example"), NewFiles(t.TempDir(), "site.example")
	for _, places := range []Newest{nil, {newDown(t)}, {older, newer}} {
		wantNone(t, places, "gpu")
	}
	if _, err := (Newest{older, newDown(t)}).Load(t.Context(), "gpu"); !strings.Contains(
		err.Error(), "connection refused",
	) {
		t.Errorf("error %v, want that of the place that is down", err)
	}
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

// TestFilesAreReplacedWhole reads while another ranking is written again and
// again: every read gives one of the two.
func TestFilesAreReplacedWhole(t *testing.T) {
	s := NewFiles(t.TempDir(), "site.example")
	both := []*rankings.Answer{
		rankingOf(noon, strings.Repeat("a", 1<<19)),
		rankingOf(noon, strings.Repeat("b", 100)),
	}
	save(t, s, "gpu", both[0])
	written := make(chan struct{})
	go func() {
		defer close(written)
		for i := range 20 {
			if err := s.Save(t.Context(), "gpu", both[i%2]); err != nil {
				t.Error(err)
			}
		}
	}()
	for reads := 0; ; reads++ {
		a, err := s.Load(t.Context(), "gpu")
		if err != nil {
			t.Fatalf("read %d: %v", reads, err)
		}
		if !slices.ContainsFunc(
			both, func(b *rankings.Answer) bool { return a.Value.Rows[0].Model == b.Value.Rows[0].Model },
		) {
			t.Fatalf("read %d: neither of the two rankings", reads)
		}
		select {
		case <-written:
			return
		default:
		}
	}
}

// A crash may leave temporary files behind, and a disk may lose the end of a file.
func TestDamagedFilesAreNotLoaded(t *testing.T) {
	dir := t.TempDir()
	s := NewFiles(filepath.Split(dir))
	want := rankingOf(noon, "whole")
	save(t, s, "gpu", want)
	for _, left := range []string{"gpu.ranking.123", "cpu.ranking.456"} {
		if err := os.WriteFile(filepath.Join(dir, left), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantLoaded(t, s, "gpu", want)
	wantNone(t, s, "cpu")
	if err := os.Truncate(filepath.Join(dir, "gpu.ranking"), 60); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Load(t.Context(), "gpu"); !errors.Is(err, lookup.ErrFormat) {
		t.Fatalf("loaded %+v of a cut file, error %v, want %v", a, err, lookup.ErrFormat)
	}
	save(t, s, "gpu", want)
	wantLoaded(t, s, "gpu", want)
}

func TestFilesAreForTheirOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	save(t, NewFiles(filepath.Split(dir)), "gpu", rankingOf(noon, "whole"))
	builds := filepath.Join(t.TempDir(), "builds")
	if err := NewFileBuilds(builds, 1, time.Now).Put(t.Context(), "id", "build"); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]os.FileMode{
		dir: 0o750, filepath.Join(dir, "gpu.ranking"): 0o600, builds: 0o750, filepath.Join(builds, "id"): 0o600,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, owner := info.Mode().Perm(), os.FileMode(0o700); got&^want != 0 || got&owner != want&owner {
			t.Errorf("%s has mode %o, want at most %o, and all of it for the owner", filepath.Base(path), got, want)
		}
	}
}

func TestFilesCannotBeSaved(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "gpu.ranking", "full"), 0o750); err != nil {
		t.Fatal(err)
	}
	readOnly := filepath.Join(dir, "read-only")
	if err := os.Mkdir(readOnly, 0o500); err != nil {
		t.Fatal(err)
	}
	for name, place := range map[string]string{"no folder": filepath.Join(file, "below"), "name is taken": taken,
		"read-only": readOnly} {
		t.Run(name, func(t *testing.T) {
			if place == readOnly && os.Geteuid() == 0 {
				t.Skip("root may write to a read-only folder")
			}
			if err := NewFiles(filepath.Split(place)).Save(t.Context(), "gpu", rankingOf(noon, "whole")); err == nil {
				t.Fatal("want an error")
			}
			if left, _ := filepath.Glob(filepath.Join(place, "*.ranking.*")); len(left) > 0 {
				t.Fatalf("%q were left behind", left)
			}
		})
	}
}
