// Package files replaces files atomically.
package files

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes data to a temporary file and renames it to path. After a crash, path has the old or the new
// content.
func Replace(path string, data []byte) (err error) {
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
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
