package builds

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/redistest"
)

func wantBuild(t *testing.T, s Store, id, want string) {
	t.Helper()
	if got, err := s.Get(t.Context(), id); err != nil || got != want {
		t.Fatalf("build %s is %q, want %q (error %v)", id, got, want, err)
	}
}

func wantNone(t *testing.T, s Store, id string) {
	t.Helper()
	if got, err := s.Get(t.Context(), id); !errors.Is(err, ErrNone) {
		t.Fatalf("build %s is %q, want none (error %v)", id, got, err)
	}
}

// TestTheLeastRecentlyUsedBuildsAreRemoved holds both stores to the same rules. They are opened for each call, as
// after a restart or in another replica, and have room for three builds.
func TestTheLeastRecentlyUsedBuildsAreRemoved(t *testing.T) {
	client, dir := redistest.Client(t), t.TempDir()+"/made/on/demand"
	for name, test := range map[string]struct {
		open func() Store
		age  func(time.Duration) // makes all builds older
	}{
		"Redis": {
			func() Store { return NewRedis(client, 3) },
			func(d time.Duration) {
				for _, id := range client.ZRange(t.Context(), "hw:{builds}:used", 0, -1).Val() {
					client.ZIncrBy(t.Context(), "hw:{builds}:used", -d.Seconds(), id)
				}
			},
		},
		"files": {
			func() Store { return NewFiles(dir, 3) },
			func(d time.Duration) {
				paths, _ := filepath.Glob(dir + "/*")
				for _, path := range paths {
					info, err := os.Stat(path)
					if err != nil {
						t.Fatal(err)
					}
					if err := os.Chtimes(path, time.Time{}, info.ModTime().Add(-d)); err != nil {
						t.Fatal(err)
					}
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			put := func(id string) {
				t.Helper()
				test.age(time.Minute)
				if err := test.open().Put(t.Context(), id, "build "+id); err != nil {
					t.Fatal(err)
				}
			}
			wantNone(t, test.open(), "a")
			for _, id := range []string{"a", "b", "c", "c"} {
				put(id)
			}
			test.age(time.Minute)
			wantBuild(t, test.open(), "a", "build a") // b is now the least recently used
			put("d")
			wantNone(t, test.open(), "b")
			test.age(TTL - 3*time.Minute)
			wantBuild(t, test.open(), "a", "build a") // its lifetime begins again
			test.age(TTL - time.Minute)
			wantBuild(t, test.open(), "a", "build a")
			wantNone(t, test.open(), "c")
			test.age(TTL + time.Minute)
			wantNone(t, test.open(), "a")
		})
	}
}

func TestBuildsThatCannotBeReached(t *testing.T) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { _ = client.Close() })
	server.Close()
	for name, s := range map[string]Store{
		"Redis": NewRedis(client, 3), "files": NewFiles("/dev/null/builds", 3),
	} {
		if err := s.Put(t.Context(), "a", "build"); err == nil {
			t.Errorf("%s: Put succeeds", name)
		}
		if _, err := s.Get(t.Context(), "a"); err == nil || errors.Is(err, ErrNone) {
			t.Errorf("%s: Get returns %v, want another error than %v", name, err, ErrNone)
		}
	}
}

func TestBuildsAreNotForOthers(t *testing.T) {
	dir := t.TempDir() + "/builds"
	if err := NewFiles(dir, 3).Put(t.Context(), "a", "build"); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, dir + "/a"} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode&0o007 != 0 {
			t.Errorf("%s has mode %o, want nothing for others", filepath.Base(path), mode)
		}
	}
}
