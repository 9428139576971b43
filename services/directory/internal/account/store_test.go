package account

import (
	"os"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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

func newSessions(db *database.DB) *Sessions {
	db.Now = func() time.Time { return databasetest.Time }
	return NewSessions(db, Keys{}, false, nil)
}

func hash(id string) []byte { return hashOf(id) }

func TestSetPasswordHashEndsSessions(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users := NewUsers(db.DB)
		sessions := newSessions(db.DB)
		ctx := t.Context()
		u, other := User{Email: "a@example.test", Role: Member}, User{Email: "b@example.test", Role: Member}
		ok(t, users.Add(ctx, &u, trail.Entry{}))
		ok(t, users.Add(ctx, &other, trail.Entry{}))
		for id, user := range map[string]*int64{"1": &u.ID, "2": &u.ID, "3": &other.ID, "4": nil} {
			ok(t, sessions.Insert(ctx, Session{IDHash: hash(id), UserID: user}))
		}
		ok(t, users.SetPasswordHash(ctx, u.ID, "new", trail.Entry{}))
		if kept, err := users.ByEmail(ctx, u.Email); err != nil || kept.PasswordHash != "new" {
			t.Errorf("%+v, %v", kept, err)
		}
		for id, stays := range map[string]bool{"1": false, "2": false, "3": true, "4": true} {
			if _, err := sessions.Find(ctx, hash(id)); (err == nil) != stays {
				t.Errorf("session %s: %v", id, err)
			}
		}
	})
}

func TestSessionsAreStored(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s, ctx := newSessions(db.DB), t.Context()
		u := User{Email: "a@example.test", Role: Member}
		ok(t, NewUsers(db.DB).Add(ctx, &u, trail.Entry{}))
		id := []byte("\x00\xff hash of the id \x80 0123456789ab")
		session := Session{
			IDHash:     id,
			Values:     []byte(`{"oauth_state":"ąę"}`),
			Version:    3,
			CreatedAt:  databasetest.Time,
			LastSeenAt: databasetest.Time.Add(time.Minute),
		}
		ok(t, s.Insert(ctx, session))
		session.CreatedAt, session.LastSeenAt = database.Instant(session.CreatedAt),
			database.Instant(session.LastSeenAt)
		requireSession(t, s, session)
		session.UserID = &u.ID
		session.User = &u
		session.Values = []byte{}
		session.LastSeenAt = database.Instant(databasetest.Time.Add(time.Hour))
		saved, err := s.Replace(ctx, session)
		session.Version = 4
		if err != nil || !reflect.DeepEqual(saved, session) {
			t.Errorf("saved %+v, %v; want %+v", saved, err, session)
		}
		requireSession(t, s, session)
		if list, err := s.Of(ctx, u.ID); err != nil || len(list) != 1 || list[0].LastSeenAt != session.LastSeenAt {
			t.Errorf("Of = %+v, %v", list, err)
		}
		_, err = s.EndOf(ctx, Actor{}, u, "", "")
		ok(t, err)
		_, err = s.Find(ctx, id)
		wantCode(t, err, CodeNoSession)
		_, err = s.Replace(ctx, session)
		wantCode(t, err, CodeNoSession)
		if err := s.Insert(ctx, Session{IDHash: []byte(strings.Repeat("x", 43))}); err == nil {
			t.Error("the id itself is stored")
		}
	})
}

func requireSession(t *testing.T, s *Sessions, want Session) {
	t.Helper()
	if got, err := s.Find(t.Context(), want.IDHash); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v; want %+v", got, err, want)
	}
}

// TestSessionOfADisabledUser: a login that ends after its user was disabled has no user.
func TestSessionOfADisabledUser(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		users := NewUsers(db.DB)
		sessions := newSessions(db.DB)
		ctx := t.Context()
		u := User{Email: "a@example.test", Role: Member}
		ok(t, users.Add(ctx, &u, trail.Entry{}))
		_, err := users.Edit(ctx, u.ID, UserChange{Disabled: new(true)}, Actor{})
		ok(t, err)
		ok(t, sessions.Insert(ctx, Session{IDHash: hash("late"), UserID: &u.ID}))
		if found, err := sessions.Find(ctx, hash("late")); err != nil || found.User != nil {
			t.Errorf("%+v, %v", found.User, err)
		}
	})
}

// TestSessionOfALostKey: the person logs in again.
func TestSessionOfALostKey(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		ok(t, newSessions(db.DB).Insert(t.Context(), Session{IDHash: hash("a"), Values: []byte(`{"a":"b"}`)}))
		keys, err := database.ParseKeys(database.GenerateKey())
		ok(t, err)
		other, err := database.Open(t.Context(), db.URL, keys)
		ok(t, err)
		defer other.Close()
		_, err = newSessions(other).Find(t.Context(), hash("a"))
		wantCode(t, err, CodeNoSession)
	})
}

func TestConcurrentSavesConflict(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		stores := []*Sessions{newSessions(db.DB), newSessions(databasetest.Open(t, db.URL))}
		session := Session{IDHash: hash("id"), CreatedAt: databasetest.Time}
		ok(t, stores[0].Insert(t.Context(), session))
		var saved, conflicts atomic.Int32
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				switch _, err := stores[i%2].Replace(t.Context(), session); {
				case err == nil:
					saved.Add(1)
				case fault.Is(err, CodeSessionConflict):
					conflicts.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if saved.Load() != 1 || conflicts.Load() != 19 {
			t.Errorf("%d saved, %d conflicts", saved.Load(), conflicts.Load())
		}
		if got, err := stores[0].Find(t.Context(), session.IDHash); err != nil || got.Version != 1 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestOldSessionsAreSwept(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := newSessions(db.DB)
		ctx := t.Context()
		now := databasetest.Time
		idle, old := now.Add(-12*time.Hour), now.Add(-7*24*time.Hour)
		for id, times := range map[string][2]time.Time{
			"old":        {old.Add(-time.Microsecond), now},
			"idle":       {now, idle.Add(-time.Millisecond)},
			"idle whole": {now, idle.Truncate(time.Second)},
			"limit":      {old, idle},
			"later":      {old.Add(time.Microsecond), idle.Add(10 * time.Millisecond)},
			"whole":      {old.Truncate(time.Second).Add(time.Second), now},
		} {
			ok(t, s.Insert(ctx, Session{IDHash: hash(id), CreatedAt: times[0], LastSeenAt: times[1]}))
		}
		if n, err := s.Sweep(ctx); n != 3 || err != nil {
			t.Errorf("%d deleted, %v; want 3", n, err)
		}
		for _, stays := range []string{"limit", "later", "whole"} {
			if _, err := s.Find(ctx, hash(stays)); err != nil {
				t.Errorf("session %q: %v", stays, err)
			}
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
