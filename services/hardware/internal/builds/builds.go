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
	"slices"
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
}

// NewRedis returns a store on client for at most that many builds.
func NewRedis(client redis.UniversalClient, most int) *Redis {
	return &Redis{client: client, script: redis.NewScript(source), most: most}
}

// Put implements Store.
func (r *Redis) Put(ctx context.Context, id, build string) error {
	_, err := r.run(ctx, id, build)
	return err
}

// Get implements Store.
func (r *Redis) Get(ctx context.Context, id string) (string, error) { return r.run(ctx, id, "") }

func (r *Redis) run(ctx context.Context, id, build string) (string, error) {
	kept, err := r.script.Run(ctx, r.client, []string{"hw:{builds}:codes", "hw:{builds}:used"},
		id, int(TTL.Seconds()), r.most, build).Text()
	if errors.Is(err, redis.Nil) {
		return "", ErrNone
	}
	if err != nil {
		return "", fmt.Errorf("build: %w", err)
	}
	return kept, nil
}

// Files keeps each build in a file, whose time is that of its last use.
type Files struct {
	dir  string
	most int
	mu   sync.Mutex
}

// NewFiles returns a store for at most that many builds. The first Put creates dir.
func NewFiles(dir string, most int) *Files { return &Files{dir: dir, most: most} }

// Put implements Store.
func (s *Files) Put(_ context.Context, id, build string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.makeRoom(id); err != nil {
		return fmt.Errorf("keep build: %w", err)
	}
	if err := files.Replace(filepath.Join(s.dir, id), []byte(build)); err != nil {
		return fmt.Errorf("keep build: %w", err)
	}
	return nil
}

// makeRoom removes the least recently used of the other builds.
func (s *Files) makeRoom(id string) error {
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil || len(entries) < s.most {
		return err
	}
	var others []fs.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if info.Name() != id {
			others = append(others, info)
		}
	}
	slices.SortFunc(others, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, old := range others[:max(0, len(others)+1-s.most)] {
		if err := os.Remove(filepath.Join(s.dir, old.Name())); err != nil {
			return err
		}
	}
	return nil
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
	if time.Since(info.ModTime()) > TTL {
		return "", ErrNone
	}
	build, err := os.ReadFile(path) // #nosec G304 -- the caller checks the id
	if err != nil {
		return "", fmt.Errorf("read build: %w", err)
	}
	now := time.Now()
	return string(build), os.Chtimes(path, now, now)
}
