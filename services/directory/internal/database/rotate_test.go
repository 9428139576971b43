package database_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
)

// requireSecrets checks that db can decrypt what raw reads.
func requireSecrets(t *testing.T, db *database.DB, raw databasetest.Database, secrets []databasetest.Secret) {
	t.Helper()
	ok(t, db.CheckSecrets(t.Context()))
	for _, secret := range secrets {
		sealed := raw.Query(t, secret.Query)
		if len(sealed) != 1 {
			t.Fatalf("%s: %q", secret.Query, sealed)
		}
		if text := must(db.Unseal(sealed[0], secret.Place))(t); text != secret.Text {
			t.Errorf("%q: %q, want %q", secret.Place, text, secret.Text)
		}
	}
}

func TestRotateSecrets(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		secrets := db.Fill(t)
		if len(secrets) != 7 {
			t.Fatalf("%d secrets", len(secrets))
		}
		addSession := func(id byte, text string) {
			key := bytes.Repeat([]byte{id}, 32)
			db.Exec(t, "INSERT INTO sessions (version, id_hash, data, created_at, last_seen_at) VALUES (0, ?, ?, ?, ?)",
				key, db.DB.Seal(text, database.PlaceOf("sessions", "data", key)), databasetest.Time, databasetest.Time)
		}
		for i := range byte(102) { // more than a page
			addSession(128+i, "v")
		}
		addSession(0, "")
		sessions := strings.Join(db.Dump(t)["sessions"], "\n")
		requireSecrets(t, db.DB, db, secrets[:3])
		fresh := database.GenerateKey()
		both := openWith(t, db.URL, fresh+","+databasetest.Keys)
		if rows := must(both.RotateSecrets(t.Context()))(t); rows != 107 {
			t.Errorf("checked %d rows, want 107", rows)
		}
		dump := fmt.Sprint(db.Dump(t))
		if strings.Contains(dump, "test:") || !strings.Contains(sessions, "test:") {
			t.Error("a secret of the old key is left")
		}
		secrets[3].Query += " WHERE user_id = 1"
		requireSecrets(t, openWith(t, db.URL, fresh), db, secrets)
		if err := db.DB.CheckSecrets(t.Context()); err == nil {
			t.Error("the old key alone decrypts the secrets")
		}
		must(both.RotateSecrets(t.Context()))(t)
		requireEqual(t, "after a second run", dump, fmt.Sprint(db.Dump(t)))
	})
}

// TestRotateSecretsKeepsChanges changes all connections after they have been read and
// before they are written, in a replica that has only the old key.
func TestRotateSecretsKeepsChanges(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		var changed []databasetest.Secret
		for _, slug := range []string{"a", "b", "c"} {
			_, secrets := db.AddConnection(t, slug)
			changed = append(changed, secrets[1])
		}
		fresh := database.GenerateKey()
		rotating := openWith(t, db.URL, fresh+","+databasetest.Keys)
		changeAll := sync.OnceFunc(func() {
			for i := range changed {
				changed[i].Text = "changed"
				db.Exec(t, "UPDATE oauth_tokens SET access_token = ? WHERE id = ?", db.DB.Seal("changed", changed[i].Place), i+1)
			}
		})
		ok(t, databasetest.Observe(rotating, func(string) { changeAll() }))
		must(rotating.RotateSecrets(t.Context()))(t)
		requireSecrets(t, openWith(t, db.URL, fresh), db, changed)
	})
}
