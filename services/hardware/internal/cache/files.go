package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/rankings"
)

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
	return decodeAnswer[rankings.Ranking](data)
}

// Save implements rankings.LastGood. A crash leaves the old file or the new one.
func (s *Files) Save(_ context.Context, f catalog.Family, a *rankings.Answer) error {
	data, err := encodeAnswer(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(s.dir, 0o750); err != nil {
		return fmt.Errorf("save last good ranking: %w", err)
	}
	if err := replace(s.path(f), data); err != nil {
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
