package cache

import (
	"cmp"
	"context"
	_ "embed" // the script
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
)

// BuildTTL is how long a build is kept after its last use.
const BuildTTL = 365 * 24 * time.Hour

// MaxBuilds is how many builds are kept; the least recently used make room. Each has at most the
// length that its user allows.
const MaxBuilds = 20_000

// ErrNoBuild is returned for an id under which no build is kept.
var ErrNoBuild = errors.New("no build")

//go:embed builds.lua
var buildsSource string

// RedisBuilds keeps builds for all replicas.
type RedisBuilds struct {
	client redis.UniversalClient
	script *redis.Script
	most   int
	now    func() time.Time
}

// NewRedisBuilds returns RedisBuilds on client for at most that many builds.
func NewRedisBuilds(client redis.UniversalClient, most int, now func() time.Time) *RedisBuilds {
	return &RedisBuilds{client: client, script: redis.NewScript(buildsSource), most: most, now: now}
}

// Put keeps build under id.
func (r *RedisBuilds) Put(ctx context.Context, id, build string) error {
	_, err := r.run(ctx, id, build)
	return err
}

// Get returns the build under id, or ErrNoBuild.
func (r *RedisBuilds) Get(ctx context.Context, id string) (string, error) { return r.run(ctx, id, "") }

func (r *RedisBuilds) run(ctx context.Context, id, build string) (string, error) {
	now := r.now()
	kept, err := r.script.Run(ctx, r.client, []string{"hw:{builds}:codes", "hw:{builds}:used"},
		id, now.Unix(), now.Add(-BuildTTL).Unix(), r.most, build).Text()
	switch {
	case errors.Is(err, redis.Nil):
		return "", ErrNoBuild
	case err != nil:
		return "", fmt.Errorf("build: %w", err)
	}
	return kept, nil
}

// FileBuilds keeps builds in a folder, one file each, whose time is that of its last use.
type FileBuilds struct {
	dir  string
	most int
	now  func() time.Time
	mu   sync.Mutex // held while files are counted and written
}

// NewFileBuilds returns FileBuilds for at most that many builds. The first Put creates dir.
func NewFileBuilds(dir string, most int, now func() time.Time) *FileBuilds {
	return &FileBuilds{dir: dir, most: most, now: now}
}

// Put keeps build under id, which has to be a plain file name.
func (s *FileBuilds) Put(_ context.Context, id, build string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := os.MkdirAll(s.dir, 0o750)
	if err == nil {
		err = s.makeRoom(id)
	}
	path := filepath.Join(s.dir, id)
	if err == nil {
		err = replace(path, []byte(build))
	}
	if err == nil {
		err = os.Chtimes(path, s.now(), s.now())
	}
	if err != nil {
		return fmt.Errorf("keep build: %w", err)
	}
	return nil
}

// Get returns the build under id, which has to be a plain file name, or ErrNoBuild.
func (s *FileBuilds) Get(_ context.Context, id string) (string, error) {
	path := filepath.Join(s.dir, id)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && s.isExpired(info) {
		return "", ErrNoBuild
	}
	build, err := os.ReadFile(path) // #nosec G304 -- the caller checks the id
	if err == nil {
		err = os.Chtimes(path, s.now(), s.now())
	}
	if err != nil {
		return "", fmt.Errorf("read build: %w", err)
	}
	return string(build), nil
}

func (s *FileBuilds) isExpired(f fs.FileInfo) bool { return s.now().Sub(f.ModTime()) > BuildTTL }

// makeRoom removes what is expired, and the least recently used if there is no room for id.
func (s *FileBuilds) makeRoom(id string) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	var files []fs.FileInfo
	for _, entry := range entries {
		switch f, err := entry.Info(); {
		case err != nil: // removed meanwhile
		case s.isExpired(f):
			_ = os.Remove(filepath.Join(s.dir, f.Name())) // the next Put tries again
		case f.Name() != id:
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), cmp.Compare(a.Name(), b.Name()))
	})
	for _, f := range files[:max(0, len(files)-s.most+1)] {
		if err := os.Remove(filepath.Join(s.dir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}
