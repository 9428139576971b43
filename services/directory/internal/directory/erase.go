package directory

import (
	"context"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/internal/kit/fault"
)

// ErasureLog notes what was erased, outside of the database, whose backups hold it
// still.
type ErasureLog interface {
	Append(e Erasure) error
	All() ([]Erasure, error)
}

// ErasureStore is what erasing needs of a repository.
type ErasureStore interface {
	Users() *account.Users
	Companies() *company.Companies
	// Persons lists who granted the connections, each once.
	Persons(ctx context.Context) ([]Person, error)
	// GrantedByUser lists the connections that a user made, with those that live on
	// the same grants.
	GrantedByUser(ctx context.Context, userID int64) ([]ConnectionKey, error)
	GrantedByPerson(ctx context.Context, p Person) ([]ConnectionKey, error)
	// SetDisabled with true ends the user's sessions.
	// DeleteUser has the fault user_connected for one who has a connection.
	DeleteUser(ctx context.Context, userID int64, e Entry) error
	// DeleteCompany takes along all that is the company's, except its users.
	DeleteCompany(ctx context.Context, companyID int64, e Entry) error
	// SaveDeletion keeps a deletion, unless it is kept already.
	SaveDeletion(ctx context.Context, d Deletion) error
	// Purge takes what was deleted out of the database, as far as that can.
	Purge(ctx context.Context) error
}

// ConnectionKey names a connection.
type ConnectionKey struct {
	CompanyID int64
	Pair      Pair
}

// Erasures take people and companies out of the database.
type Erasures struct {
	oauth *OAuth
	store ErasureStore
	log   ErasureLog // nil: there is none
}

// NewErasures returns an Erasures. Without a log nothing is erased, except what a
// provider asks for on behalf of a person.
func NewErasures(oauth *OAuth, store ErasureStore, log ErasureLog) *Erasures {
	return &Erasures{oauth, store, log}
}

// reasonErased is why a connection ended with its person.
const reasonErased = "Dane osoby, która połączyła to konto, zostały usunięte. Połącz konto ponownie."

// eraseTries is how often the connections are looked for, since a callback that is
// under way may make one.
const eraseTries = 3

// User erases a user: the sessions and the connections that live on the user's grants
// end. Of the trail and of audits the number stays, which then leads to nobody. The
// grants are withdrawn at the providers, best effort. The erasure is noted first, so
// that one that was interrupted can be repeated. The fault is no_erasure_log.
func (e *Erasures) User(ctx context.Context, actor Actor, u User) error {
	return e.noted(ctx, UserErasure(u, e.oauth.now()), func() error { return e.user(ctx, actor, u) })
}

// Company is User of a company; its users stay, without a company.
func (e *Erasures) Company(ctx context.Context, actor Actor, c Company) error {
	return e.noted(ctx, companyErasure(c, e.oauth.now()), func() error { return e.company(ctx, actor, c) })
}

func (e *Erasures) noted(ctx context.Context, erasure Erasure, erase func() error) error {
	if e.log == nil {
		return CodeNoErasureLog.Fault()
	}
	if err := e.log.Append(erasure); err != nil {
		return err
	}
	if err := erase(); err != nil {
		return err
	}
	return e.store.Purge(ctx)
}

func (e *Erasures) user(ctx context.Context, actor Actor, u User) error {
	about := Entry{At: e.oauth.now(), AboutUserID: u.ID, Actor: actor.Name, UserID: actor.UserID()}
	about.Action = "user disable"
	if err := e.store.Users().SetDisabled(ctx, u.ID, true, about); err != nil {
		return err
	}
	about.Action = "user delete"
	for try := 1; ; try++ {
		keys, err := e.store.GrantedByUser(ctx, u.ID)
		if err == nil {
			err = e.forget(ctx, actor, keys, time.Time{})
		}
		if err == nil {
			err = e.store.DeleteUser(ctx, u.ID, about)
		}
		if err == nil {
			return e.oauth.limits.Clear(ctx, account.AttemptLimit(u.Email))
		}
		if try == eraseTries || !fault.Is(err, CodeUserConnected) {
			return err
		}
	}
}

func (e *Erasures) company(ctx context.Context, actor Actor, c Company) error {
	connections, err := e.oauth.store.Connections(ctx, c.ID)
	if err != nil {
		return err
	}
	var keys []ConnectionKey
	for _, connection := range connections {
		keys = append(keys, ConnectionKey{c.ID, connection.Pair})
	}
	if err := e.forget(ctx, actor, keys, time.Time{}); err != nil {
		return err
	}
	return e.store.DeleteCompany(ctx, c.ID, actor.Entry(c.ID, "company delete", Pair{}, e.oauth.now()))
}

func (e *Erasures) person(ctx context.Context, actor Actor, p Person, before time.Time) error {
	keys, err := e.store.GrantedByPerson(ctx, p)
	if err != nil {
		return err
	}
	return e.forget(ctx, actor, keys, before)
}

// forget ends connections and takes the person out of them; then it withdraws their
// grants. With a time, those granted later stay.
func (e *Erasures) forget(ctx context.Context, actor Actor, keys []ConnectionKey, before time.Time) error {
	ended, err := e.end(ctx, actor, "erase", keys, func(c *Connection) bool { return c.forgetBefore(before) })
	if err != nil {
		return err
	}
	e.revoke(ctx, actor, ended)
	return nil
}

// forgetBefore is forget of a connection that was granted until a time; the zero time
// is no limit.
func (c *Connection) forgetBefore(before time.Time) bool {
	if !before.IsZero() && c.ConnectedAt.After(before) {
		return false
	}
	c.forget(reasonErased)
	return true
}

// end changes the connections for which change reports that it did, and returns them
// as they were.
func (e *Erasures) end(ctx context.Context, actor Actor, action string, keys []ConnectionKey, change func(*Connection) bool) (ended []Connection, err error) {
	for _, key := range keys {
		_, err := e.oauth.store.LockConnection(ctx, key.CompanyID, key.Pair, func(_ context.Context, c *Connection) (*Entry, error) {
			before := *c
			if !change(c) {
				return nil, nil
			}
			ended = append(ended, before)
			entry := actor.Entry(key.CompanyID, action, key.Pair, e.oauth.now())
			entry.AboutUserID = before.UserID
			return &entry, nil
		})
		if err != nil && !fault.Is(err, CodeNoConnection) {
			return nil, err
		}
	}
	return ended, nil
}

// revoke withdraws each person's grant once.
func (e *Erasures) revoke(ctx context.Context, actor Actor, ended []Connection) {
	done := map[Person]bool{}
	for _, c := range ended {
		person := Person{c.Pair.Provider, c.ProviderUserID}
		if person.ID != "" && done[person] {
			continue
		}
		done[person] = true
		e.oauth.revoke(ctx, actor, c)
	}
}
