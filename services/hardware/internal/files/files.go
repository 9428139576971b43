// Package files writes files that readers never see half written.
package files

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace writes data to a temporary file next to path, and renames it once it is on the disk. A
// crash leaves the old file or the new one.
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
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
