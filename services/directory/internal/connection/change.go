package connection

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
)

// Save stores c as the company's connection of its pair, together with a
// line of the audit trail. It makes the connection active and forgets why it
// had to be renewed; an empty refresh token leaves the stored one. kept brings over what
// stays of the connection that c replaces; it may be nil. c becomes the connection as stored.
func (s *Store) Save(ctx context.Context, c *Connection, kept *keptChoice, e trail.Entry) error {
	lock, err := s.lock(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return err
	}
	defer lock.Release()
	tx, err := lock.Begin()
	if err != nil {
		return err
	}
	fresh := *c
	fresh.Active = true
	fresh.ReconnectReason = ""
	fresh.ConnectedAt = s.At(time.Time{})
	before, inserted, err := s.insert(tx, &fresh)
	if err != nil {
		return err
	}
	held := &Held{Connection: fresh, before: before, store: s, lock: lock}
	if inserted {
		err = s.recordNew(tx, fresh, e)
	} else {
		held.RefreshToken = cmp.Or(fresh.RefreshToken, before.RefreshToken)
		kept.bring(before, &held.Connection)
		err = held.write(tx, &e)
	}
	if err != nil {
		return err
	}
	*c = held.Connection
	return lock.Commit()
}

// recordNew queues the reading of an inserted connection, and adds the entry.
func (s *Store) recordNew(tx *gorm.DB, c Connection, e trail.Entry) error {
	if err := s.queueReading(tx, c, Connection{}); err != nil {
		return err
	}
	return trail.Record(tx, e)
}

// insert inserts c unless the company has a connection of its pair, which
// it locks and returns then. Another replica may insert one at the same time.
func (s *Store) insert(tx *gorm.DB, c *Connection) (before Connection, inserted bool, err error) {
	before, err = s.take(database.ForUpdate(ofPair(tx, c.CompanyID, c.Pair)))
	if !fault.Is(err, CodeNoConnection) {
		return before, false, err
	}
	c.ID = 0
	c.CreatedAt = c.ConnectedAt
	c.UpdatedAt = c.ConnectedAt
	r := s.seal(c)
	result := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&r)
	if result.Error != nil || result.RowsAffected > 0 {
		*c = s.open(r)
		return before, true, result.Error
	}
	before, err = s.take(database.ForUpdate(ofPair(tx, c.CompanyID, c.Pair)))
	return before, false, err
}

// Held is a connection that no other caller changes, over all replicas, until it is released.
// ID, company, pair and CreatedAt stay as they are, whatever its fields are set to.
type Held struct {
	Connection
	before Connection
	store  *Store
	lock   *database.Lock
}

// Hold returns a company's connection as it is now. The caller has to be quick, and to release
// it. The fault is no_connection.
func (s *Store) Hold(ctx context.Context, companyID int64, p provider.Pair) (*Held, error) {
	lock, err := s.lock(ctx, companyID, p)
	if err != nil {
		return nil, err
	}
	return s.hold(lock, companyID, p)
}

// HoldSlowly is Hold for a caller that calls the provider meanwhile. Any number of them may be
// waiting for one provider without delaying Hold of other connections.
func (s *Store) HoldSlowly(ctx context.Context, companyID int64, p provider.Pair) (*Held, error) {
	if !p.Valid() {
		return nil, CodeNoConnection.Fault()
	}
	lock, err := s.LockSlowly(ctx, lockName(companyID, p), string(p.Provider))
	if err != nil {
		return nil, err
	}
	return s.hold(lock, companyID, p)
}

func (s *Store) hold(lock *database.Lock, companyID int64, p provider.Pair) (*Held, error) {
	before, err := s.take(ofPair(lock.Read(), companyID, p))
	if err != nil {
		lock.Release()
		return nil, err
	}
	return &Held{before, before, s, lock}, nil
}

// Release ends the hold. What was not stored is as before.
func (h *Held) Release() { h.lock.Release() }

// Save stores h as it is now with the entry, if there is one or something was changed. It is
// Update and Commit.
func (h *Held) Save(entry *trail.Entry) error {
	if entry == nil && reflect.DeepEqual(h.Connection, h.before) {
		return nil
	}
	if _, err := h.Update(entry); err != nil {
		return err
	}
	return h.Commit()
}

// Update stores h as it is now, and the entry unless it is nil, in a transaction that it
// returns and that Commit ends. Secrets that cannot be read are not written over, except to
// end the connection, since the key may come back: the fault is provider_reconnect.
func (h *Held) Update(entry *trail.Entry) (*gorm.DB, error) {
	if h.before.ReconnectReason == ReasonUnreadable && h.Active {
		return nil, provider.Revoked(nil, h.before.ReconnectReason)
	}
	tx, err := h.lock.Begin()
	if err != nil {
		return nil, err
	}
	return tx, h.write(tx, entry)
}

// Commit ends the transaction of Update.
func (h *Held) Commit() error { return h.lock.Commit() }

// lock locks a connection. A pair that is not on the list of pairs has to be stored: to lock
// one of any name would leave a file of that name next to an SQLite file.
func (s *Store) lock(ctx context.Context, companyID int64, p provider.Pair) (*database.Lock, error) {
	if !p.Valid() {
		if _, err := s.Find(ctx, companyID, p); err != nil {
			return nil, err
		}
	}
	return s.Lock(ctx, lockName(companyID, p))
}

func lockName(companyID int64, p provider.Pair) string {
	return fmt.Sprintf("connection %d %s %s", companyID, p.Provider, p.Service)
}

// write stores h as it is now, publishes whether it broke or works again, queues its reading
// if another grant or choice is to be read, and adds the entry unless it is nil.
func (h *Held) write(tx *gorm.DB, entry *trail.Entry) error {
	s := h.store
	c, before := &h.Connection, &h.before
	c.ID = before.ID
	c.CompanyID = before.CompanyID
	c.Pair = before.Pair
	c.CreatedAt = before.CreatedAt
	c.truncate()
	r := s.seal(c)
	result := tx.Model(&r).Select("*").Omit("id", "company_id", "provider", "service", "created_at").Updates(&r)
	if err := database.Changed(result, CodeNoConnection); err != nil {
		return err
	}
	c.UpdatedAt = r.UpdatedAt // gorm sets it
	if err := s.publishChange(tx, c, before); err != nil {
		return err
	}
	if err := s.queueReading(tx, *c, *before); err != nil {
		return err
	}
	if entry != nil {
		if err := trail.Record(tx, *entry); err != nil {
			return err
		}
	}
	if s.OnChange == nil {
		return nil
	}
	return s.OnChange(tx, *c, *before)
}

// publishChange publishes that a connection broke, or works again, if the last event said
// the opposite. It is part of the transaction that changes the connection: neither is
// stored without the other. One that was disconnected while it was broken has recovered
// when it is connected again.
func (s *Store) publishChange(tx *gorm.DB, c, before *Connection) error {
	broken := c.NeedsUser()
	unchanged := broken == before.NeedsUser() && c.Active == before.Active
	ended := !broken && !c.Active
	if unchanged || ended {
		return nil
	}
	result := tx.Model(&row{}).Where("id = ? AND told_broken = ?", c.ID, !broken).
		UpdateColumn("told_broken", broken)
	if result.Error != nil || result.RowsAffected == 0 {
		return result.Error
	}
	if broken {
		if err := s.queueMails(tx, c); err != nil {
			return err
		}
	}
	eventType, data := c.Event()
	return webhook.Publish(s.DB, tx, eventType, c.CompanyID, data)
}

// queueMails inserts the jobs that write to the people of the company that c is broken.
func (s *Store) queueMails(tx *gorm.DB, c *Connection) error {
	users, err := account.ToNotify(tx, c.CompanyID)
	if err != nil {
		return err
	}
	mails := make([]river.JobArgs, len(users))
	for i, id := range users {
		mails[i] = jobs.BrokenMail{ConnectionID: c.ID, UserID: id}
	}
	return jobs.New(s.DB).Ensure(tx, mails...)
}

// queueReading inserts a job that reads c, which was before, at once if it has a new grant or
// a new choice. Where something has to be chosen first, the choice does that.
func (s *Store) queueReading(tx *gorm.DB, c, before Connection) error {
	if !c.Active || c.needsChoice() || c.readsLike(&before) {
		return nil
	}
	return jobs.New(s.DB).Insert(tx, jobs.Reading{ConnectionID: c.ID})
}

// needsChoice reports whether nothing can be read before a page or a location is chosen.
func (c *Connection) needsChoice() bool {
	chooses := c.Pair == provider.PagesPair || c.Pair == provider.ProfilePair
	return chooses && c.Chosen == ChosenNothing
}

// readsLike reports whether the same is read with the same grant through c and other.
func (c *Connection) readsLike(other *Connection) bool {
	return c.Active == other.Active && c.sameGrant(other) && c.sameChoice(other)
}

// ByID returns a connection, active or not, or the fault no_connection.
func (s *Store) ByID(ctx context.Context, id int64) (Connection, error) {
	return s.take(s.Read(ctx).Where("id = ?", id))
}

// StillReads reports whether the connection of c reads the same as c. It stays so until tx
// ends.
func (s *Store) StillReads(tx *gorm.DB, c Connection) (bool, error) {
	now, err := s.take(database.ForUpdate(tx.Where("id = ?", c.ID)))
	return c.readsLike(&now), err
}
