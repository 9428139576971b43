package directory

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"backend.example/services/internal/kit/fault"
)

type loginUsers struct {
	users map[string]User
	err   error
}

func (u loginUsers) UserByEmail(_ context.Context, email string) (User, error) {
	user, ok := u.users[email]
	if !ok && u.err == nil {
		return User{}, fault.New(fault.NotFound, "no_user", "Nie znaleziono użytkownika.")
	}
	return user, u.err
}

type loginLimits struct {
	asked []Limit
	full  bool
	err   error
}

func (l *loginLimits) TakeLimits(_ context.Context, limits []Limit, _ time.Time) (LimitState, error) {
	l.asked = append(l.asked, limits...)
	if l.full {
		return LimitState{RetryAfter: 42 * time.Second}, l.err
	}
	return LimitState{OK: true}, l.err
}

func newTestLogins(t *testing.T) (*Logins, *loginUsers, *loginLimits, *Hasher) {
	h := NewHasher(1)
	hash, err := h.Hash(t.Context(), goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	users := &loginUsers{users: map[string]User{
		"anna@firma.example": {ID: 3, Email: "anna@firma.example", PasswordHash: hash},
		"bez@firma.example":  {ID: 4, Email: "bez@firma.example"},
		"zly@firma.example":  {ID: 5, Email: "zly@firma.example", PasswordHash: "$argon2id$junk"},
	}}
	limits := &loginLimits{}
	return NewLogins(users, limits, h, time.Now), users, limits, h
}

func TestLogin(t *testing.T) {
	logins, _, limits, _ := newTestLogins(t)
	for _, email := range []string{"anna@firma.example", "  Anna@Firma.Example\t"} {
		user, err := logins.Login(t.Context(), email, goodPassword, "192.0.2.1")
		if err != nil || user.ID != 3 {
			t.Errorf("Login(%q) = %+v, %v", email, user, err)
		}
	}
	want := []Limit{
		{Kind: "login_address", Subject: "192.0.2.1", Max: 60, Window: 15 * time.Minute},
		{Kind: "login_account", Subject: "anna@firma.example", Max: 10, Window: 15 * time.Minute},
	}
	if got := limits.asked; !reflect.DeepEqual(got, append(want, want...)) {
		t.Errorf("limits = %+v, want twice %+v", got, want)
	}
}

func TestRefusedLoginsLookAlike(t *testing.T) {
	logins, _, limits, _ := newTestLogins(t)
	var first *fault.Error
	for name, try := range map[string][2]string{
		"wrong password":             {"anna@firma.example", "nie to hasło wcale"},
		"unknown address":            {"nikt@firma.example", goodPassword},
		"user without a password":    {"bez@firma.example", goodPassword},
		"... and an empty one typed": {"bez@firma.example", ""},
	} {
		user, err := logins.Login(t.Context(), try[0], try[1], "192.0.2.1")
		got := fault.From(err)
		if !fault.Is(err, "invalid_login") || got.Kind != fault.Unauthenticated || !reflect.DeepEqual(user, User{}) {
			t.Errorf("%s: %+v, %v", name, user, err)
		}
		if first == nil {
			first = got
		}
		if !reflect.DeepEqual(got, first) {
			t.Errorf("%s: %+v differs from %+v", name, got, first)
		}
	}
	if len(limits.asked) != 8 {
		t.Errorf("%d limits asked in 4 attempts, want both in each", len(limits.asked))
	}
}

func TestUnknownUserTakesAHash(t *testing.T) {
	logins, _, _, hasher := newTestLogins(t)
	hasher.turns <- struct{}{}
	for _, email := range []string{"anna@firma.example", "nikt@firma.example", "bez@firma.example"} {
		if _, err := logins.Login(cancelled(t), email, goodPassword, "192.0.2.1"); !errors.Is(err, context.Canceled) {
			t.Errorf("Login(%q) without a free turn: %v, want that it waited for one", email, err)
		}
	}
}

func TestLoginLimits(t *testing.T) {
	logins, _, limits, hasher := newTestLogins(t)
	limits.full = true
	hasher.turns <- struct{}{} // whoever hashes now waits for ever
	_, err := logins.Login(t.Context(), "anna@firma.example", goodPassword, "192.0.2.1")
	f := fault.From(err)
	if !fault.Is(err, "too_many_attempts") || f.Kind != fault.Limited || f.RetryAfter != 42*time.Second {
		t.Errorf("used up: %+v", f)
	}
}

func TestLoginPassesOtherFailures(t *testing.T) {
	broken := errors.New("database is away")
	logins, users, limits, _ := newTestLogins(t)
	if _, err := logins.Login(t.Context(), "zly@firma.example", goodPassword, ""); err == nil || fault.Is(err, "invalid_login") {
		t.Errorf("unreadable hash: %v, want an error of our own", err)
	}
	users.err = broken
	if _, err := logins.Login(t.Context(), "nikt@firma.example", goodPassword, ""); !errors.Is(err, broken) {
		t.Errorf("users away: %v", err)
	}
	limits.err = broken
	if _, err := logins.Login(t.Context(), "anna@firma.example", goodPassword, ""); !errors.Is(err, broken) {
		t.Errorf("limits away: %v", err)
	}
}
