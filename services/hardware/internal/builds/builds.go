// Package builds stores the builds that people share by a short address, in Redis or on disk.
package builds

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/files"
)

// TTL is how long a build is kept after its last use.
const TTL = 365 * 24 * time.Hour

// Max is the number of builds that are kept. The least recently used ones make room.
const Max = 20_000

// ErrNone is returned for an unknown id.
var ErrNone = errors.New("no build")

// Store keeps the parameters of builds by id.
type Store interface {
	// Put keeps build under id, a plain file name.
	Put(ctx context.Context, id, build string) error
	// Get returns the build under id, or ErrNone.
	Get(ctx context.Context, id string) (string, error)
}

//go:embed builds.lua
var source string

// Redis keeps builds for all replicas.
type Redis struct {
	client redis.UniversalClient
	script *redis.Script
	most   int
	now    func() time.Time
}

// NewRedis returns a store on client for at most that many builds.
func NewRedis(client redis.UniversalClient, most int, now func() time.Time) *Redis {
	return &Redis{client: client, script: redis.NewScript(source), most: most, now: now}
}

// Put implements Store.
func (r *Redis) Put(ctx context.Context, id, build string) error {
	_, err := r.run(ctx, id, build)
	return err
}

// Get implements Store.
func (r *Redis) Get(ctx context.Context, id string) (string, error) { return r.run(ctx, id, "") }

func (r *Redis) run(ctx context.Context, id, build string) (string, error) {
	now := r.now()
	kept, err := r.script.Run(ctx, r.client, []string{"hw:{builds}:codes", "hw:{builds}:used"},
		id, now.Unix(), now.Add(-TTL).Unix(), r.most, build).Text()
	switch {
	case errors.Is(err, redis.Nil):
		return "", ErrNone
	case err != nil:
		return "", fmt.Errorf("build: %w", err)
	}
	return kept, nil
}

// Files keeps each build in a file, whose time is that of its last use.
type Files struct {
	dir  string
	most int
	now  func() time.Time

	mu   sync.Mutex
	used map[string]time.Time // of each file; nil until the folder is listed
}

// NewFiles returns a store for at most that many builds. The first Put creates dir.
func NewFiles(dir string, most int, now func() time.Time) *Files {
	return &Files{dir: dir, most: most, now: now}
}

// Put implements Store.
func (s *Files) Put(_ context.Context, id, build string) error {
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
	if err := files.Replace(filepath.Join(s.dir, id), []byte(build)); err != nil {
		return fmt.Errorf("keep build: %w", err)
	}
	return s.touch(id)
}

// Get implements Store.
func (s *Files) Get(_ context.Context, id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.dir, id)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrNone
	}
	if err != nil {
		return "", fmt.Errorf("read build: %w", err)
	}
	if s.now().Sub(info.ModTime()) > TTL {
		return "", ErrNone
	}
	build, err := os.ReadFile(path) // #nosec G304 -- the caller checks the id
	if err != nil {
		return "", fmt.Errorf("read build: %w", err)
	}
	return string(build), s.touch(id)
}

func (s *Files) touch(id string) error {
	now := s.now()
	if s.used != nil {
		s.used[id] = now
	}
	return os.Chtimes(filepath.Join(s.dir, id), now, now)
}

func (s *Files) list() error {
	if s.used != nil {
		return nil
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return err
	}
	s.used = make(map[string]time.Time, len(entries))
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil { // otherwise it has just been removed
			s.used[entry.Name()] = info.ModTime()
		}
	}
	return nil
}

// makeRoom removes the least recently used builds.
func (s *Files) makeRoom(id string) error {
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
