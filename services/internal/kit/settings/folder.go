package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckFolder returns an error unless files can be created in folder, or folder in its nearest existing parent.
func CheckFolder(folder string) error {
	for {
		probe, err := os.CreateTemp(folder, ".doctor-*")
		if err == nil {
			return errors.Join(probe.Close(), os.Remove(probe.Name()))
		}
		above := filepath.Dir(folder)
		if !errors.Is(err, fs.ErrNotExist) || above == folder {
			return err
		}
		folder = above
	}
}
