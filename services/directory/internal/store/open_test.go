package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

func TestOpenRefuses(t *testing.T) {
	keys := must(database.ParseKeys(databasetest.Keys))(t)
	file := filepath.Join(t.TempDir(), "file")
	ok(t, os.WriteFile(file, []byte("this is not a database, but it is long enough to look like one "+strings.Repeat("x", 4096)), 0o600))
	urls := []string{
		"", "hunter2", "mysql://u:hunter2@127.0.0.1/d", "host=127.0.0.1 password=hunter2", "hunter2:hunter2",
		"sqlite:", "sqlite::memory:", "sqlite:" + file, "sqlite:" + filepath.Join(file, "below", "a.db"),
		"postgres://u:hunter2@127.0.0.1:1/d?connect_timeout=1", "postgresql://u:hunter2@127.0.0.1:1/d",
		"postgres://u:hunter2@127.0.0.1:port/d", "postgres://u:hun/ter2@127.0.0.1/d", "postgres://u:1/hunter2@127.0.0.1/d",
		"postgres://u:hunter2#@127.0.0.1/d", "postgres://u:1#hunter2@127.0.0.1/d", "postgres://u:hunter2%zz@127.0.0.1/d",
		"postgres://u:hunter2@127.0.0.1:1/d?sslmode=nonsense", "postgres://127.0.0.1:1/d?user=u&password=hunter2&sslmode=nonsense",
		"postgres://127.0.0.1:1/d?user=u&Password=hunter2&sslmode=nonsense", // the driver quotes it
		"postgres://127.0.0.1:1/d?user=u&password=hunter2", "postgres://u:hunter2@127.0.0.1:1/d?connect_timeout=hour",
	}
	for _, url := range urls {
		s, err := store.Open(t.Context(), url, keys)
		if err == nil {
			t.Errorf("%s opens: %v", url, s.Close())
			continue
		}
		if text := err.Error(); strings.Contains(text, "hunter2") || strings.Contains(text, "ter2") || !strings.HasPrefix(text, "database: ") {
			t.Errorf("%s: %s", url, text)
		}
	}
	if _, err := store.Open(t.Context(), "sqlite:"+file+"2", nil); err == nil {
		t.Error("opens without keys")
	}
}

func TestOpenSQLiteAnywhere(t *testing.T) {
	keys := must(database.ParseKeys(databasetest.Keys))(t)
	t.Chdir(t.TempDir())
	for _, path := range []string{"var/directory.db", "var/a b?c=d&e%20f#g.db", "//var/slashes.db", "//" + filepath.Join(t.TempDir(), "ą", "absolute.db")} {
		s := must(store.Open(t.Context(), "sqlite:"+path, keys))(t)
		ok(t, s.Migrate(t.Context()))
		ok(t, s.Close())
		info := must(os.Stat(strings.TrimPrefix(path, "//")))(t)
		if info.Size() == 0 || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %d bytes, mode %v", path, info.Size(), info.Mode())
		}
	}
}

func TestContextThatEnded(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s := db.Store
		c := storetest.AddConnection(t, s, "a", pages)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, readErr := s.Company(ctx, c.CompanyID)
		_, lockErr := s.LockConnection(ctx, c.CompanyID, c.Pair, nil)
		_, exclusiveErr := s.Exclusively(ctx, "scan", nil)
		for call, err := range map[string]error{
			"Ping": s.Ping(ctx), "Company": readErr, "SetPlaceID": s.SetPlaceID(ctx, c.CompanyID, "p"), "LockConnection": lockErr,
			"SaveConnection": s.SaveConnection(ctx, &c, nil, storetest.Entry(c, "connect")), "Exclusively": exclusiveErr, "Migrate": s.Migrate(ctx),
		} {
			if !errors.Is(err, context.Canceled) || fault.From(err).Kind != fault.Internal {
				t.Errorf("%s: %v", call, err)
			}
		}
		ok(t, s.Ping(t.Context()))
	})
}

func TestTextThatCannotBeKept(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		c := storetest.AddConnection(t, s, "a", pages)
		for _, text := range []string{"nul \x00", "not \xc5 UTF-8"} {
			withText := c
			withText.AccountName = text
			_, lockErr := s.LockConnection(ctx, c.CompanyID, c.Pair, func(_ context.Context, c *connection.Connection) (*trail.Entry, error) {
				c.AccountName = text
				return nil, nil
			})
			for call, err := range map[string]error{
				"CreateCompany":  s.Companies().Create(ctx, &company.Company{Slug: text}),
				"CreateUser":     s.Users().Create(ctx, &account.User{Email: "e", Name: text, Role: account.Member}),
				"SetPlaceID":     s.SetPlaceID(ctx, c.CompanyID, text),
				"SaveConnection": s.SaveConnection(ctx, &withText, nil, storetest.Entry(c, "connect")),
				"LockConnection": lockErr,
				"SaveProfile":    audits(s).SaveProfile(ctx, c.CompanyID, &audit.Profile{Business: google.Business{PlaceID: text}}),
				"SaveAudit":      audits(s).Save(ctx, &audit.Audit{CompanyID: c.CompanyID, Category: "poor", PlaceID: text}),
				"Record":         s.Record(ctx, trail.Entry{CompanyID: c.CompanyID, Detail: text}),
			} {
				if f := fault.From(err); err == nil || f.Kind != fault.Invalid || f.Code != "invalid_text" {
					t.Errorf("%s of %q: %v", call, text, err)
				}
			}
			wantFault(t, errorOf(s.CompanyBySlug(ctx, text)), fault.NotFound, "company_not_found")
			wantFault(t, errorOf(s.UserByEmail(ctx, text)), fault.NotFound, "no_user")
		}
	})
}

func TestReadersOfSQLiteDoNotWrite(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		if err := db.Store.Read(t.Context()).Exec("DELETE FROM sessions").Error; (err == nil) != (db.Name == "postgres") {
			t.Errorf("error %v", err)
		}
	})
}

// TestPostgresLimits: a replica that is gone does not keep its row lock.
func TestPostgresLimits(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		if db.Name != "postgres" {
			t.Skip("has no pool")
		}
		var idle string
		ok(t, db.Store.Read(t.Context()).Raw("SHOW idle_in_transaction_session_timeout").Row().Scan(&idle))
		if conns := must(db.Store.Read(t.Context()).DB())(t).Stats().MaxOpenConnections; conns != 20 || idle != "2min" {
			t.Errorf("%d connections, idle for %s", conns, idle)
		}
	})
}
