// Package erasure takes people and companies out of the database: on a command, at the
// request of a provider, and again after a backup was restored. It also exports what is
// stored about a company, and deletes what is older than the settings say.
package erasure

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// The codes of erasures.
var (
	CodeTooManyRequests = fault.NewCode(fault.Limited, "too_many_requests",
		"Zbyt wiele żądań w krótkim czasie. Spróbuj ponownie później.")
	CodeUserConnected = fault.NewCode(fault.Unavailable, "user_connected",
		"Użytkownik właśnie łączy konto. Spróbuj ponownie.", "connecting an account at this moment; try again")
	CodeNoDeletion   = fault.NewCode(fault.NotFound, "no_deletion", "Nie znaleziono zgłoszenia o takim kodzie.")
	CodeNoErasureLog = fault.NewCode(fault.Unavailable, "no_erasure_log", "Usuwanie danych nie jest skonfigurowane.",
		"with PostgreSQL, erasing needs DIRECTORY_ERASURE_LOG, so that it can be repeated on a restored backup")
)

// Options configure a Service.
type Options struct {
	Store     *connection.Store
	Meta      *meta.Client // reads the requests of persons
	Erased    *Log         // nil if there is none: nothing is erased then
	PublicURL string       // of the service
	Now       func() time.Time
	Log       *slog.Logger
}

// Service erases users, companies and persons. It is safe for concurrent use.
type Service struct {
	Options
	limits *limit.Limits
}

// New returns a Service.
func New(options Options) *Service {
	return &Service{options, limit.New(options.Store.DB)}
}

// Kind is what was erased.
type Kind string

// The kinds of erasures.
const (
	KindUser    Kind = "user"
	KindCompany Kind = "company"
	KindPerson  Kind = "person" // at a provider, in all connections
)

// Erasure records that something was erased, and when. A restored backup contains it
// again: what has the same Subject is erased again.
type Erasure struct {
	At   time.Time `json:"at"`
	Kind Kind      `json:"kind"`
	// Subject is a digest that only the record itself leads to. Those of a user and of a
	// company include the time of creation, so that another one with the same number after
	// a restore is not erased.
	Subject string `json:"subject"`
}

// OfUser returns the erasure of u at a time.
func OfUser(u account.User, at time.Time) Erasure {
	return newErasure(at, KindUser, u.ID, moment(u.CreatedAt))
}

// OfCompany returns the erasure of c at a time.
func OfCompany(c company.Company, at time.Time) Erasure {
	return newErasure(at, KindCompany, c.ID, moment(c.CreatedAt))
}

// Person is an account at a provider that granted access.
type Person struct {
	Provider provider.Name
	ID       string
}

// OfPerson returns the erasure of p at a time.
func OfPerson(p Person, at time.Time) Erasure {
	return newErasure(at, KindPerson, p.Provider, p.ID)
}

func newErasure(at time.Time, kind Kind, parts ...any) Erasure {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q", kind, parts))
	return Erasure{At: at, Kind: kind, Subject: hex.EncodeToString(sum[:])}
}

// moment is a time as every database stores it.
func moment(t time.Time) string { return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano) }

// reasonErased is why a connection ended with its person.
const reasonErased = "Dane osoby, która połączyła to konto, zostały usunięte. Połącz konto ponownie."

// eraseTries is how often the connections are listed, because a callback that is under
// way may make one.
const eraseTries = 3

// User erases a user: the sessions and the connections that live on the user's grants
// end. The trail and the audits keep the number, which leads to no record then. The
// grants are withdrawn at the providers, best effort. The erasure is logged first, so that
// Replay can repeat one that was interrupted. The faults are no_erasure_log and last_admin.
func (s *Service) User(ctx context.Context, actor account.Actor, u account.User) error {
	if s.Erased != nil && u.Role >= account.Admin {
		// Before the log, which would have the last administrator erased later.
		if _, err := s.users().Edit(ctx, u.ID, account.UserChange{Disabled: new(true)}, actor); err != nil {
			return err
		}
	}
	return s.logged(ctx, OfUser(u, s.Now()), func() error { return s.user(ctx, actor, u) })
}

// Company erases a company like User; its users stay, without a company.
func (s *Service) Company(ctx context.Context, actor account.Actor, c company.Company) error {
	return s.logged(ctx, OfCompany(c, s.Now()), func() error { return s.company(ctx, actor, c) })
}

// logged appends to the log before it erases, and requests a purge of the database
// afterwards.
func (s *Service) logged(ctx context.Context, e Erasure, erase func() error) error {
	if s.Erased == nil {
		return CodeNoErasureLog.Fault()
	}
	if err := s.Erased.Append(e); err != nil {
		return err
	}
	return errors.Join(erase(), s.requestPurge(ctx))
}

func (s *Service) users() *account.Users { return account.NewUsers(s.Store.DB) }

func (s *Service) user(ctx context.Context, actor account.Actor, u account.User) error {
	if _, err := s.users().Edit(ctx, u.ID, account.UserChange{Disabled: new(true), EvenLastAdmin: true},
		actor); err != nil {
		return err
	}
	entry := actor.Entry(0, "user delete", provider.Pair{})
	entry.AboutUserID = u.ID
	for try := 1; ; try++ {
		keys, err := s.grantedByUser(ctx, u.ID)
		if err == nil {
			err = s.forget(ctx, actor, keys, time.Time{})
		}
		if err == nil {
			err = DeleteUser(ctx, s.Store.DB, u.ID, entry)
		}
		if err == nil {
			return s.limits.Clear(ctx, account.FailureLimit(u.Email))
		}
		if try == eraseTries || !fault.Is(err, CodeUserConnected) {
			return err
		}
	}
}

func (s *Service) company(ctx context.Context, actor account.Actor, c company.Company) error {
	connections, err := s.Store.List(ctx, c.ID)
	if err != nil {
		return err
	}
	var keys []key
	for _, connection := range connections {
		keys = append(keys, key{c.ID, connection.Pair})
	}
	if err := s.forget(ctx, actor, keys, time.Time{}); err != nil {
		return err
	}
	return DeleteCompany(ctx, s.Store.DB, c.ID, actor.Entry(c.ID, "company delete", provider.Pair{}))
}

func (s *Service) person(ctx context.Context, actor account.Actor, p Person, before time.Time) error {
	keys, err := s.grantedByPerson(ctx, p)
	if err != nil {
		return err
	}
	if err = s.deleteRead(ctx, keys, before); err != nil {
		return err
	}
	return s.forget(ctx, actor, keys, before)
}

// forget ends connections, with jobs that withdraw their grants, and takes the person out of
// them. With a time, those granted later stay.
func (s *Service) forget(ctx context.Context, actor account.Actor, keys []key, before time.Time) error {
	for _, k := range keys {
		if err := s.forgetOne(ctx, actor, k, before, true); err != nil {
			return err
		}
	}
	return nil
}

// forgetOne ends a connection, if there is one, and takes the person out of it. With a time,
// one granted later stays. If withdraw is set, its grant has to be withdrawn.
func (s *Service) forgetOne(ctx context.Context, actor account.Actor, k key, before time.Time, withdraw bool) error {
	held, err := s.Store.Hold(ctx, k.CompanyID, k.Pair)
	if fault.Is(err, connection.CodeNoConnection) {
		return nil
	}
	if err != nil {
		return err
	}
	defer held.Release()
	if !before.IsZero() && held.ConnectedAt.After(before) {
		return nil
	}
	entry := s.entryAbout(actor, "erase", k, held.UserID)
	held.Forget(reasonErased)
	if withdraw {
		return held.SaveEnded(*entry)
	}
	return held.Save(entry)
}

// entryAbout is the line of the trail about what happens to a connection of a user.
func (s *Service) entryAbout(actor account.Actor, action string, k key, userID int64) *trail.Entry {
	entry := actor.Entry(k.CompanyID, action, k.Pair)
	entry.AboutUserID = userID
	return &entry
}

// Replay erases from a restored database what was erased after the backup was made, and
// returns how much that was. It may be repeated: what was connected or added after an
// erasure stays.
func (s *Service) Replay(ctx context.Context, actor account.Actor) (n int, err error) {
	if s.Erased == nil {
		return 0, CodeNoErasureLog.Fault()
	}
	all, err := s.Erased.All()
	if err != nil {
		return 0, err
	}
	erased := map[Erasure]time.Time{} // the newest of each thing: logs may be concatenated
	for _, e := range all {
		if thing := (Erasure{Kind: e.Kind, Subject: e.Subject}); e.At.After(erased[thing]) {
			erased[thing] = e.At
		}
	}
	for _, again := range []func() (int, error){
		func() (int, error) {
			return replay(ctx, erased, account.NewUsers(s.Store.DB).List, OfUser,
				func(u account.User, _ time.Time) error { return s.user(ctx, actor, u) })
		},
		func() (int, error) {
			return replay(ctx, erased, company.New(s.Store.DB).List, OfCompany,
				func(c company.Company, _ time.Time) error { return s.company(ctx, actor, c) })
		},
		func() (int, error) {
			return replay(ctx, erased, s.persons, OfPerson, func(p Person, at time.Time) error {
				return s.person(ctx, actor, p, at)
			})
		},
	} {
		count, err := again()
		if n += count; err != nil {
			return n, err
		}
	}
	return n, s.Store.Purge(ctx)
}

// replay erases those of the listed whose erasure is in the log.
func replay[T any](ctx context.Context, erased map[Erasure]time.Time,
	list func(context.Context) ([]T, error), of func(T, time.Time) Erasure, erase func(thing T, at time.Time) error,
) (n int, err error) {
	things, err := list(ctx)
	if err != nil {
		return 0, err
	}
	for _, thing := range things {
		at, ok := erased[of(thing, time.Time{})]
		if !ok {
			continue
		}
		if err := erase(thing, at); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
