package erasure_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/directory/internal/trail"
)

func TestEraseUserEndsTheGrants(t *testing.T) {
	a := apptest.New(t)
	colleague := a.AddUser("ewa", account.Member, &a.Company).ID
	a.Save(connection.Connection{Pair: provider.ProfilePair, AccessToken: "a", ProviderUserID: "anna",
		Chosen: connection.ChosenLocation, AccountID: "locations/9", AccountName: "Piekarnia"})
	a.Save(connection.Connection{Pair: provider.AnalyticsPair, AccessToken: "b", ProviderUserID: "anna",
		AccountID: "anna@mail", AccountName: "Anna", UserID: colleague})
	pages := a.Save(connection.Connection{Pair: provider.PagesPair, AccessToken: "c", ProviderUserID: "anna",
		UserID: colleague}) // the same number at another provider
	apptest.WantCode(t, a.Erasures.User(t.Context(), commandLine, a.Anna), none)
	for p, account := range map[provider.Pair]string{provider.ProfilePair: "locations/9",
		provider.AnalyticsPair: ""} {
		c := a.Connection(p)
		if c.Active || c.AccessToken != "" {
			t.Errorf("%s did not end: active = %t, token = %q", p, c.Active, c.AccessToken)
		}
		if c.ProviderUserID != "" || c.UserID != 0 {
			t.Errorf("%s still names the person %q of user %d", p, c.ProviderUserID, c.UserID)
		}
		if c.ReconnectReason == "" {
			t.Errorf("%s does not say why it ended", p)
		}
		if c.AccountID != account {
			t.Errorf("%s: account = %q, want %q", p, c.AccountID, account)
		}
	}
	if diff := cmp.Diff(pages, a.Connection(provider.PagesPair)); diff != "" {
		t.Errorf("the colleague's connection (-want +got):\n%s", diff)
	}
	_, err := a.Users.ByEmail(t.Context(), a.Anna.Email)
	apptest.WantCode(t, err, account.CodeNoUser)
}

func TestTrailOfErasures(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App, _ databasetest.Database) {
		for _, id := range []int64{a.Company.ID, a.AddCompany("cukiernia").ID} {
			entry := trail.Entry{At: a.Clock.Now(), CompanyID: id, Action: "select_page", Detail: "Strona"}
			apptest.WantCode(t, trail.Record(a.DB.Write(t.Context()), entry), none)
		}
		a.Browser(a.Anna).Connect(provider.ProfilePair, "anna")
		a.Clock.Pass(time.Minute)
		ewa := a.AddUser("ewa", account.Member, &a.Company)
		apptest.WantCode(t, a.Erasures.User(t.Context(), commandLine, a.Anna), none)
		apptest.WantCode(t, a.Erasures.Company(t.Context(), commandLine, a.Company), none)
		a.Work()
		lines, err := trail.Find(t.Context(), a.DB, trail.Search{Limit: 99})
		apptest.WantCode(t, err, none)
		var got []string
		for _, e := range slices.Backward(lines) {
			got = append(got, fmt.Sprintf("%s company %d, %q: user %d, %s, %q, %s", e.At.UTC().Format("15:04"),
				e.CompanyID, e.Actor, e.AboutUserID, e.Action, e.Detail, e.Pair))
		}
		want := []string{
			`12:00 company 1, "": user 0, select_page, "", /`,
			`12:00 company 2, "": user 0, select_page, "Strona", /`,
			`12:00 company 1, "": user 0, connect, "", provider_search/search_profile`,
			`12:01 company 1, "command line": user 1, user disable, "", /`,
			`12:01 company 1, "command line": user 1, erase, "", provider_search/search_profile`,
			`12:01 company 0, "command line": user 1, user delete, "", /`,
			`12:01 company 1, "command line": user 0, erase, "", provider_search/search_profile`,
			`12:01 company 1, "command line": user 0, company delete, "", /`,
			`12:01 company 1, "command line": user 0, revoke, "", provider_search/search_profile`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("trail (-want +got):\n%s", diff)
		}
		left, err := a.Users.ByEmail(t.Context(), ewa.Email)
		apptest.WantCode(t, err, none)
		if left.CompanyID != nil {
			t.Errorf("the other user still has the erased company %d", *left.CompanyID)
		}
	})
}

func TestEraseInterrupted(t *testing.T) {
	a := apptest.New(t)
	execute(a, "CREATE TRIGGER fails BEFORE DELETE ON users BEGIN SELECT RAISE(FAIL, 'full'); END")
	if err := a.Erasures.User(t.Context(), commandLine, a.Anna); err == nil {
		t.Error("an erasure that could not delete the user reported no error")
	}
	wantErased(a, 1)
	execute(a, "DROP TRIGGER fails")
	a.Clock.Pass(time.Hour)
	_, err := a.Users.Edit(t.Context(), a.Anna.ID, account.UserChange{Role: new(account.Member)}, account.Actor{})
	apptest.WantCode(t, err, none)
	for _, want := range []int{1, 0} {
		n, err := a.Erasures.Replay(t.Context(), commandLine)
		apptest.WantCode(t, err, none)
		if n != want {
			t.Errorf("%d erased again, want %d", n, want)
		}
	}
}

func TestReplayLeavesLaterGrants(t *testing.T) {
	a := apptest.New(t)
	old := a.Save(connection.Connection{Pair: provider.PhotosPair, AccessToken: "a", ProviderUserID: "1"})
	person := erasure.Person{Provider: provider.Social, ID: "1"}
	for _, hours := range []time.Duration{-2, 1, -1} { // logs may be concatenated
		at := a.Clock.Now().Add(hours * time.Hour)
		apptest.WantCode(t, a.Erasures.Erased.Append(erasure.OfPerson(person, at)), none)
	}
	a.Clock.Pass(2 * time.Hour)
	later := a.Save(connection.Connection{Pair: provider.PagesPair, AccessToken: "a", ProviderUserID: "1"})
	reading := statistics.Reading[struct{}]{CompanyID: a.Company.ID, Service: provider.SocialPages, Data: &struct{}{},
		SyncedAt: a.Clock.Now()}
	apptest.WantCode(t, statistics.Save(t.Context(), a.DB, reading), none)
	for range 2 {
		_, err := a.Erasures.Replay(t.Context(), commandLine)
		apptest.WantCode(t, err, none)
		if c := find(a, old); c.Active || c.ProviderUserID != "" {
			t.Errorf("granted before: active = %t, person = %q, want it erased", c.Active, c.ProviderUserID)
		}
		if diff := cmp.Diff(later, find(a, later)); diff != "" {
			t.Errorf("granted later (-want +got):\n%s", diff)
		}
		_, readings, err := statistics.Read[struct{}](t.Context(), a.DB, a.Company.ID, provider.SocialPages)
		apptest.WantCode(t, err, none)
		if len(readings) != 1 {
			t.Errorf("%d readings of what was granted later, want 1", len(readings))
		}
	}
}

// TestUserConnectsDuringTheErasure has a connection name the user again before each try to delete the user.
func TestUserConnectsDuringTheErasure(t *testing.T) {
	a := apptest.New(t)
	a.Save(connection.Connection{Pair: provider.ProfilePair, AccessToken: "a"})
	execute(a, "CREATE TRIGGER late BEFORE DELETE ON users BEGIN UPDATE oauth_tokens SET user_id = OLD.id; END")
	apptest.WantCode(t, a.Erasures.User(t.Context(), commandLine, a.Anna), erasure.CodeUserConnected)
	execute(a, "DROP TRIGGER late")
	apptest.WantCode(t, a.Erasures.User(t.Context(), commandLine, a.Anna), none)
}

func TestLastAdministratorIsNotErased(t *testing.T) {
	a := apptest.New(t)
	admin := a.AddUser("szef", account.Admin, nil)
	apptest.WantCode(t, a.Erasures.User(t.Context(), commandLine, admin), account.CodeLastAdmin)
	wantErased(a, 0)
}

func TestNothingIsErasedUnlogged(t *testing.T) {
	a := apptest.New(t)
	want := a.Save(connection.Connection{Pair: provider.ProfilePair, AccessToken: "a"})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	full := withLog(a, newLog(filepath.Join(file, "log")))
	if err := full.User(t.Context(), commandLine, a.Anna); err == nil {
		t.Error("a user was erased without a line in the log")
	}
	if err := full.Company(t.Context(), commandLine, a.Company); err == nil {
		t.Error("a company was erased without a line in the log")
	}
	apptest.WantCode(t, withLog(a, nil).User(t.Context(), commandLine, a.Anna), erasure.CodeNoErasureLog)
	_, err := withLog(a, nil).Replay(t.Context(), commandLine)
	apptest.WantCode(t, err, erasure.CodeNoErasureLog)
	if diff := cmp.Diff(want, find(a, want)); diff != "" {
		t.Errorf("the connection (-want +got):\n%s", diff)
	}
}

// TestReplayPurges checks that no file of the database holds what a replay erased, and that a replay reports that
// it cannot shorten the log of the database while another process reads.
func TestReplayPurges(t *testing.T) {
	db := databasetest.Database{Name: "sqlite", URL: databasetest.NewSQLite(t)}
	a := apptest.New(t, apptest.On(db.URL))
	c := a.AddCompany("usunieta", func(c *company.Company) { c.Name = "marker-of-the-company" })
	apptest.WantCode(t, a.Erasures.Erased.Append(erasure.OfCompany(c, a.Clock.Now())), none)
	execute(a, "PRAGMA busy_timeout = 10")
	reading, err := db.Raw(t).BeginTx(t.Context(), nil)
	apptest.WantCode(t, err, none)
	_, err = reading.Exec("SELECT count(*) FROM companies")
	apptest.WantCode(t, err, none)
	n, err := a.Erasures.Replay(t.Context(), commandLine)
	if n != 1 {
		t.Errorf("%d erased while another process reads, want 1", n)
	}
	if err == nil || !strings.Contains(err.Error(), "another process reads") {
		t.Errorf("err = %v, want that another process reads", err)
	}
	apptest.WantCode(t, errors.Join(reading.Rollback(), a.DB.Purge(t.Context())), none)
	wantAbsent(t, db.URL, "marker-of-the-company")
}

func TestPurgeKeepsLaterRequests(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, a *apptest.App, _ databasetest.Database) {
		write, later := a.DB.Write(t.Context()), sync.Once{}
		request := func(tx *gorm.DB) {
			err := tx.Table("purges").Create(map[string]any{"requested_at": time.Now()}).Error
			apptest.WantCode(t, err, none)
		}
		request(write)
		err := write.Callback().Delete().Before("gorm:delete").Register("request", func(tx *gorm.DB) {
			later.Do(func() { request(tx.Session(&gorm.Session{NewDB: true})) })
		})
		apptest.WantCode(t, err, none)
		for _, want := range []bool{true, true, false} {
			purged, err := a.Erasures.Purge(t.Context())
			apptest.WantCode(t, err, none)
			if purged != want {
				t.Errorf("purged = %t, want %t", purged, want)
			}
		}
	})
}

func TestPrune(t *testing.T) {
	const day = 24 * time.Hour
	onEachDatabase(t, func(t *testing.T, a *apptest.App, db databasetest.Database) {
		now, ctx := time.Now(), t.Context()
		poor := audit.Outcome{Category: "poor"}
		for _, age := range []time.Duration{100 * day, 99 * day, 98 * day, day} {
			at := now.Add(-age)
			reading := statistics.Reading[struct{}]{CompanyID: a.Company.ID, Service: provider.SocialPages,
				Data: &struct{}{}, SyncedAt: at}
			apptest.WantCode(t, statistics.Save(ctx, a.DB, reading), none)
			apptest.WantCode(t, a.Audits.Save(ctx, &audit.Audit{CompanyID: a.Company.ID, Outcome: poor, At: at}),
				none)
			entry := trail.Entry{CompanyID: a.Company.ID, Action: "refresh", At: at}
			apptest.WantCode(t, trail.Record(a.DB.Write(ctx), entry), none)
			execute(a, fmt.Sprintf("INSERT INTO performance_days VALUES (%d, 'l', '%s', 1, 2, 3, 4, 5, 6, 7, 8, 9)",
				a.Company.ID, at.UTC().Format(time.DateOnly)))
		}
		other := &audit.Audit{CompanyID: a.AddCompany("b").ID, Outcome: poor, At: now.Add(-200 * day)}
		apptest.WantCode(t, a.Audits.Save(ctx, other), none)
		for _, step := range []struct {
			keep erasure.Retention
			want string // rows left: readings, days, audits and lines of the trail
		}{
			{erasure.Retention{}, "4 4 5 4"},
			{erasure.Retention{Readings: 98*day + time.Hour}, "2 2 5 4"},
			{erasure.Retention{Readings: 50 * day, Trail: 50 * day}, "1 1 5 1"},
			{erasure.Retention{Audits: 50 * day}, "1 1 2 1"},
		} {
			apptest.WantCode(t, erasure.Prune(ctx, a.DB, step.keep, now), none)
			var counts []string
			for _, table := range []string{"social_statistics_history", "performance_days", "profile_audits",
				"audit_trail"} {
				counts = append(counts, db.Query(t, "SELECT count(*) FROM "+table)...)
			}
			if got := strings.Join(counts, " "); got != step.want {
				t.Errorf("after %+v: %s rows are left, want %s", step.keep, got, step.want)
			}
		}
		if erasure.Prune(ctx, a.DB, erasure.Retention{Trail: time.Hour}, now) == nil {
			t.Error("the database lets young lines of the trail go")
		}
	})
}

func TestFailuresAreReported(t *testing.T) {
	a := apptest.New(t)
	ctx := t.Context()
	user, firm := a.AddUser("ewa", account.Admin, &a.Company), a.AddCompany("inna")
	connected := func() {
		a.Clock.Pass(time.Hour)
		a.Save(connection.Connection{
			CompanyID: firm.ID, UserID: user.ID, Pair: provider.PagesPair, AccessToken: "a",
			Chosen: connection.ChosenPage, AccountID: bakery, ProviderUserID: "ewa",
			Metadata: connection.Metadata{UserAccessToken: "u"},
		})
	}
	request := func() error {
		person := fmt.Sprint(a.Clock.Now().Unix())
		_, _, err := a.Erasures.DeleteData(ctx, "req-1", provider.Social, signed(person, a.Clock.Now()))
		return err
	}
	a.FailEach([]databasetest.Call{
		{Name: "deauthorize", Before: connected, Run: func() error {
			return a.Erasures.Deauthorize(ctx, "req-1", provider.Social, signed("ewa", a.Clock.Now()))
		}},
		{Name: "request", Before: func() { a.Clock.Pass(time.Hour) }, Run: request},
		{Name: "deletion", Before: func() {
			connected()
			_, _, err := a.Erasures.DeleteData(ctx, "", provider.Social, signed("ewa", a.Clock.Now()))
			apptest.WantCode(t, err, none)
		}, Run: func() error { return a.Erasures.CarryOut(ctx) }},
		{Name: "export", Run: func() error {
			return erasure.Export(ctx, a.DB, firm.ID, func(erasure.Row) error { return nil })
		}},
		{Name: "prune", Run: func() error {
			keep := erasure.Retention{Readings: time.Hour, Audits: time.Hour, Trail: 31 * 24 * time.Hour}
			return erasure.Prune(ctx, a.DB, keep, a.Clock.Now())
		}},
		{Name: "replay", Before: func() {
			connected()
			person := erasure.Person{Provider: provider.Social, ID: "ewa"}
			apptest.WantCode(t, a.Erasures.Erased.Append(erasure.OfPerson(person, a.Clock.Now())), none)
		}, Run: func() error { return databasetest.ErrorOf(a.Erasures.Replay(ctx, commandLine)) }},
		{Name: "user", Before: func() {
			user = a.AddUser(fmt.Sprint("ewa-", a.Clock.Now().Unix()), account.Admin, &a.Company)
			connected()
		}, Run: func() error { return a.Erasures.User(ctx, commandLine, user) }},
		{Name: "company", Before: func() {
			user, firm = a.Anna, a.AddCompany(fmt.Sprint("inna-", a.Clock.Now().Unix()))
			connected()
		}, Run: func() error { return a.Erasures.Company(ctx, commandLine, firm) }},
	}...)
}
