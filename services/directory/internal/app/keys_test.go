package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/database"
)

func TestKeysGenerate(t *testing.T) {
	first, second := require(t, nil, "keys", "generate"), require(t, nil, "keys", "generate")
	firstID, firstKey, _ := strings.Cut(first, ":")
	secondID, secondKey, _ := strings.Cut(second, ":")
	if firstID == secondID || firstKey == secondKey {
		t.Errorf("%q after %q", second, first)
	}
	list := strings.TrimSpace(first) + "," + strings.TrimSpace(second)
	if _, err := database.ParseKeys(list); err != nil {
		t.Errorf("%q as encryption keys: %v", list, err)
	}
	if _, err := account.ParseKeys(list); err != nil {
		t.Errorf("%q as session keys: %v", list, err)
	}
}

// addEncrypted stores a webhook, whose secret is encrypted with the keys of the settings.
func addEncrypted(t *testing.T, settings []string) {
	t.Helper()
	requireLines(t, settings, "migrate up", "webhook add https://odbiorca.example --all")
}

// requireReadable requires that the keys of the settings can decrypt what addEncrypted stored.
func requireReadable(t *testing.T, settings []string) {
	t.Helper()
	if _, err := command(t, settings, "webhook", "rotate", "1"); err != nil {
		t.Error(err)
	}
}

func TestKeysAreMadeOnce(t *testing.T) {
	settings := environ(t)
	addEncrypted(t, settings)
	path := keysPath(settings)
	content := readFile(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	requireReadable(t, settings)
	if again := readFile(t, path); string(again) != string(content) {
		t.Error("the keys were made again")
	}
}

// TestLostKeysAreNotReplaced checks that no command, and no start, makes new keys for a
// database that is there: they could not open its secrets.
func TestLostKeysAreNotReplaced(t *testing.T) {
	settings := environ(t)
	addEncrypted(t, settings)
	path := keysPath(settings)
	content := readFile(t, path)
	ok(t, os.Remove(path))
	lost := "there is no file " + path + ": put it back, or set DIRECTORY_SESSION_KEYS and DIRECTORY_ENCRYPTION_KEYS"
	requireRefused(
		t,
		settings,
		1,
		map[string]string{"serve": lost, "migrate up": lost, "seed": lost, "company list": lost},
	)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there again: %v", err)
	}
	ok(t, os.WriteFile(path, content, 0o600))
	requireReadable(t, settings)
}

func keysPath(settings []string) string { return filepath.Join(databaseFolder(settings), keysFile) }

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	ok(t, err)
	return content
}

// writeFile makes a file and its folder.
func writeFile(t *testing.T, path, content string) {
	t.Helper()
	ok(t, os.MkdirAll(filepath.Dir(path), 0o700))
	ok(t, os.WriteFile(path, []byte(content), 0o600))
}
