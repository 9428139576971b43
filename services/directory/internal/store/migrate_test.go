package store_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/directory/internal/webhook"
)

func applied(t *testing.T, s *store.Store) (n, all int) {
	t.Helper()
	migrations := must(s.MigrationStatus(t.Context()))(t)
	for i, m := range migrations {
		if m.Version != int64(i+1) || m.Name == "" {
			t.Errorf("migration %d: %+v", i, m)
		}
		if !m.AppliedAt.IsZero() {
			n++
		}
	}
	return n, len(migrations)
}

func TestMigrateDownAndUpWithData(t *testing.T) {
	onEachBareDatabase(t, func(t *testing.T, db storetest.Database) {
		db.Store = storetest.Open(t, db.URL)
		if n, all := applied(t, db.Store); n != 0 || all == 0 {
			t.Fatalf("%d of %d applied to an empty database", n, all)
		}
		ok(t, db.Store.Migrate(t.Context()))
		fill(t, db.Store)
		n, all := applied(t, db.Store)
		if n != all {
			t.Fatalf("%d of %d applied", n, all)
		}
		ok(t, db.Store.Migrate(t.Context()))
		for left := all - 1; left >= -1; left-- { // once more than there are
			ok(t, db.Store.MigrateDown(t.Context()))
			if n, _ := applied(t, db.Store); n != max(left, 0) {
				t.Fatalf("%d applied, want %d", n, left)
			}
		}
		if tables := readSchema(t, db); len(tables) != 0 {
			t.Errorf("left over: %v", tables)
		}
		ok(t, db.Store.Migrate(t.Context()))
		fill(t, db.Store)
	})
}

// migrateOften is a program: on a sign it opens, migrates and closes again and again.
func migrateOften(ctx context.Context, url, _ string) error {
	fmt.Println("ready")
	listen()
	for range 5 {
		s, err := openStore(ctx, url)
		if err != nil {
			return err
		}
		if err := errors.Join(s.Migrate(ctx), s.Close()); err != nil {
			return err
		}
	}
	return nil
}

func TestProcessesMigrateAtOnce(t *testing.T) {
	onEachBareDatabase(t, func(t *testing.T, db storetest.Database) {
		var processes []*process
		for range 4 {
			processes = append(processes, start(t, "migrate", db.URL, ""))
		}
		for _, p := range processes {
			p.expect(t, "ready")
		}
		for _, p := range processes {
			ok(t, p.input.Close())
		}
		for _, p := range processes {
			must(p.rest())(t)
		}
		if n, all := applied(t, storetest.Open(t, db.URL)); n != all {
			t.Errorf("%d of %d applied", n, all)
		}
	})
}

// Secrets of fill; none of them may be found in a database.
var secrets = []string{"plain-access", "plain-refresh", "plain-user", "plain-page", "plain-session", "plain-webhook", "plain-old-webhook", sessionID, limited}

const (
	sessionID = "plain-session-id"
	limited   = "plain-address" // who uses a limit
)

// marker is what fill writes beside them in the clear.
const marker = "plain-account-name"

// fill puts a row into every table.
func fill(t *testing.T, s *store.Store) connection.Connection {
	t.Helper()
	ctx := t.Context()
	u := storetest.AddUser(t, s, "filled")
	c := connection.Connection{
		CompanyID: *u.CompanyID, UserID: u.ID, Pair: pages, AccessToken: secrets[0], RefreshToken: secrets[1],
		UserAccessToken: secrets[2], AccountName: marker,
	}
	ok(t, s.SaveConnection(ctx, &c, nil, storetest.Entry(c, "connect")))
	config := social.Config{Platform: social.Platform, CompanyID: c.CompanyID, AccessToken: secrets[3], UpdatedBy: u.ID}
	must(s.SelectPage(ctx, c.CompanyID, c.Pair, func(*connection.Connection) error { return nil }, storetest.Entry(c, "select_page"), func(tx *gorm.DB) error {
		return social.SaveConfig(tx, s.DB, config)
	}))(t)
	ok(t, s.Sessions().Insert(ctx, account.Session{IDHash: hash(sessionID), UserID: &u.ID, Values: []byte(secrets[4])}))
	ok(t, history.Save(ctx, s.DB, storetest.Reading(c.CompanyID, databasetest.Time)))
	hook := webhook.Webhook{CompanyID: &c.CompanyID, URL: "https://hook.example"}
	hook.Secret = s.Seal(secrets[5], database.PlaceOf("webhooks", "secret", hook.CompanyID, hook.URL))
	hook.OldSecret = s.Seal(secrets[6], database.PlaceOf("webhooks", "old_secret", hook.CompanyID, hook.URL))
	ok(t, s.Write(ctx).Create(&hook).Error)
	ok(t, audits(s).SaveProfile(ctx, c.CompanyID, &audit.Profile{}))
	ok(t, audits(s).Save(ctx, &audit.Audit{CompanyID: c.CompanyID, Category: "poor", TriggeredBy: &u.ID}))
	ok(t, limit.New(s.DB).Take(ctx, databasetest.Time, audit.CodeLimit, limit.Limit{Kind: "audit", Subject: limited, Max: 1}))
	return c
}
