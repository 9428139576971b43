package main

import (
	"strings"
	"testing"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/storetest"
)

// TestMoveCommand: a seeded directory goes on in PostgreSQL with the same keys.
func TestMoveCommand(t *testing.T) {
	storetest.EachBare(t, func(t *testing.T, db storetest.Database) {
		if db.Name != "postgres" {
			return
		}
		keys := []string{"DIRECTORY_SESSION_KEYS=" + goodKey, "DIRECTORY_ENCRYPTION_KEYS=" + databasetest.Keys}
		settings := environ(t, keys...)
		require(t, settings, "seed")
		users, companies := require(t, settings, "user", "list"), require(t, settings, "company", "list")
		out := require(t, settings, "move", "--to", db.URL)
		if !strings.HasPrefix(out, "TABLE") || !strings.Contains(out, "\nusers") || !strings.Contains(out, "Set DIRECTORY_DATABASE_URL") {
			t.Errorf("printed %s", out)
		}
		moved := environ(t, append(keys, "DIRECTORY_DATABASE_URL="+db.URL)...)
		if got := require(t, moved, "user", "list"); got != users {
			t.Errorf("users\n%swant\n%s", got, users)
		}
		if got := require(t, moved, "company", "list"); got != companies {
			t.Errorf("companies\n%swant\n%s", got, companies)
		}
		for what, test := range map[string]struct {
			settings []string
			to, want string
		}{
			"again":           {settings, db.URL, "the target is not empty"},
			"from PostgreSQL": {moved, db.URL, "from an SQLite file to PostgreSQL"},
			"to a file":       {settings, "sqlite:" + t.TempDir() + "/x.db", "from an SQLite file to PostgreSQL"},
		} {
			out, err := command(t, test.settings, "move", "--to", test.to)
			refused(t, what, out, err, test.want)
		}
	})
}
