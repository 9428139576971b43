package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/directory/internal/trail"
)

// filledFile is the URL of an SQLite database with rows in every table, and gaps in the
// numbers.
func filledFile(t *testing.T) (url string, c connection.Connection) {
	t.Helper()
	url = databasetest.NewSQLite(t)
	s := must(openStore(t.Context(), url))(t)
	defer func() { ok(t, s.Close()) }()
	c = fill(t, s)
	for i := range 7 {
		storetest.AddConnection(t, s, fmt.Sprintf("more-%d", i), profile)
	}
	last := storetest.AddCompany(t, s, "last")
	ok(t, s.DeleteCompany(t.Context(), last.ID, trail.Entry{CompanyID: last.ID, Action: "company delete"}))
	return url, c
}

func onPostgres(t *testing.T, test func(t *testing.T, to storetest.Database)) {
	t.Helper()
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		if db.Name != "postgres" {
			t.Skip("a move ends in PostgreSQL")
		}
		test(t, db)
	})
}

func nothing(database.MoveProgress) {}

// requireMoved holds the target to what fill has put into the source.
func requireMoved(t *testing.T, url string, to storetest.Database, c connection.Connection) {
	t.Helper()
	s, ctx := to.Store, t.Context()
	from := must(openStore(ctx, url))(t)
	defer func() { ok(t, from.Close()) }()
	file := storetest.Database{Database: databasetest.Database{Name: "sqlite", URL: url}, Store: from}
	for table := range readSchema(t, file) {
		count := "SELECT CAST(count(*) AS TEXT) FROM " + table
		requireEqual(t, "rows of "+table, query(t, file.Raw(t), count), query(t, to.Raw(t), count))
	}
	ok(t, s.CheckSecrets(ctx))
	requireEqual(t, "connection", must(from.Connection(ctx, c.CompanyID, pages))(t), must(s.Connection(ctx, c.CompanyID, pages))(t))
	requireEqual(t, "session", must(from.Sessions().Find(ctx, hash(sessionID)))(t), must(s.Sessions().Find(ctx, hash(sessionID)))(t))
	requireEqual(t, "audit", latestAudit(t, from, c.CompanyID), latestAudit(t, s, c.CompanyID))
	requireEqual(t, "trail", must(from.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 9}))(t), must(s.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 9}))(t))
	if token := must(social.ReadConfig(ctx, s.DB, c.CompanyID))(t).AccessToken; token != secrets[3] {
		t.Errorf("token of the page %q", token)
	}
	if next := storetest.AddCompany(t, s, "next"); next.ID != 10 { // 9 was deleted
		t.Errorf("the next company has the number %d", next.ID)
	}
	if left := query(t, to.Raw(t), "SELECT table_name FROM information_schema.tables WHERE table_name LIKE 'move%'"); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

func TestMove(t *testing.T) {
	onPostgres(t, func(t *testing.T, to storetest.Database) {
		url, c := filledFile(t)
		from := must(openStore(t.Context(), url))(t)
		rows := map[string]int64{}
		ok(t, database.Move(t.Context(), from.DB, to.DB, func(p database.MoveProgress) { rows[p.Table] = p.Total }))
		if rows["companies"] != 8 || rows["sessions"] != 1 || rows["oauth_tokens"] != 8 {
			t.Errorf("rows: %v", rows)
		}
		if err := database.Move(t.Context(), from.DB, to.DB, nothing); !errors.Is(err, database.ErrMoveNotEmpty) {
			t.Errorf("a second move: %v", err)
		}
		ok(t, from.Close())
		requireMoved(t, url, to, c)
	})
}

// TestMoveInterruptedAnywhere ends after each batch, one after the other.
func TestMoveInterruptedAnywhere(t *testing.T) {
	onPostgres(t, func(t *testing.T, to storetest.Database) {
		url, c := filledFile(t)
		seen := map[database.MoveProgress]bool{}
		for tries := 0; ; tries++ {
			from := must(openStore(t.Context(), url))(t)
			ctx, cancel := context.WithCancel(t.Context())
			err := database.MoveInBatches(ctx, from.DB, to.DB, 3, func(p database.MoveProgress) {
				if seen[p] {
					t.Errorf("%+v is copied again", p)
				}
				seen[p] = true
				cancel()
			})
			cancel()
			ok(t, from.Close())
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) || tries > 100 {
				t.Fatal(err)
			}
		}
		if len(seen) < 20 {
			t.Errorf("interrupted %d times only", len(seen))
		}
		requireMoved(t, url, to, c)
	})
}

// moveSlowly is a program: it moves to the other URL, and says so after each batch.
func moveSlowly(ctx context.Context, url, other string) error {
	from, err := openStore(ctx, url)
	if err != nil {
		return err
	}
	to, err := openStore(ctx, other)
	if err != nil {
		return err
	}
	return database.MoveInBatches(ctx, from.DB, to.DB, 1, func(p database.MoveProgress) {
		fmt.Println(p.Table)
		time.Sleep(time.Millisecond)
	})
}

func TestMoveKilled(t *testing.T) {
	onPostgres(t, func(t *testing.T, to storetest.Database) {
		url, c := filledFile(t)
		for _, table := range []string{"companies", "oauth_tokens", "sessions"} {
			p := start(t, "move", url, to.URL)
			for p.output.Scan() && p.output.Text() != table {
			}
			p.kill(t)
		}
		from := must(openStore(t.Context(), url))(t)
		ok(t, database.Move(t.Context(), from.DB, to.DB, nothing))
		ok(t, from.Close())
		requireMoved(t, url, to, c)
	})
}

func TestMoveRefused(t *testing.T) {
	onPostgres(t, func(t *testing.T, to storetest.Database) {
		url, _ := filledFile(t)
		from := must(openStore(t.Context(), url))(t)
		defer func() { ok(t, from.Close()) }()
		for _, kinds := range [][2]*store.Store{{from, from}, {to.Store, to.Store}, {to.Store, from}} {
			if err := database.Move(t.Context(), kinds[0].DB, kinds[1].DB, nothing); !errors.Is(err, database.ErrMoveKinds) {
				t.Errorf("between other kinds: %v", err)
			}
		}
		service := must(openStore(t.Context(), url))(t)
		if err := database.Move(t.Context(), from.DB, to.DB, nothing); !errors.Is(err, database.ErrMoveInUse) {
			t.Errorf("beside the service: %v", err)
		}
		ok(t, service.Close())
		storetest.AddCompany(t, to.Store, "there")
		if err := database.Move(t.Context(), from.DB, to.DB, nothing); !errors.Is(err, database.ErrMoveNotEmpty) {
			t.Errorf("to a database with rows: %v", err)
		}
		if _, err := openStore(t.Context(), url); err == nil || !strings.Contains(err.Error(), "being moved") {
			t.Errorf("the service starts meanwhile: %v", err)
		}
	})
}

// TestMoveOfADatabaseThatChanged: what the service did between two tries is not lost in
// silence.
func TestMoveOfADatabaseThatChanged(t *testing.T) {
	onPostgres(t, func(t *testing.T, to storetest.Database) {
		url, c := filledFile(t)
		from := must(openStore(t.Context(), url))(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := database.MoveInBatches(ctx, from.DB, to.DB, 100, func(p database.MoveProgress) {
			if p.Table == "oauth_tokens" {
				cancel()
			}
		})
		if err == nil {
			t.Fatal("not interrupted")
		}
		change(t, from, c, func(c *connection.Connection) { c.AccessToken = "renewed meanwhile" })
		if err := database.Move(t.Context(), from.DB, to.DB, nothing); err == nil || !strings.Contains(err.Error(), "the two sides differ") {
			t.Errorf("error %v", err)
		}
		ok(t, from.Close())
	})
}
