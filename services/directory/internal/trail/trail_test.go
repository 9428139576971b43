package trail_test

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

func record(t *testing.T, db *database.DB, entries ...trail.Entry) {
	t.Helper()
	for _, e := range entries {
		if err := trail.Record(db.Write(t.Context()), e); err != nil {
			t.Fatal(err)
		}
	}
}

// requireFound checks the lines that a search finds, newest first.
func requireFound(t *testing.T, db *database.DB, name string, search trail.Search, want ...trail.Entry) {
	t.Helper()
	found, err := trail.Find(t.Context(), db, search)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		now := database.Instant(time.Now())
		user := int64(7)
		other := int64(8)
		byUser := trail.Entry{
			At:        now,
			CompanyID: 1,
			UserID:    &user,
			Action:    "connect",
			Pair:      provider.PagesPair,
			Detail:    "Łąka",
			RequestID: "r",
		}
		byService := trail.Entry{At: now.Add(-time.Hour), CompanyID: 1, Action: "refresh", Pair: provider.ProfilePair}
		byCommand := trail.Entry{
			At:          now.Add(-2 * time.Hour),
			Actor:       "command line",
			Action:      "user disable",
			AboutUserID: user,
		}
		byOther := trail.Entry{At: now.Add(-3 * time.Hour), CompanyID: 2, UserID: &other, Action: "connect"}
		record(t, db.DB, byUser, byService, byCommand, byOther)
		requireFound(t, db.DB, "all", trail.Search{Limit: 9}, byOther, byCommand, byService, byUser)
		requireFound(t, db.DB, "newest", trail.Search{Limit: 1}, byOther)
		requireFound(t, db.DB, "company", trail.Search{CompanyID: 1, Limit: 9}, byService, byUser)
		requireFound(t, db.DB, "newest of a company", trail.Search{CompanyID: 1, Limit: 1}, byService)
		requireFound(t, db.DB, "by and about a user", trail.Search{UserID: user, Limit: 9}, byCommand, byUser)
		requireFound(t, db.DB, "company and user", trail.Search{CompanyID: 1, UserID: user, Limit: 9}, byUser)
		requireFound(t, db.DB, "since", trail.Search{Since: byService.At, Limit: 9}, byService, byUser)
	})
}

// TestEntriesCannotBeChanged checks that only lines older than 30 days can be deleted, and
// that only the detail of a line can be emptied.
func TestEntriesCannotBeChanged(t *testing.T) {
	const day = 24 * time.Hour
	t.Parallel()
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		young := trail.Entry{
			At:        database.Instant(time.Now().Add(-29 * day)),
			CompanyID: 1,
			Action:    "select_page",
			Detail:    "104118",
		}
		record(t, db.DB, young)
		statements := []string{
			"UPDATE audit_trail SET detail = 'x'",
			"UPDATE audit_trail SET detail = '', user_id = 7",
			"UPDATE audit_trail SET action = ''",
			"DELETE FROM audit_trail",
		}
		if db.Name == "postgres" {
			statements = append(statements, "TRUNCATE audit_trail")
		}
		for _, statement := range statements {
			if err := db.DB.Write(t.Context()).Exec(statement).Error; err == nil {
				t.Errorf("the database does not refuse %s", statement)
			}
		}
		record(t, db.DB, trail.Entry{At: time.Now().Add(-31 * day), CompanyID: 1, Action: "connect"})
		db.Exec(t, "DELETE FROM audit_trail WHERE id = 2")
		db.Exec(t, "UPDATE audit_trail SET detail = ''")
		young.Detail = ""
		requireFound(t, db.DB, "left", trail.Search{CompanyID: 1, Limit: 9}, young)
	})
}
