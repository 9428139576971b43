package connection

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
)

// Store has the queries of connections. It is safe for concurrent use.
type Store struct {
	*database.DB

	// OnChange is called in the transaction in which a connection changes; it may be nil.
	OnChange func(tx *gorm.DB, c, before Connection) error
}

// pairName is the form of a pair that may be stored, also one that is no longer on the list
// of pairs.
var pairName = regexp.MustCompile(`^[a-z_]{1,40}/[a-z_]{1,40}$`)

// Find returns a company's connection, active or not, or the fault
// no_connection.
func (s *Store) Find(ctx context.Context, companyID int64, p provider.Pair) (Connection, error) {
	if !pairName.MatchString(p.String()) {
		return Connection{}, CodeNoConnection.Fault()
	}
	list, err := s.list(ctx, columns+"company_id = ? AND provider = ? AND service = ?", companyID, p.Provider,
		p.Service)
	switch {
	case err != nil:
		return Connection{}, err
	case len(list) == 0:
		return Connection{}, CodeNoConnection.Fault()
	}
	return list[0], nil
}

func ofPair(db *gorm.DB, companyID int64, p provider.Pair) *gorm.DB {
	return db.Where("company_id = ? AND provider = ? AND service = ?", companyID, p.Provider, p.Service)
}

func (s *Store) take(query *gorm.DB) (Connection, error) {
	var row connectionRow
	if err := query.Take(&row).Error; err != nil {
		return Connection{}, database.NotFound(err, CodeNoConnection)
	}
	return s.connection(&row), nil
}

// columns are those that connectionRow.scan reads.
const columns = `SELECT id, company_id, user_id, provider, service, access_token, refresh_token, scopes,
	account_id, account_name, expires_at, is_active, provider_user_id, reconnect_reason, metadata_json,
	created_at, updated_at
	FROM oauth_tokens WHERE `

// List returns a company's connections, active or not, by provider and service.
func (s *Store) List(ctx context.Context, companyID int64) ([]Connection, error) {
	return s.list(ctx, columns+"company_id = ? ORDER BY provider, service", companyID)
}

// related returns the active connections at the provider of c of the same company or the
// same person.
func (s *Store) related(ctx context.Context, c Connection) ([]Connection, error) {
	const where = `provider = ? AND is_active AND (company_id = ? OR provider_user_id <> '' AND provider_user_id = ` +
		`?) ORDER BY id`
	return s.list(ctx, columns+where, c.Pair.Provider, c.CompanyID, c.ProviderUserID)
}

func (s *Store) list(ctx context.Context, statement string, values ...any) ([]Connection, error) {
	connections := []Connection{}
	rows, err := s.Raw(ctx, "oauth_tokens", statement, values...).Rows()
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
	return connections, err
}

// GrantNeeded reports whether an active connection lives on the grant of c, which has
// ended: one of the same person at the provider; if either connection does not name the
// person, one of the same company or the same user.
func (s *Store) GrantNeeded(ctx context.Context, c Connection) (bool, error) {
	nearby, values := "company_id = ? OR user_id = ?", []any{c.CompanyID, c.UserID}
	if c.ProviderUserID != "" { // each alternative has its index
		nearby = "provider_user_id <> '' AND provider_user_id = ? " +
			"OR provider_user_id = '' AND company_id = ? OR provider_user_id = '' AND user_id = ?"
		values = append([]any{c.ProviderUserID}, values...)
	}
	var ids []int64
	err := s.Read(ctx).Model(&connectionRow{}).
		Where("provider = ? AND is_active", c.Pair.Provider).Where(nearby, values...).
		Limit(1).Pluck("id", &ids).Error
	return len(ids) > 0, err
}

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
	err := s.lockPair(ctx, c.CompanyID, c.Pair, func(tx *gorm.DB) error {
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
		return s.replace(tx, &fresh, before, &e)
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
	err = s.lockPair(ctx, companyID, p, func(tx *gorm.DB) error {
		c, err = s.apply(ctx, ofPair(tx, companyID, p), change, func(write func(*gorm.DB) error) error {
			return write(tx)
		})
		return err
	})
	return changed(c, err)
}

// Renew is Change for a change that calls the provider. Any number of renewals may be
// waiting for one provider without delaying Change of other connections.
func (s *Store) Renew(ctx context.Context, companyID int64, p provider.Pair,
	change func(context.Context, *Connection) (*trail.Entry, error),
) (c Connection, err error) {
	if !p.Valid() {
		return c, CodeNoConnection.Fault()
	}
	err = s.LockedSlowly(ctx, lockName(companyID, p), string(p.Provider),
		func(read *gorm.DB, commit database.Commit) error {
			c, err = s.apply(ctx, ofPair(read, companyID, p), change, commit)
			return err
		})
	return changed(c, err)
}

func changed(c Connection, err error) (Connection, error) {
	if err != nil {
		return Connection{}, err
	}
	return c, nil
}

func (s *Store) apply(ctx context.Context, query *gorm.DB,
	change func(context.Context, *Connection) (*trail.Entry, error),
	commit database.Commit,
) (c Connection, err error) {
	before, err := s.take(database.ForUpdate(query))
	if err != nil {
		return c, err
	}
	c = clone(before)
	entry, err := change(ctx, &c)
	if err != nil || entry == nil && reflect.DeepEqual(c, before) {
		return c, err
	}
	if before.ReconnectReason == ReasonUnreadable && c.Active {
		return c, provider.Revoked(nil, before.ReconnectReason)
	}
	err = commit(func(tx *gorm.DB) error { return s.replace(tx, &c, before, entry) })
	return c, err
}

// lockPair runs fn in a transaction, one at a time for each connection. A pair that is not
// on the list of pairs has to be stored: to lock one of any name would leave a file of that
// name next to an SQLite file.
func (s *Store) lockPair(ctx context.Context, companyID int64, p provider.Pair, fn func(tx *gorm.DB) error) error {
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

// replace is update with OnChange.
func (s *Store) replace(tx *gorm.DB, c *Connection, before Connection, entry *trail.Entry) error {
	if err := s.update(tx, c, before, entry); err != nil || s.OnChange == nil {
		return err
	}
	return s.OnChange(tx, *c, before)
}

// update stores c, which was before, and adds the entry unless it is nil.
func (s *Store) update(tx *gorm.DB, c *Connection, before Connection, entry *trail.Entry) error {
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
	if err := s.publishChange(tx, c, &before); err != nil {
		return err
	}
	if err := s.queueReading(tx, *c, before); err != nil {
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
	return counts, err
}

// brokenCompanies reads the small index of lost credentials.
func (s *Store) brokenCompanies(ctx context.Context, after int64, n int) (ids []int64, err error) {
	err = s.Read(ctx).Model(&connectionRow{}).Distinct("company_id").
		Where("is_active AND reconnect_reason <> '' AND company_id > ?", after).
		Order("company_id").Limit(n).Pluck("company_id", &ids).Error
	return ids, err
}

// listBatch is how many connections Each reads at once.
const listBatch = 500

// Each calls do with the connections that q selects, by their number. do may change them.
func (s *Store) Each(ctx context.Context, q Query, do func(Listed) error) error {
	for after := int64(0); ; {
		var rows []struct {
			Row  connectionRow `gorm:"embedded"`
			Slug string
		}
		query := s.Read(ctx).Table("oauth_tokens t").Joins("JOIN companies c ON c.id = t.company_id").
			Select("t.id, t.company_id, c.slug, t.provider, t.service, t.is_active, t.reconnect_reason, "+
				"t.metadata_json, t.updated_at").
			Where("t.id > ?", after)
		if q.Provider != "" {
			query = query.Where("t.provider = ?", q.Provider)
		}
		if q.CompanyID != 0 {
			query = query.Where("t.company_id = ?", q.CompanyID)
		}
		if q.CompanyIDs != nil {
			query = query.Where("t.company_id IN ?", q.CompanyIDs)
		}
		if !q.MarkedSince.IsZero() {
			query = query.Where(markedSince, database.Instant(q.MarkedSince))
		}
		if err := query.Order("t.id").Limit(listBatch).Scan(&rows).Error; err != nil {
			return err
		}
		for _, found := range rows {
			r := found.Row
			after = r.ID
			l := Listed{ID: r.ID, CompanyID: r.CompanyID, Slug: found.Slug,
				Pair: provider.Pair{Provider: r.Provider, Service: r.Service}, UpdatedAt: r.UpdatedAt.UTC()}
			l.State, l.Reason = r.state()
			if q.State != "" && l.State != q.State {
				continue
			}
			if err := do(l); err != nil {
				return err
			}
		}
		if len(rows) < listBatch {
			return nil
		}
	}
}

const markedSince = `EXISTS (SELECT 1 FROM audit_trail a WHERE a.company_id = t.company_id AND a.provider = t.provider
	AND a.service = t.service AND a.action = 'reconnect_required' AND a.at >= ?)`

func (r *connectionRow) state() (State, string) {
	c := Connection{Pair: provider.Pair{Provider: r.Provider, Service: r.Service}, ReconnectReason: r.ReconnectReason,
		LostChoice: r.MetadataJSON.LostChoice, Denied: r.MetadataJSON.Denied}
	state := StateOK
	switch {
	case !r.IsActive:
		state = StateEnded
	case c.ReconnectReason != "":
		state = StateReconnect
	case c.LostChoice != "":
		state = StateChoice
	case len(c.Denied) > 0:
		state = StatePermission
	}
	return state, c.reason()
}

// SelectPage runs change on a connection and stores the result, a line of the audit
// trail and what also writes in one transaction; if one of them fails, nothing is
// written. change must be quick. OnChange is not called. The fault is no_connection;
// those of change pass. It returns the connection as stored.
func (s *Store) SelectPage(ctx context.Context, companyID int64, p provider.Pair, change func(*Connection) error,
	e trail.Entry, also func(tx *gorm.DB) error,
) (c Connection, err error) {
	err = s.lockPair(ctx, companyID, p, func(tx *gorm.DB) error {
		before, err := s.take(database.ForUpdate(ofPair(tx, companyID, p)))
		if err != nil {
			return err
		}
		c = clone(before)
		if err := change(&c); err != nil {
			return err
		}
		if err := s.update(tx, &c, before, &e); err != nil {
			return err
		}
		return also(tx)
	})
	if err != nil {
		return Connection{}, err
	}
	return c, nil
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

// connectionRow is a line of oauth_tokens; tokens are encrypted in it.
type connectionRow struct {
	ID              int64
	CompanyID       int64
	UserID          *int64 // nil: the person was erased
	Provider        provider.Name
	Service         provider.Service
	AccessToken     string
	RefreshToken    string
	Scopes          string // separated by spaces (RFC 6749, section 3.3)
	AccountID       string
	AccountName     string
	ExpiresAt       *time.Time
	IsActive        bool
	ProviderUserID  string
	ReconnectReason string
	MetadataJSON    metadata `gorm:"serializer:json"`
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

type metadata struct {
	UserAccessToken string     `json:"user_access_token,omitempty"` // encrypted
	UserExpiresAt   *time.Time `json:"user_expires_at,omitempty"`

	Denied              []provider.Service `json:"denied,omitempty"`
	LostChoice          string             `json:"lost_choice,omitempty"`
	Property            string             `json:"property,omitempty"`
	OwnerName           string             `json:"owner_name,omitempty"`
	AccountAddress      string             `json:"account_address,omitempty"`
	PlaceID             string             `json:"place_id,omitempty"`
	DataAccessExpiresAt *time.Time         `json:"data_access_expires_at,omitempty"`
	ConnectedAt         time.Time          `json:"connected_at"`

	Readings map[provider.Service]Reading `json:"readings,omitempty"`
}

// TableName implements gorm's schema.Tabler.
func (connectionRow) TableName() string { return "oauth_tokens" }

// scan reads the columns of a row.
func (r *connectionRow) scan(rows *sql.Rows) error {
	var document []byte
	err := rows.Scan(&r.ID, &r.CompanyID, &r.UserID, &r.Provider, &r.Service, &r.AccessToken, &r.RefreshToken,
		&r.Scopes, &r.AccountID, &r.AccountName,
		&r.ExpiresAt, &r.IsActive, &r.ProviderUserID, &r.ReconnectReason, &document, &r.CreatedAt, &r.UpdatedAt)
	if err != nil {
		return err
	}
	return json.Unmarshal(document, &r.MetadataJSON)
}

// place names the row by what never changes; its number is known only once it is
// written.
func (r *connectionRow) place(column string) database.Place {
	return database.PlaceOf("oauth_tokens", column, r.CompanyID, r.Provider, r.Service)
}

// sealedColumn is a secret of a row, and the name of its column.
type sealedColumn struct {
	column string
	sealed *string
}

func (r *connectionRow) secrets() []sealedColumn {
	return []sealedColumn{
		{"access_token", &r.AccessToken}, {"refresh_token", &r.RefreshToken},
		{"metadata_json.user_access_token", &r.MetadataJSON.UserAccessToken},
	}
}

// connectionRow encrypts c.
func (s *Store) connectionRow(c *Connection) connectionRow {
	row := connectionRow{
		ID: c.ID, CompanyID: c.CompanyID, UserID: optionalID(c.UserID), Provider: c.Pair.Provider,
		Service:     c.Pair.Service,
		AccessToken: c.AccessToken, RefreshToken: c.RefreshToken,
		Scopes: strings.Join(c.Scopes, " "), AccountID: c.AccountID, AccountName: c.AccountName,
		ExpiresAt: database.OptionalInstant(c.ExpiresAt), IsActive: c.Active, ProviderUserID: c.ProviderUserID,
		ReconnectReason: c.ReconnectReason,
		MetadataJSON: metadata{
			UserAccessToken: c.UserAccessToken, UserExpiresAt: database.OptionalInstant(c.UserExpiresAt),
			Denied:     c.Denied,
			LostChoice: c.LostChoice, OwnerName: c.OwnerName, AccountAddress: c.AccountAddress, PlaceID: c.PlaceID,
			DataAccessExpiresAt: database.OptionalInstant(c.DataAccessExpiresAt), ConnectedAt: c.ConnectedAt,
			Property: c.Property, Readings: c.Readings,
		},
		CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	for _, secret := range row.secrets() {
		*secret.sealed = s.Seal(*secret.sealed, row.place(secret.column))
	}
	return row
}

// chosen reads what was chosen off the columns, which have no other way to hold
// it: only a chosen page leaves the user's token aside, and only a chosen location
// makes the account one.
func (r *connectionRow) chosen() Chosen {
	switch {
	case r.MetadataJSON.UserAccessToken != "":
		return ChosenPage
	case strings.HasPrefix(r.AccountID, "locations/"):
		return ChosenLocation
	}
	return ChosenNothing
}

// connection decrypts r. When one of its secrets cannot be read, it has none of them
// and says why: the user can mend that by connecting again, and no one else's
// connection is concerned.
func (s *Store) connection(r *connectionRow) Connection {
	c := Connection{
		ID: r.ID, CompanyID: r.CompanyID, UserID: idOrNone(r.UserID),
		Pair:   provider.Pair{Provider: r.Provider, Service: r.Service},
		Scopes: strings.Fields(r.Scopes), AccountID: r.AccountID, AccountName: r.AccountName,
		ExpiresAt: database.OptionalInstant(r.ExpiresAt),
		Active:    r.IsActive, UserExpiresAt: database.OptionalInstant(r.MetadataJSON.UserExpiresAt),
		ProviderUserID:  r.ProviderUserID,
		ReconnectReason: r.ReconnectReason, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		Chosen: r.chosen(), Denied: r.MetadataJSON.Denied, LostChoice: r.MetadataJSON.LostChoice,
		OwnerName: r.MetadataJSON.OwnerName, AccountAddress: r.MetadataJSON.AccountAddress,
		PlaceID:             r.MetadataJSON.PlaceID,
		DataAccessExpiresAt: database.OptionalInstant(r.MetadataJSON.DataAccessExpiresAt),
		ConnectedAt:         r.MetadataJSON.ConnectedAt.UTC(),
		Property:            r.MetadataJSON.Property,
		Readings:            r.MetadataJSON.Readings,
	}
	opened := []*string{&c.AccessToken, &c.RefreshToken, &c.UserAccessToken}
	for i, secret := range r.secrets() {
		var err error
		if *opened[i], err = s.Unseal(*secret.sealed, r.place(secret.column)); err != nil {
			c.AccessToken = ""
			c.RefreshToken = ""
			c.UserAccessToken = ""
			c.ReconnectReason = ReasonUnreadable
			break
		}
	}
	return c
}

// optionalID is the column of an id that may be absent, which is 0 in the domain.
func optionalID(id int64) *int64 {
	if id == 0 {
		return nil
	}
	return &id
}

// idOrNone is the reverse of optionalID.
func idOrNone(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}
