package connection

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/riverqueue/river"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/webhook"
)

// Store has the queries of connections. It is safe for concurrent use.
type Store struct {
	*database.DB

	// OnChange is called in the transaction in which a connection changes; it may be nil.
	OnChange func(tx *gorm.DB, c, before Connection) error
}

// pairName is the form of a pair that may be stored, also of one that is not offered any more.
var pairName = regexp.MustCompile(`^[a-z_]{1,40}/[a-z_]{1,40}$`)

// Find returns a company's connection, active or not, or the fault no_connection.
func (s *Store) Find(ctx context.Context, companyID int64, p provider.Pair) (Connection, error) {
	if !pairName.MatchString(p.String()) {
		return Connection{}, CodeNoConnection.Fault()
	}
	return s.take(ofPair(s.Read(ctx), companyID, p))
}

func ofPair(db *gorm.DB, companyID int64, p provider.Pair) *gorm.DB {
	return db.Where("company_id = ? AND provider = ? AND service = ?", companyID, p.Provider, p.Service)
}

// ByID returns a connection, active or not, or the fault no_connection.
func (s *Store) ByID(ctx context.Context, id int64) (Connection, error) {
	return s.take(s.Read(ctx).Where("id = ?", id))
}

// StillReads reports whether the connection of c reads the same as c, also until tx ends.
func (s *Store) StillReads(tx *gorm.DB, c Connection) (bool, error) {
	now, err := s.take(database.ForUpdate(tx.Where("id = ?", c.ID)))
	return c.readsLike(&now), err
}

func (s *Store) take(query *gorm.DB) (Connection, error) {
	var found row
	if err := query.Take(&found).Error; err != nil {
		return Connection{}, database.NotFound(err, CodeNoConnection)
	}
	return s.open(found), nil
}

// List returns a company's connections, active or not, by provider and service.
func (s *Store) List(ctx context.Context, companyID int64) ([]Connection, error) {
	return s.list(s.Read(ctx).Where("company_id = ?", companyID).Order("provider, service"))
}

func (s *Store) related(ctx context.Context, c Connection) ([]Connection, error) {
	return s.list(s.Read(ctx).Where("provider = ? AND is_active", c.Pair.Provider).
		Where("company_id = ? OR provider_user_id <> '' AND provider_user_id = ?", c.CompanyID, c.ProviderUserID).
		Order("id"))
}

func (s *Store) list(query *gorm.DB) ([]Connection, error) {
	var rows []row
	err := query.Find(&rows).Error
	connections := make([]Connection, len(rows))
	for i, r := range rows {
		connections[i] = s.open(r)
	}
	return connections, err
}

// GrantNeeded reports whether an active connection lives on the grant of c, which has ended: one
// of the same person at the provider or, if either does not name the person, of the same company
// or user.
func (s *Store) GrantNeeded(ctx context.Context, c Connection) (bool, error) {
	nearby, values := "company_id = ? OR user_id = ?", []any{c.CompanyID, c.UserID}
	if c.ProviderUserID != "" { // each has its index
		nearby = "provider_user_id <> '' AND provider_user_id = ? " +
			"OR provider_user_id = '' AND company_id = ? OR provider_user_id = '' AND user_id = ?"
		values = append([]any{c.ProviderUserID}, values...)
	}
	var ids []int64
	err := s.Read(ctx).Model(&row{}).Where("provider = ? AND is_active", c.Pair.Provider).Where(nearby, values...).
		Limit(1).Pluck("id", &ids).Error
	return len(ids) > 0, err
}

// CountBroken counts, of each pair that has any, the active connections whose credential is
// lost. Those that lack a permission or their choice are not among them.
func (s *Store) CountBroken(ctx context.Context) (map[provider.Pair]int, error) {
	var rows []struct {
		provider.Pair
		Broken int
	}
	err := s.Read(ctx).Model(&row{}).Select("provider, service, COUNT(*) AS broken").
		Where("is_active AND reconnect_reason <> ''").Group("provider, service").Scan(&rows).Error
	counts := map[provider.Pair]int{}
	for _, r := range rows {
		counts[r.Pair] = r.Broken
	}
	return counts, err
}

// Save stores c as the company's active connection of its pair, with a line of the trail. An
// empty refresh token leaves the stored one. kept brings over what stays of the connection that
// c replaces; it may be nil. c becomes the connection as stored.
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
	// another replica may insert one at the same time
	empty := s.seal(&Connection{CompanyID: c.CompanyID, UserID: c.UserID, Pair: c.Pair})
	if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&empty).Error; err != nil {
		return err
	}
	before, err := s.take(database.ForUpdate(ofPair(tx, c.CompanyID, c.Pair)))
	if err != nil {
		return err
	}
	held := &Held{*c, before, s, lock}
	held.ID = before.ID
	held.CreatedAt = before.CreatedAt
	held.ConnectedAt = database.Instant(s.Now())
	held.Active = true
	held.ReconnectReason = ""
	held.RefreshToken = cmp.Or(c.RefreshToken, before.RefreshToken)
	kept.bring(before, &held.Connection)
	if err := held.write(tx, &e); err != nil {
		return err
	}
	*c = held.Connection
	return lock.Commit()
}

// Held is a connection that no other caller changes, over all replicas, until it is released.
// What identifies it has to stay as it is.
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

// HoldSlowly is Hold for a caller that calls the provider meanwhile, see [database.DB.LockSlowly].
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

// lock locks a connection. A pair that is not valid has to be stored: on SQLite, a lock leaves a
// file of its name.
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

// Release ends the hold. What was not stored is as before.
func (h *Held) Release() { h.lock.Release() }

// Save is Update and Commit, if there is an entry or something was changed.
func (h *Held) Save(entry *trail.Entry) error {
	if entry == nil && reflect.DeepEqual(h.Connection, h.before) {
		return nil
	}
	if _, err := h.Update(entry); err != nil {
		return err
	}
	return h.Commit()
}

// Update stores h as it is now, and the entry unless it is nil, in a transaction that Commit
// ends. Secrets that cannot be read are only written over to end the connection, since the key
// may come back: else the fault is provider_reconnect.
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

func (h *Held) write(tx *gorm.DB, entry *trail.Entry) error {
	s, c := h.store, &h.Connection
	c.truncate()
	r := s.seal(c)
	result := tx.Model(&r).Select("*").Updates(&r)
	if err := database.Changed(result, CodeNoConnection); err != nil {
		return err
	}
	c.UpdatedAt = r.UpdatedAt // gorm sets it
	if err := s.publishChange(tx, c, &h.before); err != nil {
		return err
	}
	if c.Active && !c.needsChoice() && !c.readsLike(&h.before) {
		if err := jobs.New(s.DB).Insert(tx, jobs.Reading{ConnectionID: c.ID}); err != nil {
			return err
		}
	}
	if entry != nil {
		if err := trail.Record(tx, *entry); err != nil {
			return err
		}
	}
	if s.OnChange == nil {
		return nil
	}
	return s.OnChange(tx, *c, h.before)
}

// publishChange publishes that a connection broke, or works again, if the last event said the
// opposite. One that was disconnected while it was broken recovers when it is connected again.
func (s *Store) publishChange(tx *gorm.DB, c, before *Connection) error {
	broken := c.NeedsUser()
	unchanged := broken == before.NeedsUser() && c.Active == before.Active
	ended := !broken && !c.Active
	if unchanged || ended {
		return nil
	}
	result := tx.Model(&row{}).Where("id = ? AND told_broken = ?", c.ID, !broken).UpdateColumn("told_broken", broken)
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

// row is a Connection with encrypted tokens, and what the columns hold in another form.
type row struct {
	Connection
	UserID       *int64
	Scopes       string   // separated by spaces (RFC 6749, section 3.3)
	MetadataJSON Metadata `gorm:"serializer:json"`
}

// TableName implements gorm's schema.Tabler.
func (row) TableName() string { return "oauth_tokens" }

// eachSecret replaces the secrets of r by what convert makes of them. Their place is named by
// what never changes of the row; its number is known only once it is written.
func (r *row) eachSecret(convert func(secret string, p database.Place) (string, error)) (err error) {
	for column, secret := range map[string]*string{
		"access_token": &r.AccessToken, "refresh_token": &r.RefreshToken,
		"metadata_json.user_access_token": &r.MetadataJSON.UserAccessToken,
	} {
		place := database.PlaceOf("oauth_tokens", column, r.CompanyID, r.Pair.Provider, r.Pair.Service)
		if *secret, err = convert(*secret, place); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) seal(c *Connection) row {
	r := row{Connection: *c, Scopes: strings.Join(c.Scopes, " "), MetadataJSON: c.Metadata}
	if c.UserID != 0 {
		r.UserID = &c.UserID
	}
	_ = r.eachSecret(func(secret string, p database.Place) (string, error) { return s.Seal(secret, p), nil })
	return r
}

// open returns the connection of r. If one of its secrets cannot be read, it has none of them,
// and its user has to connect again.
func (s *Store) open(r row) Connection {
	chosen := r.chosen()
	if err := r.eachSecret(s.Unseal); err != nil {
		r.AccessToken, r.RefreshToken = "", ""
		r.MetadataJSON.UserAccessToken = ""
		r.ReconnectReason = ReasonUnreadable
	}
	c := r.Connection
	c.Metadata = r.MetadataJSON
	c.Chosen = chosen
	c.Scopes = strings.Fields(r.Scopes)
	if r.UserID != nil {
		c.UserID = *r.UserID
	}
	c.CreatedAt, c.UpdatedAt = c.CreatedAt.UTC(), c.UpdatedAt.UTC()
	c.truncate()
	return c
}

func (c *Connection) truncate() {
	c.ExpiresAt = database.OptionalInstant(c.ExpiresAt)
	c.UserExpiresAt = database.OptionalInstant(c.UserExpiresAt)
	c.DataAccessExpiresAt = database.OptionalInstant(c.DataAccessExpiresAt)
}

// chosen tells by the columns what was chosen: only a chosen page leaves the user's token aside,
// and only a chosen location makes the account one.
func (r *row) chosen() Chosen {
	switch {
	case r.MetadataJSON.UserAccessToken != "":
		return ChosenPage
	case strings.HasPrefix(r.AccountID, "locations/"):
		return ChosenLocation
	}
	return ChosenNothing
}
