package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/settings"
)

// keysFile holds keys that were made for an embedded database, beside it: a line
// NAME=value for each setting.
const keysFile = "directory.keys"

// loadKeys completes the keys of the settings. With SQLite, keys that are not
// set are made once, by who may, and kept in a file that only its owner can read.
func loadKeys(cfg *config, mayMake bool) error {
	missing := map[string]*settings.Secret{}
	if cfg.SessionKeys == "" {
		missing["DIRECTORY_SESSION_KEYS"] = &cfg.SessionKeys
	}
	if cfg.EncryptionKeys == "" {
		missing["DIRECTORY_ENCRYPTION_KEYS"] = &cfg.EncryptionKeys
	}
	if len(missing) == 0 {
		return nil
	}
	database, _ := cfg.sqlitePath()
	path := filepath.Join(filepath.Dir(database), keysFile)
	kept, err := readOrMakeKeys(path, mayMake)
	if err != nil {
		return fmt.Errorf("keys of the embedded database: %w", err)
	}
	for name, key := range missing {
		if kept[name] == "" {
			return fmt.Errorf("%s has no line %s=", path, name)
		}
		*key = settings.Secret(kept[name])
	}
	if err := errors.Join(cfg.Check()...); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// readOrMakeKeys reads the file at path, which is made, by who may, when it is not there.
func readOrMakeKeys(path string, mayMake bool) (map[string]string, error) {
	content, err := os.ReadFile(path) // #nosec G304 -- beside the database that the operator names
	if errors.Is(err, fs.ErrNotExist) && !mayMake {
		return nil, fmt.Errorf("there is no file %s: put it back, or set DIRECTORY_SESSION_KEYS and DIRECTORY_ENCRYPTION_KEYS", path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		content = fmt.Appendf(nil, "DIRECTORY_SESSION_KEYS=%s\nDIRECTORY_ENCRYPTION_KEYS=%s\n", database.GenerateKey(), database.GenerateKey())
		err = writeOnce(path, content)
		if errors.Is(err, fs.ErrExist) { // another process was faster
			content, err = os.ReadFile(path) // #nosec G304 -- as above
		}
	}
	if err != nil {
		return nil, err
	}
	keys := map[string]string{}
	for line := range strings.Lines(string(content)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			keys[name] = value
		}
	}
	return keys, nil
}

// writeOnce makes path with content, complete or not at all; it fails with
// fs.ErrExist where path is there already.
func writeOnce(path string, content []byte) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), keysFile+".*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(part.Name())) }()
	_, err = part.Write(content)
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	return os.Link(part.Name(), path)
}

func (p *program) keysCommand() *cobra.Command {
	generate := &cobra.Command{
		Use: "generate", Short: "Print a new key for DIRECTORY_SESSION_KEYS or DIRECTORY_ENCRYPTION_KEYS",
		RunE: func(*cobra.Command, []string) error {
			return p.out.Printf("%s\n", database.GenerateKey())
		},
	}
	rotate := &cobra.Command{
		Use: "rotate", Short: "Encrypt all secrets again with the first key of DIRECTORY_ENCRYPTION_KEYS",
		Long: "Encrypt all secrets again with the first key of DIRECTORY_ENCRYPTION_KEYS.\n\n" +
			"Add the new key behind the old one and restart every replica, so that each can read it; put it\n" +
			"first and restart them again; then run this. Afterwards the old key can go.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, _ config, s *store.Store) error { return p.rotate(ctx, s) })
		},
	}
	return cli.Group("keys", "Make and change keys", generate, rotate)
}

func (p *program) rotate(ctx context.Context, s *store.Store) error {
	done := p.progress.Since("encrypting the secrets")
	rows, err := s.RotateSecrets(ctx)
	done()
	var unreadable *fault.Error
	if errors.As(err, &unreadable) { // of a row's secrets, the first one says enough
		return fmt.Errorf("DIRECTORY_ENCRYPTION_KEYS: %w", unreadable)
	}
	if err != nil {
		return err
	}
	return p.out.Printf("%d rows looked through; all secrets use the first key\n", rows)
}
