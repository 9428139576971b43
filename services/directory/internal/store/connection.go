package store

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// Connection returns a company's connection, active or not, or the fault
// no_connection.
func (s *Store) Connection(ctx context.Context, companyID int64, p provider.Pair) (connection.Connection, error) {
	return s.takeConnection(ofPair(s.Read(ctx), companyID, p))
}

func ofPair(db *gorm.DB, companyID int64, p provider.Pair) *gorm.DB {
	return db.Where("company_id = ? AND provider = ? AND service = ?", companyID, p.Provider, p.Service)
}

func (s *Store) takeConnection(query *gorm.DB) (connection.Connection, error) {
	var row connectionRow
	if err := query.Take(&row).Error; err != nil {
		return connection.Connection{}, failure("read connection", err, connection.CodeNoConnection.Fault())
	}
	return s.connection(&row), nil
}

const connectionsOfCompany = `SELECT id, company_id, user_id, provider, service, access_token, refresh_token, scopes, account_id, account_name,
	expires_at, is_active, provider_user_id, reconnect_reason, metadata_json, created_at, updated_at
	FROM oauth_tokens WHERE company_id = ? ORDER BY provider, service`

// Connections lists a company's connections, active or not, by provider and
// service.
func (s *Store) Connections(ctx context.Context, companyID int64) ([]connection.Connection, error) {
	connections := []connection.Connection{}
	rows, err := s.Raw(ctx, "oauth_tokens", connectionsOfCompany, companyID).Rows()
	if err == nil {
		err = database.ScanEach(rows, func() error {
			var row connectionRow
			if err := row.scan(rows); err != nil {
				return err
			}
			connections = append(connections, s.connection(&row))
			return nil
		})
	}
	if err != nil {
		return nil, failure("list connections", err, nil)
	}
	return connections, nil
}

// GrantShared reports whether another active connection at the same provider
// lives on c's grant: one of the same person there; where either connection does
// not tell who that is, one of the same company or the same user.
func (s *Store) GrantShared(ctx context.Context, c connection.Connection) (bool, error) {
	nearby, values := "company_id = ? OR user_id = ?", []any{c.CompanyID, c.UserID}
	if c.ProviderUserID != "" { // each alternative has its index
		nearby = "provider_user_id <> '' AND provider_user_id = ? " +
			"OR provider_user_id = '' AND company_id = ? OR provider_user_id = '' AND user_id = ?"
		values = append([]any{c.ProviderUserID}, values...)
	}
	var ids []int64
	err := s.Read(ctx).Model(&connectionRow{}).
		Where("provider = ? AND is_active AND id <> ?", c.Pair.Provider, c.ID).Where(nearby, values...).
		Limit(1).Pluck("id", &ids).Error
	return len(ids) > 0, failure("look for the grant's other connections", err, nil)
}

// SaveConnection stores c as the company's connection of its pair, together with
// a line of the audit trail. It makes the connection active and forgets why it
// had to be renewed; an empty refresh token leaves the stored one. keep, unless it is
// nil, brings over what stays of the connection that c replaces; it must be quick,
// and nobody changes that one meanwhile. c becomes the connection as stored.
func (s *Store) SaveConnection(ctx context.Context, c *connection.Connection, keep func(before connection.Connection, c *connection.Connection),
	e trail.Entry,
) error {
	fresh := clone(*c)
	fresh.Active, fresh.ReconnectReason, fresh.ConnectedAt = true, "", s.At(time.Time{})
	err := s.lockPair(ctx, c.CompanyID, c.Pair, func(tx *gorm.DB) error {
		before, inserted, err := s.insertConnection(tx, &fresh)
		if err != nil {
			return err
		}
		if inserted {
			return s.record(tx, e)
		}
		fresh.RefreshToken = cmp.Or(fresh.RefreshToken, before.RefreshToken)
		if keep != nil {
			keep(before, &fresh)
		}
		return s.replace(tx, &fresh, before, &e)
	})
	if err != nil {
		return failure("save connection", err, nil)
	}
	*c = fresh
	return nil
}

// insertConnection inserts c unless the company has a connection of its pair, which
// it locks and returns then. Another replica may insert one at the same time.
func (s *Store) insertConnection(tx *gorm.DB, c *connection.Connection) (before connection.Connection, inserted bool, err error) {
	before, err = s.takeConnection(database.ForUpdate(ofPair(tx, c.CompanyID, c.Pair)))
	if !fault.Is(err, connection.CodeNoConnection) {
		return before, false, err
	}
	c.ID, c.CreatedAt, c.UpdatedAt = 0, c.ConnectedAt, c.ConnectedAt
	row := s.connectionRow(c)
	result := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&row)
	if result.Error != nil || result.RowsAffected > 0 {
		*c = s.connection(&row)
		return before, true, result.Error
	}
	before, err = s.takeConnection(database.ForUpdate(ofPair(tx, c.CompanyID, c.Pair)))
	return before, false, err
}

// LockConnection runs change on a company's connection as it is now, alone over all
// replicas, and stores what change leaves in it together with the entry that it
// returns; then it returns the connection as stored. change has to be quick and must
// not save a connection itself. When it fails, or returns no entry and changes nothing,
// nothing is written. ID, company, pair and CreatedAt stay as they are. Secrets that
// cannot be read are not written over, except to end the connection: the key may come
// back. The faults are no_connection and provider_reconnect; those of change pass.
func (s *Store) LockConnection(ctx context.Context, companyID int64, p provider.Pair,
	change func(context.Context, *connection.Connection) (*trail.Entry, error),
) (c connection.Connection, err error) {
	err = s.lockPair(ctx, companyID, p, func(tx *gorm.DB) error {
		c, err = s.change(ctx, ofPair(tx, companyID, p), change, func(write func(*gorm.DB) error) error { return write(tx) })
		return err
	})
	return changed(c, err)
}

// RenewConnection is LockConnection for a change that calls the provider. Any number
// of renewals may be waiting for one provider without delaying LockConnection of other
// connections.
func (s *Store) RenewConnection(ctx context.Context, companyID int64, p provider.Pair,
	change func(context.Context, *connection.Connection) (*trail.Entry, error),
) (c connection.Connection, err error) {
	if !p.Valid() {
		return c, connection.CodeNoConnection.Fault()
	}
	err = s.LockedSlowly(ctx, lockName(companyID, p), string(p.Provider), func(read *gorm.DB, commit database.Commit) error {
		c, err = s.change(ctx, ofPair(read, companyID, p), change, commit)
		return err
	})
	return changed(c, err)
}

func changed(c connection.Connection, err error) (connection.Connection, error) {
	if err != nil {
		return connection.Connection{}, failure("change connection", err, nil)
	}
	return c, nil
}

func (s *Store) change(ctx context.Context, query *gorm.DB, change func(context.Context, *connection.Connection) (*trail.Entry, error),
	commit database.Commit,
) (c connection.Connection, err error) {
	before, err := s.takeConnection(database.ForUpdate(query))
	if err != nil {
		return c, err
	}
	c = clone(before)
	entry, err := change(ctx, &c)
	if err != nil || entry == nil && reflect.DeepEqual(c, before) {
		return c, err
	}
	if before.ReconnectReason == connection.ReasonUnreadable && c.Active {
		return c, provider.Revoked(nil, before.ReconnectReason)
	}
	err = commit(func(tx *gorm.DB) error { return s.replace(tx, &c, before, entry) })
	return c, err
}

// lockPair runs fn in a transaction, one at a time for each connection. A pair that does
// not exist has none; to lock it would leave a file of that name next to an SQLite file.
func (s *Store) lockPair(ctx context.Context, companyID int64, p provider.Pair, fn func(tx *gorm.DB) error) error {
	if !p.Valid() {
		return connection.CodeNoConnection.Fault()
	}
	return s.Locked(ctx, lockName(companyID, p), fn)
}

func lockName(companyID int64, p provider.Pair) string {
	return fmt.Sprintf("connection %d %s %s", companyID, p.Provider, p.Service)
}

// replace is update with OnChange.
func (s *Store) replace(tx *gorm.DB, c *connection.Connection, before connection.Connection, entry *trail.Entry) error {
	if err := s.update(tx, c, before, entry); err != nil || s.OnChange == nil {
		return err
	}
	return s.OnChange(tx, *c, before)
}

// update stores c, which was before, and adds the entry unless it is nil.
func (s *Store) update(tx *gorm.DB, c *connection.Connection, before connection.Connection, entry *trail.Entry) error {
	c.ID, c.CompanyID, c.Pair, c.CreatedAt = before.ID, before.CompanyID, before.Pair, before.CreatedAt
	c.ExpiresAt, c.UserExpiresAt, c.DataAccessExpiresAt = database.OptionalInstant(c.ExpiresAt), database.OptionalInstant(c.UserExpiresAt), database.OptionalInstant(c.DataAccessExpiresAt)
	row := s.connectionRow(c)
	result := tx.Model(&row).Select("*").Omit("id", "company_id", "provider", "service", "created_at").Updates(&row)
	if err := changedOne("change connection", result, connection.CodeNoConnection.Fault()); err != nil {
		return err
	}
	c.UpdatedAt = row.UpdatedAt // gorm sets it
	if err := s.publishChange(tx, c, &before); err != nil {
		return err
	}
	if entry == nil {
		return nil
	}
	return s.record(tx, *entry)
}

// clone copies what change could alter in place.
func clone(c connection.Connection) connection.Connection {
	c.Scopes = append([]string{}, c.Scopes...)
	c.ExpiresAt, c.UserExpiresAt, c.DataAccessExpiresAt = database.OptionalInstant(c.ExpiresAt), database.OptionalInstant(c.UserExpiresAt), database.OptionalInstant(c.DataAccessExpiresAt)
	return c
}

// CountBroken counts, of each pair that has any, the active connections whose credential
// is lost until their user connects again. Those that lack a permission or their choice
// are not among them.
func (s *Store) CountBroken(ctx context.Context) (map[provider.Pair]int, error) {
	var rows []struct {
		Provider provider.Name
		Service  provider.Service
		Broken   int
	}
	err := s.Read(ctx).Model(&connectionRow{}).Select("provider, service, COUNT(*) AS broken").
		Where("is_active AND reconnect_reason <> ''").Group("provider, service").Scan(&rows).Error
	counts := map[provider.Pair]int{}
	for _, row := range rows {
		counts[provider.Pair{Provider: row.Provider, Service: row.Service}] = row.Broken
	}
	return counts, failure("count broken connections", err, nil)
}
