package database_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/internal/kit/fault"
)

func TestOpenRefuses(t *testing.T) {
	keys := must(database.ParseKeys(databasetest.Keys))(t)
	file := filepath.Join(t.TempDir(), "file")
	ok(
		t,
		os.WriteFile(
			file, []byte("this is not a database, but it is long enough to look like one "+strings.Repeat("x", 4096)),
			0o600,
		),
	)
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
		s, err := database.Open(t.Context(), url, keys)
		if err == nil {
			t.Errorf("%s opens: %v", url, s.Close())
			continue
		}
		if text := err.Error(); strings.Contains(text, "hunter2") || strings.Contains(text, "ter2") ||
			!strings.HasPrefix(text, "database: ") {
			t.Errorf("%s: %s", url, text)
		}
	}
	if _, err := database.Open(t.Context(), "sqlite:"+file+"2", nil); err == nil {
		t.Error("opens without keys")
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
			t.Errorf("%s: %d bytes, mode %v", path, info.Size(), info.Mode())
		}
	}
}

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
			if !errors.Is(err, context.Canceled) || fault.From(err).Kind != fault.Internal {
				t.Errorf("%s: %v", call, err)
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
				if !fault.Is(err, database.CodeInvalidText.Name) || fault.From(err).Kind != fault.Invalid ||
					strings.Contains(err.Error(), "database: ") {
					t.Errorf("%s of %q: %v", call, text, err)
				}
			}
			if err := db.DB.Read(t.Context()).Where("kind = ?", text).Take(&limitEntry{}).Error; !errors.Is(
				err, gorm.ErrRecordNotFound,
			) {
				t.Errorf("query of %q: %v", text, err)
			}
		}
	})
}

func TestReadersOfSQLiteDoNotWrite(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		if err := db.DB.Read(t.Context()).Exec("DELETE FROM sessions").Error; (err == nil) != (db.Name == "postgres") {
			t.Errorf("error %v", err)
		}
	})
}

func TestTimesAreUTC(t *testing.T) { // in any time zone of the machine
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		db.AddCompany(t, "piekarnia")
		var at time.Time
		ok(t, db.DB.Read(t.Context()).Table("companies").Raw("SELECT created_at FROM companies").Row().Scan(&at))
		if _, offset := at.Zone(); offset != 0 || db.Name == "postgres" && at.Location() == time.Local {
			t.Errorf("%s in %s", at, at.Location())
		}
	})
}
