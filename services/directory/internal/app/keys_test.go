package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/cli/clitest"
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

// addEncrypted stores a connection, whose tokens are encrypted with the keys of the settings.
func addEncrypted(t *testing.T, settings []string) {
	t.Helper()
	s := directorytest.NewStore(openApp(t, settings).DB)
	ok(t, s.Migrate(t.Context()))
	directorytest.AddConnection(t, s, "firma", provider.PagesPair)
}

// requireTokens reads what addEncrypted stored.
func requireTokens(t *testing.T, settings []string) {
	t.Helper()
	c, err := openApp(t, settings).Store.Find(t.Context(), 1, provider.PagesPair)
	if err != nil || c.AccessToken != "access-firma" || c.UserAccessToken != "user-firma" {
		t.Errorf("tokens %q, %q, %v", c.AccessToken, c.UserAccessToken, err)
	}
}

func TestKeysRotate(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string, _ *directorytest.Store) {
		with := func(keys string) []string { return append(settings, "DIRECTORY_ENCRYPTION_KEYS="+keys) }
		addEncrypted(t, settings)
		requireUnreadable(t, with(secondKey), "1 of 1")
		both := with(secondKey + "," + databasetest.Keys)
		requireTokens(t, both)
		const done = "1 rows looked through; all secrets use the first key\n"
		requirePrinted(t, both, [][2]string{{"keys rotate", done}, {"keys rotate", done}})
		requireTokens(t, both)
		requireTokens(t, with(secondKey)) // the old one can go
		requireUnreadable(t, settings, "1 of 1")
	})
}

// requireUnreadable rotates, and requires that the first connection is reported.
func requireUnreadable(t *testing.T, settings []string, rows string) {
	t.Helper()
	const row = "not readable: oauth_tokens company_id=1 provider=provider_social service=social_pages\n"
	out, err := command(t, settings, "keys", "rotate")
	if kitcli.Status(err) != 1 || !strings.Contains(err.Error(), "no key opens "+rows+" rows; all others use the first key") || out != row {
		t.Errorf("printed %q, %v", out, err)
	}
}

// TestKeysRotatePassesUnreadableRows checks that a row of a lost key is reported without its
// secrets, and does not keep the others from the new key.
func TestKeysRotatePassesUnreadableRows(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string, s *directorytest.Store) {
		addEncrypted(t, append(settings, "DIRECTORY_ENCRYPTION_KEYS="+goodKey)) // a key that is lost
		directorytest.AddConnection(t, s, "inna", provider.PagesPair)
		with := func(keys string) []string { return append(settings, "DIRECTORY_ENCRYPTION_KEYS="+keys) }
		requireUnreadable(t, with(secondKey+","+databasetest.Keys), "1 of 2")
		full := newProgram(with(secondKey+","+databasetest.Keys), nil, new(clitest.FullDisk), io.Discard)
		if err := full.Run(t.Context(), []string{"keys", "rotate"}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("on a full disk: %v", err)
		}
		c, err := openApp(t, with(secondKey)).Store.Find(t.Context(), 2, provider.PagesPair)
		if err != nil || c.AccessToken != "access-inna" || c.UserAccessToken != "user-inna" {
			t.Errorf("tokens %q, %q, %v", c.AccessToken, c.UserAccessToken, err)
		}
	})
}

func TestKeysAreMadeOnce(t *testing.T) {
	settings := environ(t)
	addEncrypted(t, settings)
	path := keysPath(settings)
	content := readFile(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	requireTokens(t, settings)
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
	requireRefused(t, settings, 1, map[string]string{"serve": lost, "migrate up": lost, "seed": lost, "company list": lost})
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there again: %v", err)
	}
	ok(t, os.WriteFile(path, content, 0o600))
	requireTokens(t, settings)
}

// TestKeysAreMadeOnceByMany: all who find no file end up with the same keys.
func TestKeysAreMadeOnceByMany(t *testing.T) {
	const many = 16
	for range 20 {
		path := filepath.Join(t.TempDir(), "var", keysFile)
		begin, made := make(chan struct{}), make(chan string)
		for range many {
			go func() {
				<-begin
				keys, err := readOrMakeKeys(path, true)
				made <- fmt.Sprint(keys, err)
			}()
		}
		close(begin)
		first := <-made
		for range many - 1 {
			if other := <-made; other != first || !strings.HasSuffix(other, "<nil>") {
				t.Fatalf("keys %s and %s", first, other)
			}
		}
	}
}

func TestKeysFileIsNotOverwritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), keysFile)
	ok(t, writeOnce(path, []byte("first")))
	if err := writeOnce(path, []byte("second")); !errors.Is(err, fs.ErrExist) || string(readFile(t, path)) != "first" {
		t.Errorf("%q, %v", readFile(t, path), err)
	}
}

// TestKeysThatCannotBeKept are not used: nothing could read what they encrypt.
func TestKeysThatCannotBeKept(t *testing.T) {
	folder := t.TempDir()
	ok(t, os.Mkdir(filepath.Join(folder, keysFile), 0o700))
	ok(t, os.Symlink("nowhere", filepath.Join(folder, "link")))
	for _, path := range []string{filepath.Join(folder, keysFile), filepath.Join(folder, "link", keysFile), "/proc/" + keysFile} {
		if keys, err := readOrMakeKeys(path, true); err == nil {
			t.Errorf("%s: %d keys", path, len(keys))
		}
	}
}

func keysPath(settings []string) string { return filepath.Join(databaseFolder(settings), keysFile) }

func TestKeysOfTheSettingsGoFirst(t *testing.T) {
	settings := environ(t, "DIRECTORY_ENCRYPTION_KEYS="+goodKey)
	addEncrypted(t, settings) // makes the file for the session keys
	requireTokens(t, settings)
	if err := openApp(t, settings[:len(settings)-1]).DB.CheckSecrets(t.Context()); err == nil {
		t.Error("the key of the file was used, and not the one of the settings")
	}
}

func TestDamagedKeysFile(t *testing.T) {
	good := fmt.Sprintf("DIRECTORY_SESSION_KEYS=%s\nDIRECTORY_ENCRYPTION_KEYS=%s\n", goodKey, goodKey)
	for content, want := range map[string]string{
		"":                                  "directory.keys has no line DIRECTORY_",
		"DIRECTORY_SESSION_KEYS=" + goodKey: "directory.keys has no line DIRECTORY_ENCRYPTION_KEYS=",
		strings.ReplaceAll(good, "_KEYS=a:", "_KEYS=a"): "directory.keys: DIRECTORY_SESSION_KEYS: session key 1: want",
		strings.ReplaceAll(good, "\n", "\r\n"):          "", // an editor's line breaks do no harm
	} {
		settings := environ(t)
		path := keysPath(settings)
		writeFile(t, path, content)
		_, err := command(t, settings, "migrate", "up")
		if err == nil && want != "" || !strings.Contains(fmt.Sprint(err), want) || strings.Contains(fmt.Sprint(err), "AAECAw") {
			t.Errorf("%q: error %v, want %q", content, err, want)
		}
		if kept := readFile(t, path); string(kept) != content {
			t.Errorf("%q became %q", content, kept)
		}
	}
}

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
