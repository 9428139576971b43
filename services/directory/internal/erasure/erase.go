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
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
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
}

// Service erases users, companies and persons. It is safe for concurrent use.
type Service struct{ Options }

// New returns a Service.
func New(options Options) *Service { return &Service{options} }

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
	// Subject is a digest that can only be recognised with the erased record at hand. Those of a
	// user and of a company include the time of creation, so that another one with the same number
	// after a restore is not erased.
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

// moment returns t as the database keeps it, in microseconds.
func moment(t time.Time) string { return t.UTC().Truncate(time.Microsecond).Format(time.RFC3339Nano) }

const reasonErased = "Dane osoby, która połączyła to konto, zostały usunięte. Połącz konto ponownie."

// eraseTries is how often deleting a user is tried while callbacks that are under way make further
// connections.
const eraseTries = 3

// User erases a user: the sessions and the connections that live on the user's grants
// end. The trail and the audits keep the number, which leads to no record then. The
// grants are withdrawn at the providers, best effort. The erasure is logged first, so that
// Replay can repeat one that was interrupted. The faults are no_erasure_log and last_admin.
func (s *Service) User(ctx context.Context, actor account.Actor, u account.User) error {
	if s.Erased != nil && u.Role >= account.Admin {
		// This refuses the last administrator. It comes before the line in the log, by which a replay
		// would erase them all the same.
		if _, err := s.users().Edit(ctx, u.ID, account.UserChange{Disabled: new(true)}, actor); err != nil {
			return err
		}
	}
	return s.logged(ctx, OfUser(u, s.Store.Now()), func() error { return s.user(ctx, actor, u) })
}

// Company erases a company like User; its users stay, without a company.
func (s *Service) Company(ctx context.Context, actor account.Actor, c company.Company) error {
	return s.logged(ctx, OfCompany(c, s.Store.Now()), func() error { return s.company(ctx, actor, c) })
}

func (s *Service) logged(ctx context.Context, e Erasure, erase func() error) error {
	if s.Erased == nil {
		return CodeNoErasureLog.Fault()
	}
	if err := s.Erased.Append(e); err != nil {
		return err
	}
	return errors.Join(erase(), s.Store.Transaction(ctx, s.requestPurge))
}

func (s *Service) users() *account.Users { return account.NewUsers(s.Store.DB) }

func (s *Service) user(ctx context.Context, actor account.Actor, u account.User) error {
	change := account.UserChange{Disabled: new(true), EvenLastAdmin: true}
	if _, err := s.users().Edit(ctx, u.ID, change, actor); err != nil {
		return err
	}
	err := s.deleteUser(ctx, actor, u.ID)
	for try := 1; try < eraseTries && fault.Is(err, CodeUserConnected); try++ {
		err = s.deleteUser(ctx, actor, u.ID)
	}
	if err != nil {
		return err
	}
	return limit.New(s.Store.DB).Clear(ctx, account.FailureLimit(u.Email))
}

// deleteUser fails with user_connected if a connection was made meanwhile.
func (s *Service) deleteUser(ctx context.Context, actor account.Actor, id int64) error {
	keys, err := s.grantedByUser(ctx, id)
	if err != nil {
		return err
	}
	if err := s.forget(ctx, actor, keys, time.Time{}, true); err != nil {
		return err
	}
	err = s.Store.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Where("user_id = ?", id).Delete(&account.Session{}).Error; err != nil {
			return err
		}
		if err := database.Changed(tx.Where("id = ?", id).Delete(&account.User{}), account.CodeNoUser); err != nil {
			return err
		}
		entry := actor.Entry(0, "user delete", provider.Pair{})
		entry.AboutUserID = id
		return trail.Record(tx, entry)
	})
	if errors.Is(err, gorm.ErrForeignKeyViolated) {
		return CodeUserConnected.Wrap(err)
	}
	return err
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
	if err := s.forget(ctx, actor, keys, time.Time{}, true); err != nil {
		return err
	}
	return s.Store.Transaction(ctx, func(tx *gorm.DB) error {
		users := map[string]any{"company_id": nil, "updated_at": tx.NowFunc()}
		if err := tx.Model(&account.User{}).Where("company_id = ?", c.ID).Updates(users).Error; err != nil {
			return err
		}
		result := tx.Where("id = ?", c.ID).Delete(&company.Company{})
		if err := database.Changed(result, company.CodeNotFound); err != nil {
			return err
		}
		// Lines of the trail may name the company's page or location.
		lines := tx.Model(&trail.Entry{}).Where("company_id = ? AND detail <> ''", c.ID)
		if err := lines.UpdateColumn("detail", "").Error; err != nil {
			return err
		}
		return trail.Record(tx, actor.Entry(c.ID, "company delete", provider.Pair{}))
	})
}

// person ends what a person has granted until a time.
func (s *Service) person(ctx context.Context, actor account.Actor, p Person, until time.Time, withdraw bool) error {
	keys, err := s.grantedByPerson(ctx, p)
	if err != nil {
		return err
	}
	if err := s.deleteRead(ctx, keys, until); err != nil {
		return err
	}
	return s.forget(ctx, actor, keys, until, withdraw)
}

// readThrough is what was read at Meta through a connection of a pair.
var readThrough = map[provider.Pair][]provider.Service{
	provider.PagesPair: {provider.SocialPages, provider.SocialPhotos}, provider.PhotosPair: {provider.SocialPhotos},
}

// deleteRead deletes what was read at Meta through connections that were granted until a time, and
// the names and numbers of pages. It comes before the connections end, so that an interrupted
// erasure finds them again.
func (s *Service) deleteRead(ctx context.Context, keys []key, until time.Time) error {
	for _, k := range keys {
		c, err := s.Store.Find(ctx, k.CompanyID, k.Pair)
		if err != nil {
			return err
		}
		services := readThrough[k.Pair]
		if len(services) == 0 || c.ConnectedAt.After(until) {
			continue
		}
		err = s.Store.Transaction(ctx, func(tx *gorm.DB) error {
			for _, statement := range []string{
				"DELETE FROM social_statistics WHERE company_id = ? AND service IN ?",
				"DELETE FROM social_statistics_history WHERE company_id = ? AND service IN ?",
				"DELETE FROM social_media_configs WHERE company_id = ? AND platform IN ?",
				"UPDATE audit_trail SET detail = '' WHERE company_id = ? AND service IN ? AND detail <> '' AND " +
					"action IN ('select_page', 'lose_page')",
			} {
				if err := tx.Exec(statement, k.CompanyID, services).Error; err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// key identifies a connection.
type key struct {
	CompanyID int64
	provider.Pair
}

// grantedByUser lists the connections that a user made, with those that live on the same
// grants.
func (s *Service) grantedByUser(ctx context.Context, userID int64) (keys []key, err error) {
	err = s.Store.Read(ctx).Table("oauth_tokens").Select("company_id", "provider", "service").
		Where("user_id = ? OR provider_user_id <> '' AND (provider, provider_user_id) IN "+
			"(SELECT provider, provider_user_id FROM oauth_tokens WHERE user_id = ?)", userID, userID).
		Find(&keys).Error
	return keys, err
}

func (s *Service) grantedByPerson(ctx context.Context, p Person) (keys []key, err error) {
	err = s.Store.Read(ctx).Table("oauth_tokens").Select("company_id", "provider", "service").
		Where("provider_user_id <> '' AND provider_user_id = ? AND provider = ?", p.ID, p.Provider).
		Find(&keys).Error
	return keys, err
}

// forget ends connections, unless they were granted after a time, and takes the person out of them.
// If withdraw is set, their grants have to be withdrawn.
func (s *Service) forget(ctx context.Context, actor account.Actor, keys []key, until time.Time, withdraw bool) error {
	for _, k := range keys {
		if err := s.forgetOne(ctx, actor, k, until, withdraw); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) forgetOne(ctx context.Context, actor account.Actor, k key, until time.Time, withdraw bool) error {
	held, err := s.Store.Hold(ctx, k.CompanyID, k.Pair)
	if fault.Is(err, connection.CodeNoConnection) {
		return nil
	}
	if err != nil {
		return err
	}
	defer held.Release()
	if !until.IsZero() && held.ConnectedAt.After(until) {
		return nil
	}
	entry := s.entryAbout(actor, "erase", k, held.UserID)
	held.Forget(reasonErased)
	if withdraw {
		return held.SaveEnded(*entry)
	}
	return held.Save(entry)
}

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
	users, err := s.users().List(ctx)
	if err != nil {
		return 0, err
	}
	for _, u := range users {
		if _, found := erased[OfUser(u, time.Time{})]; !found {
			continue
		}
		if err := s.user(ctx, actor, u); err != nil {
			return n, err
		}
		n++
	}
	companies, err := company.New(s.Store.DB).List(ctx)
	if err != nil {
		return n, err
	}
	for _, c := range companies {
		if _, found := erased[OfCompany(c, time.Time{})]; !found {
			continue
		}
		if err := s.company(ctx, actor, c); err != nil {
			return n, err
		}
		n++
	}
	persons, err := s.replayPersons(ctx, actor, erased)
	if err != nil {
		return n + persons, err
	}
	return n + persons, s.Store.Purge(ctx)
}

func (s *Service) replayPersons(ctx context.Context, actor account.Actor, erased map[Erasure]time.Time,
) (n int, err error) {
	var persons []Person
	err = s.Store.Read(ctx).Table("oauth_tokens").Distinct("provider", "provider_user_id AS id").
		Where("provider_user_id <> ''").Find(&persons).Error
	if err != nil {
		return n, err
	}
	for _, p := range persons {
		at, found := erased[OfPerson(p, time.Time{})]
		if !found {
			continue
		}
		if err := s.person(ctx, actor, p, at, true); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
