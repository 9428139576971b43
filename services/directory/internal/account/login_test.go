package account

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

const (
	anna    = "anna@firma.example"
	address = "192.0.2.1"
)

// loginWorld is a Logins over three users in a database of its own.
type loginWorld struct {
	*Logins
	all *Users
	now time.Time
	log bytes.Buffer
}

func newLogins(t *testing.T) *loginWorld {
	t.Helper()
	db := databasetest.Open(t, databasetest.NewSQLite(t))
	w := &loginWorld{all: NewUsers(db), now: time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)}
	w.Logins = NewLogins(w.all.ByEmail, db, NewHasher(1), func() time.Time { return w.now }, slog.New(slog.NewJSONHandler(&w.log, nil)))
	hash, err := w.hasher.Hash(t.Context(), goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range []User{
		{Email: anna, PasswordHash: hash, Role: Member},
		{Email: "bez@firma.example", Role: Member},
		{Email: "zly@firma.example", PasswordHash: "$argon2id$junk", Role: Member},
	} {
		if err := w.all.Add(t.Context(), &u, trail.Entry{}); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// left returns how many attempts an account has left.
func (w *loginWorld) left(t *testing.T, email string) int {
	t.Helper()
	state, err := w.limits.Peek(t.Context(), w.now, attempt{email, address}.ofAccountThere())
	if err != nil {
		t.Fatal(err)
	}
	return state.Left
}

func (w *loginWorld) try(t *testing.T, email, password string) error {
	t.Helper()
	_, err := w.Login(t.Context(), email, password, address)
	return err
}

// closed returns a database whose every query fails.
func closed(t *testing.T) *database.DB {
	t.Helper()
	keys, err := database.ParseKeys(databasetest.Keys)
	if err != nil {
		t.Fatal(err)
	}
	db, err := database.Open(t.Context(), databasetest.NewSQLite(t), keys)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestRefusedLoginsLookAlike(t *testing.T) {
	w := newLogins(t)
	for name, try := range map[string]struct{ email, password string }{
		"wrong password":             {anna, "nie to hasło wcale"},
		"unknown address":            {"nikt@firma.example", goodPassword},
		"user without a password":    {"bez@firma.example", goodPassword},
		"... and an empty one typed": {"bez@firma.example", ""},
	} {
		before := w.left(t, try.email)
		user, err := w.Login(t.Context(), try.email, try.password, address)
		if got := fault.From(err); !reflect.DeepEqual(got, CodeInvalidLogin.Fault()) || !reflect.DeepEqual(user, User{}) {
			t.Errorf("%s: %+v, %+v", name, user, got)
		}
		if left := w.left(t, try.email); left != before-1 {
			t.Errorf("%s: %d attempts left, %d before", name, left, before)
		}
	}
}

// TestUncheckedPasswords: an attempt whose password could not be checked does not count
// against the account, and its error is returned as it is.
func TestUncheckedPasswords(t *testing.T) {
	w := newLogins(t)
	if err := w.try(t, "zly@firma.example", goodPassword); err == nil || fault.Is(err, CodeInvalidLogin) {
		t.Errorf("unreadable hash: %v", err)
	}
	users := w.users
	w.users = NewUsers(closed(t)).ByEmail
	if err := w.try(t, "nikt@firma.example", goodPassword); err == nil || fault.From(err).Kind != fault.Internal {
		t.Errorf("database closed: %v", err)
	}
	w.users = users
	for _, email := range []string{"zly@firma.example", "nikt@firma.example"} {
		if left := w.left(t, email); left != 10 {
			t.Errorf("%s: %d attempts left", email, left)
		}
	}
	w.limits = limit.New(closed(t))
	if err := w.try(t, anna, goodPassword); err == nil || fault.From(err).Kind != fault.Internal {
		t.Errorf("limits closed: %v", err)
	}
}

// TestUnknownUserTakesAHash: every attempt waits for a turn of the hasher. One whose
// client leaves meanwhile does not count against the account.
func TestUnknownUserTakesAHash(t *testing.T) {
	w := newLogins(t)
	w.hasher.turns <- struct{}{}
	for _, email := range []string{anna, "nikt@firma.example", "bez@firma.example"} {
		ctx, cancel := context.WithCancel(t.Context())
		w.users = func(ctx context.Context, email string) (User, error) {
			defer cancel() // so that the wait for a turn ends
			return w.all.ByEmail(ctx, email)
		}
		if _, err := w.Login(ctx, email, goodPassword, address); !errors.Is(err, context.Canceled) {
			t.Errorf("%s without a free turn: %v", email, err)
		}
		if left := w.left(t, email); left != 10 {
			t.Errorf("%s: %d attempts left", email, left)
		}
	}
}

// TestUsedUpAccountTakesNoHash: a hash would wait forever for a turn.
func TestUsedUpAccountTakesNoHash(t *testing.T) {
	w := newLogins(t)
	for range 10 {
		if err := w.try(t, anna, strings.Repeat("x", maxPassword+1)); !fault.Is(err, CodeInvalidLogin) {
			t.Fatal(err)
		}
	}
	w.hasher.turns <- struct{}{}
	if err := w.try(t, anna, goodPassword); !fault.Is(err, CodeTooManyAttempts) {
		t.Errorf("err = %v", err)
	}
}

// TestSpellingsOfAnAddressAreOneAccount: the letter case of an address gives no more attempts.
func TestSpellingsOfAnAddressAreOneAccount(t *testing.T) {
	w := newLogins(t)
	before := w.left(t, anna)
	for _, email := range []string{anna, "Anna@Firma.example", " ANNA@FIRMA.EXAMPLE "} {
		if _, err := w.Login(t.Context(), email, "wrong-password", address); !fault.Is(err, CodeInvalidLogin) {
			t.Errorf("%q: %v", email, err)
		}
	}
	if used := before - w.left(t, anna); used != 3 {
		t.Errorf("%d attempts counted, want 3", used)
	}
	if _, err := w.Login(t.Context(), "ANNA@firma.example", goodPassword, address); err != nil {
		t.Errorf("another spelling: %v", err)
	}
}

func TestLoginsAreLogged(t *testing.T) {
	w := newLogins(t)
	for _, test := range []struct{ email, password, line string }{
		{anna, goodPassword, `"msg":"logged in","user":1,"client":"192.0.2.1"`},
		{anna, "zle-haslo-2026", `"msg":"login refused","reason":"invalid_login","client":"192.0.2.1"`},
		{goodPassword, "", `"msg":"login refused","reason":"invalid_login","client":"192.0.2.1"`},
	} {
		w.log.Reset()
		_ = w.try(t, test.email, test.password)
		line := w.log.String()
		if !strings.Contains(line, test.line) || strings.Contains(line, goodPassword) || strings.Contains(line, "zle-haslo") || strings.Contains(line, "anna") {
			t.Errorf("logged %s, want %s", line, test.line)
		}
	}
}
