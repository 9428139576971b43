package cache

import (
	"context"
	_ "embed" // the script
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// FileBuilds keeps builds in a folder of this process, one file each, whose time is that of its last
// use. The folder is listed once.
type FileBuilds struct {
	dir  string
	most int
	now  func() time.Time

	mu   sync.Mutex
	used map[string]time.Time // of each file; nil: not listed yet
}

// NewFileBuilds returns FileBuilds for at most that many builds. The first Put creates dir.
func NewFileBuilds(dir string, most int, now func() time.Time) *FileBuilds {
	return &FileBuilds{dir: dir, most: most, now: now}
}

// Put keeps build under id, which has to be a plain file name.
func (s *FileBuilds) Put(_ context.Context, id, build string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return fmt.Errorf("keep build: %w", err)
	}
	if err := s.list(); err != nil {
		return fmt.Errorf("keep build: %w", err)
	}
	if err := s.makeRoom(id); err != nil {
		return fmt.Errorf("keep build: %w", err)
	}
	if err := WriteFile(filepath.Join(s.dir, id), []byte(build)); err != nil {
		return fmt.Errorf("keep build: %w", err)
	}
	return s.touch(id)
}

// Get returns the build under id, which has to be a plain file name, or ErrNoBuild.
func (s *FileBuilds) Get(_ context.Context, id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.dir, id)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNoBuild
	}
	if err != nil {
		return "", fmt.Errorf("read build: %w", err)
	}
	if s.now().Sub(info.ModTime()) > BuildTTL {
		return "", ErrNoBuild
	}
	build, err := os.ReadFile(path) // #nosec G304 -- the caller checks the id
	if err != nil {
		return "", fmt.Errorf("read build: %w", err)
	}
	return string(build), s.touch(id)
}

// touch notes that a build was used now.
func (s *FileBuilds) touch(id string) error {
	now := s.now()
	if s.used != nil {
		s.used[id] = now
	}
	return os.Chtimes(filepath.Join(s.dir, id), now, now)
}

func (s *FileBuilds) list() error {
	if s.used != nil {
		return nil
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	s.used = make(map[string]time.Time, len(entries))
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil { // otherwise it was removed meanwhile
			s.used[entry.Name()] = info.ModTime()
		}
	}
	return nil
}

// makeRoom removes the least recently used builds until there is room for id.
func (s *FileBuilds) makeRoom(id string) error {
	for _, isKept := s.used[id]; !isKept && len(s.used) >= s.most; {
		oldest := ""
		for name, at := range s.used {
			if oldest == "" || at.Before(s.used[oldest]) {
				oldest = name
			}
		}
		if err := os.Remove(filepath.Join(s.dir, oldest)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		delete(s.used, oldest)
	}
	return nil
}

// WriteFile writes data to a temporary file next to path, and renames it once it is on the disk. A
// crash leaves the old file or the new one.
func WriteFile(path string, data []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(file.Name()))
		}
	}()
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
