package account

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"backend.example/services/directory/internal/limit"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// Logins checks passwords and limits attempts.
type Logins struct {
	users  func(ctx context.Context, email string) (User, error)
	limits *limit.Limits
	hasher *Hasher
	now    func() time.Time
	log    *slog.Logger
}

// NewLogins returns a Logins. users returns the user with an address, or CodeNoUser.
func NewLogins(users func(ctx context.Context, email string) (User, error), limits *limit.Limits, hasher *Hasher, now func() time.Time, log *slog.Logger) *Logins {
	return &Logins{users, limits, hasher, now, log}
}

// Attempts at logging in, in any quarter of an hour: of an account, those since its
// last successful login. Each is counted before its password is checked, so that
// concurrent attempts cannot exceed the limit. An attempt whose password could not be
// checked does not count against the account.
const (
	attemptWindow      = 15 * time.Minute
	attemptsPerAccount = 10
	attemptsPerAddress = 60
)

// AttemptLimit returns the limit of the attempts to log in to one account.
func AttemptLimit(email string) limit.Limit {
	return limit.Limit{Kind: "login_account", Subject: email, Max: attemptsPerAccount, Window: attemptWindow}
}

// NormalEmail returns the form in which addresses are stored and compared.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// Login returns the user with that address and password. address is the client's network
// address. The faults are CodeInvalidLogin, which does not distinguish an unknown address
// from a wrong password, and CodeTooManyAttempts.
//
// The log says who logged in, and from which address a login was refused. It does not
// say which e-mail address was typed: people type their passwords into the wrong field.
func (l *Logins) Login(ctx context.Context, email, password, address string) (User, error) {
	user, err := l.check(ctx, NormalEmail(email), password, address)
	if err != nil {
		l.log.WarnContext(ctx, "login refused", "reason", fault.From(err).Code, "client", address)
		return User{}, err
	}
	l.log.InfoContext(ctx, "logged in", "user", user.ID, "client", address)
	return user, nil
}

func (l *Logins) check(ctx context.Context, email, password, address string) (User, error) {
	byAccount := AttemptLimit(email)
	byAddress := limit.Limit{Kind: "login_address", Subject: network.OfClient(address), Max: attemptsPerAddress, Window: attemptWindow}
	if err := l.limits.Take(ctx, l.now(), CodeTooManyAttempts, byAddress, byAccount); err != nil {
		return User{}, err
	}
	user, err := l.verify(ctx, email, password)
	uncancelled := context.WithoutCancel(ctx) // the count is the same if the client disconnects
	switch {
	case err == nil:
		err = l.limits.Clear(uncancelled, byAccount)
	case !fault.Is(err, CodeInvalidLogin): // the password was not checked
		_ = l.limits.Return(uncancelled, byAccount) // the first failure is returned
	}
	if err != nil {
		return User{}, err
	}
	return user, nil
}

// verify returns the user with that address and password, or CodeInvalidLogin.
func (l *Logins) verify(ctx context.Context, email, password string) (User, error) {
	user, err := l.users(ctx, email)
	if err != nil && !fault.Is(err, CodeNoUser) {
		return User{}, err
	}
	ok, err := l.hasher.Matches(ctx, password, user.PasswordHash)
	if err != nil {
		return User{}, err
	}
	if !ok || user.DisabledAt != nil {
		return User{}, CodeInvalidLogin.Fault()
	}
	return user, nil
}
