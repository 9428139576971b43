package builds

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/redistest"
)

func wantBuild(t *testing.T, s Store, id, want string) {
	t.Helper()
	got, err := s.Get(t.Context(), id)
	if got != want {
		t.Fatalf("%s: %q, %v; want %q", id, got, err, want)
	}
	if want == "" && !errors.Is(err, ErrNone) {
		t.Fatalf("%s: %q, %v; want %q", id, got, err, want)
	}
	if want != "" && err != nil {
		t.Errorf("%s: %q, %v; want %q", id, got, err, want)
	}
}

// TestBuilds holds both places to the same rules. Each store is opened anew, as by a restart or
// another replica.
func TestBuilds(t *testing.T) {
	for name, open := range map[string]func(t *testing.T, now func() time.Time) func() Store{
		"Redis": func(t *testing.T, now func() time.Time) func() Store {
			client := redistest.Client(t)
			return func() Store { return NewRedis(client, 3, now) }
		},
		"files": func(t *testing.T, now func() time.Time) func() Store {
			dir := t.TempDir() + "/made/on/demand"
			return func() Store { return NewFiles(dir, 3, now) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, time.November, 23, 12, 0, 0, 0, time.UTC)
			store := open(t, func() time.Time { return now })
			put := func(id string) {
				t.Helper()
				now = now.Add(time.Minute)
				if err := store().Put(t.Context(), id, "build "+id); err != nil {
					t.Fatal(err)
				}
			}
			wantBuild(t, store(), "a", "")
			put("a")
			put("b")
			put("c")
			put("c")
			now = now.Add(time.Minute)
			wantBuild(t, store(), "a", "build a") // used later than b
			put("d")
			wantBuild(t, store(), "b", "")
			now = now.Add(TTL - 3*time.Minute)
			wantBuild(t, store(), "a", "build a")
			now = now.Add(TTL - time.Minute)
			wantBuild(t, store(), "a", "build a")
			wantBuild(t, store(), "c", "")
			now = now.Add(TTL + time.Minute)
			wantBuild(t, store(), "a", "")
		})
	}
}

// A new build costs no listing of all: files that appear meanwhile are not counted.
func TestFilesAreListedOnce(t *testing.T) {
	dir := t.TempDir()
	store := NewFiles(dir, 3, func() time.Time { return time.Now().Add(-time.Hour) })
	for _, id := range []string{"a", "b"} {
		if err := store.Put(t.Context(), id, "build"); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"x", "y", "z"} {
			if err := os.WriteFile(dir+"/"+name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	wantBuild(t, store, "a", "build")
}

func TestBuildsThatCannotBeReached(t *testing.T) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { _ = client.Close() })
	server.Close()
	for name, s := range map[string]Store{
		"Redis": NewRedis(client, 3, time.Now), "files": NewFiles("/dev/null/builds", 3, time.Now),
	} {
		if err := s.Put(t.Context(), "a", "build"); err == nil {
			t.Errorf("%s: kept", name)
		}
		if _, err := s.Get(t.Context(), "a"); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBuildsAreNotForOthers: what people put together is read by this service alone.
func TestBuildsAreNotForOthers(t *testing.T) {
	dir := t.TempDir() + "/builds"
	if err := NewFiles(dir, 3, time.Now).Put(t.Context(), "a", "build"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, dir + "/a"} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if others := info.Mode().Perm() & 0o007; others != 0 {
			t.Errorf("%s has mode %o", path, info.Mode().Perm())
		}
	}
}
