package store_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/directory/internal/trail"
)

func TestTrail(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		now := storetest.Kept(time.Now())
		u, other := storetest.AddUser(t, s, "a"), storetest.AddUser(t, s, "b")
		byUser := trail.Entry{
			At: now, CompanyID: *u.CompanyID, UserID: &u.ID, Action: "connect", Pair: pages, Detail: "Łąka", RequestID: "r",
		}
		byService := trail.Entry{At: now.Add(-time.Hour), CompanyID: *u.CompanyID, Action: "refresh", Pair: profile}
		byCommand := trail.Entry{At: now.Add(-2 * time.Hour), Actor: "command line", Action: "user disable", AboutUserID: u.ID}
		byOther := trail.Entry{At: now.Add(-3 * time.Hour), CompanyID: *other.CompanyID, UserID: &other.ID, Action: "connect"}
		for _, e := range []trail.Entry{byUser, byService, byCommand, byOther} {
			ok(t, s.Record(ctx, e))
		}
		for _, test := range []struct {
			name   string
			search trail.Search
			want   []trail.Entry
		}{
			{"all", trail.Search{Limit: 9}, []trail.Entry{byOther, byCommand, byService, byUser}},
			{"newest", trail.Search{Limit: 1}, []trail.Entry{byOther}},
			{"company", trail.Search{CompanyID: *u.CompanyID, Limit: 9}, []trail.Entry{byService, byUser}},
			{"by and about a user", trail.Search{UserID: u.ID, Limit: 9}, []trail.Entry{byCommand, byUser}},
			{"company and user", trail.Search{CompanyID: *u.CompanyID, UserID: u.ID, Limit: 9}, []trail.Entry{byUser}},
			{"since", trail.Search{Since: byService.At, Limit: 9}, []trail.Entry{byService, byUser}},
		} {
			requireEqual(t, test.name, test.want, must(s.Trail(ctx, test.search))(t))
		}
		requireEqual(t, "of a company", []trail.Entry{byService}, must(s.Trail(ctx, trail.Search{CompanyID: *u.CompanyID, Limit: 1}))(t))
	})
}

// TestTrailCannotBeChanged: only lines that are older than 30 days can be deleted, and
// only what a line tells in detail can be taken out.
func TestTrailCannotBeChanged(t *testing.T) {
	const day = 24 * time.Hour
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx, pool := db.Store, t.Context(), db.Raw(t)
		young := trail.Entry{At: storetest.Kept(time.Now().Add(-29 * day)), CompanyID: 1, Action: "select_page", Detail: "104118"}
		ok(t, s.Record(ctx, young))
		statements := []string{
			"UPDATE audit_trail SET detail = 'x'", "UPDATE audit_trail SET detail = '', user_id = 7", "UPDATE audit_trail SET action = ''",
			"DELETE FROM audit_trail",
		}
		if db.Name == "postgres" {
			statements = append(statements, "TRUNCATE audit_trail")
		}
		for _, statement := range statements {
			if _, err := pool.ExecContext(ctx, statement); err == nil {
				t.Errorf("the database does not refuse %s", statement)
			}
		}
		ok(t, s.Record(ctx, trail.Entry{At: time.Now().Add(-31 * day), CompanyID: 1, Action: "connect"}))
		execute(t, pool, "DELETE FROM audit_trail WHERE id = 2")
		execute(t, pool, "UPDATE audit_trail SET detail = ''")
		young.Detail = ""
		requireEqual(t, "left", []trail.Entry{young}, must(s.Trail(ctx, trail.Search{CompanyID: 1, Limit: 9}))(t))
	})
}
