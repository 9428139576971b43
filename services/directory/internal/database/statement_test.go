package database_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/directory/internal/trail"
)

// call is a use of a query of a feature, with rows to find and to change.
type call struct {
	name string
	run  func() error
}

// filledSession is the key of the session that databasetest adds.
var filledSession = []byte(strings.Repeat("s", 32))

// readCalls use the queries that read rows.
func readCalls(ctx context.Context, s *directorytest.Store, c connection.Connection) []call {
	companies := s.Companies()
	users := s.Users()
	sessions := s.Sessions()
	audits := audit.New(s.DB, nil, nil, time.Now, nil, nil)
	return []call{
		{"every company", func() error { return databasetest.ErrorOf(companies.List(ctx)) }},
		{"company by id", func() error { return databasetest.ErrorOf(companies.ByID(ctx, c.CompanyID)) }},
		{"company by slug", func() error { return databasetest.ErrorOf(companies.BySlug(ctx, "filled")) }},
		{"company to show by id", func() error { return databasetest.ErrorOf(companies.FoundByID(ctx, c.CompanyID)) }},
		{"company to show by slug", func() error { return databasetest.ErrorOf(companies.FoundBySlug(ctx, "filled")) }},
		{
			"numbered companies",
			func() error { return databasetest.ErrorOf(companies.Numbered(ctx, []int64{c.CompanyID})) },
		},
		{
			"companies by name",
			func() error { return lastOf(companies.Search(ctx, "f", company.Position{Key: "fa", ID: 1})) },
		},
		{"companies", func() error { return lastOf(companies.Search(ctx, "", company.Position{})) }},
		{"every user", func() error { return databasetest.ErrorOf(users.List(ctx)) }},
		{"user", func() error { return databasetest.ErrorOf(users.ByEmail(ctx, "filled@example.test")) }},
		{"session", func() error { return databasetest.ErrorOf(sessions.Find(ctx, filledSession)) }},
		{"sessions of a user", func() error { return databasetest.ErrorOf(sessions.Of(ctx, 1)) }},
		{"Find", func() error { return databasetest.ErrorOf(s.Connections.Find(ctx, c.CompanyID, c.Pair)) }},
		{"ByID", func() error { return databasetest.ErrorOf(s.Connections.ByID(ctx, c.ID)) }},
		{"StillReads", func() error {
			return s.Transaction(ctx, func(tx *gorm.DB) error {
				return databasetest.ErrorOf(s.Connections.StillReads(tx, c))
			})
		}},
		{"List", func() error { return databasetest.ErrorOf(s.Connections.List(ctx, c.CompanyID)) }},
		{"CountBroken", func() error { return databasetest.ErrorOf(s.Connections.CountBroken(ctx)) }},
		{"Each", func() error {
			return s.Connections.Each(ctx, connection.Query{}, func(connection.Listed) error { return nil })
		}},
		{"GrantNeeded", func() error { return databasetest.ErrorOf(s.Connections.GrantNeeded(ctx, c)) }},
		{"PendingRevocations", func() error { return lastOf(s.Connections.PendingRevocations(ctx, c.Pair.Provider)) }},
		{"page configuration", func() error { return databasetest.ErrorOf(social.ReadConfig(ctx, s.DB, c.CompanyID)) }},
		{
			"readings",
			func() error { return lastOf(statistics.Read[struct{}](ctx, s.DB, c.CompanyID, provider.SocialPages)) },
		},
		{"latest audit", func() error { return lastOf(audits.Latest(ctx, audit.CompanyRef{ID: &c.CompanyID})) }},
		{"past audits", func() error { return lastOf(audits.History(ctx, "filled", 9, 9)) }},
		{"trail", func() error {
			return databasetest.ErrorOf(s.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 9}))
		}},
		{"every trail", func() error { return databasetest.ErrorOf(s.Trail(ctx, trail.Search{UserID: 1, Limit: 9})) }},
	}
}

// writeCalls use the queries that write rows. The last ones delete them.
func writeCalls(ctx context.Context, s *directorytest.Store, c connection.Connection) []call {
	companies := s.Companies()
	users := s.Users()
	sessions := s.Sessions()
	audits := audit.New(s.DB, nil, nil, time.Now, nil, nil)
	entry := directorytest.Entry(c, "refresh")
	page := social.Config{Platform: social.Platform, CompanyID: c.CompanyID, UpdatedBy: 1}
	return []call{
		{"new company", func() error { return companies.Create(ctx, &company.Company{Slug: "new"}) }},
		{"new company with a line", func() error {
			return databasetest.ErrorOf(companies.Add(ctx, "newer", company.Change{Name: new("Nowa")}, trail.Entry{}))
		}},
		{"place of a company", func() error { return companies.SetPlaceID(ctx, c.CompanyID, "p") }},
		{"company", func() error {
			return databasetest.ErrorOf(
				companies.Edit(ctx, c.CompanyID, company.Change{Phone: new("1")}, trail.Entry{}),
			)
		}},
		{"new user", func() error {
			return users.Add(ctx, &account.User{Email: "new@example.test", Role: account.Member}, trail.Entry{})
		}},
		{"user", func() error {
			return databasetest.ErrorOf(
				users.Edit(ctx, 1, account.UserChange{Role: new(account.Admin)}, account.Actor{}),
			)
		}},
		{
			"new session",
			func() error { return sessions.Insert(ctx, account.Session{IDHash: []byte(strings.Repeat("n", 32))}) },
		},
		{"session", func() error {
			return databasetest.ErrorOf(sessions.Replace(ctx, account.Session{IDHash: filledSession}))
		}},
		{"old sessions", func() error {
			return databasetest.ErrorOf(sessions.DeleteBefore(ctx, databasetest.Time, databasetest.Time))
		}},
		{"Save", func() error { return s.Connections.Save(ctx, &c, nil, entry) }},
		{"HoldSlowly", func() error {
			held, err := s.Connections.HoldSlowly(ctx, c.CompanyID, c.Pair)
			if err != nil {
				return err
			}
			defer held.Release()
			return held.Save(&entry)
		}},
		{"ScheduleRevocations", func() error { return s.Transaction(ctx, s.Connections.ScheduleRevocations) }},
		{"ForgetRevocations", func() error {
			return s.Connections.ForgetRevocations(ctx, c.Pair.Provider, "person", databasetest.Time)
		}},
		{"SaveEnded", func() error {
			held, err := s.Connections.Hold(ctx, c.CompanyID, c.Pair)
			if err != nil {
				return err
			}
			defer held.Release()
			held.End()
			return held.SaveEnded(entry)
		}},
		{"Hold", func() error {
			held, err := s.Connections.Hold(ctx, c.CompanyID, c.Pair)
			if err != nil {
				return err
			}
			defer held.Release()
			tx, err := held.Update(&entry)
			if err != nil {
				return err
			}
			return errors.Join(social.SaveConfig(tx, s.DB, page), held.Commit())
		}},
		{
			"reading",
			func() error { return statistics.Save(ctx, s.DB, directorytest.Reading(c.CompanyID, databasetest.Time)) },
		},
		{"profile", func() error { return audits.SaveProfile(ctx, c.CompanyID, &audit.Profile{}) }},
		{"audit", func() error { return audits.Save(ctx, &audit.Audit{CompanyID: c.CompanyID, Category: "poor"}) }},
		{"trail", func() error { return s.Record(ctx, entry) }},
		{"password", func() error { return users.SetPasswordHash(ctx, 1, "h", trail.Entry{}) }},
		{"deleted session", func() error { return sessions.Delete(ctx, filledSession) }},
		{"deleted company", func() error { return erasure.DeleteCompany(ctx, s.DB, c.CompanyID, trail.Entry{}) }},
		{"deleted user", func() error { return erasure.DeleteUser(ctx, s.DB, 1, trail.Entry{}) }},
	}
}

// wholeTables are the calls that read a table, or count what is broken in it, from its
// first row to its last.
var wholeTables = map[string]bool{
	"every company": true, "every user": true, "every trail": true, "CountBroken": true, "ScheduleRevocations": true,
}

// TestStatementsOfFeatures checks how many statements each query of a feature takes, and
// that an index finds the rows, and that a canceled request ends it.
func TestStatementsOfFeatures(t *testing.T) {
	const readLimit, writeLimit = 2, 6
	onEachDatabase(t, func(t *testing.T, db databasetest.Database) {
		db.Fill(t)
		c := must(directorytest.NewStore(db.DB).Connections.Find(t.Context(), 1, provider.PagesPair))(t)
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		s := directorytest.NewStore(db.DB)
		for _, call := range append(readCalls(canceled, s, c), writeCalls(canceled, s, c)...) {
			if err := call.run(); !errors.Is(err, context.Canceled) {
				t.Errorf("%s of a canceled request: %v", call.name, err)
			}
		}
		tested := map[string]bool{}
		db.CheckStatements(t, func(observed *database.DB) (all []databasetest.Call) {
			s := directorytest.NewStore(observed)
			add := func(limit int, calls []call) {
				for _, call := range calls {
					all = append(
						all, databasetest.Call{Name: call.name, Max: limit, Whole: wholeTables[call.name],
							Run: call.run},
					)
					tested[call.name] = true
				}
			}
			add(readLimit, readCalls(t.Context(), s, c))
			add(writeLimit, writeCalls(t.Context(), s, c))
			return all
		})
		for method := range reflect.TypeFor[*connection.Store]().Methods() {
			if _, general := reflect.TypeFor[*database.DB]().MethodByName(method.Name); !general &&
				!tested[method.Name] {
				t.Errorf("%s of connections is not tested", method.Name)
			}
		}
	})
}

// TestQueriesReportTheirFailures checks that no query of a feature succeeds if one of its
// statements fails.
func TestQueriesReportTheirFailures(t *testing.T) {
	url := databasetest.NewSQLite(t)
	databasetest.Database{Name: "sqlite", URL: url, DB: databasetest.Open(t, url)}.Fill(t)
	s := directorytest.NewStore(databasetest.Open(t, url))
	c := must(directorytest.NewStore(databasetest.Open(t, url)).Connections.Find(t.Context(), 1, provider.PagesPair))(t)
	var calls []databasetest.Call
	for _, call := range append(readCalls(t.Context(), s, c), writeCalls(t.Context(), s, c)...) {
		calls = append(calls, databasetest.Call{Name: call.name, Run: call.run})
	}
	databasetest.FailEach(t, s.DB, calls...)
}

// TestOperationsReportTheirFailures is the same of the operations of a database.
func TestOperationsReportTheirFailures(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, d databasetest.Database) {
		d.Fill(t)
		ctx := t.Context()
		older := databasetest.Open(t, d.URL)
		newer := must(
			database.Open(ctx, d.URL, must(database.ParseKeys(database.GenerateKey()+","+databasetest.Keys))(t)),
		)(t)
		defer func() { ok(t, newer.Close()) }()
		ping := func(tx *gorm.DB) error { return tx.Exec("SELECT 1").Error }
		turns := func() error { return databasetest.ErrorOf(older.Clock().Next(ctx, "turns", time.Minute, 1)) }
		var faults databasetest.Faults
		faults.Trace(t, older)
		last := databasetest.Call{
			Name: "backup", Run: func() error { return older.Backup(ctx, filepath.Join(t.TempDir(), "backup.db")) },
		}
		if d.Name == "postgres" { // on SQLite goose repeats, a second later, what failed
			older.UsePool(faults.Pool(t, d))
			last = databasetest.Call{Name: "close", Run: older.Close}
		}
		faults.Each(t, []databasetest.Call{
			{Name: "lock", Run: func() error { return use(older.Lock(ctx, "a")) }},
			{Name: "lock for long", Run: func() error { return use(older.LockSlowly(ctx, "a", "service")) }},
			{Name: "queue", Run: func() error {
				return older.Transaction(
					ctx, func(tx *gorm.DB) error { return errors.Join(older.Queue(tx, "a"), ping(tx)) },
				)
			}},
			{Name: "turns", Before: func() { _ = turns() }, Run: turns},
			{Name: "check of the secrets", Run: func() error { return older.CheckSecrets(ctx) }},
			{
				Name: "deletion in batches",
				Run: func() error {
					return databasetest.ErrorOf(older.DeleteInBatches(ctx, "purges", "id", "id > ?", 0))
				},
			},
			{Name: "purge", Run: func() error { return older.Purge(ctx) }},
			{Name: "check of the schema", Run: func() error { return older.CheckSchema(ctx) }},
			last,
		}...)
		databasetest.FailEach(
			t, newer,
			databasetest.Call{
				Name: "new key", Run: func() error { return databasetest.ErrorOf(newer.RotateSecrets(ctx)) },
			},
		)
	})
}

func lastOf[A, B any](_ A, _ B, err error) error { return err }
