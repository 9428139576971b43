package directory

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
	"backend.example/services/directory/internal/limit"
	"backend.example/services/internal/kit/fault"
)

// logins is a Logins over three users, with limits that a test sets.
type logins struct {
	*Logins
	users   map[string]User
	userErr error
	asked   []limit.Limit
	cleared []limit.Limit
	back    []limit.Limit // returned uses
	wait    time.Duration // until the next attempt is allowed
	hasher  *Hasher
	log     bytes.Buffer
}

func (l *logins) UserByEmail(_ context.Context, email string) (User, error) {
	user, ok := l.users[email]
	if !ok && l.userErr == nil {
		return User{}, CodeNoUser.Fault()
	}
	return user, l.userErr
}

// countedLimits notes the limits that are taken.
type countedLimits struct {
	Limits
	of            *logins
	err, clearErr error
}

func (l *countedLimits) Take(_ context.Context, _ time.Time, tooMany fault.Code, limits ...limit.Limit) error {
	l.of.asked = append(l.of.asked, limits...)
	if l.of.wait > 0 {
		return tooMany.Fault().After(l.of.wait)
	}
	return l.err
}

func (l *countedLimits) Return(ctx context.Context, used limit.Limit) error {
	if ctx.Done() == nil { // it is done although the client goes away
		l.of.back = append(l.of.back, used)
	}
	return nil
}

func (l *countedLimits) Clear(ctx context.Context, used limit.Limit) error {
	if ctx.Done() == nil {
		l.of.cleared = append(l.of.cleared, used)
	}
	return l.clearErr
}

func newTestLogins(t *testing.T) (*logins, *countedLimits) {
	l := &logins{hasher: NewHasher(1)}
	hash, err := l.hasher.Hash(t.Context(), goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	l.users = map[string]User{
		"anna@firma.example": {ID: 3, Email: "anna@firma.example", PasswordHash: hash},
		"bez@firma.example":  {ID: 4, Email: "bez@firma.example"},
		"zly@firma.example":  {ID: 5, Email: "zly@firma.example", PasswordHash: "$argon2id$junk"},
	}
	limits := &countedLimits{of: l}
	l.Logins = NewLogins(LoginOptions{
		UserByEmail: l.UserByEmail, Limits: limits, Hasher: l.hasher, Now: time.Now, Log: slog.New(slog.NewJSONHandler(&l.log, nil)),
	})
	return l, limits
}

func TestLogin(t *testing.T) {
	l, _ := newTestLogins(t)
	for _, email := range []string{"anna@firma.example", "  Anna@Firma.Example\t"} {
		user, err := l.Login(t.Context(), email, goodPassword, "192.0.2.1")
		if err != nil || user.ID != 3 {
			t.Errorf("Login(%q) = %+v, %v", email, user, err)
		}
	}
	want := []limit.Limit{
		{Kind: "login_address", Subject: "192.0.2.1", Max: 60, Window: 15 * time.Minute},
		{Kind: "login_account", Subject: "anna@firma.example", Max: 10, Window: 15 * time.Minute},
	}
	if !reflect.DeepEqual(l.asked, append(want, want...)) {
		t.Errorf("limits = %+v, want twice %+v", l.asked, want)
	}
	if !reflect.DeepEqual(l.cleared, []limit.Limit{want[1], want[1]}) {
		t.Errorf("cleared %+v, want the account's limit after each good login", l.cleared)
	}
}

func TestRefusedLoginsLookAlike(t *testing.T) {
	l, _ := newTestLogins(t)
	for name, try := range map[string]struct{ email, password string }{
		"wrong password":             {"anna@firma.example", "nie to hasło wcale"},
		"unknown address":            {"nikt@firma.example", goodPassword},
		"user without a password":    {"bez@firma.example", goodPassword},
		"... and an empty one typed": {"bez@firma.example", ""},
	} {
		user, err := l.Login(t.Context(), try.email, try.password, "192.0.2.1")
		if got := fault.From(err); !reflect.DeepEqual(got, CodeInvalidLogin.Fault()) || !reflect.DeepEqual(user, User{}) {
			t.Errorf("%s: %+v, %+v", name, user, got)
		}
	}
	if len(l.cleared)+len(l.back) != 0 {
		t.Errorf("cleared %+v, returned %+v", l.cleared, l.back)
	}
	if len(l.asked) != 8 {
		t.Errorf("%d limits asked in 4 attempts, want both in each", len(l.asked))
	}
}

// TestUncheckedPasswords: what keeps a password from being checked is not held against
// the account.
func TestUncheckedPasswords(t *testing.T) {
	l, _ := newTestLogins(t)
	_, _ = l.Login(t.Context(), "zly@firma.example", goodPassword, "") // its hash is not readable
	l.userErr = errors.New("database is away")
	_, _ = l.Login(t.Context(), "nikt@firma.example", goodPassword, "")
	l.userErr = nil
	l.hasher.turns <- struct{}{}
	_, _ = l.Login(cancelled(t), "anna@firma.example", goodPassword, "")
	if want := []limit.Limit{l.asked[1], l.asked[3], l.asked[5]}; !reflect.DeepEqual(l.back, want) {
		t.Errorf("returned %+v, want the account's in each attempt: %+v", l.back, want)
	}
}

func TestUnknownUserTakesAHash(t *testing.T) {
	l, _ := newTestLogins(t)
	l.hasher.turns <- struct{}{}
	for _, email := range []string{"anna@firma.example", "nikt@firma.example", "bez@firma.example"} {
		if _, err := l.Login(cancelled(t), email, goodPassword, "192.0.2.1"); !errors.Is(err, context.Canceled) {
			t.Errorf("Login(%q) without a free turn: %v, want that it waited for one", email, err)
		}
	}
}

// TestLoginNetworks: the addresses that one client can choose among count as one.
func TestLoginNetworks(t *testing.T) {
	l, _ := newTestLogins(t)
	_, _ = l.Login(t.Context(), "anna@firma.example", "", "2001:db8:1:2:3:4:5:6")
	if got := l.asked[0].Subject; got != "2001:db8:1:2::/64" {
		t.Errorf("counted for %q", got)
	}
}

func TestLoginLimits(t *testing.T) {
	l, _ := newTestLogins(t)
	l.wait = 42 * time.Second
	l.hasher.turns <- struct{}{} // whoever hashes now waits for ever
	_, err := l.Login(t.Context(), "anna@firma.example", goodPassword, "192.0.2.1")
	f := fault.From(err)
	if !fault.Is(err, CodeTooManyAttempts) || f.Kind != fault.Limited || f.RetryAfter != 42*time.Second {
		t.Errorf("used up: %+v", f)
	}
}

// TestLoginPassesOtherFailures: only a user who is not there counts as a wrong
// password; every other failure is told as it is.
func TestLoginPassesOtherFailures(t *testing.T) {
	broken := errors.New("database is away")
	l, limits := newTestLogins(t)
	if _, err := l.Login(t.Context(), "zly@firma.example", goodPassword, ""); err == nil || fault.Is(err, CodeInvalidLogin) {
		t.Errorf("unreadable hash: %v, want an error of our own", err)
	}
	for _, failure := range []error{broken, CodeNoSession.Wrap(broken), database.CodeInvalidText.Wrap(broken)} {
		l.userErr = failure
		if _, err := l.Login(t.Context(), "nikt@firma.example", goodPassword, ""); !errors.Is(err, broken) {
			t.Errorf("users fail with %v: %v", failure, err)
		}
	}
	l.userErr, limits.clearErr = nil, broken
	if user, err := l.Login(t.Context(), "anna@firma.example", goodPassword, ""); !errors.Is(err, broken) || user.ID != 0 {
		t.Errorf("limit not cleared: %+v, %v", user, err)
	}
	limits.err = broken
	if _, err := l.Login(t.Context(), "anna@firma.example", goodPassword, ""); !errors.Is(err, broken) {
		t.Errorf("limits away: %v", err)
	}
}

func TestLoginsAreLogged(t *testing.T) {
	l, _ := newTestLogins(t)
	for _, test := range []struct{ email, password, line string }{
		{"anna@firma.example", goodPassword, `"msg":"logged in","user":3,"client":"192.0.2.7"`},
		{"anna@firma.example", "zle-haslo-2026", `"msg":"login refused","reason":"invalid_login","client":"192.0.2.7"`},
		{goodPassword, "", `"msg":"login refused","reason":"invalid_login","client":"192.0.2.7"`},
	} {
		l.log.Reset()
		_, _ = l.Login(t.Context(), test.email, test.password, "192.0.2.7")
		line := l.log.String()
		if !strings.Contains(line, test.line) || strings.Contains(line, goodPassword) || strings.Contains(line, "zle-haslo") || strings.Contains(line, "anna") {
			t.Errorf("logged %s, want %s", line, test.line)
		}
	}
}
