package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/rankings"
)

// errNoRanking is returned by Load where no ranking was ever saved.
var errNoRanking = errors.New("no last good ranking")

// RedisLastGood keeps the last good rankings of one source in Redis, without expiry.
type RedisLastGood struct {
	client redis.Cmdable
	source string
}

// NewRedisLastGood returns a RedisLastGood on client for the source at this host and port.
func NewRedisLastGood(client redis.Cmdable, source string) *RedisLastGood {
	return &RedisLastGood{client: client, source: source}
}

func (r *RedisLastGood) key(f catalog.Family) string {
	return "hw:lastgood:" + r.source + ":" + string(f)
}

// Load implements rankings.LastGood.
func (r *RedisLastGood) Load(ctx context.Context, f catalog.Family) (*rankings.Answer, error) {
	data, err := r.client.Get(ctx, r.key(f)).Bytes()
	switch {
	case errors.Is(err, redis.Nil):
		return nil, errNoRanking
	case err != nil:
		return nil, fmt.Errorf("load last good ranking: %w", err)
	}
	return lookup.DecodeAnswer[rankings.Ranking](data)
}

// Save implements rankings.LastGood.
func (r *RedisLastGood) Save(ctx context.Context, f catalog.Family, a *rankings.Answer) error {
	data, err := lookup.EncodeAnswer(a)
	if err != nil {
		return err
	}
	if err := r.client.Set(ctx, r.key(f), data, 0).Err(); err != nil {
		return fmt.Errorf("save last good ranking: %w", err)
	}
	return nil
}

// Files keeps the last good rankings of one source on disk, in one file for each family.
type Files struct{ dir string }

// NewFiles returns a Files for the source of this name. Its folder in dir is created by
// the first Save.
func NewFiles(dir, source string) *Files { return &Files{dir: filepath.Join(dir, source)} }

func (s *Files) path(f catalog.Family) string { return filepath.Join(s.dir, string(f)+".ranking") }

// Load implements rankings.LastGood.
func (s *Files) Load(_ context.Context, f catalog.Family) (*rankings.Answer, error) {
	data, err := os.ReadFile(s.path(f))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errNoRanking
	case err != nil:
		return nil, fmt.Errorf("load last good ranking: %w", err)
	}
	return lookup.DecodeAnswer[rankings.Ranking](data)
}

// Save implements rankings.LastGood. A crash leaves the old file or the new one.
func (s *Files) Save(_ context.Context, f catalog.Family, a *rankings.Answer) error {
	data, err := lookup.EncodeAnswer(a)
	if err != nil {
		return err
	}
	err = os.MkdirAll(s.dir, 0o750)
	if err == nil {
		err = replace(s.path(f), data)
	}
	if err != nil {
		return fmt.Errorf("save last good ranking: %w", err)
	}
	return nil
}

// replace writes data to a temporary file next to path, and renames it once it is on the disk.
func replace(path string, data []byte) (err error) {
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

// Newest keeps the last good rankings in several places and loads the newest.
type Newest []rankings.LastGood

// Load implements rankings.LastGood.
func (n Newest) Load(ctx context.Context, f catalog.Family) (newest *rankings.Answer, err error) {
	var problems []error
	for _, place := range n {
		a, err := place.Load(ctx, f)
		switch {
		case err != nil:
			problems = append(problems, err)
		case newest == nil || a.FetchedAt.After(newest.FetchedAt):
			newest = a
		}
	}
	if newest == nil {
		return nil, errors.Join(append(problems, errNoRanking)...)
	}
	return newest, nil
}

// Save implements rankings.LastGood: one place that works is enough to go on,
// and every other one's error is returned.
func (n Newest) Save(ctx context.Context, f catalog.Family, a *rankings.Answer) error {
	var problems []error
	for _, place := range n {
		problems = append(problems, place.Save(ctx, f, a))
	}
	return errors.Join(problems...)
}
