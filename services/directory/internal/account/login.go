package account

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// Logins checks passwords and limits attempts.
type Logins struct {
	users  func(ctx context.Context, email string) (User, error)
	db     *database.DB
	limits *limit.Limits
	hasher *Hasher
	now    func() time.Time
	log    *slog.Logger
}

// NewLogins returns a Logins. users returns the user with an address, or CodeNoUser.
func NewLogins(users func(ctx context.Context, email string) (User, error), db *database.DB, hasher *Hasher, now func() time.Time, log *slog.Logger) *Logins {
	return &Logins{users, db, limit.New(db), hasher, now, log}
}

// Attempts at logging in, in any quarter of an hour. Each is counted before its password is
// checked, so that concurrent attempts cannot exceed a limit. An attempt whose password was
// right, or could not be checked, is taken back from the failures of its account.
//
// A stranger uses up the failures at an address of the stranger's own. One who has many
// addresses uses up those from anywhere, and then the account can be tried only from the
// networks that it was used from before: the owner's.
const (
	attemptWindow        = 15 * time.Minute
	failuresPerAddress   = 10 // of one account; cleared by a login from there
	failuresFromAnywhere = 100
	attemptsPerAddress   = 60
)

// attempt is a login of an account from a network.
type attempt struct{ email, network string }

func (a attempt) ofAddress() limit.Limit {
	return limit.Limit{Kind: "login_address", Subject: a.network, Max: attemptsPerAddress, Window: attemptWindow}
}

func (a attempt) ofAccountThere() limit.Limit {
	return limit.Limit{Kind: "login_account_address", Subject: a.email + "\n" + a.network, Max: failuresPerAddress, Window: attemptWindow}
}

// FailureLimit returns the limit of the failed logins to one account from anywhere.
func FailureLimit(email string) limit.Limit {
	return limit.Limit{Kind: "login_account", Subject: email, Max: failuresFromAnywhere, Window: attemptWindow}
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
	user, err := l.check(ctx, attempt{NormalEmail(email), network.OfClient(address)}, password)
	if err != nil {
		l.log.WarnContext(ctx, "login refused", "reason", fault.From(err).Code, "client", address)
		return User{}, err
	}
	l.log.InfoContext(ctx, "logged in", "user", user.ID, "client", address)
	return user, nil
}

func (l *Logins) check(ctx context.Context, a attempt, password string) (User, error) {
	counted, err := l.count(ctx, a)
	if err != nil {
		return User{}, err
	}
	user, err := l.verify(ctx, a.email, password)
	uncancelled := context.WithoutCancel(ctx) // the count is the same if the client disconnects
	if counted && !fault.Is(err, CodeInvalidLogin) {
		_ = l.limits.Return(uncancelled, FailureLimit(a.email)) // the first failure is returned
	}
	switch {
	case err == nil:
		err = welcome(uncancelled, l.db, l.limits, user.ID, a)
	case !fault.Is(err, CodeInvalidLogin): // the password was not checked
		_ = l.limits.Return(uncancelled, a.ofAccountThere()) // the same
	}
	if err != nil {
		return User{}, err
	}
	return user, nil
}

// count counts an attempt, and in advance its failure. If there were too many failures from
// anywhere, the attempt is allowed from networks that the account knows, and counts there
// alone.
func (l *Logins) count(ctx context.Context, a attempt) (fromAnywhere bool, err error) {
	failures := FailureLimit(a.email)
	err = l.limits.Take(ctx, l.now(), CodeTooManyAttempts, a.ofAddress(), a.ofAccountThere(), failures)
	if !limit.IsUsedUp(err, failures.Kind) {
		return err == nil, err
	}
	known, readErr := knowsNetwork(ctx, l.db, a)
	switch {
	case readErr != nil:
		return false, readErr
	case known:
		return false, nil
	}
	return false, err
}

// welcome remembers the network of a user who has proved to be the owner of the account,
// and clears the failures there.
func welcome(ctx context.Context, db *database.DB, limits *limit.Limits, userID int64, a attempt) error {
	if err := limits.Clear(ctx, a.ofAccountThere()); err != nil {
		return err
	}
	return addNetwork(ctx, db, userID, a.network)
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
