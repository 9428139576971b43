package database

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// ErrNoBackup is the error of Backup with a server, which has tools of its own.
var ErrNoBackup = errors.New("with PostgreSQL, use pg_dump or a base backup")

// Backup writes a copy of an SQLite database at one moment, without what was deleted, to a new file for
// its owner alone (https://www.sqlite.org/lang_vacuum.html). Others may write meanwhile.
func (db *DB) Backup(ctx context.Context, path string) (err error) {
	if _, embedded := db.engine.(*sqliteEngine); !embedded {
		return ErrNoBackup
	}
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("backup: %s is there already", path)
	}
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // for the owner alone
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	defer func() { _ = os.Remove(part.Name()) }()
	err = db.Write(ctx).Exec("VACUUM INTO ?", part.Name()).Error
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := os.Link(part.Name(), path); err != nil { // refuses a file that is there
		return fmt.Errorf("backup: %w", err)
	}
	return nil
}
