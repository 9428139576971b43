package database_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/pace/pacetest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// onEachDatabase runs a test in parallel with others on each database.
func onEachDatabase(t *testing.T, test func(*testing.T, databasetest.Database)) {
	t.Helper()
	t.Parallel()
	databasetest.Each(t, test)
}

func onPostgres(t *testing.T, test func(t *testing.T, db databasetest.Database)) {
	t.Helper()
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		if db.Name != "postgres" {
			t.Skip("for PostgreSQL only")
		}
		test(t, db)
	})
}

// openWith opens a database with other keys until the test ends.
func openWith(t *testing.T, url, keys string) *database.DB {
	t.Helper()
	db := must(database.Open(t.Context(), url, must(database.ParseKeys(keys))(t)))(t)
	t.Cleanup(func() { ok(t, db.Close()) })
	return db
}

// must fails the test for an error, and returns the value otherwise.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func requireEqual(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got): %s", what, diff)
	}
}

// TestOpenRefuses what is no database. No error shows the password, which is hunter2.
func TestOpenRefuses(t *testing.T) {
	keys := must(database.ParseKeys(databasetest.Keys))(t)
	file := filepath.Join(t.TempDir(), "file")
	noDatabase := strings.Repeat("as long as a page of a database ", 200)
	ok(t, os.WriteFile(file, []byte(noDatabase), 0o600))
	urls := []string{
		"", "hunter2", "mysql://u:hunter2@127.0.0.1/d", "host=127.0.0.1 password=hunter2", "hunter2:hunter2",
		"sqlite:", "sqlite::memory:", "sqlite:" + file, "sqlite:" + filepath.Join(file, "below", "a.db"),
		"postgres://u:hunter2@127.0.0.1:1/d?connect_timeout=1", "postgresql://u:hunter2@127.0.0.1:1/d",
		"postgres://u:hunter2@127.0.0.1:port/d", "postgres://u:hun/ter2@127.0.0.1/d",
		"postgres://u:1/hunter2@127.0.0.1/d",
		"postgres://u:hunter2#@127.0.0.1/d", "postgres://u:1#hunter2@127.0.0.1/d",
		"postgres://u:hunter2%zz@127.0.0.1/d",
		"postgres://u:hunter2@127.0.0.1:1/d?sslmode=nonsense",
		"postgres://127.0.0.1:1/d?user=u&password=hunter2&sslmode=nonsense",
		"postgres://127.0.0.1:1/d?user=u&Password=hunter2&sslmode=nonsense", // the driver quotes it
		"postgres:user=u?password=x hunter2", "postgres://127.0.0.1:1/d?user=u&password=hunter2",
		"postgres://u:hunter2@127.0.0.1:1/d?connect_timeout=hour",
	}
	for _, url := range urls {
		db, err := database.Open(t.Context(), url, keys)
		if err == nil {
			t.Errorf("%s opens", url)
			ok(t, db.Close())
			continue
		}
		if strings.Contains(err.Error(), "ter2") { // the end of hunter2
			t.Errorf("%s: the error shows the password: %v", url, err)
		}
		if !strings.HasPrefix(err.Error(), "database: ") {
			t.Errorf("%s: error %v, want it to name the database", url, err)
		}
	}
	if _, err := database.Open(t.Context(), "sqlite:"+file+"2", nil); err == nil {
		t.Error("a database opens without keys")
	}
}

// requireError checks that an error is, or wraps, the wanted one.
func requireError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func TestOpenSQLiteAnywhere(t *testing.T) {
	keys := must(database.ParseKeys(databasetest.Keys))(t)
	t.Chdir(t.TempDir())
	for _, path := range []string{"var/directory.db", "var/a b?c=d&e%20f#g.db", "//var/slashes.db",
		"//" + filepath.Join(t.TempDir(), "ą", "absolute.db")} {
		s := must(database.Open(t.Context(), "sqlite:"+path, keys))(t)
		ok(t, s.Migrate(t.Context()))
		ok(t, s.Close())
		info := must(os.Stat(strings.TrimPrefix(path, "//")))(t)
		if info.Size() == 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %d bytes with mode %v, want some with 0600", path, info.Size(), info.Mode())
		}
	}
}

// TestCanceledContext ends every call with its error.
func TestCanceledContext(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		none := func(*gorm.DB) error { return nil }
		for call, err := range map[string]error{
			"Ping": db.DB.Ping(ctx), "Read": db.DB.Read(ctx).Table("companies").Find(new([]map[string]any)).Error,
			"Raw":         db.DB.Read(ctx).Table("companies").Raw("SELECT id FROM companies").Scan(new([]int)).Error,
			"Write":       db.DB.Write(ctx).Exec("DELETE FROM limit_entries").Error,
			"Transaction": db.DB.Transaction(ctx, none),
			"Snapshot":    db.DB.Snapshot(ctx, none), "Lock": use(db.DB.Lock(ctx, "name")),
			"LockSlowly": use(db.DB.LockSlowly(ctx, "name", "service")),
			"Migrate":    db.DB.Migrate(ctx),
		} {
			requireError(t, call, err, context.Canceled)
			if kind := fault.From(err).Kind; kind != fault.Internal {
				t.Errorf("%s: error of kind %v, want an internal one", call, kind)
			}
		}
		ok(t, db.DB.Ping(t.Context()))
	})
}

// limitEntry is a row of a table with a text that is stored as it is and one that is JSON.
type limitEntry struct {
	Kind    string
	Subject []string `gorm:"serializer:json"`
	UsedAt  time.Time
}

func (limitEntry) TableName() string { return "limit_entries" }

// TestTextThatCannotBeStored is refused by statements that write it. A query finds no row with it.
func TestTextThatCannotBeStored(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		write := func() *gorm.DB { return db.DB.Write(t.Context()) }
		ok(t, write().Create(&limitEntry{Kind: "k", Subject: []string{"nul \x00"}}).Error) // JSON escapes it
		kinds := db.DB.Read(t.Context()).Table("limit_entries").Select("kind")
		ok(t, db.DB.Read(t.Context()).Where("kind IN (?)", kinds).Take(&limitEntry{}).Error)
		for _, text := range []string{"nul \x00", "not \xc5 UTF-8"} {
			for call, err := range map[string]error{
				"create a row":      write().Create(&limitEntry{Kind: text}).Error,
				"create rows":       write().Create([]limitEntry{{Kind: "k"}, {Kind: text}}).Error,
				"create from a map": write().Table("limit_entries").Create(map[string]any{"kind": text}).Error,
				"update a row":      write().Where("kind = 'k'").Updates(&limitEntry{Kind: text}).Error,
				"update from a map": write().Table("limit_entries").Where("kind = 'k'").
					Updates(map[string]any{"kind": &text}).Error,
				"update one column": write().Table("limit_entries").Where("kind = 'k'").Update("kind", text).Error,
				"update in no hooks": write().Table("limit_entries").Where("kind = 'k'").
					UpdateColumns(map[string]any{"kind": text}).Error,
			} {
				if !fault.Is(err, database.CodeInvalidText) || fault.From(err).Kind != fault.Invalid {
					t.Errorf("%s of %q: error %v, want %s", call, text, err, database.CodeInvalidText)
					continue
				}
				if strings.Contains(err.Error(), "database: ") {
					t.Errorf("%s of %q: error %v, want none of the database", call, text, err)
				}
			}
			err := db.DB.Read(t.Context()).Where("kind = ?", text).Take(&limitEntry{}).Error
			requireError(t, "query of "+text, err, gorm.ErrRecordNotFound)
		}
	})
}

func TestReadersOfSQLiteDoNotWrite(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		err := db.DB.Read(t.Context()).Exec("DELETE FROM sessions").Error
		if succeeds := err == nil; succeeds != (db.Name == "postgres") { // whose handles are the same
			t.Errorf("a write with the handle for reading ends with error %v", err)
		}
	})
}

// TestTimesAreUTC in any time zone of the machine.
func TestTimesAreUTC(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		db.AddCompany(t, "piekarnia")
		var at time.Time
		ok(t, db.DB.Read(t.Context()).Table("companies").Raw("SELECT created_at FROM companies").Row().Scan(&at))
		if _, offset := at.Zone(); offset != 0 {
			t.Errorf("%s has the offset %d s, want UTC", at, offset)
		}
		if db.Name == "postgres" && at.Location() == time.Local { // with a machine in UTC the offset is 0, too
			t.Errorf("%s is in the zone of the machine, want UTC", at)
		}
	})
}

type spanKey struct{}

// TestTrace checks that each statement has a span of its own, which ends with the
// statement's error.
func TestTrace(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		db.AddCompany(t, "firma")
		traced := databasetest.Open(t, db.URL)
		var began, failed []string
		ended := 0
		ok(t, traced.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
			if ctx.Value(spanKey{}) != nil {
				t.Errorf("%s is within another span", name)
			}
			began = append(began, name)
			return context.WithValue(ctx, spanKey{}, name), func(err error) {
				ended++
				if err != nil {
					failed = append(failed, name)
				}
			}
		}))
		entries := traced.Write(t.Context()).Table("limit_entries")
		row := map[string]any{}
		id := 0
		ok(t, entries.Create(map[string]any{"kind": "k", "subject": "s", "used_at": databasetest.Time}).Error)
		ok(t, traced.Read(t.Context()).Table("limit_entries").Take(&row).Error)
		if err := traced.Read(t.Context()).Table("companies").Where("slug = 'inna'").Take(&row).Error; err == nil {
			t.Error("another company was found")
		}
		kind := traced.Read(t.Context()).Table("limit_entries").Select("kind") // part of the next statement
		ok(t, traced.Write(t.Context()).Table("limit_entries").Where("kind IN (?)", kind).Update("kind", "l").Error)
		ok(t, traced.Write(t.Context()).Table("limit_entries").Where("kind = 'l'").Delete(nil).Error)
		ok(t, traced.Read(t.Context()).Table("companies").Raw("SELECT id FROM companies").Row().Scan(&id))
		ok(t, traced.Ping(t.Context()))
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		requireError(t, "ping", traced.Ping(canceled), context.Canceled)
		want := []string{"create limit_entries", "query limit_entries", "query companies", "update limit_entries",
			"delete limit_entries", "row companies", "raw", "raw"}
		requireEqual(t, "spans that began", want, began)
		requireEqual(t, "number of spans that ended", len(want), ended)
		requireEqual(t, "spans that failed", []string{"raw"}, failed) // the last ping
	})
}

// TestOperationsReportTheirFailures checks that no operation of a database succeeds if one of its statements fails.
func TestOperationsReportTheirFailures(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, d databasetest.Database) {
		d.Fill(t)
		ctx := t.Context()
		older := databasetest.Open(t, d.URL)
		newer := openWith(t, d.URL, database.GenerateKey()+","+databasetest.Keys)
		ping := func(tx *gorm.DB) error { return tx.Exec("SELECT 1").Error }
		turns := func() error { return databasetest.ErrorOf(older.Clock().Next(ctx, "turns", time.Minute, 1)) }
		databasetest.FailEach(t, older, []databasetest.Call{
			{Name: "lock", Run: func() error { return use(older.Lock(ctx, "a")) }},
			{Name: "lock for long", Run: func() error { return use(older.LockSlowly(ctx, "a", "service")) }},
			{Name: "queue", Run: func() error {
				return older.Transaction(ctx, func(tx *gorm.DB) error {
					return errors.Join(older.Queue(tx, "a"), ping(tx))
				})
			}},
			{Name: "turns", Before: func() { _ = turns() }, Run: turns},
			{Name: "check of the secrets", Run: func() error { return older.CheckSecrets(ctx) }},
			{Name: "deletion in batches", Run: func() error {
				return databasetest.ErrorOf(older.DeleteInBatches(ctx, "purges", "id", "id > ?", 0))
			}},
			{Name: "purge", Run: func() error { return older.Purge(ctx) }},
			{Name: "check of the schema", Run: func() error { return older.CheckSchema(ctx) }},
		}...)
		databasetest.FailEach(t, newer, databasetest.Call{Name: "new key", Run: func() error {
			return databasetest.ErrorOf(newer.RotateSecrets(ctx))
		}})
	})
}

// TestSlowLocksShareThePool: while calls of many names wait for one external service, and the pool has
// hardly a connection more than they may take, everything else continues. A name whose call waits for
// its share can be locked by others.
func TestSlowLocksShareThePool(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		const names, share = 12, 4 // calls that hang, and how many of them have connections
		if db.Name == "postgres" {
			must(db.DB.Write(t.Context()).DB())(t).SetMaxOpenConns(share + 2)
		}
		hanging, end := context.WithTimeout(t.Context(), 20*time.Second)
		var slow sync.WaitGroup
		defer slow.Wait()
		defer end()
		reached := make(chan int, names)
		for i := range names {
			slow.Go(func() {
				lock, err := db.DB.LockSlowly(hanging, fmt.Sprint(i), "hanging")
				if err != nil {
					return
				}
				defer lock.Release()
				reached <- i
				<-hanging.Done()
			})
		}
		waiting := map[string]bool{}
		for i := range names {
			waiting[fmt.Sprint(i)] = true
		}
		for range share {
			delete(waiting, fmt.Sprint(<-reached))
		}
		ctx, cancel := context.WithTimeout(hanging, 5*time.Second)
		defer cancel()
		ok(t, db.DB.Ping(ctx))
		if db.Name == "postgres" { // in an SQLite file nothing waits for a share
			for name := range waiting {
				ok(t, use(db.DB.Lock(ctx, name)))
			}
			short, stop := context.WithTimeout(ctx, 10*time.Millisecond)
			defer stop()
			err := use(db.DB.LockSlowly(short, "late", "hanging"))
			requireError(t, "a call that waits for its share", err, context.DeadlineExceeded)
			if hanging.Err() != nil {
				t.Errorf("the test took so long that the hanging calls ended: %v", hanging.Err())
			}
			if more := len(reached); more > 0 {
				t.Errorf("%d calls have connections, want %d", share+more, share)
			}
		}
		ok(t, use(db.DB.LockSlowly(ctx, "other", "never called before")))
	})
}

// use writes with a lock and releases it. Its parameters are the results of Lock.
func use(lock *database.Lock, err error) error {
	if err != nil {
		return err
	}
	defer lock.Release()
	tx, err := lock.Begin()
	if err != nil {
		return err
	}
	return errors.Join(tx.Exec("SELECT 1").Error, lock.Commit())
}

// TestLockLastsOverAPooler: it belongs to a transaction, which a pooler leaves on its connection.
func TestLockLastsOverAPooler(t *testing.T) {
	onPostgres(t, func(t *testing.T, db databasetest.Database) {
		release := must(db.DB.Acquire(t.Context(), "migrate"))(t)
		states := db.Query(t, `SELECT a.state FROM pg_locks l JOIN pg_stat_activity a USING (pid)
			WHERE l.locktype = 'advisory' AND l.database =
				(SELECT oid FROM pg_database WHERE datname = current_database())`)
		requireEqual(t, "states of sessions with a lock", []string{"idle in transaction"}, states)
		release()
		if left := db.Query(t, "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND state LIKE "+
			"'idle in%'"); len(left) > 0 {
			t.Errorf("transactions that are still open: %q", left)
		}
	})
}

// agingClock lets tests move the stored times.
type agingClock struct {
	*database.Clock
	db databasetest.Database
	t  *testing.T
}

func (c agingClock) Age(key string, d time.Duration) {
	c.db.Exec(c.t, "UPDATE slots SET last_ms = last_ms - ?, given_ms = given_ms - ? WHERE name = ?", d.Milliseconds(),
		d.Milliseconds(), key)
}

func TestClock(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		pacetest.Run(t, func(t *testing.T) pacetest.Clock {
			db.Exec(t, "DELETE FROM slots")
			return agingClock{db.DB.Clock(), db, t}
		})
	})
}
