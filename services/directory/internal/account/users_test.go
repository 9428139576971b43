package account

import (
	"fmt"
	"os"
	"reflect"
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
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, err error, want fault.Code) {
	t.Helper()
	if !fault.Is(err, want) {
		t.Errorf("err = %v, want %s", err, want)
	}
}

func TestUsersAreStored(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := NewUsers(db.DB), t.Context()
		c := company.Company{Slug: "a", Status: company.StatusActive}
		ok(t, company.New(db.DB).Create(ctx, &c))
		member := User{
			CompanyID:    &c.ID,
			Email:        "Łucja.K@Example.Test",
			Name:         "Łucja",
			PasswordHash: "$argon2id$v=19$x",
			Role:         Manager,
		}
		loner := User{Email: "loner@example.test", Role: Unaffiliated}
		ok(t, s.Add(ctx, &member, trail.Entry{}))
		ok(t, s.Add(ctx, &loner, trail.Entry{}))
		if member.Email != "łucja.k@example.test" || member.ID == 0 {
			t.Fatalf("created as %+v", member)
		}
		if member.CreatedAt.IsZero() || member.UpdatedAt != member.CreatedAt {
			t.Errorf("created as %+v", member)
		}
		if got, err := s.List(ctx); err != nil || !reflect.DeepEqual(got, []User{member, loner}) {
			t.Errorf("List = %+v, %v", got, err)
		}
		if got, err := s.ByEmail(ctx, "ŁUCJA.k@example.test"); err != nil || !reflect.DeepEqual(got, member) {
			t.Errorf("ByEmail = %+v, %v", got, err)
		}
		_, err := s.Edit(ctx, loner.ID, UserChange{Role: new(Admin)}, Actor{})
		ok(t, err)
		if u, err := s.ByEmail(ctx, loner.Email); err != nil || u.Role != Admin {
			t.Errorf("%+v, %v", u, err)
		}
		if u, err := s.ByEmail(ctx, member.Email); err != nil || u.Role != Manager {
			t.Errorf("the other user became %+v, %v", u, err)
		}
		if lines, err := trail.Find(ctx, db.DB, trail.Search{Limit: 9}); err != nil || len(lines) != 3 {
			t.Errorf("trail %+v, %v", lines, err)
		}
	})
}

func TestUserFaults(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := NewUsers(db.DB), t.Context()
		u := User{Email: "a@example.test", Role: Member}
		ok(t, s.Add(ctx, &u, trail.Entry{}))
		wantCode(t, s.Add(ctx, &User{Email: "A@EXAMPLE.test", Role: Member}, trail.Entry{}), CodeEmailTaken)
		wantCode(
			t,
			s.Add(ctx, &User{Email: "b@example.test", Role: Member, CompanyID: new(int64(77))}, trail.Entry{}),
			company.CodeNotFound,
		)
		wantCode(
			t,
			s.Create(ctx, &User{Email: "b@example.test", Role: Member, CompanyID: new(int64(77))}),
			company.CodeNotFound,
		)
		wantCode(
			t,
			s.Add(ctx, &User{Email: "b@example.test", Role: Member, Name: strings.Repeat("ż", maxUserName+1)},
				trail.Entry{}),
			httpapi.CodeInvalidField,
		)
		_, err := s.ByEmail(ctx, "unknown@example.test")
		wantCode(t, err, CodeNoUser)
		_, err = s.Edit(ctx, 99, UserChange{Role: new(Admin)}, Actor{})
		wantCode(t, err, CodeNoUser)
		wantCode(t, s.SetPasswordHash(ctx, 99, "h", trail.Entry{}), CodeNoUser)
		wantCode(t, s.SetPasswordHash(ctx, u.ID, "nul\x00", trail.Entry{}), database.CodeInvalidText)
		if _, err := s.Edit(ctx, u.ID, UserChange{Role: new(Role(11))}, Actor{}); err == nil ||
			fault.From(err).Kind != fault.Internal {
			t.Errorf("a role that does not exist: %v", err)
		}
	})
}

func TestRoles(t *testing.T) {
	own := int64(7)
	for _, tt := range []struct {
		name                        string
		rank                        Role
		editOwn, moderate, allRight bool
	}{
		{"UNAFFILIATED", 10, false, false, false},
		{"MEMBER", 20, true, false, false},
		{"EMPLOYEE", 30, true, false, false},
		{"MANAGER", 40, true, false, false},
		{"OFFICE_MANAGER", 50, true, true, false},
		{"ADMIN", 100, true, true, true},
	} {
		role, err := ParseRole(strings.ToLower(tt.name))
		if err != nil || role != tt.rank || role.String() != tt.name {
			t.Errorf("%s: %s of rank %d, %v", tt.name, role, int(role), err)
		}
		of, none := User{Role: role, CompanyID: &own}, User{Role: role}
		if of.CanEditCompany(own) != tt.editOwn || of.CanEditCompany(8) != tt.allRight {
			t.Fatalf("%s may do something else than %+v", tt.name, tt)
		}
		if none.CanEditCompany(own) != tt.allRight || of.CanAccessAdminPanel() != tt.allRight {
			t.Fatalf("%s may do something else than %+v", tt.name, tt)
		}
		if of.CanModerateForum() != tt.moderate {
			t.Errorf("%s may do something else than %+v", tt.name, tt)
		}
	}
	for _, name := range []string{"", "BOSS", "ADMIN ", "100"} {
		if role, err := ParseRole(name); err == nil {
			t.Errorf("ParseRole(%q) = %v, want an error", name, role)
		}
	}
}

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
			ok(t, sessions.insert(ctx, Session{IDHash: hashOf(u.Email), UserID: &u.ID}))
			link := passwordLink{TokenHash: hashOf(u.Email), UserID: u.ID, ExpiresAt: databasetest.Time}
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

// TestActors are a user, the operator at the command line, or neither.
func TestActors(t *testing.T) {
	own, other := int64(7), int64(8)
	member := Actor{User: User{ID: 3, CompanyID: &own, Role: Member}, RequestID: "r-1"}
	loner := Actor{User: User{ID: 4, Role: Member}}
	admin := Actor{User: User{ID: 5, Role: Admin}}
	visitor := Actor{RequestID: "r-2"}
	service := Actor{Name: "service"}
	operator := Operator("ola")
	for name, test := range map[string]struct {
		actor               Actor
		subject             string
		user                int64 // 0 for none
		company             int64 // 0 for none
		admin, own, foreign bool  // may administer, edit company 7, edit company 8
		by                  trail.Entry
	}{
		"member":   {member, "3", 3, 7, false, true, false, trail.Entry{UserID: &member.User.ID, RequestID: "r-1"}},
		"loner":    {loner, "4", 4, 0, false, false, false, trail.Entry{UserID: &loner.User.ID}},
		"admin":    {admin, "5", 5, 0, true, true, true, trail.Entry{UserID: &admin.User.ID}},
		"visitor":  {visitor, "0", 0, 0, false, false, false, trail.Entry{RequestID: "r-2"}},
		"service":  {service, "0", 0, 0, false, false, false, trail.Entry{Actor: "service"}},
		"operator": {operator, "ola", 0, 0, true, true, true, trail.Entry{Actor: "ola"}},
	} {
		a := test.actor
		if subject := a.Subject(); subject != test.subject {
			t.Errorf("%s: subject %q", name, subject)
		}
		if id := idOr0(a.UserID()); id != test.user || (a.UserID() == nil) != (test.user == 0) {
			t.Errorf("%s: user %d", name, id)
		}
		company, err := a.Company()
		if company != test.company || (err == nil) != (test.company != 0) {
			t.Fatalf("%s: company %d, %v", name, company, err)
		}
		if err != nil && !fault.Is(err, CodeNoCompany) {
			t.Errorf("%s: company %d, %v", name, company, err)
		}
		for _, permission := range []struct {
			err     error
			allowed bool
			code    fault.Code
		}{{a.Administers(), test.admin, CodeAdminOnly}, {a.MayEdit(own), test.own, CodeNotAllowed},
			{a.MayEdit(other), test.foreign, CodeNotAllowed}} {
			if (permission.err == nil) != permission.allowed ||
				!permission.allowed && !fault.Is(permission.err, permission.code) {
				t.Errorf("%s: %v, want allowed %t", name, permission.err, permission.allowed)
			}
		}
		if diff := cmp.Diff(test.by, a.By()); diff != "" {
			t.Errorf("%s (-want +got): %s", name, diff)
		}
	}
}
