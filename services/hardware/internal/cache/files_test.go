package cache

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/rankings"
)

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
		if !slices.ContainsFunc(both, func(b *rankings.Answer) bool { return a.Value.Rows[0].Model == b.Value.Rows[0].Model }) {
			t.Fatalf("read %d: neither of the two rankings", reads)
		}
		select {
		case <-written:
			return
		default:
		}
	}
}

func TestFilesPassOverAHalfWrittenOne(t *testing.T) {
	dir := t.TempDir()
	s := NewFiles(filepath.Split(dir))
	want := rankingOf(noon, "whole")
	save(t, s, "gpu", want)
	for _, left := range []string{"gpu.ranking.123", "cpu.ranking.456"} { // a crash left them
		if err := os.WriteFile(filepath.Join(dir, left), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wantLoaded(t, s, "gpu", want)
	if a, err := s.Load(t.Context(), "cpu"); !errors.Is(err, errNoRanking) {
		t.Fatalf("loaded %+v, error %v, want %v", a, err, errNoRanking)
	}
}

func TestFilesRefuseDamage(t *testing.T) {
	dir := t.TempDir()
	s := NewFiles(filepath.Split(dir))
	save(t, s, "gpu", rankingOf(noon, "whole"))
	path := filepath.Join(dir, "gpu.ranking")
	if err := os.Truncate(path, 60); err != nil {
		t.Fatal(err)
	}
	if a, err := s.Load(t.Context(), "gpu"); !errors.Is(err, errFormat) {
		t.Fatalf("loaded %+v of a cut file, error %v, want %v", a, err, errFormat)
	}
	want := rankingOf(noon, "good again")
	save(t, s, "gpu", want)
	wantLoaded(t, s, "gpu", want)
}

func TestFilesAreForTheirOwner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	save(t, NewFiles(filepath.Split(dir)), "gpu", rankingOf(noon, "whole"))
	for path, want := range map[string]os.FileMode{dir: 0o750, filepath.Join(dir, "gpu.ranking"): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got&^want != 0 {
			t.Errorf("%s has mode %o, want at most %o", filepath.Base(path), got, want)
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
	for name, place := range map[string]string{"no folder": filepath.Join(file, "below"), "name is taken": taken, "read-only": readOnly} {
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
