package directory

import (
	"context"
	"errors"
	"strings"
	"time"

	"backend.example/services/internal/kit/fault"
)

// Users is what a login needs of the repository.
type Users interface {
	UserByEmail(ctx context.Context, email string) (User, error)
}

// Limits counts what may be done only so often, over all replicas.
type Limits interface {
	// TakeLimits adds a use to each, in their order, up to the first that is used up;
	// it returns the state of that one, or of the last.
	TakeLimits(ctx context.Context, limits []Limit, now time.Time) (LimitState, error)
}

// Logins checks who somebody is.
type Logins struct {
	users  Users
	limits Limits
	hasher *Hasher
	now    func() time.Time
}

// NewLogins returns a Logins.
func NewLogins(users Users, limits Limits, hasher *Hasher, now func() time.Time) *Logins {
	return &Logins{users: users, limits: limits, hasher: hasher, now: now}
}

// Attempts at logging in, in any quarter of an hour.
const (
	attemptWindow       = 15 * time.Minute
	attemptsPerAccount  = 10
	attemptsPerAddress  = 60
	limitLoginByAccount = "login_account"
	limitLoginByAddress = "login_address"
)

func tooManyAttempts(retryAfter time.Duration) error {
	return fault.New(fault.Limited, "too_many_attempts", "Zbyt wiele prób logowania. Spróbuj ponownie później.").After(retryAfter)
}

// NormalEmail is the form in which addresses are kept and compared.
func NormalEmail(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// Login returns the user with that address and password. address is the
// client's network address. Failures are the faults invalid_login, which does
// not tell an unknown address from a wrong password, and too_many_attempts.
func (l *Logins) Login(ctx context.Context, email, password, address string) (User, error) {
	email = NormalEmail(email)
	state, err := l.limits.TakeLimits(ctx, []Limit{
		{Kind: limitLoginByAddress, Subject: address, Max: attemptsPerAddress, Window: attemptWindow},
		{Kind: limitLoginByAccount, Subject: email, Max: attemptsPerAccount, Window: attemptWindow},
	}, l.now())
	if err != nil {
		return User{}, err
	}
	if !state.OK {
		return User{}, tooManyAttempts(state.RetryAfter)
	}
	user, err := l.users.UserByEmail(ctx, email)
	var absent *fault.Error
	if err != nil && (!errors.As(err, &absent) || absent.Kind != fault.NotFound) {
		return User{}, err
	}
	ok, err := l.hasher.Matches(ctx, password, user.PasswordHash)
	if err != nil {
		return User{}, err
	}
	if !ok {
		return User{}, fault.New(fault.Unauthenticated, "invalid_login", "Nieprawidłowy adres e-mail lub hasło.")
	}
	return user, nil
}
