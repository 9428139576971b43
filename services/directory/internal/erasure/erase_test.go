package erasure_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/fault/faulttest"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var (
	profilePair   = directorytest.ProfilePair
	analyticsPair = directorytest.AnalyticsPair
	pagesPair     = directorytest.PagesPair
	photosPair    = directorytest.PhotosPair

	commandLine = account.Actor{Name: "command line"}
)

func anna(s *directorytest.Service) account.Actor { return directorytest.Actor(s.Anna) }

// erased returns how many erasures are in the log.
func erased(s *directorytest.Service) int {
	s.T.Helper()
	all, err := s.Erased.All()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.T.Fatal(err)
	}
	return len(all)
}

// TestEraseUserEndsTheGrants checks that the connections of the person's account at a
// provider end, also those that a colleague made, and that a colleague's own and the company's location
// stay.
func TestEraseUserEndsTheGrants(t *testing.T) {
	s := directorytest.New(t)
	colleague := s.AddUser("ewa", account.Member, &s.Company).ID
	for _, c := range []connection.Connection{
		{Pair: profilePair, AccessToken: "a", ProviderUserID: "anna", Chosen: connection.ChosenLocation,
			AccountID: "locations/9", AccountName: "Piekarnia"},
		{Pair: analyticsPair, AccessToken: "b", ProviderUserID: "anna", AccountID: "anna@mail", AccountName: "Anna",
			UserID: colleague},
		// the same number at another provider
		{Pair: pagesPair, AccessToken: "c", ProviderUserID: "anna", UserID: colleague},
	} {
		s.Connect(c)
	}
	pages := s.Stored(pagesPair)
	if err := s.Erasures.User(t.Context(), commandLine, s.Anna); err != nil {
		t.Fatal(err)
	}
	location, account := s.Stored(profilePair), s.Stored(analyticsPair)
	for _, c := range []connection.Connection{location, account} {
		if c.Active || c.AccessToken != "" {
			t.Fatalf("%s is kept: %+v", c.Pair, c)
		}
		if c.ProviderUserID != "" || c.UserID != 0 {
			t.Fatalf("%s is kept: %+v", c.Pair, c)
		}
		if c.ReconnectReason == "" {
			t.Errorf("%s is kept: %+v", c.Pair, c)
		}
	}
	if location.AccountID != "locations/9" || account.AccountID != "" || account.AccountName != "" {
		t.Errorf("accounts %+v and %+v", location, account)
	}
	if now := s.Stored(pagesPair); now.AccessToken != pages.AccessToken || !now.Active {
		t.Errorf("the colleague's connection: %+v", now)
	}
	if err := s.Withdraw(); err != nil || len(s.Search.Revoked) != 2 || len(s.Social.Revoked) != 0 {
		t.Errorf("withdrawn: %d and %d, %v", len(s.Search.Revoked), len(s.Social.Revoked), err)
	}
	_, err := s.Store.Users().ByEmail(t.Context(), s.Anna.Email)
	directorytest.WantFault(t, err, fault.NotFound, "no_user")
}

// TestTrailOfErasures checks the whole lines of an erased user and an erased company, and
// that older lines of the company keep no names, unlike those of other companies.
func TestTrailOfErasures(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		other := s.AddCompany("cukiernia")
		for _, c := range []company.Company{s.Company, other} {
			if err := s.Store.Record(
				t.Context(), trail.Entry{At: s.Now, CompanyID: c.ID, Action: "select_page", Detail: "Strona"},
			); err != nil {
				t.Fatal(err)
			}
		}
		s.Connect(connection.Connection{Pair: profilePair, AccessToken: "a", ProviderUserID: "anna"})
		s.Now = s.Now.Add(time.Minute)
		ewa := s.AddUser("ewa", account.Member, &s.Company)
		actor := account.Actor{Name: "command line", RequestID: "req-9"}
		if err := errors.Join(s.Erasures.User(t.Context(), actor, s.Anna), s.Withdraw(),
			s.Erasures.Company(t.Context(), actor, s.Company)); err != nil {
			t.Fatal(err)
		}
		lines, err := s.Store.Trail(t.Context(), trail.Search{Limit: 99})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, e := range lines {
			if e.Action != "fixture" {
				got = append(
					[]string{
						fmt.Sprintf("%s company %d, %q %s: user %d, %s, %q, %s", e.At.UTC().Format("15:04"),
							e.CompanyID, e.Actor, e.RequestID, e.AboutUserID, e.Action, e.Detail, e.Pair),
					}, got...,
				)
			}
		}
		want := []string{
			`12:00 company 1, "" : user 0, select_page, "", /`,
			`12:00 company 2, "" : user 0, select_page, "Strona", /`,
			`12:01 company 1, "command line" req-9: user 1, user disable, "", /`,
			`12:01 company 1, "command line" req-9: user 1, erase, "", provider_search/search_profile`,
			`12:01 company 0, "command line" req-9: user 1, user delete, "", /`,
			`12:01 company 1, "command line" req-9: user 0, revoke, "", provider_search/search_profile`,
			`12:01 company 1, "command line" req-9: user 0, erase, "", provider_search/search_profile`,
			`12:01 company 1, "command line" req-9: user 0, company delete, "", /`,
		}
		if !slices.Equal(got, want) {
			t.Errorf("trail\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if u, err := s.Store.UserByEmail(t.Context(), ewa.Email); err != nil || u.CompanyID != nil {
			t.Errorf("the other user of the company: %+v, %v", u, err)
		}
	})
}

// TestEraseWithdrawsEachGrant checks that the grants of each connection are withdrawn, because
// they may be of different people.
func TestEraseWithdrawsEachGrant(t *testing.T) {
	s := directorytest.New(t)
	s.Connect(connection.Connection{Pair: profilePair, AccessToken: "a", RefreshToken: "a"})
	s.Connect(connection.Connection{Pair: analyticsPair, AccessToken: "b", RefreshToken: "b"})
	err := errors.Join(s.Erasures.User(t.Context(), commandLine, s.Anna), s.Withdraw())
	if err != nil || len(s.Search.Revoked) != 2 {
		t.Errorf("%d withdrawn, %v, want 2", len(s.Search.Revoked), err)
	}
}

// TestErasedGrantIsStillWithdrawn checks that a grant outlives its user and company until it is
// withdrawn.
func TestErasedGrantIsStillWithdrawn(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		s.Connect(connection.Connection{Pair: profilePair, AccessToken: "a", ProviderUserID: "anna"})
		if err := errors.Join(s.Erasures.User(t.Context(), commandLine, s.Anna),
			s.Erasures.Company(t.Context(), commandLine, s.Company)); err != nil {
			t.Fatal(err)
		}
		if err := s.Withdraw(); err != nil || len(s.Search.Revoked) != 1 {
			t.Errorf("%v, revoked %+v", err, s.Search.Revoked)
		}
	})
}

// TestEraseUserWhoConnects checks that a connection that is made meanwhile ends, too.
func TestEraseUserWhoConnects(t *testing.T) {
	s := directorytest.New(t)
	s.Connect(connection.Connection{Pair: analyticsPair, AccessToken: "early", ProviderUserID: "anna"})
	s.Connect(connection.Connection{Pair: profilePair, AccessToken: "late", ProviderUserID: "anna"})
	for _, statement := range []string{
		"UPDATE oauth_tokens SET user_id = NULL, is_active = 0 WHERE service = 'search_profile'",
		"CREATE TRIGGER late AFTER UPDATE ON oauth_tokens WHEN NEW.service = 'search_analytics' BEGIN UPDATE " +
			"oauth_tokens SET user_id = OLD.user_id, is_active = 1 WHERE service = 'search_profile'; END",
	} {
		if err := s.Store.Write(t.Context()).Exec(statement).Error; err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Erasures.User(t.Context(), commandLine, s.Anna); err != nil {
		t.Fatal(err)
	}
	c := s.Stored(profilePair)
	if c.Active || c.AccessToken != "" {
		t.Fatalf("connection %+v", c)
	}
	if c.UserID != 0 {
		t.Errorf("connection %+v", c)
	}
}

// TestEraseInterrupted checks that Replay repeats an erasure that was logged and not done,
// also if the user was edited after the backup.
func TestEraseInterrupted(t *testing.T) {
	s := directorytest.New(t)
	restore := s.FailDeletes("users")
	if err := s.Erasures.User(t.Context(), commandLine, s.Anna); err == nil || erased(s) != 1 {
		t.Fatalf("%v, %d in the log", err, erased(s))
	}
	restore()
	s.Now = s.Now.Add(time.Hour)
	if _, err := s.Store.Users().Edit(t.Context(), s.Anna.ID, account.UserChange{Role: new(account.Member)},
		account.Actor{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		if n, err := s.Erasures.Replay(t.Context(), commandLine); n != want || err != nil {
			t.Errorf("%d erased again, %v; want %d", n, err, want)
		}
	}
}

// TestReplayLeavesLaterGrants checks that a repeated replay ends a restored connection of
// a person and leaves one that was granted after the erasure, with what was read through it.
func TestReplayLeavesLaterGrants(t *testing.T) {
	s := directorytest.New(t)
	connect := func(p provider.Pair) {
		s.Connect(connection.Connection{Pair: p, AccessToken: "a", ProviderUserID: "osoba-1"})
	}
	connect(photosPair) // as in the backup
	s.Now = s.Now.Add(time.Hour)
	if err := s.Erased.Append(
		erasure.OfPerson(erasure.Person{Provider: provider.Social, ID: "osoba-1"}, s.Now),
	); err != nil {
		t.Fatal(err)
	}
	s.Now = s.Now.Add(time.Hour)
	connect(pagesPair)
	s.Change(photosPair, func(c *connection.Connection) { c.AccountName = "renamed" }) // granted before all the same
	if err := statistics.Save(t.Context(), s.Store.DB, directorytest.Reading(s.Company.ID, s.Now)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := s.Erasures.Replay(t.Context(), commandLine); err != nil {
			t.Fatal(err)
		}
		old, later := s.Stored(photosPair), s.Stored(pagesPair)
		if old.Active || old.ProviderUserID != "" {
			t.Fatalf("old %+v, later %+v", old, later)
		}
		if !later.Active || later.ProviderUserID == "" {
			t.Errorf("old %+v, later %+v", old, later)
		}
		for _, e := range s.Trail() {
			if e.Action == "erase" && e.Pair != photosPair {
				t.Errorf("trail %+v of what was granted later", e)
			}
		}
		if _, readings, err := statistics.Read[struct{}](t.Context(), s.Store.DB, s.Company.ID,
			provider.SocialPages); err != nil || len(readings) != 1 {
			t.Errorf("%d readings, %v", len(readings), err)
		}
	}
}

// TestReplayUsesTheNewestErasure checks that a repeated old request, or a log that is
// concatenated after a newer one, does not hide a later erasure.
func TestReplayUsesTheNewestErasure(t *testing.T) {
	s := directorytest.New(t)
	s.Connect(connection.Connection{Pair: pagesPair, AccessToken: "a", ProviderUserID: "osoba-1"})
	person := erasure.Person{Provider: provider.Social, ID: "osoba-1"}
	for _, at := range []time.Time{s.Now.Add(-2 * time.Hour), s.Now.Add(time.Hour), s.Now.Add(-time.Hour)} {
		if err := s.Erased.Append(erasure.OfPerson(person, at)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Erasures.Replay(t.Context(), commandLine); err != nil || s.Stored(pagesPair).Active {
		t.Errorf("%v, stored %+v", err, s.Stored(pagesPair))
	}
}

// TestFailedReplay checks that a replay reports what it could not erase, and does not count it.
func TestFailedReplay(t *testing.T) {
	s := directorytest.New(t)
	if err := s.Erased.Append(erasure.OfCompany(s.Company, s.Now)); err != nil {
		t.Fatal(err)
	}
	s.FailDeletes("companies")
	options := s.Erasures.Options
	options.Erased = newLog(t.TempDir()) // a folder, which cannot be read
	for _, service := range []*erasure.Service{s.Erasures, erasure.New(options)} {
		if n, err := service.Replay(t.Context(), commandLine); n != 0 || err == nil {
			t.Errorf("%d erased, %v", n, err)
		}
	}
}

// TestLastAdministratorIsNotErased checks that the log does not have the erasure either: a
// replay would do it.
func TestLastAdministratorIsNotErased(t *testing.T) {
	s := directorytest.New(t)
	admin := s.AddUser("szef", account.Admin, nil)
	s.SetPassword(admin, "dobre hasło 2026")
	directorytest.WantFault(t, s.Erasures.User(t.Context(), commandLine, admin), fault.Invalid,
		account.CodeLastAdmin.Name)
	if n := erased(s); n != 0 {
		t.Errorf("%d in the log", n)
	}
}

// TestReplayPurges checks that no file of the database holds what a replay erased.
func TestReplayPurges(t *testing.T) {
	url := databasetest.NewSQLite(t)
	s := directorytest.On(t, url)
	c := s.AddCompany("usunieta", func(c *company.Company) { c.Name = "marker-of-the-company" })
	if err := s.Erased.Append(erasure.OfCompany(c, s.Now)); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Erasures.Replay(t.Context(), commandLine); n != 1 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	wantAbsent(t, url, "marker-of-the-company")
}

// TestPurgeWhileAnotherReads checks that the log of an SQLite file, which cannot be cut
// while another process reads it, is reported and cut afterwards.
func TestPurgeWhileAnotherReads(t *testing.T) {
	db := databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}
	s := directorytest.On(t, db.URL)
	company := s.AddCompany("usunieta", func(c *company.Company) { c.Name = "marker-of-the-company" })
	db.DB = s.Store.DB
	db.Exec(t, "PRAGMA busy_timeout = 10")
	reading, err := db.Raw(t).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reading.Exec("SELECT count(*) FROM companies"); err != nil {
		t.Fatal(err)
	}
	if err := erasure.DeleteCompany(t.Context(), db.DB, company.ID, trail.Entry{}); err != nil {
		t.Fatal(err)
	}
	if err := db.DB.Purge(t.Context()); err == nil || !strings.Contains(err.Error(), "another process reads") {
		t.Errorf("purged while another process reads: %v", err)
	}
	if err := errors.Join(reading.Rollback(), db.DB.Purge(t.Context())); err != nil {
		t.Fatal(err)
	}
	wantAbsent(t, db.URL, "marker-of-the-company")
}

// TestPurgeKeepsLaterRequests checks that a request which comes during a purge is carried out
// by the next one.
func TestPurgeKeepsLaterRequests(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, later := directorytest.On(t, db.URL), sync.Once{}
		write := s.Store.Write(t.Context())
		request := func(tx *gorm.DB) {
			if err := tx.Table("purges").Create(map[string]any{"requested_at": time.Now()}).Error; err != nil {
				t.Error(err)
			}
		}
		request(write)
		err := write.Callback().Delete().Before("gorm:delete").Register("request", func(tx *gorm.DB) {
			later.Do(func() { request(tx.Session(&gorm.Session{NewDB: true})) })
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []bool{true, true, false} {
			if purged, err := s.Erasures.Purge(t.Context()); purged != want || err != nil {
				t.Errorf("purged %t, %v, want %t", purged, err, want)
			}
		}
	})
}

// TestDeleteRefuses checks that a user with a connection is not deleted without it, and
// what is answered for what does not exist.
func TestDeleteRefuses(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		ctx := t.Context()
		entry := trail.Entry{Action: "delete"}
		s.Connect(connection.Connection{Pair: profilePair, AccessToken: "a"})
		directorytest.WantFault(t, erasure.DeleteUser(ctx, db.DB, s.Anna.ID, entry), fault.Unavailable,
			"user_connected")
		directorytest.WantFault(t, erasure.DeleteUser(ctx, db.DB, 99, entry), fault.NotFound, "no_user")
		directorytest.WantFault(t, erasure.DeleteCompany(ctx, db.DB, 99, entry), fault.NotFound, "company_not_found")
		s.WantTrail()
		if _, err := s.Store.UserByEmail(ctx, s.Anna.Email); err != nil {
			t.Error(err)
		}
	})
}

// TestNothingIsErasedUnlogged checks that an erasure that cannot be logged changes nothing,
// because a restored backup would bring its subject back.
func TestNothingIsErasedUnlogged(t *testing.T) {
	s := directorytest.New(t)
	c := s.Connect(connection.Connection{Pair: profilePair, AccessToken: "a"})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(log *erasure.Log) *erasure.Service {
		options := s.Erasures.Options
		options.Erased = log
		return erasure.New(options)
	}
	full, none := with(erasure.NewLog(filepath.Join(file, "log"), slog.New(slog.DiscardHandler))), with(nil)
	for name, erase := range map[string]func(context.Context) error{
		"user":           func(ctx context.Context) error { return full.User(ctx, commandLine, s.Anna) },
		"company":        func(ctx context.Context) error { return full.Company(ctx, commandLine, s.Company) },
		"without a log":  func(ctx context.Context) error { return none.User(ctx, commandLine, s.Anna) },
		"replay without": func(ctx context.Context) error { _, err := none.Replay(ctx, commandLine); return err },
	} {
		if err := erase(t.Context()); err == nil {
			t.Errorf("%s succeeds", name)
		}
	}
	directorytest.WantFault(t, none.User(t.Context(), commandLine, s.Anna), fault.Unavailable,
		erasure.CodeNoErasureLog.Name)
	s.WantUnchanged(c)
	if _, err := s.Store.Users().ByEmail(t.Context(), s.Anna.Email); err != nil {
		t.Error(err)
	}
}

// TestPrune checks that rows older than the settings say are deleted, except the newest
// audit of each company, and that a kind without a setting stays.
func TestPrune(t *testing.T) {
	const day = 24 * time.Hour
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.NewStore(db.DB)
		ctx := t.Context()
		now := time.Now()
		audits := audit.New(s.DB, nil, nil, time.Now, nil, nil)
		a, b := db.AddCompany(t, "a"), db.AddCompany(t, "b")
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, age := range []time.Duration{100 * day, 99 * day, 98 * day, day} {
			at := now.Add(-age)
			must(statistics.Save(ctx, s.DB, directorytest.Reading(a, at)))
			must(audits.Save(ctx, &audit.Audit{CompanyID: a, Category: "poor", At: at}))
			must(s.Record(ctx, trail.Entry{CompanyID: a, Action: "refresh", At: at}))
			db.Exec(t, "INSERT INTO performance_days VALUES (?, 'locations/1', ?, 1, 2, 3, 4, 5, 6, 7, 8, 9)", a,
				at.UTC().Format(time.DateOnly))
			db.Exec(t, "INSERT INTO metric_days VALUES (?, 'social_pages', '1', 'views', ?, 1)", a,
				at.UTC().Format(time.DateOnly))
		}
		must(audits.Save(ctx, &audit.Audit{CompanyID: b, Category: "poor", At: now.Add(-200 * day)}))
		left := func() [3]int {
			_, readings, err := statistics.Read[struct{}](ctx, s.DB, a, provider.SocialPages)
			must(err)
			_, ofA, err := audits.History(ctx, "a", 0, 9)
			must(err)
			lines, err := s.Trail(ctx, trail.Search{CompanyID: a, Limit: 9})
			must(err)
			return [3]int{len(readings), len(ofA), len(lines)}
		}
		must(erasure.Prune(ctx, s.DB, erasure.Retention{}, now))
		must(erasure.Prune(ctx, s.DB, erasure.Retention{Readings: 98*day + time.Hour}, now))
		if got, want := left(), [3]int{2, 4, 4}; got != want {
			t.Errorf("left %v, want %v", got, want)
		}
		must(erasure.Prune(ctx, s.DB, erasure.Retention{Readings: 50 * day, Trail: 50 * day}, now))
		if got, want := left(), [3]int{1, 4, 1}; got != want {
			t.Errorf("left %v, want %v", got, want)
		}
		for _, table := range []string{"performance_days", "metric_days"} {
			if days := db.Query(t, "SELECT COUNT(*) FROM "+table); days[0] != "1" {
				t.Errorf("left of %s: %v", table, days)
			}
		}
		must(erasure.Prune(ctx, s.DB, erasure.Retention{Audits: 50 * day}, now))
		if got, want := left(), [3]int{1, 1, 1}; got != want {
			t.Errorf("left %v, want %v", got, want)
		}
		if _, ofB, err := audits.History(ctx, "b", 0, 9); err != nil || len(ofB) != 1 {
			t.Errorf("%d audits of the other company, %v", len(ofB), err)
		}
		err := erasure.Prune(ctx, s.DB, erasure.Retention{Trail: time.Hour}, now) // the database keeps young lines
		if got := left(); got[2] != 1 || err == nil {
			t.Errorf("left %v, %v", got, err)
		}
	})
}

// TestFailedDeletions checks that a user or company is deleted with everything or not at all.
func TestFailedDeletions(t *testing.T) {
	user := func(s *directorytest.Service) error {
		return erasure.DeleteUser(s.T.Context(), s.Store.DB, s.Anna.ID, trail.Entry{Action: "user delete"})
	}
	company := func(s *directorytest.Service) error {
		return erasure.DeleteCompany(s.T.Context(), s.Store.DB, s.Company.ID, trail.Entry{Action: "company delete"})
	}
	for name, test := range map[string]struct {
		remove func(*directorytest.Service) error
		spoil  func(*directorytest.Service) (restore func())
	}{
		"user: sessions": {user, func(s *directorytest.Service) func() { return s.Hide("sessions") }},
		"user: row":      {user, func(s *directorytest.Service) func() { return s.FailDeletes("users") }},
		"user: trail":    {user, func(s *directorytest.Service) func() { return s.FailInserts("audit_trail") }},
		"company: its users": {
			company, func(s *directorytest.Service) func() { return s.FailUpdates("users", "company_id") },
		},
		"company: row": {company, func(s *directorytest.Service) func() { return s.FailDeletes("companies") }},
		"company: older lines": {
			company, func(s *directorytest.Service) func() { return s.FailUpdates("audit_trail", "detail") },
		},
		"company: trail": {company, func(s *directorytest.Service) func() { return s.FailInserts("audit_trail") }},
	} {
		s := directorytest.New(t)
		if err := s.Store.Record(
			t.Context(), trail.Entry{CompanyID: s.Company.ID, Action: "select_page", Detail: "Strona"},
		); err != nil {
			t.Fatal(err)
		}
		restore := test.spoil(s)
		err := test.remove(s)
		restore()
		u, userErr := s.Store.UserByEmail(t.Context(), s.Anna.Email)
		if err == nil || userErr != nil || u.CompanyID == nil {
			t.Errorf("%s: %v, user %+v, %v", name, err, u, userErr)
		}
		if lines := s.Trail(); len(lines) != 1 || lines[0].Detail != "Strona" {
			t.Errorf("%s: trail %+v", name, lines)
		}
	}
}

// TestFailuresAreReported checks that nothing is erased or exported without an error if a
// statement fails.
func TestFailuresAreReported(t *testing.T) {
	s := directorytest.New(t)
	ctx := t.Context()
	user := s.AddUser("ewa", account.Admin, &s.Company)
	firm := s.AddCompany("inna")
	connected := func() {
		s.Now = s.Now.Add(time.Hour)
		s.Connect(connection.Connection{
			CompanyID: firm.ID, UserID: user.ID, Pair: pagesPair, AccessToken: "a", Chosen: connection.ChosenPage,
			AccountID:       "104118",
			UserAccessToken: "u", ProviderUserID: "ewa",
		})
	}
	erasedBefore := func() {
		connected()
		if err := s.Erased.Append(
			erasure.OfPerson(erasure.Person{Provider: provider.Social, ID: "ewa"}, s.Now),
		); err != nil {
			t.Fatal(err)
		}
	}
	s.FailEach([]databasetest.Call{
		{Name: "deauthorize", Before: connected, Run: func() error {
			return s.Erasures.Deauthorize(ctx, "req-1", provider.Social, directorytest.SignedRequest("ewa", s.Now))
		}},
		{Name: "request", Before: func() { s.Now = s.Now.Add(time.Hour) }, Run: func() error {
			_, _, err := s.Erasures.DeleteData(ctx, "req-1", provider.Social,
				directorytest.SignedRequest(fmt.Sprint(s.Now.Unix()), s.Now))
			return err
		}},
		{Name: "export", Run: func() error {
			return erasure.Export(ctx, s.Store.DB, firm.ID, func(erasure.Row) error { return nil })
		}},
		{Name: "prune", Run: func() error {
			return erasure.Prune(
				ctx, s.Store.DB, erasure.Retention{Readings: time.Hour, Audits: time.Hour, Trail: 31 * 24 * time.Hour},
				s.Now,
			)
		}},
		{
			Name: "replay", Before: erasedBefore,
			Run: func() error { _, err := s.Erasures.Replay(ctx, commandLine); return err },
		},
		{Name: "user", Before: func() {
			user = s.AddUser(fmt.Sprint("ewa-", s.Now.Unix()), account.Admin, &s.Company)
			connected()
		}, Run: func() error { return s.Erasures.User(ctx, commandLine, user) }},
		{Name: "company", Before: func() {
			user, firm = s.Anna, s.AddCompany(fmt.Sprint("inna-", s.Now.Unix()))
			connected()
		}, Run: func() error { return s.Erasures.Company(ctx, commandLine, firm) }},
	}...)
}

func TestCodes(t *testing.T) {
	faulttest.Published(t, erasure.CodeTooManyRequests, fault.Limited, "too_many_requests")
	faulttest.Published(t, erasure.CodeUserConnected, fault.Unavailable, "user_connected")
	faulttest.Published(t, erasure.CodeNoDeletion, fault.NotFound, "no_deletion")
	faulttest.Published(t, erasure.CodeNoErasureLog, fault.Unavailable, "no_erasure_log")
}
