package connection

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
)

// Save stores c as the company's connection of its pair, together with a
// line of the audit trail. It makes the connection active and forgets why it
// had to be renewed; an empty refresh token leaves the stored one. keep, unless it is
// nil, brings over what stays of the connection that c replaces; it must be quick,
// and no other caller changes that one meanwhile. c becomes the connection as stored.
func (s *Store) Save(ctx context.Context, c *Connection, keep func(before Connection, c *Connection),
	e trail.Entry,
) error {
	fresh := clone(*c)
	fresh.Active = true
	fresh.ReconnectReason = ""
	fresh.ConnectedAt = s.At(time.Time{})
	err := s.LockPair(ctx, c.CompanyID, c.Pair, func(tx *gorm.DB) error {
		before, inserted, err := s.insert(tx, &fresh)
		if err != nil {
			return err
		}
		if inserted {
			if err := s.queueReading(tx, fresh, Connection{}); err != nil {
				return err
			}
			return trail.Record(tx, e)
		}
		fresh.RefreshToken = cmp.Or(fresh.RefreshToken, before.RefreshToken)
		if keep != nil {
			keep(before, &fresh)
		}
		held := &Held{fresh, before}
		err = s.replace(tx, held, &e)
		fresh = held.Connection
		return err
	})
	if err != nil {
		return err
	}
	*c = fresh
	return nil
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
	row := s.connectionRow(c)
	result := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
	if result.Error != nil || result.RowsAffected > 0 {
		*c = s.connection(&row)
		return before, true, result.Error
	}
	before, err = s.take(database.ForUpdate(ofPair(tx, c.CompanyID, c.Pair)))
	return before, false, err
}

// Change runs change on a company's connection as it is now, alone over all
// replicas, and stores what change leaves in it together with the entry that it
// returns; then it returns the connection as stored. change has to be quick and must
// not save a connection itself. When it fails, or returns no entry and changes nothing,
// nothing is written. ID, company, pair and CreatedAt stay as they are. Secrets that
// cannot be read are not written over, except to end the connection: the key may come
// back. The faults are no_connection and provider_reconnect; those of change pass.
func (s *Store) Change(ctx context.Context, companyID int64, p provider.Pair,
	change func(context.Context, *Connection) (*trail.Entry, error),
) (c Connection, err error) {
	err = s.LockPair(ctx, companyID, p, func(tx *gorm.DB) error {
		held, entry, err := s.holdChanged(ctx, tx, companyID, p, change)
		if err != nil {
			return err
		}
		c = held.Connection
		if isChanged, err := held.isChanged(entry); err != nil || !isChanged {
			return err
		}
		err = s.replace(tx, held, entry)
		c = held.Connection
		return err
	})
	if err != nil {
		return Connection{}, err
	}
	return c, nil
}

// Renew is Change for a change that calls the provider. Any number of renewals may be
// waiting for one provider without delaying Change of other connections.
func (s *Store) Renew(ctx context.Context, companyID int64, p provider.Pair,
	change func(context.Context, *Connection) (*trail.Entry, error),
) (c Connection, err error) {
	if !p.Valid() {
		return c, CodeNoConnection.Fault()
	}
	lock, group := lockName(companyID, p), string(p.Provider)
	err = s.LockedSlowly(ctx, lock, group, func(read *gorm.DB, commit database.Commit) error {
		held, entry, err := s.holdChanged(ctx, read, companyID, p, change)
		if err != nil {
			return err
		}
		c = held.Connection
		if isChanged, err := held.isChanged(entry); err != nil || !isChanged {
			return err
		}
		err = commit(func(tx *gorm.DB) error { return s.replace(tx, held, entry) })
		c = held.Connection
		return err
	})
	if err != nil {
		return Connection{}, err
	}
	return c, nil
}

// Held is a connection that nothing else changes until the transaction ends.
type Held struct {
	Connection
	before Connection
}

// Hold returns the company's connection of p as it is now. tx is that of [Store.LockPair].
func (s *Store) Hold(tx *gorm.DB, companyID int64, p provider.Pair) (*Held, error) {
	before, err := s.take(database.ForUpdate(ofPair(tx, companyID, p)))
	if err != nil {
		return nil, err
	}
	return &Held{clone(before), before}, nil
}

// holdChanged is Hold with what change leaves in the connection, and the entry that it returns.
func (s *Store) holdChanged(ctx context.Context, tx *gorm.DB, companyID int64, p provider.Pair,
	change func(context.Context, *Connection) (*trail.Entry, error),
) (*Held, *trail.Entry, error) {
	held, err := s.Hold(tx, companyID, p)
	if err != nil {
		return nil, nil, err
	}
	entry, err := change(ctx, &held.Connection)
	return held, entry, err
}

// isChanged reports whether there is something to store. Secrets that cannot be read are not
// written over, except to end the connection: the fault is provider_reconnect.
func (h *Held) isChanged(entry *trail.Entry) (bool, error) {
	if entry == nil && reflect.DeepEqual(h.Connection, h.before) {
		return false, nil
	}
	if h.before.ReconnectReason == ReasonUnreadable && h.Active {
		return false, provider.Revoked(nil, h.before.ReconnectReason)
	}
	return true, nil
}

// LockPair runs fn in a transaction, one at a time for each connection. A pair that is not
// on the list of pairs has to be stored: to lock one of any name would leave a file of that
// name next to an SQLite file.
func (s *Store) LockPair(ctx context.Context, companyID int64, p provider.Pair, fn func(tx *gorm.DB) error) error {
	if !p.Valid() {
		if _, err := s.Find(ctx, companyID, p); err != nil {
			return err
		}
	}
	return s.Locked(ctx, lockName(companyID, p), fn)
}

func lockName(companyID int64, p provider.Pair) string {
	return fmt.Sprintf("connection %d %s %s", companyID, p.Provider, p.Service)
}

// replace is Update with OnChange.
func (s *Store) replace(tx *gorm.DB, h *Held, entry *trail.Entry) error {
	if err := s.Update(tx, h, entry); err != nil || s.OnChange == nil {
		return err
	}
	return s.OnChange(tx, h.Connection, h.before)
}

// Update stores h as it is now, publishes whether it broke or works again, queues its reading
// if another grant or choice is to be read, and adds the entry unless it is nil. ID, company,
// pair and CreatedAt stay as they were.
func (s *Store) Update(tx *gorm.DB, h *Held, entry *trail.Entry) error {
	c, before := &h.Connection, &h.before
	c.ID = before.ID
	c.CompanyID = before.CompanyID
	c.Pair = before.Pair
	c.CreatedAt = before.CreatedAt
	c.ExpiresAt = database.OptionalInstant(c.ExpiresAt)
	c.UserExpiresAt = database.OptionalInstant(c.UserExpiresAt)
	c.DataAccessExpiresAt = database.OptionalInstant(c.DataAccessExpiresAt)
	row := s.connectionRow(c)
	result := tx.Model(&row).Select("*").Omit("id", "company_id", "provider", "service", "created_at").Updates(&row)
	if err := database.Changed(result, CodeNoConnection); err != nil {
		return err
	}
	c.UpdatedAt = row.UpdatedAt // gorm sets it
	if err := s.publishChange(tx, c, before); err != nil {
		return err
	}
	if err := s.queueReading(tx, *c, *before); err != nil {
		return err
	}
	if entry == nil {
		return nil
	}
	return trail.Record(tx, *entry)
}

// clone copies what change could alter in place.
func clone(c Connection) Connection {
	c.Scopes = append([]string{}, c.Scopes...)
	c.ExpiresAt = database.OptionalInstant(c.ExpiresAt)
	c.UserExpiresAt = database.OptionalInstant(c.UserExpiresAt)
	c.DataAccessExpiresAt = database.OptionalInstant(c.DataAccessExpiresAt)
	return c
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
	result := tx.Model(&connectionRow{}).Where("id = ? AND told_broken = ?", c.ID, !broken).
		UpdateColumn("told_broken", broken)
	if result.Error != nil || result.RowsAffected == 0 {
		return result.Error
	}
	eventType, data := c.Event()
	return webhook.Publish(s.DB, tx, eventType, c.CompanyID, data)
}
