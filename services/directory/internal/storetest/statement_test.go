package storetest_test

import (
	"context"
	"maps"
	"reflect"
	"testing"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/history"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/storetest"
	"backend.example/services/directory/internal/trail"
)

// call is a use of a method of a store with rows to find and to change.
type call struct {
	method string
	run    func() error
}

// readCalls use each method that reads rows.
func readCalls(ctx context.Context, s *storetest.Store, c connection.Connection) []call {
	return []call{
		{"Companies", func() error { return errorOf(s.Companies().List(ctx)) }},
		{"Company", func() error { return errorOf(s.Company(ctx, c.CompanyID)) }},
		{"SearchCompanies", func() error {
			_, _, err := s.Companies().Search(ctx, "f", company.Position{Key: "fa", ID: 1})
			return err
		}},
		{"SearchCompanies", func() error {
			_, _, err := s.Companies().Search(ctx, "", company.Position{})
			return err
		}},
		{"CompanyBySlug", func() error { return errorOf(s.CompanyBySlug(ctx, "filled")) }},
		{"Users", func() error { return errorOf(s.Users().List(ctx)) }},
		{"UserByEmail", func() error { return errorOf(s.UserByEmail(ctx, "filled@example.test")) }},
		{"Session", func() error { return errorOf(s.Sessions().Find(ctx, hash(sessionID))) }},
		{"SessionsOf", func() error { return errorOf(s.Sessions().Of(ctx, c.UserID)) }},
		{"Connection", func() error { return errorOf(s.Find(ctx, c.CompanyID, c.Pair)) }},
		{"Connections", func() error { return errorOf(s.List(ctx, c.CompanyID)) }},
		{"CountBroken", func() error { return errorOf(s.CountBroken(ctx)) }},
		{"GrantShared", func() error { return errorOf(s.GrantShared(ctx, c)) }},
		{"SocialConfig", func() error { return errorOf(social.ReadConfig(ctx, s.DB, c.CompanyID)) }},
		{"LatestStatistics", func() error { return third(history.Read[struct{}](ctx, s.DB, c.CompanyID, provider.SocialPages)) }},
		{"Audits.Latest", func() error { return third(audits(s).Latest(ctx, audit.CompanyRef{ID: &c.CompanyID})) }},
		{"Audits.History", func() error { return third(audits(s).History(ctx, "filled", 9, 9)) }},
		{"Trail", func() error { return errorOf(s.Trail(ctx, trail.Search{CompanyID: c.CompanyID, Limit: 9})) }},
		{"Trail of a user", func() error { return errorOf(s.Trail(ctx, trail.Search{UserID: c.UserID, Limit: 9})) }},
		{"Ping", func() error { return s.Ping(ctx) }},
	}
}

// writeCalls use each method that writes rows. The last ones take rows away.
func writeCalls(ctx context.Context, s *storetest.Store, c connection.Connection) []call {
	page := social.Config{Platform: social.Platform, CompanyID: c.CompanyID, UpdatedBy: c.UserID}
	unchanged := func(*connection.Connection) error { return nil }
	refresh := func(context.Context, *connection.Connection) (*trail.Entry, error) {
		return new(storetest.Entry(c, "refresh")), nil
	}
	return []call{
		{"CreateCompany", func() error { return s.Companies().Create(ctx, &company.Company{Slug: "new"}) }},
		{"SetPlaceID", func() error { return s.SetPlaceID(ctx, c.CompanyID, "p") }},
		{"CreateUser", func() error {
			return s.Users().Add(ctx, &account.User{Email: "new@example.test", Role: account.Member}, trail.Entry{})
		}},
		{"EditUser", func() error {
			return errorOf(s.Users().Edit(ctx, c.UserID, account.UserChange{Role: new(account.Admin)}, account.Actor{}))
		}},
		{"EditCompany", func() error {
			return errorOf(s.Companies().Edit(ctx, c.CompanyID, company.Change{Name: new("Inna")}, trail.Entry{}))
		}},
		{"CreateSession", func() error { return s.Sessions().Insert(ctx, account.Session{IDHash: hash("new")}) }},
		{"SaveSession", func() error { return errorOf(s.Sessions().Replace(ctx, account.Session{IDHash: hash(sessionID)})) }},
		{"DeleteSessionsBefore", func() error { return errorOf(s.Sessions().DeleteBefore(ctx, databasetest.Time, databasetest.Time)) }},
		{"Save", func() error { return s.Save(ctx, &c, nil, storetest.Entry(c, "connect")) }},
		{"Change", func() error { return errorOf(s.Change(ctx, c.CompanyID, c.Pair, refresh)) }},
		{"Renew", func() error { return errorOf(s.Renew(ctx, c.CompanyID, c.Pair, refresh)) }},
		{"SelectPage", func() error {
			return errorOf(s.SelectPage(ctx, c.CompanyID, c.Pair, unchanged, storetest.Entry(c, "select_page"), func(tx *gorm.DB) error {
				return social.SaveConfig(tx, s.DB, page)
			}))
		}},
		{"SaveReading", func() error { return history.Save(ctx, s.DB, storetest.Reading(c.CompanyID, databasetest.Time)) }},
		{"Audits.SaveProfile", func() error { return audits(s).SaveProfile(ctx, c.CompanyID, &audit.Profile{}) }},
		{"Audits.Save", func() error { return audits(s).Save(ctx, &audit.Audit{CompanyID: c.CompanyID, Category: "poor"}) }},
		{"Record", func() error { return s.Record(ctx, storetest.Entry(c, "revoke")) }},
		{"SetPasswordHash", func() error { return s.Users().SetPasswordHash(ctx, c.UserID, "h", trail.Entry{}) }},
		{"DeleteSession", func() error { return s.Sessions().Delete(ctx, hash(sessionID)) }},
		{"DeleteCompany", func() error { return erasure.DeleteCompany(ctx, s.DB, c.CompanyID, trail.Entry{}) }},
		{"DeleteUser", func() error { return erasure.DeleteUser(ctx, s.DB, c.UserID, trail.Entry{}) }},
	}
}

// withoutRows are the methods that the calls leave out.
var withoutRows = map[string]bool{
	"Exclusively": true, "Migrate": true, "MigrateDown": true, "MigrationStatus": true, "CheckSchema": true, "RotateSecrets": true, "Purge": true, "CheckSecrets": true, "Backup": true, "Close": true, "Trace": true,
	"Read": true, "Write": true, "Transaction": true, "Snapshot": true, "Raw": true, "Locked": true, "LockedSlowly": true, "Queue": true, "Seal": true, "Unseal": true,
	"At": true, "IsPostgres": true, "Sessions": true, "Publish": true,
}

// wholeTables are the methods that read a table, or count what waits or is broken in
// it, from its first row to its last.
var wholeTables = map[string]bool{"Companies": true, "Users": true, "Trail of a user": true, "CountBroken": true}

func TestStatementsOfEachMethod(t *testing.T) {
	const readLimit, writeLimit = 2, 6
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		c := fill(t, db.Store)
		tested := maps.Clone(withoutRows)
		db.CheckStatements(t, func(observed *database.DB) (all []databasetest.Call) {
			s := storetest.New(observed)
			add := func(limit int, calls []call) {
				for _, call := range calls {
					all = append(all, databasetest.Call{Name: call.method, Max: limit, Whole: wholeTables[call.method], Run: call.run})
					tested[call.method] = true
				}
			}
			add(readLimit, readCalls(t.Context(), s, c))
			add(writeLimit, writeCalls(t.Context(), s, c))
			return all
		})
		for method := range reflect.TypeFor[*storetest.Store]().Methods() {
			if !tested[method.Name] {
				t.Errorf("%s has to be in one of the lists", method.Name)
			}
		}
	})
}

func third[A, B any](_ A, _ B, err error) error { return err }
