package database_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gorm.io/gorm"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
)

// TestPurgeRemovesCopies checks that neither the SQLite file nor its log holds deleted bytes
// after a purge. That takes VACUUM, which writers wait for: secure_delete overwrites the
// deleted rows, and not the copies that earlier changes of the tree have left in its pages.
func TestPurgeRemovesCopies(t *testing.T) {
	db := databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}
	db.DB = databasetest.Open(t, db.URL)
	r := rand.New(rand.NewPCG(1, 1)) // #nosec G404 -- the same tree each time
	ok(t, db.DB.Transaction(t.Context(), func(tx *gorm.DB) error {
		execute := func(statement string, values ...any) { ok(t, tx.Exec(statement, values...).Error) }
		execute("CREATE TABLE t (id INTEGER PRIMARY KEY, company TEXT, name TEXT, data TEXT)")
		execute("CREATE INDEX i ON t (name)")
		for range 3000 {
			company := fmt.Sprint("company-", r.IntN(9))
			execute("INSERT INTO t (company, name, data) VALUES (?, ?, ?)", company, fmt.Sprint(company, r.Int()),
				company+strings.Repeat("x", r.IntN(300)))
			execute("UPDATE t SET data = data || ? WHERE id = ?", strings.Repeat("y", r.IntN(200)), r.IntN(3000))
		}
		return nil
	}))
	db.Exec(t, "DELETE FROM t WHERE company = 'company-1'")
	db.Exec(t, "PRAGMA wal_checkpoint(TRUNCATE)")
	path := strings.TrimPrefix(db.URL, "sqlite:")
	left := func() int {
		file, log := must(os.ReadFile(path))(t), must(os.ReadFile(path+"-wal"))(t)
		return bytes.Count(append(file, log...), []byte("company-1"))
	}
	if n := left(); n == 0 {
		t.Error("secure_delete is enough: VACUUM is not needed any more")
	}
	ok(t, db.DB.Purge(t.Context()))
	if n := left(); n > 0 {
		t.Errorf("the bytes are in the files %d times", n)
	}
}

// TestBackupUnderWrites checks that a backup has all that was written before a moment and
// nothing of what came later, that it opens, and that its secrets can be read.
func TestBackupUnderWrites(t *testing.T) {
	t.Parallel()
	db := databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}
	db.DB = databasetest.Open(t, db.URL)
	db.Fill(t)
	path := filepath.Join(t.TempDir(), "backup.db")
	written := make(chan int)
	go func() {
		defer close(written)
		for i := range 200 {
			row := map[string]any{"kind": "k", "subject": strconv.Itoa(i), "used_at": databasetest.Time}
			if err := db.DB.Write(t.Context()).Table("limit_entries").Create(row).Error; err != nil {
				t.Error(err)
			}
			written <- i
		}
	}()
	for range 20 {
		<-written
	}
	done := make(chan error)
	go func() { done <- db.DB.Backup(t.Context(), path) }()
	for range written {
	}
	ok(t, <-done)
	if info := must(os.Stat(path))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has mode %v, want 0600", info.Mode())
	}
	backup := databasetest.Database{Name: "sqlite", URL: "sqlite:" + path}
	ids := backup.Query(t, "SELECT id FROM limit_entries ORDER BY id")
	n := len(ids)
	if n < 21 || n > 201 { // one row of Fill; 20 were written before the backup, and 180 in its course
		t.Errorf("%d rows, want 21 to 201", n)
	}
	if last := ids[n-1]; last != strconv.Itoa(n) {
		t.Errorf("the last of %d rows has the id %s: others are missing", n, last)
	}
	ok(t, databasetest.Open(t, backup.URL).CheckSecrets(t.Context()))
	requireEqual(t, "integrity", []string{"ok"}, backup.Query(t, "PRAGMA integrity_check"))
}

// TestBackupRefused on PostgreSQL, for a file that is there, and where none can be made. It leaves no file.
func TestBackupRefused(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		path := filepath.Join(t.TempDir(), "there")
		ok(t, os.WriteFile(path, []byte("mine"), 0o600))
		err := db.DB.Backup(t.Context(), path)
		if err == nil {
			t.Error("a backup to a file that is there: no error")
		}
		if db.Name == "postgres" {
			requireError(t, "a backup of PostgreSQL", err, database.ErrNoBackup)
		}
		if content := must(os.ReadFile(path))(t); string(content) != "mine" {
			t.Errorf("the file that was there holds %q, want its own content", content)
		}
		if err := db.DB.Backup(t.Context(), filepath.Join(path, "under-a-file")); err == nil {
			t.Error("a backup to a folder that is a file: no error")
		}
		requireEqual(t, "files", []string{path}, must(filepath.Glob(path+"*"))(t))
	})
}

// requireSecrets checks that db can decrypt what raw reads.
func requireSecrets(t *testing.T, db *database.DB, raw databasetest.Database, secrets []databasetest.Secret) {
	t.Helper()
	ok(t, db.CheckSecrets(t.Context()))
	for _, secret := range secrets {
		sealed := raw.Query(t, secret.Query)
		if len(sealed) != 1 {
			t.Fatalf("%s returns %q, want one row", secret.Query, sealed)
		}
		if text := must(db.Unseal(sealed[0], secret.Place))(t); text != secret.Text {
			t.Errorf("the secret of %s is %q, want %q", secret.Place, text, secret.Text)
		}
	}
}

// TestRotateSecrets: afterwards the new key alone reads every secret, and a second run changes nothing.
func TestRotateSecrets(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		secrets := db.Fill(t)
		if len(secrets) != 8 {
			t.Fatalf("Fill added %d secrets, want 8", len(secrets))
		}
		addSession := func(id byte, text string) {
			key := bytes.Repeat([]byte{id}, 32)
			db.Exec(t, "INSERT INTO sessions (oauth_state, id_hash, created_at, last_seen_at) VALUES (?, ?, ?, ?)",
				db.DB.Seal(text, database.PlaceOf("sessions", "oauth_state", key)), key, databasetest.Time,
				databasetest.Time)
		}
		for i := range byte(102) { // more than a page
			addSession(128+i, "v")
		}
		addSession(0, "")
		sessions := strings.Join(db.Dump(t)["sessions"], "\n")
		requireSecrets(t, db.DB, db, secrets[:3])
		fresh := database.GenerateKey()
		both := openWith(t, db.URL, fresh+","+databasetest.Keys)
		result := must(both.RotateSecrets(t.Context()))(t)
		requireEqual(t, "result", database.Rotation{Rows: 108}, result) // 103 sessions and 5 rows of Fill
		const oldKey = "test:"                                          // begins what it has sealed
		if !strings.Contains(sessions, oldKey) {
			t.Error("no session had a secret of the old key")
		}
		dump := fmt.Sprint(db.Dump(t))
		if strings.Contains(dump, oldKey) {
			t.Error("a secret of the old key is left")
		}
		secrets[3].Query += " WHERE user_id = 1" // the session of Fill
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
				db.Exec(t, "UPDATE oauth_tokens SET access_token = ? WHERE id = ?",
					db.DB.Seal("changed", changed[i].Place), i+1)
			}
		})
		ok(t, databasetest.Observe(rotating, func(string) { changeAll() }))
		must(rotating.RotateSecrets(t.Context()))(t)
		requireSecrets(t, openWith(t, db.URL, fresh), db, changed)
	})
}

// TestRotateSecretsPassesUnreadable checks that what no key opens is named and left, in each
// table and next to secrets of its own row that can be read.
func TestRotateSecretsPassesUnreadable(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		secrets := db.Fill(t)
		lost := openWith(t, db.URL, database.GenerateKey()).Seal("lost", secrets[0].Place)
		for _, column := range []string{"oauth_tokens SET refresh_token", "social_media_configs SET access_token",
			"webhooks SET old_secret", "revocations SET secret", "sessions SET oauth_state"} {
			db.Exec(t, "UPDATE "+column+" = ?", lost)
		}
		db.AddConnection(t, "b")
		db.Exec(t, "UPDATE oauth_tokens SET metadata_json = '[]' WHERE company_id = 2")
		fresh := database.GenerateKey()
		r := must(openWith(t, db.URL, fresh+","+databasetest.Keys).RotateSecrets(t.Context()))(t)
		want := []string{
			"oauth_tokens company_id=1 provider=provider_social service=social_pages",
			"oauth_tokens company_id=2 provider=provider_social service=social_pages",
			"social_media_configs company_id=1 platform=social_pages",
			"webhooks company_id=1 id=1", "revocations id=revocation", "sessions",
		}
		requireEqual(t, "unreadable", fmt.Sprintf("%q", r.Unreadable), fmt.Sprintf("%q", want))
		renewed := openWith(t, db.URL, fresh)
		for _, other := range secrets[:2] { // of the connection
			requireEqual(t, other.Query, other.Text, must(renewed.Unseal(db.Query(t, other.Query)[0], other.Place))(t))
		}
	})
}

// TestNoSecretIsInTheClear checks the rows and the files of a database to which every feature with a secret has
// written.
func TestNoSecretIsInTheClear(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		a := apptest.New(t, apptest.On(db.URL))
		anna := a.Browser(a.Anna)
		anna.Connect(provider.ProfilePair, "anna")
		anna.Connect(provider.PagesPair, "anna")
		page := apptest.Body{"company_id": a.Company.ID, "page_id": "105600000010001"}
		anna.Post("/api/oauth/provider_social/select-page", page).Want(200)
		by := apptest.Actor(a.Anna).By()
		hook := must(a.Webhooks.Add(t.Context(), by, &a.Company.ID, "https://hook.example"))(t)
		hook = must(a.Webhooks.Rotate(t.Context(), by, hook.ID))(t)
		anna.Authorize(provider.AnalyticsPair) // whose state is in the session

		content := fmt.Append(nil, db.Dump(t))
		if path, isFile := strings.CutPrefix(db.URL, "sqlite:"); isFile {
			for _, name := range []string{path, path + "-wal"} {
				content = append(content, must(os.ReadFile(name))(t)...)
			}
		}
		if !bytes.Contains(content, []byte("Piekarnia Kowalski")) {
			t.Fatal("the search would find nothing")
		}
		secrets := []string{hook.Secret, hook.OldSecret, apptest.Password, apptest.ClientSecret}
		for _, site := range []*fake.Fake{a.Google.Fake, a.Meta.Fake} {
			issued, _ := site.Secrets()
			for _, secret := range issued {
				secrets = append(secrets, secret.Value)
			}
		}
		for _, secret := range secrets {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s is in the database", secret)
			}
		}
	})
}

// filledFile returns an SQLite database that is not open, with rows in every table and gaps
// in the numbers.
func filledFile(t *testing.T) databasetest.Database {
	t.Helper()
	file := databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}
	file.DB = must(databasetest.Connect(t.Context(), file.URL))(t)
	file.Fill(t)
	for i := range 7 {
		file.AddConnection(t, fmt.Sprintf("more-%d", i))
	}
	file.Exec(t, "DELETE FROM companies WHERE id = ?", file.AddCompany(t, "last"))
	ok(t, file.DB.Close())
	return file
}

// move opens from, moves it in batches and closes it.
func move(ctx context.Context, t *testing.T, from, to databasetest.Database, batch int,
	progress func(database.MoveProgress)) error {
	t.Helper()
	db := must(databasetest.Connect(t.Context(), from.URL))(t)
	defer func() { ok(t, db.Close()) }()
	return database.MoveInBatches(ctx, db, to.DB, batch, progress)
}

// nothing is for moves whose progress is not looked at.
func nothing(database.MoveProgress) {}

// requireMoved checks that the target has the rows of the source.
func requireMoved(t *testing.T, from, to databasetest.Database) {
	t.Helper()
	dump := to.Dump(t)
	requireEqual(t, "rows", from.Dump(t), dump)
	requireEqual(t, "tables", 25, len(dump))
	requireEqual(t, "rows of oauth_tokens", 8, len(dump["oauth_tokens"]))
	requireEqual(t, "rows of data_deletions", 1, len(dump["data_deletions"]))
	ok(t, to.DB.CheckSecrets(t.Context()))
	if id := to.AddCompany(t, "next"); id != 10 { // 9 was deleted
		t.Errorf("the next company has the number %d, want 10", id)
	}
}

func TestMove(t *testing.T) {
	onPostgres(t, func(t *testing.T, to databasetest.Database) {
		file := filledFile(t)
		from := must(databasetest.Connect(t.Context(), file.URL))(t)
		var seen []string // the progress of some tables
		ok(t, database.MoveInBatches(t.Context(), from, to.DB, 4, func(p database.MoveProgress) {
			if p.Table == "companies" || p.Table == "sessions" || p.Table == "oauth_tokens" {
				seen = append(seen, fmt.Sprint(p))
			}
		}))
		slices.Sort(seen)
		want := []string{
			"{companies 4 8}", "{companies 8 8}", "{oauth_tokens 4 8}", "{oauth_tokens 8 8}", "{sessions 1 1}",
		}
		requireEqual(t, "progress", want, seen)
		ok(t, database.Move(t.Context(), from, to.DB, nothing)) // again: there is nothing left to do
		ok(t, from.Close())
		requireMoved(t, file, to)
	})
}

// TestMoveInterruptedAnywhere interrupts a move after each batch.
func TestMoveInterruptedAnywhere(t *testing.T) {
	onPostgres(t, func(t *testing.T, to databasetest.Database) {
		file, seen := filledFile(t), map[database.MoveProgress]bool{}
		for err := context.Canceled; err != nil; {
			ctx, cancel := context.WithCancel(t.Context())
			err = move(ctx, t, file, to, 3, func(p database.MoveProgress) {
				if seen[p] {
					t.Errorf("%+v is copied again", p)
				}
				seen[p] = true
				cancel()
			})
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			if len(seen) > 100 {
				t.Fatalf("the move has not ended after %d batches", len(seen))
			}
		}
		if len(seen) < 19 {
			t.Errorf("the move was interrupted %d times, want at least 19", len(seen))
		}
		requireMoved(t, file, to)
	})
}

// TestMoveRefused between other kinds of databases, while the source is in use, and to one with rows.
func TestMoveRefused(t *testing.T) {
	onPostgres(t, func(t *testing.T, to databasetest.Database) {
		file := filledFile(t)
		from := must(databasetest.Connect(t.Context(), file.URL))(t)
		defer func() { ok(t, from.Close()) }()
		for _, kinds := range [][2]*database.DB{{from, from}, {to.DB, to.DB}, {to.DB, from}} {
			err := database.Move(t.Context(), kinds[0], kinds[1], nothing)
			requireError(t, "between other kinds", err, database.ErrMoveKinds)
		}
		service := must(databasetest.Connect(t.Context(), file.URL))(t)
		err := database.Move(t.Context(), from, to.DB, nothing)
		requireError(t, "while the service runs", err, database.ErrInUse)
		ok(t, service.Close())
		to.AddCompany(t, "there")
		err = database.Move(t.Context(), from, to.DB, nothing)
		requireError(t, "to a database with rows", err, database.ErrMoveDiffers)
		_, err = databasetest.Connect(t.Context(), file.URL) // from still has the file for itself
		if err == nil || !strings.Contains(err.Error(), "being moved") {
			t.Errorf("the start of the service during a move: error %v, want one about the move", err)
		}
	})
}

// TestMoveDetectsChanges checks that a change between two tries is not lost in silence.
func TestMoveDetectsChanges(t *testing.T) {
	onPostgres(t, func(t *testing.T, to databasetest.Database) {
		file := filledFile(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := move(ctx, t, file, to, 100, func(p database.MoveProgress) {
			if p.Table == "oauth_tokens" {
				cancel()
			}
		})
		if err == nil {
			t.Fatal("the first move was not interrupted")
		}
		err = move(t.Context(), t, filledFile(t), to, 500, nothing)
		requireError(t, "a move of another database", err, database.ErrMoveDiffers)
		file.DB = must(databasetest.Connect(t.Context(), file.URL))(t)
		file.Exec(t, "UPDATE oauth_tokens SET access_token = 'renewed meanwhile' WHERE id = 1")
		ok(t, file.DB.Close())
		err = move(t.Context(), t, file, to, 500, nothing)
		requireError(t, "after a change of the source", err, database.ErrMoveDiffers)
	})
}
