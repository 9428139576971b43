package account

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/trail"
)

// requireTrail requires the lines about a user, newest first.
func requireTrail(t *testing.T, db *database.DB, userID int64, want ...trail.Entry) {
	t.Helper()
	lines, err := trail.Find(t.Context(), db, trail.Search{UserID: userID, Limit: 99})
	if diff := cmp.Diff(want, lines, cmpopts.IgnoreFields(trail.Entry{}, "At")); err != nil || diff != "" {
		t.Errorf("trail: %v (-want +got): %s", err, diff)
	}
}

// TestEditedUser is returned as it is stored, with a line in the audit trail for each change.
func TestEditedUser(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		now := databasetest.Time
		clocked := databasetest.Open(t, db.URL)
		clocked.Now = func() time.Time { return now }
		users, ctx := NewUsers(clocked), t.Context()
		c := company.Company{Name: "A", Slug: "a", Status: company.StatusActive}
		ok(t, company.New(clocked).Create(ctx, &c))
		u := User{CompanyID: &c.ID, Email: " Jan@x.pl ", Name: " Jan\n", Role: Employee, PasswordHash: "$"}
		ok(t, users.Add(ctx, &u, trail.Entry{Actor: "ola", Action: "user add"}))
		want := User{
			ID:           u.ID,
			CompanyID:    &c.ID,
			Email:        "jan@x.pl",
			Name:         "Jan",
			Role:         Employee,
			PasswordHash: "$",
			CreatedAt:    database.Instant(now),
			UpdatedAt:    database.Instant(now),
		}
		require := func(name string, got User, err error) {
			t.Helper()
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got): %s", name, err, diff)
			}
		}
		require("added", u, nil)
		stored, err := users.ByID(ctx, u.ID)
		require("stored", stored, err)

		now = now.Add(time.Hour)
		edit := func(change UserChange) {
			t.Helper()
			got, err := users.Edit(ctx, u.ID, change, Operator("ola"))
			got.UpdatedAt = want.UpdatedAt // that of the row before
			require("edited", got, err)
			stored, err := users.ByID(ctx, u.ID)
			require("stored", stored, err)
		}
		edit(UserChange{})
		edit(UserChange{Name: new(" Jan "), Role: new(Employee), CompanyID: &c.ID, Disabled: new(false)})
		want.UpdatedAt = database.Instant(now)
		want.Name = strings.Repeat("ż", 200)
		edit(UserChange{Name: new(want.Name + " ")})
		_, err = users.Edit(ctx, u.ID, UserChange{Name: new(want.Name + "ż"), Role: new(Admin)}, Operator("ola"))
		wantCode(t, err, httpapi.CodeInvalidField)
		want.Name, want.Role = "", Manager
		edit(UserChange{Name: new(" "), Role: new(Manager)})
		want.DisabledAt = new(database.Instant(now))
		edit(UserChange{Disabled: new(true)})
		want.DisabledAt = nil
		edit(UserChange{Disabled: new(false)})
		want.CompanyID = nil
		edit(UserChange{CompanyID: new(int64(0))})
		want.CompanyID = &c.ID
		edit(UserChange{CompanyID: &c.ID})
		line := func(company int64, action, detail string) trail.Entry {
			return trail.Entry{CompanyID: company, Actor: "ola", AboutUserID: u.ID, Action: action, Detail: detail}
		}
		requireTrail(
			t,
			clocked,
			u.ID,
			line(c.ID, "user move", "no company → company 1"),
			line(c.ID, "user move", "company 1 → no company"),
			line(c.ID, "user enable", ""),
			line(c.ID, "user disable", ""),
			line(c.ID, "user set-role", "EMPLOYEE → MANAGER"),
			line(c.ID, "user rename", ""),
			line(c.ID, "user rename", ""),
			line(c.ID, "user add", "EMPLOYEE"),
		)
	})
}

// TestDisabledUserLosesSessionsAndLinks, and no other user does.
func TestDisabledUserLosesSessionsAndLinks(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users := NewUsers(db.DB)
		sessions := newSessions(db.DB)
		ctx := t.Context()
		left := func() string {
			return fmt.Sprint(
				db.Query(t, "SELECT user_id FROM sessions ORDER BY user_id"),
				db.Query(t, "SELECT user_id FROM password_links ORDER BY user_id"),
			)
		}
		for i := range int64(2) {
			u := User{Email: fmt.Sprint(i, "@x.pl"), Role: Member}
			ok(t, users.Add(ctx, &u, trail.Entry{}))
			ok(t, sessions.Insert(ctx, Session{IDHash: hash(u.Email), UserID: &u.ID}))
			link := passwordLink{TokenHash: hash(u.Email), UserID: u.ID, ExpiresAt: databasetest.Time}
			ok(t, db.DB.Write(ctx).Create(&link).Error)
		}
		_, err := users.Edit(ctx, 1, UserChange{Name: new("Ewa")}, Actor{})
		if ok(t, err); left() != "[1 2] [1 2]" {
			t.Errorf("after another change: %s", left())
		}
		_, err = users.Edit(ctx, 1, UserChange{Disabled: new(true)}, Actor{})
		if ok(t, err); left() != "[2] [2]" {
			t.Errorf("left %s", left())
		}
	})
}

// TestWhoIsTheLastAdministrator: only one who can log in counts. Erasures may leave none.
func TestWhoIsTheLastAdministrator(t *testing.T) {
	db := databasetest.Open(t, databasetest.NewSQLite(t))
	users, ctx := NewUsers(db), t.Context()
	all := []User{
		{Email: "a@x.pl", Role: Admin, PasswordHash: "$"},
		{Email: "b@x.pl", Role: Admin, PasswordHash: "$"},
		{Email: "c@x.pl", Role: Admin},
		{Email: "d@x.pl", Role: OfficeManager, PasswordHash: "$"},
	}
	for i := range all {
		ok(t, users.Add(ctx, &all[i], trail.Entry{}))
	}
	edit := func(id int64, change UserChange) error {
		_, err := users.Edit(ctx, id, change, Actor{})
		return err
	}
	ok(t, edit(1, UserChange{Disabled: new(true)}))
	ok(t, edit(1, UserChange{Role: new(Member)})) // could not log in any more
	wantCode(t, edit(2, UserChange{Role: new(OfficeManager)}), CodeLastAdmin)
	wantCode(t, edit(2, UserChange{Disabled: new(true)}), CodeLastAdmin)
	ok(t, edit(2, UserChange{Name: new("B")}))
	ok(t, edit(3, UserChange{Role: new(Member)})) // has no password yet
	ok(t, edit(2, UserChange{Disabled: new(true), EvenLastAdmin: true}))
	u, err := users.ByID(ctx, 2)
	if err != nil || u.DisabledAt == nil {
		t.Fatalf("%+v, %v", u, err)
	}
	if u.Role != Admin || u.Name != "B" {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestJoiningACompany: an archived one has no new users, and keeps those that it has.
func TestJoiningACompany(t *testing.T) {
	db := databasetest.Open(t, databasetest.NewSQLite(t))
	users := NewUsers(db)
	companies := company.New(db)
	ctx := t.Context()
	c := company.Company{Name: "A", Slug: "a", Status: company.StatusActive}
	ok(t, companies.Create(ctx, &c))
	u := User{CompanyID: &c.ID, Email: "a@x.pl", Role: Member}
	ok(t, users.Add(ctx, &u, trail.Entry{}))
	_, err := companies.Edit(ctx, c.ID, company.Change{Status: new(company.StatusArchived)}, trail.Entry{})
	ok(t, err)
	wantCode(t, users.Add(ctx, &User{CompanyID: &c.ID, Email: "b@x.pl", Role: Member}, trail.Entry{}), CodeArchived)
	got, err := users.Edit(ctx, u.ID, UserChange{Role: new(Manager), CompanyID: &c.ID}, Actor{})
	if err != nil || got.Role != Manager || idOr0(got.CompanyID) != c.ID {
		t.Errorf("%+v, %v", got, err)
	}
	if list, err := users.List(ctx); err != nil || len(list) != 1 {
		t.Errorf("users %+v, %v", list, err)
	}
}

// TestEndSessions of a user: one by its id, all, or all but one.
func TestEndSessions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users := NewUsers(db.DB)
		sessions := newSessions(db.DB)
		ctx := t.Context()
		u, other := User{Email: "a@x.pl", Role: Member}, User{Email: "b@x.pl", Role: Member}
		ok(t, errors.Join(users.Add(ctx, &u, trail.Entry{}), users.Add(ctx, &other, trail.Entry{})))
		for i := range 4 {
			ok(
				t,
				sessions.Insert(
					ctx,
					Session{
						IDHash:     hash(fmt.Sprint(i)),
						UserID:     &u.ID,
						LastSeenAt: databasetest.Time.Add(time.Duration(i) * time.Minute),
					},
				),
			)
		}
		ok(t, sessions.Insert(ctx, Session{IDHash: hash("other"), UserID: &other.ID}))
		listed := func(id string) string { return (&Session{IDHash: hash(id)}).listedID() }
		for _, step := range []struct {
			id, except string
			ended      int
			code       string
			left       string
		}{
			{listed("1"), listed("1"), 1, "", "3 2 0"},
			{listed("1"), "", 0, "unknown_session", "3 2 0"},
			{listed("other"), "", 0, "unknown_session", "3 2 0"},
			{"", listed("2"), 2, "", "2"},
			{"", "", 1, "", ""},
			{"", "", 0, "", ""},
		} {
			ended, err := sessions.EndOf(ctx, Operator("ola"), u, step.id, step.except)
			if ended != step.ended || step.code == "" && err != nil {
				t.Errorf("%+v: ended %d, %v", step, ended, err)
			}
			if step.code != "" {
				wantCode(t, err, CodeUnknownSession)
			}
			var left []string
			list, err := sessions.Of(ctx, u.ID)
			ok(t, err)
			for _, s := range list {
				for i := range 4 {
					if s.listedID() == listed(fmt.Sprint(i)) {
						left = append(left, fmt.Sprint(i))
					}
				}
			}
			if strings.Join(left, " ") != step.left {
				t.Errorf("%+v: left %q", step, left)
			}
		}
		if _, err := sessions.Find(ctx, hash("other")); err != nil {
			t.Errorf("the other user's session: %v", err)
		}
		line := trail.Entry{Actor: "ola", AboutUserID: u.ID, Action: "session end"}
		var lines []trail.Entry
		for _, n := range []int{0, 1, 2, 1} {
			line.Detail = fmt.Sprint(n, " ended")
			lines = append(lines, line)
		}
		requireTrail(t, db.DB, u.ID, append(lines, trail.Entry{AboutUserID: u.ID, Detail: "MEMBER"})...)
	})
}

// TestUsersAreFoundByAPartOfNameOrAddress in the order in which they were added.
func TestUsersAreFoundByAPartOfNameOrAddress(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users, ctx := NewUsers(db.DB), t.Context()
		for _, u := range []User{{Email: "zofia@x.pl", Name: "Zofia Łąkowa"}, {Email: "adam@lak.pl", Name: "Adam"},
			{Email: "ewa@x.pl", Name: "LAKOWSKA"}} {
			u.Role = Member
			ok(t, users.Add(ctx, &u, trail.Entry{}))
		}
		for i := range 23 {
			ok(t, users.Add(ctx, &User{Email: fmt.Sprint("u", i, "@y.pl"), Name: "Inny", Role: Member}, trail.Entry{}))
		}
		for text, want := range map[string]string{" LAK ": "[1 2 3]", "łąk": "[1 3]", "x.pl": "[1 3]", "EWA@": "[3]",
			"zofia ł": "[1]", "adam": "[2]"} {
			found, more, err := users.Search(ctx, text, 0)
			var ids []int64
			for _, u := range found {
				ids = append(ids, u.ID)
			}
			if fmt.Sprint(ids) != want || more || err != nil {
				t.Errorf("%q: %v, %t, %v; want %s", text, ids, more, err, want)
			}
		}
		for after, count := range map[int64]int{0: 25, 1: 25, 2: 24} {
			if found, more, err := users.Search(ctx, "", after); err != nil || len(found) != count ||
				more != (after == 0) {
				t.Errorf("after %d: %d, %t, %v", after, len(found), more, err)
			}
		}
	})
}
