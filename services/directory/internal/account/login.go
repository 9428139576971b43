package account

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/network"
)

// Logins checks passwords and limits attempts.
type Logins struct {
	users  *Users
	limits *limit.Limits
	hasher *Hasher
	turns  turns // a flood of one network waits here, and not in the database before others
	log    *slog.Logger

	RefuseDemo bool // the users of the demonstration cannot log in
}

// NewLogins returns a Logins with twice the turns of hasher: while some passwords are hashed, other
// logins are in the database.
func NewLogins(db *database.DB, hasher *Hasher, log *slog.Logger) *Logins {
	return &Logins{
		users: NewUsers(db), limits: limit.New(db), hasher: hasher, log: log, turns: turns{free: 2 * hasher.turns.free},
	}
}

// Failed logins in any quarter of an hour. An attempt is counted before its password is checked, so
// that concurrent ones cannot exceed a limit, and returned if the password was right or could not be
// checked. A right one clears the count of its network.
//
// A stranger with many networks uses up the failures from anywhere, after which the account can be
// tried only from the networks that its owner has used.
const (
	attemptWindow        = 15 * time.Minute
	failuresThere        = 10                      // for one account from one network
	failuresPerNetwork   = 60                      // for all accounts together
	failuresPerSite      = 10 * failuresPerNetwork // of an IPv6 /48
	failuresFromAnywhere = 100                     // for one account
)

// attempt is a login to an account from the address of a client.
type attempt struct{ email, address string }

func (a attempt) network() string { return network.OfClient(a.address) }

// ofNetwork returns the limits of the client's network, and of its site if that is larger.
func (a attempt) ofNetwork() []limit.Limit {
	limits := []limit.Limit{
		{Kind: "login_address", Subject: a.network(), Max: failuresPerNetwork, Window: attemptWindow},
	}
	if site := network.Site(a.address); site != a.network() {
		limits = append(
			limits, limit.Limit{Kind: "login_site", Subject: site, Max: failuresPerSite, Window: attemptWindow},
		)
	}
	return limits
}

// ofAccountThere returns the limit of the account for the client's network.
func (a attempt) ofAccountThere() limit.Limit {
	return limit.Limit{
		Kind: "login_account_address", Subject: a.email + "\n" + a.network(), Max: failuresThere, Window: attemptWindow,
	}
}

// FailureLimit is the limit of one account from anywhere.
func FailureLimit(email string) limit.Limit {
	return limit.Limit{Kind: "login_account", Subject: email, Max: failuresFromAnywhere, Window: attemptWindow}
}

// IsDemo reports whether an address is of the demonstration, whose password is published.
func IsDemo(email string) bool { return strings.HasSuffix(email, "@demo.example") }

// NormalEmail returns the form in which addresses are stored and compared.
func NormalEmail(email string) string {
	return strings.ToLower(norm.NFKC.String(strings.TrimSpace(email)))
}

// Login returns the user with that e-mail address and password. address is the client's network
// address. The faults are CodeInvalidLogin, also for an unknown e-mail address, and
// CodeTooManyAttempts. The log never contains the e-mail address of a refused login, because people
// type passwords into the wrong field.
func (l *Logins) Login(ctx context.Context, email, password, address string) (User, error) {
	user, err := l.check(ctx, attempt{NormalEmail(email), address}, password)
	if err != nil {
		l.log.WarnContext(ctx, "login refused", "reason", fault.From(err).Code, "client", address)
		return User{}, err
	}
	l.log.InfoContext(ctx, "logged in", "user", user.ID, "client", address)
	return user, nil
}

func (l *Logins) check(ctx context.Context, a attempt, password string) (User, error) {
	waiting, cancel := context.WithTimeoutCause(ctx, hashWait, CodeTooManyAttempts.Fault().After(hashWait))
	defer cancel()
	if err := l.turns.take(waiting, a.address); err != nil {
		return User{}, err
	}
	defer l.turns.giveBack()
	counted, err := l.count(ctx, a)
	if err != nil {
		return User{}, err
	}
	user, err := l.verify(ctx, a, password) // a wrong password stays counted
	if fault.Is(err, CodeInvalidLogin) {
		return User{}, err
	}
	ctx = context.WithoutCancel(ctx) // the count is the same if the client disconnects
	for _, taken := range counted {
		_ = l.limits.Return(ctx, taken) // at worst, the attempt counts as a failure
	}
	if err != nil {
		return User{}, err
	}
	return user, l.users.welcome(ctx, l.limits, user.ID, a)
}

// count counts an attempt as a failure, and returns the limits in which it is counted. If the account
// had too many failures from anywhere, attempts from a network that its owner has used are still
// allowed, and are counted for that network alone.
func (l *Logins) count(ctx context.Context, a attempt) ([]limit.Limit, error) {
	failures := FailureLimit(a.email)
	there := append(a.ofNetwork(), a.ofAccountThere())
	all := append(slices.Clone(there), failures)
	err := l.limits.Take(ctx, l.users.db.Now(), CodeTooManyAttempts, all...)
	if !limit.IsUsedUp(err, failures.Kind) {
		return all, err
	}
	known, readErr := l.users.knowsNetwork(ctx, a)
	if readErr != nil {
		return nil, readErr
	}
	if !known {
		return nil, err
	}
	return there, nil
}

// welcome remembers the network from which a user has logged in, and clears its failures.
func (s *Users) welcome(ctx context.Context, limits *limit.Limits, userID int64, a attempt) error {
	for _, l := range []limit.Limit{a.ofNetwork()[0], a.ofAccountThere()} {
		if err := limits.Clear(ctx, l); err != nil {
			return err
		}
	}
	return s.addNetwork(ctx, userID, a.network())
}

func (l *Logins) verify(ctx context.Context, a attempt, password string) (User, error) {
	if l.RefuseDemo && IsDemo(a.email) {
		return User{}, CodeInvalidLogin.Fault()
	}
	user, err := l.users.ByEmail(ctx, a.email)
	if err != nil && !fault.Is(err, CodeNoUser) {
		return User{}, err
	}
	ok, err := l.hasher.Matches(ctx, a.address, password, user.PasswordHash)
	if err != nil {
		return User{}, err
	}
	if !ok || user.DisabledAt != nil {
		return User{}, CodeInvalidLogin.Fault()
	}
	return user, nil
}
