package rankings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/files"
	"backend.example/services/hardware/internal/userbenchmark"
)

// LastGood keeps the last rankings of the source, without expiry: on disk, a file for each family, and in Redis for
// all replicas.
type LastGood struct {
	dir    string
	client redis.UniversalClient // nil without Redis
	host   string                // of the source, with its port
}

// NewLastGood returns the LastGood of a site. Save creates its folder in dir. client is nil without Redis.
func NewLastGood(dir string, client redis.UniversalClient, site *userbenchmark.Site) *LastGood {
	return &LastGood{dir: filepath.Join(dir, site.Domain()), client: client, host: site.Host()}
}

func (l *LastGood) path(f catalog.Family) string { return filepath.Join(l.dir, string(f)+".ranking") }

func (l *LastGood) key(f catalog.Family) string { return "hw:lastgood:" + l.host + ":" + string(f) }

// Load returns the newest ranking of f, or an error if neither place has one.
func (l *LastGood) Load(ctx context.Context, f catalog.Family) (*Answer, error) {
	file, fileErr := decode(os.ReadFile(l.path(f)))
	if l.client == nil {
		return file, fileErr
	}
	shared, sharedErr := decode(l.client.Get(ctx, l.key(f)).Bytes())
	switch {
	case sharedErr != nil && fileErr != nil:
		return nil, errors.Join(fileErr, sharedErr)
	case sharedErr != nil:
		return file, nil
	case fileErr != nil || shared.FetchedAt.After(file.FetchedAt):
		return shared, nil
	}
	return file, nil
}

func decode(data []byte, err error) (*Answer, error) {
	if err != nil {
		return nil, fmt.Errorf("load last good ranking: %w", err)
	}
	a := &Answer{}
	if err := json.Unmarshal(data, a); err != nil {
		return nil, fmt.Errorf("load last good ranking: %w", err)
	}
	return a, nil
}

// Save keeps a in both places. The error is that of either.
func (l *LastGood) Save(ctx context.Context, f catalog.Family, a *Answer) error {
	data, err := json.Marshal(a)
	if err != nil {
		return err
	}
	err = l.saveFile(f, data)
	if l.client != nil {
		err = errors.Join(err, l.client.Set(ctx, l.key(f), data, 0).Err())
	}
	if err != nil {
		return fmt.Errorf("save last good ranking: %w", err)
	}
	return nil
}

func (l *LastGood) saveFile(f catalog.Family, data []byte) error {
	if err := os.MkdirAll(l.dir, 0o750); err != nil {
		return err
	}
	return files.Replace(l.path(f), data)
}
