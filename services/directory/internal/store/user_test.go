package store_test

import (
	"testing"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/fault"
)

func TestUser(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		company := storetest.AddCompany(t, s, "a")
		member := directory.User{CompanyID: &company.ID, Email: "Łucja.K@Example.Test", Name: "Łucja", PasswordHash: "$argon2id$v=19$x", Role: directory.Manager}
		loner := directory.User{Email: "loner@example.test", Role: directory.Unaffiliated}
		ok(t, s.CreateUser(ctx, &member))
		ok(t, s.CreateUser(ctx, &loner))
		if member.Email != "łucja.k@example.test" || member.ID == 0 || member.CreatedAt.IsZero() || member.UpdatedAt != member.CreatedAt {
			t.Errorf("created as %+v", member)
		}
		requireEqual(t, "Users", []directory.User{member, loner}, must(s.Users(ctx))(t))
		requireEqual(t, "UserByEmail", member, must(s.UserByEmail(ctx, "ŁUCJA.k@example.test"))(t))
		ok(t, s.SetRole(ctx, loner.ID, directory.Admin, directory.Entry{}))
		if role := must(s.UserByEmail(ctx, loner.Email))(t).Role; role != directory.Admin {
			t.Errorf("role %v", role)
		}
		if role := must(s.UserByEmail(ctx, member.Email))(t).Role; role != directory.Manager {
			t.Errorf("the other user's role became %v", role)
		}
	})
}

func TestUserFaults(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		u := storetest.AddUser(t, s, "a")
		wantFault(t, s.CreateUser(ctx, &directory.User{Email: "A@EXAMPLE.test", Role: directory.Member}), fault.Invalid, "email_taken")
		wantFault(t, s.CreateUser(ctx, &directory.User{Email: "b", Role: directory.Member, CompanyID: new(u.ID + 77)}), fault.NotFound, "company_not_found")
		wantFault(t, errorOf(s.UserByEmail(ctx, "nobody@example.test")), fault.NotFound, "no_user")
		wantFault(t, s.SetRole(ctx, 99, directory.Admin, directory.Entry{}), fault.NotFound, "no_user")
		wantFault(t, s.SetPasswordHash(ctx, 99, "h", directory.Entry{}), fault.NotFound, "no_user")
		if err := s.SetRole(ctx, u.ID, 11, directory.Entry{}); err == nil || fault.From(err).Kind != fault.Internal {
			t.Errorf("a role that does not exist: %v", err)
		}
	})
}

func TestSetPasswordHashEndsSessions(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		s, ctx := db.Store, t.Context()
		u, other := storetest.AddUser(t, s, "a"), storetest.AddUser(t, s, "b")
		for id, user := range map[string]*int64{"1": &u.ID, "2": &u.ID, "3": &other.ID, "4": nil} {
			ok(t, s.CreateSession(ctx, directory.Session{IDHash: hash(id), UserID: user}))
		}
		ok(t, s.SetPasswordHash(ctx, u.ID, "new", directory.Entry{}))
		if kept := must(s.UserByEmail(ctx, u.Email))(t).PasswordHash; kept != "new" {
			t.Errorf("hash %q", kept)
		}
		for _, gone := range []string{"1", "2"} {
			wantFault(t, errorOf(s.Session(ctx, hash(gone))), fault.NotFound, "no_session")
		}
		for _, stays := range []string{"3", "4"} {
			must(s.Session(ctx, hash(stays)))(t)
		}
		wantFault(t, s.SetPasswordHash(ctx, u.ID, "nul\x00", directory.Entry{}), fault.Invalid, "invalid_text")
	})
}
