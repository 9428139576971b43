package account

import (
	"fmt"
	"os"
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

func requireEqual(t *testing.T, what string, want, got any, options ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, options...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// addMember adds a member without a company.
func addMember(t *testing.T, db *database.DB, email string) User {
	t.Helper()
	u := User{Email: email, Role: Member}
	ok(t, NewUsers(db).Add(t.Context(), &u, trail.Entry{}))
	return u
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
		requireEqual(t, "e-mail address", "łucja.k@example.test", member.Email)
		if member.CreatedAt.IsZero() || member.UpdatedAt != member.CreatedAt {
			t.Errorf("created at %s, updated at %s; want the same time", member.CreatedAt, member.UpdatedAt)
		}
		list, err := s.List(ctx)
		ok(t, err)
		requireEqual(t, "list", []User{member, loner}, list)
		found, err := s.ByEmail(ctx, "ŁUCJA.k@example.test")
		ok(t, err)
		requireEqual(t, "by e-mail address", member, found)
	})
}

// TestUserFaults checks the code of each refusal of the store.
func TestUserFaults(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := NewUsers(db.DB), t.Context()
		u := addMember(t, db.DB, "a@example.test")
		ofNoCompany := func() *User { return &User{Email: "b@x.pl", Role: Member, CompanyID: new(int64(77))} }
		longName := User{Email: "b@x.pl", Role: Member, Name: strings.Repeat("ż", maxUserName+1)}
		wantCode(t, s.Add(ctx, &User{Email: "A@EXAMPLE.test", Role: Member}, trail.Entry{}), CodeEmailTaken)
		wantCode(t, s.Add(ctx, ofNoCompany(), trail.Entry{}), company.CodeNotFound)
		wantCode(t, s.Create(ctx, ofNoCompany()), company.CodeNotFound)
		wantCode(t, s.Add(ctx, &longName, trail.Entry{}), httpapi.CodeInvalidField)
		_, err := s.ByEmail(ctx, "unknown@example.test")
		wantCode(t, err, CodeNoUser)
		_, err = s.Edit(ctx, 99, UserChange{Role: new(Admin)}, Actor{})
		wantCode(t, err, CodeNoUser)
		wantCode(t, s.SetPasswordHash(ctx, 99, "h", trail.Entry{}), CodeNoUser)
		wantCode(t, s.SetPasswordHash(ctx, u.ID, "nul\x00", trail.Entry{}), database.CodeInvalidText)
		_, err = s.Edit(ctx, u.ID, UserChange{Role: new(Role(11))}, Actor{})
		if err == nil || fault.From(err).Kind != fault.Internal {
			t.Errorf("a role that does not exist: error %v, want an internal one", err)
		}
	})
}

func TestRoles(t *testing.T) {
	const own, foreign = int64(7), int64(8)
	for _, test := range []struct {
		name                        string
		rank                        Role
		editsOwn, moderates, admins bool
	}{
		{"UNAFFILIATED", 10, false, false, false},
		{"MEMBER", 20, true, false, false},
		{"EMPLOYEE", 30, true, false, false},
		{"MANAGER", 40, true, false, false},
		{"OFFICE_MANAGER", 50, true, true, false},
		{"ADMIN", 100, true, true, true},
	} {
		role, err := ParseRole(strings.ToLower(test.name))
		ok(t, err)
		if role != test.rank || role.String() != test.name {
			t.Errorf("%s is read as %s of rank %d, want rank %d", test.name, role, int(role), int(test.rank))
		}
		u, loner := User{Role: role, CompanyID: new(own)}, User{Role: role}
		for _, permission := range []struct {
			name      string
			got, want bool
		}{
			{"edit the own company", u.CanEditCompany(own), test.editsOwn},
			{"edit another company", u.CanEditCompany(foreign), test.admins},
			{"edit a company without having one", loner.CanEditCompany(own), test.admins},
			{"use the admin panel", u.CanAccessAdminPanel(), test.admins},
			{"moderate the forum", u.CanModerateForum(), test.moderates},
		} {
			if permission.got != permission.want {
				t.Errorf("%s may %s: %t, want %t", test.name, permission.name, permission.got, permission.want)
			}
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
	ok(t, err)
	requireEqual(t, "trail", want, lines, cmpopts.IgnoreFields(trail.Entry{}, "At"))
}

// TestEditedUser is returned as it is stored, with a line in the audit trail for each change. Other users
// stay as they are.
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
		other := addMember(t, clocked, "other@x.pl")
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
			ok(t, err)
			requireEqual(t, name, want, got)
		}
		require("added", u, nil)
		stored, err := users.ByID(ctx, u.ID)
		require("stored", stored, err)

		now = now.Add(time.Hour)
		// edit compares with want, which is changed before each edit as the edit changes the user.
		edit := func(change UserChange) {
			t.Helper()
			got, err := users.Edit(ctx, u.ID, change, Operator("ola"))
			require("edited", got, err)
			stored, err := users.ByID(ctx, u.ID)
			require("stored", stored, err)
		}
		edit(UserChange{}) // changes nothing, and so does the next one
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
		kept, err := users.ByID(ctx, other.ID)
		ok(t, err)
		requireEqual(t, "the other user", other, kept)
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
		left := func() string { // users with sessions, and with links
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
		ok(t, err)
		if got := left(); got != "[1 2] [1 2]" {
			t.Errorf("users with sessions and with links after another change: %s, want both users", got)
		}
		_, err = users.Edit(ctx, 1, UserChange{Disabled: new(true)}, Actor{})
		ok(t, err)
		if got := left(); got != "[2] [2]" {
			t.Errorf("users with sessions and with links: %s, want user 2 alone", got)
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
	ok(t, edit(1, UserChange{Role: new(Member)})) // is disabled, so another one is left
	wantCode(t, edit(2, UserChange{Role: new(OfficeManager)}), CodeLastAdmin)
	wantCode(t, edit(2, UserChange{Disabled: new(true)}), CodeLastAdmin)
	ok(t, edit(2, UserChange{Name: new("B")}))
	ok(t, edit(3, UserChange{Role: new(Member)})) // has no password yet
	ok(t, edit(2, UserChange{Disabled: new(true), EvenLastAdmin: true}))
	u, err := users.ByID(ctx, 2)
	ok(t, err)
	if u.DisabledAt == nil || u.Role != Admin || u.Name != "B" {
		t.Errorf("stored %+v, want a disabled administrator with the name B", u)
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
	ok(t, err)
	if got.Role != Manager || idOr0(got.CompanyID) != c.ID {
		t.Errorf("edited to %+v, want a manager of the same company", got)
	}
	list, err := users.List(ctx)
	ok(t, err)
	if len(list) != 1 {
		t.Errorf("%d users, want 1: %+v", len(list), list)
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
			if err != nil || more {
				t.Errorf("%q: another page is %t, error %v; want neither", text, more, err)
			}
			if got := fmt.Sprint(ids); got != want {
				t.Errorf("%q: found %s, want %s", text, got, want)
			}
		}
		for after, want := range map[int64]int{0: 25, 1: 25, 2: 24} { // of 26 users
			found, more, err := users.Search(ctx, "", after)
			ok(t, err)
			if len(found) != want {
				t.Errorf("after user %d: %d users, want %d", after, len(found), want)
			}
			if more != (after == 0) {
				t.Errorf("after user %d: another page is %t", after, more)
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
		requireEqual(t, name+": subject", test.subject, a.Subject())
		if id := a.UserID(); idOr0(id) != test.user {
			t.Errorf("%s: user %d, want %d", name, idOr0(id), test.user)
		} else if id != nil && *id == 0 {
			t.Errorf("%s: the user has the number 0, want none", name)
		}
		company, err := a.Company()
		requireEqual(t, name+": company", test.company, company)
		for _, right := range []struct {
			name    string
			err     error
			allowed bool
			refusal fault.Code
		}{
			{"have a company", err, test.company != 0, CodeNoCompany},
			{"administer", a.Administers(), test.admin, CodeAdminOnly},
			{"edit company 7", a.MayEdit(own), test.own, CodeNotAllowed},
			{"edit company 8", a.MayEdit(other), test.foreign, CodeNotAllowed},
		} {
			switch {
			case right.allowed && right.err != nil:
				t.Errorf("%s may not %s: %v", name, right.name, right.err)
			case !right.allowed && !fault.Is(right.err, right.refusal):
				t.Errorf("%s, right to %s: error %v, want %s", name, right.name, right.err, right.refusal)
			}
		}
		requireEqual(t, name+": line of the audit trail", test.by, a.By())
	}
}
