package store_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
)

const (
	readLimit  = 2
	writeLimit = 6
)

// call is a use of a method with rows to find and to change.
type call struct {
	limit int
	run   func(ctx ctxType, s *store.Store, c directory.Connection) error
}

// calls has an entry for each method that asks for rows.
var calls = map[string]call{
	"CreateCompany": {writeLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		return s.CreateCompany(ctx, &directory.Company{Slug: "new"})
	}},
	"Companies": {readLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.Companies(ctx)
		return err
	}},
	"Company": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.Company(ctx, c.CompanyID)
		return err
	}},
	"CompanyBySlug": {readLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.CompanyBySlug(ctx, "filled")
		return err
	}},
	"SetPlaceID": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		return s.SetPlaceID(ctx, c.CompanyID, "p")
	}},
	"CreateUser": {writeLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		return s.CreateUser(ctx, &directory.User{Email: "new", Role: directory.Member})
	}},
	"Users": {readLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.Users(ctx)
		return err
	}},
	"UserByEmail": {readLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.UserByEmail(ctx, "filled@example.test")
		return err
	}},
	"SetRole": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		return s.SetRole(ctx, c.UserID, directory.Admin)
	}},
	"SetPasswordHash": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		return s.SetPasswordHash(ctx, c.UserID, "h")
	}},
	"CreateSession": {writeLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		return s.CreateSession(ctx, directory.Session{IDHash: hash("new")})
	}},
	"Session": {readLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.Session(ctx, hash(sessionID))
		return err
	}},
	"SaveSession": {writeLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.SaveSession(ctx, directory.Session{IDHash: hash(sessionID)})
		return err
	}},
	"DeleteSession": {writeLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		return s.DeleteSession(ctx, hash(sessionID))
	}},
	"DeleteSessionsBefore": {writeLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.DeleteSessionsBefore(ctx, storetest.Time, storetest.Time)
		return err
	}},
	"TakeLimits": {writeLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.TakeLimits(ctx, []directory.Limit{directory.Limit{Kind: "audit", Subject: "1", Max: 2, Window: time.Hour}}, storetest.Time)
		return err
	}},
	"PeekLimit": {readLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.PeekLimit(ctx, directory.Limit{Kind: "audit", Subject: "1", Max: 2, Window: time.Hour}, storetest.Time)
		return err
	}},
	"DeleteLimitEntriesBefore": {writeLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error {
		_, err := s.DeleteLimitEntriesBefore(ctx, storetest.Time)
		return err
	}},
	"Connection": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.Connection(ctx, c.CompanyID, c.Pair)
		return err
	}},
	"Connections": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.Connections(ctx, c.CompanyID)
		return err
	}},
	"ConnectedCompanies": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.ConnectedCompanies(ctx, c.Pair, 0, 9)
		return err
	}},
	"GrantShared": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.GrantShared(ctx, c)
		return err
	}},
	"SaveConnection": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		return s.SaveConnection(ctx, &c, storetest.Entry(c, "connect"))
	}},
	"LockConnection": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.LockConnection(ctx, c.CompanyID, c.Pair, func(ctxType, *directory.Connection) (*directory.Entry, error) {
			return new(storetest.Entry(c, "refresh")), nil
		})
		return err
	}},
	"SelectPage": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		config := directory.SocialConfig{Platform: directory.PlatformPages, CompanyID: c.CompanyID, UpdatedBy: c.UserID}
		_, err := s.SelectPage(ctx, c.CompanyID, c.Pair, func(*directory.Connection) error { return nil }, config, storetest.Entry(c, "select_page"))
		return err
	}},
	"SocialConfig": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.SocialConfig(ctx, c.CompanyID, directory.PlatformPages)
		return err
	}},
	"SaveStatistics": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		return s.SaveStatistics(ctx, directory.Statistics{CompanyID: c.CompanyID, Service: directory.SocialPages, Data: []byte("{}")})
	}},
	"LatestStatistics": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.LatestStatistics(ctx, c.CompanyID, directory.SocialPages)
		return err
	}},
	"StatisticsHistory": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.StatisticsHistory(ctx, c.CompanyID, directory.SocialPages, 9)
		return err
	}},
	"SaveProfile": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		return s.SaveProfile(ctx, c.CompanyID, directory.Profile{})
	}},
	"Profile": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.Profile(ctx, c.CompanyID)
		return err
	}},
	"SaveAudit": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		return s.SaveAudit(ctx, &directory.Audit{CompanyID: c.CompanyID, Category: "poor"})
	}},
	"LatestAudit": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.LatestAudit(ctx, c.CompanyID)
		return err
	}},
	"AuditHistory": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.AuditHistory(ctx, c.CompanyID, 99, 9)
		return err
	}},
	"Record": {writeLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		return s.Record(ctx, storetest.Entry(c, "revoke"))
	}},
	"Trail": {readLimit, func(ctx ctxType, s *store.Store, c directory.Connection) error {
		_, err := s.Trail(ctx, c.CompanyID, 9)
		return err
	}},
	"Ping": {readLimit, func(ctx ctxType, s *store.Store, _ directory.Connection) error { return s.Ping(ctx) }},
}

// withoutRows are the methods that calls leaves out.
var withoutRows = map[string]bool{
	"Exclusively": true, "Migrate": true, "MigrateDown": true, "MigrationStatus": true, "RotateSecrets": true, "Close": true, "Observe": true, "Trace": true,
}

// wholeTables are the methods that read a table from its first row to its last.
var wholeTables = map[string]bool{"Companies": true, "Users": true}

func TestStatementsOfEachMethod(t *testing.T) {
	for method := range reflect.TypeFor[*store.Store]().Methods() {
		if _, counted := calls[method.Name]; counted == withoutRows[method.Name] {
			t.Errorf("%s has to be in one of calls and withoutRows", method.Name)
		}
	}
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := fill(t, db.Store)
		observed := storetest.Open(t, db.URL)
		var statements []string
		observed.Observe(func(statement string) { statements = append(statements, statement) })
		for name, call := range calls {
			if name == "DeleteSession" || name == "SetPasswordHash" {
				continue
			}
			statements = nil
			ok(t, call.run(t.Context(), observed, c))
			checkStatements(t, db, name, call.limit, statements)
		}
		for _, name := range []string{"SetPasswordHash", "DeleteSession"} { // they take sessions away
			statements = nil
			ok(t, calls[name].run(t.Context(), observed, c))
			checkStatements(t, db, name, calls[name].limit, statements)
		}
	})
}

func checkStatements(t *testing.T, db storetest.Database, name string, limit int, statements []string) {
	t.Helper()
	if n := len(statements); n == 0 || n > limit {
		t.Errorf("%s: %d statements, want 1 to %d: %q", name, n, limit, statements)
	}
	if wholeTables[name] {
		return
	}
	for _, statement := range statements {
		verb, _, _ := strings.Cut(statement, " ")
		if verb != "SELECT" && verb != "UPDATE" && verb != "DELETE" {
			continue // the plan of an INSERT names the checks of foreign keys, which are seldom run
		}
		for _, step := range slowSteps(t, db, statement) {
			t.Errorf("%s: %s: %s", name, step, statement)
		}
	}
}
