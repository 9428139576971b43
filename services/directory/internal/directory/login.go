package directory

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"backend.example/services/directory/internal/limit"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// LoginOptions are what a Logins works with.
type LoginOptions struct {
	UserByEmail func(ctx context.Context, email string) (User, error)
	Limits      Limits
	Hasher      *Hasher
	Now         func() time.Time
	Log         *slog.Logger
}

// Logins checks who somebody is.
type Logins struct{ options LoginOptions }

// NewLogins returns a Logins.
func NewLogins(options LoginOptions) *Logins { return &Logins{options} }

// Attempts at logging in, in any quarter of an hour: of an account, those since its
// last good login. Each is counted before its password is checked, so that no number
// of attempts at once passes the limit. One whose password could not be checked is
// not held against the account.
const (
	attemptWindow       = 15 * time.Minute
	attemptsPerAccount  = 10
	attemptsPerAddress  = 60
	limitLoginByAccount = "login_account"
	limitLoginByAddress = "login_address"
)

// NormalEmail is the form in which addresses are kept and compared.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// Login returns the user with that address and password. address is the
// client's network address. Failures are the faults invalid_login, which does
// not tell an unknown address from a wrong password, and too_many_attempts.
//
// The log says who logged in, and from which address a login was refused. It does
// not say which e-mail address was typed: people type their passwords into the
// wrong field.
func (l *Logins) Login(ctx context.Context, email, password, address string) (User, error) {
	user, err := l.check(ctx, NormalEmail(email), password, address)
	if err != nil {
		l.options.Log.WarnContext(ctx, "login refused", "reason", fault.From(err).Code, "client", address)
		return User{}, err
	}
	l.options.Log.InfoContext(ctx, "logged in", "user", user.ID, "client", address)
	return user, nil
}

func (l *Logins) check(ctx context.Context, email, password, address string) (User, error) {
	byAccount := limit.Limit{Kind: limitLoginByAccount, Subject: email, Max: attemptsPerAccount, Window: attemptWindow}
	byAddress := limit.Limit{
		Kind: limitLoginByAddress, Subject: network.OfClient(address), Max: attemptsPerAddress, Window: attemptWindow,
	}
	if err := l.options.Limits.Take(ctx, l.options.Now(), CodeTooManyAttempts, byAddress, byAccount); err != nil {
		return User{}, err
	}
	user, err := l.verify(ctx, email, password)
	kept := context.WithoutCancel(ctx) // a client who goes away changes nothing of the count
	switch {
	case err == nil:
		return user, l.options.Limits.Clear(kept, byAccount)
	case !fault.Is(err, CodeInvalidLogin): // the password was not looked at
		_ = l.options.Limits.Return(kept, byAccount) // the first failure is the one to tell
	}
	return User{}, err
}

// verify returns the user with that address and password, or the fault invalid_login.
func (l *Logins) verify(ctx context.Context, email, password string) (User, error) {
	user, err := l.options.UserByEmail(ctx, email)
	if err != nil && !fault.Is(err, CodeNoUser) {
		return User{}, err
	}
	ok, err := l.options.Hasher.Matches(ctx, password, user.PasswordHash)
	if err != nil {
		return User{}, err
	}
	if !ok || user.DisabledAt != nil {
		return User{}, CodeInvalidLogin.Fault()
	}
	return user, nil
}
