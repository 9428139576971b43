package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
)

func TestKeysGenerate(t *testing.T) {
	first, second := require(t, nil, "keys", "generate"), require(t, nil, "keys", "generate")
	if first == second {
		t.Errorf("twice the key %s", first)
	}
	list := strings.TrimSpace(first) + "," + strings.TrimSpace(second)
	if _, err := database.ParseKeys(list); err != nil {
		t.Errorf("%q as encryption keys: %v", list, err)
	}
	if _, err := account.ParseKeys(list); err != nil {
		t.Errorf("%q as session keys: %v", list, err)
	}
}

// connect stores a connection, whose tokens are encrypted.
func connect(ctx context.Context, s *storetest.Store) error {
	if err := cli.Seed(ctx, s.DB); err != nil {
		return err
	}
	c := connection.Connection{
		CompanyID: 1, UserID: 1, Pair: provider.Pair{Provider: provider.Social, Service: provider.SocialPages},
		AccessToken: "page-token", UserAccessToken: "user-token", AccountID: "page-1",
	}
	return s.Save(ctx, &c, nil, trail.Entry{CompanyID: 1, Action: "connect", Pair: c.Pair})
}

// requireTokens reads what connect stored.
func requireTokens(t *testing.T, settings []string) {
	t.Helper()
	inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
		c, err := s.Find(ctx, 1, provider.Pair{Provider: provider.Social, Service: provider.SocialPages})
		if c.AccessToken != "page-token" || c.UserAccessToken != "user-token" {
			t.Errorf("tokens %q, %q", c.AccessToken, c.UserAccessToken)
		}
		return err
	})
}

func TestKeysRotate(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		with := func(keys string) []string {
			return append(settings[:len(settings):len(settings)], "DIRECTORY_ENCRYPTION_KEYS="+keys)
		}
		inStore(t, settings, connect)
		out, err := command(t, with(secondKey), "keys", "rotate")
		refused(t, "without the old key", out, err, "encrypted with a key that is not configured")
		both := with(secondKey + "," + databasetest.Keys)
		requireTokens(t, both)
		for range 2 {
			if out := require(t, both, "keys", "rotate"); out != "1 rows looked through; all secrets use the first key\n" {
				t.Errorf("printed %q", out)
			}
		}
		requireTokens(t, both)
		requireTokens(t, with(secondKey)) // the old one can go
		out, err = command(t, settings, "keys", "rotate")
		refused(t, "without the new key", out, err, "encrypted with a key that is not configured")
	})
}

func TestKeysAreMadeOnce(t *testing.T) {
	settings := environ(t)
	inStore(t, settings, connect)
	path := keysPath(settings)
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
	requireTokens(t, settings)
	if again, err := os.ReadFile(path); err != nil || string(again) != string(content) {
		t.Errorf("the keys were made again: %v", err)
	}
	if files, err := filepath.Glob(path + "*"); err != nil || len(files) != 1 {
		t.Errorf("files %q, %v", files, err)
	}
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

func keysPath(settings []string) string {
	return filepath.Join(filepath.Dir(strings.TrimPrefix(settings[0], "DIRECTORY_DATABASE_URL=sqlite:")), keysFile)
}

func TestKeysOfTheSettingsGoFirst(t *testing.T) {
	settings := environ(t, "DIRECTORY_ENCRYPTION_KEYS="+goodKey)
	inStore(t, settings, connect) // makes the file for the session keys
	requireTokens(t, settings)
	_, s, err := openDatabase(t.Context(), environ(t, settings[0]), cli.Create)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := s.RotateSecrets(t.Context()); err != nil || len(r.Unreadable) == 0 {
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
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := command(t, settings, "migrate", "up")
		if err == nil && want != "" || !strings.Contains(fmt.Sprint(err), want) || strings.Contains(fmt.Sprint(err), "AAECAw") {
			t.Errorf("%q: error %v, want %q", content, err, want)
		}
		if kept, err := os.ReadFile(path); err != nil || string(kept) != content {
			t.Errorf("%q became %q, %v", content, kept, err)
		}
	}
}
