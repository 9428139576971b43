package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/storetest"
)

// asProgram makes the test binary behave as the program itself.
const asProgram = "TEST_AS_DIRECTORY"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
		os.Exit(databasetest.Main(m))
	case asFlipper:
		flipUntilKilled()
	default:
		main()
	}
}

// environ is that of a program with an SQLite file of its own, which reaches
// nothing outside of this machine.
func environ(t *testing.T, more ...string) []string {
	t.Helper()
	return append([]string{
		"DIRECTORY_DATABASE_URL=sqlite:" + filepath.Join(t.TempDir(), "var", "directory.db"),
		"DIRECTORY_ADDR=127.0.0.1:0", "DIRECTORY_ADMIN_ADDR=127.0.0.1:0", "DIRECTORY_SCAN_INTERVAL=0",
		"PROVIDER_SEARCH_BASE_URL=http://127.0.0.1:1", "PROVIDER_SOCIAL_BASE_URL=http://127.0.0.1:1", "PLACES_BASE_URL=http://127.0.0.1:1",
	}, more...)
}

// withFile makes the empty file of an embedded database, which most commands want to
// be there.
func withFile(t *testing.T, settings []string) []string {
	t.Helper()
	for _, setting := range settings {
		path, ok := strings.CutPrefix(setting, "DIRECTORY_DATABASE_URL=sqlite:")
		if !ok {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return settings
}

// command runs one command line without input and returns what it printed.
func command(t *testing.T, environ []string, args ...string) (stdout string, err error) {
	t.Helper()
	return commandReading(t, "", environ, args...)
}

func commandReading(t *testing.T, stdin string, environ []string, args ...string) (stdout string, err error) {
	t.Helper()
	var out, problems bytes.Buffer
	p := newProgram(environ, strings.NewReader(stdin), &out, &problems)
	err = p.Run(t.Context(), args)
	if problems.Len() > 0 {
		t.Errorf("%v printed to the error stream: %s", args, &problems)
	}
	return out.String(), err
}

// require runs a command line that has to succeed.
func require(t *testing.T, environ []string, args ...string) (stdout string) {
	t.Helper()
	stdout, err := command(t, environ, args...)
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return stdout
}

// refused fails the test unless err is one line that says want, and nothing was
// printed.
func refused(t *testing.T, what any, stdout string, err error, want string) {
	t.Helper()
	text := fmt.Sprint(err)
	if err == nil || !strings.Contains(text, want) || strings.Contains(text, "\n") || stdout != "" {
		t.Errorf("%v: printed %q, error %q; want %q", what, stdout, text, want)
	}
}

// onEach runs test with the settings of an empty SQLite file, and of an empty
// PostgreSQL database.
func onEach(t *testing.T, test func(t *testing.T, settings []string)) {
	t.Helper()
	storetest.EachBare(t, func(t *testing.T, db storetest.Database) {
		test(t, settingsOf(t, db))
	})
}

// settingsOf are those of a database with keys.
func settingsOf(t *testing.T, db storetest.Database, more ...string) []string {
	t.Helper()
	more = append(more, "DIRECTORY_DATABASE_URL="+db.URL, "DIRECTORY_SESSION_KEYS="+goodKey, "DIRECTORY_ENCRYPTION_KEYS="+databasetest.Keys)
	return withFile(t, environ(t, more...))
}

// inStore works on the database of the settings past the command line.
func inStore(t *testing.T, settings []string, work func(context.Context, *storetest.Store) error) {
	t.Helper()
	_, s, err := openDatabase(t.Context(), settings, cli.Create)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err = s.Migrate(t.Context()); err == nil {
		err = work(t.Context(), storetest.New(s))
	}
	if err != nil {
		t.Fatal(err)
	}
}
