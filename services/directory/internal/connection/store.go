package connection

import (
	"context"
	"regexp"
	"strings"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
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
	return s.take(ofPair(s.Read(ctx), companyID, p))
}

func ofPair(db *gorm.DB, companyID int64, p provider.Pair) *gorm.DB {
	return db.Where("company_id = ? AND provider = ? AND service = ?", companyID, p.Provider, p.Service)
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

// related returns the active connections at the provider of c of the same company or the
// same person.
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
	err := s.Read(ctx).Model(&row{}).
		Where("provider = ? AND is_active", c.Pair.Provider).Where(nearby, values...).
		Limit(1).Pluck("id", &ids).Error
	return len(ids) > 0, err
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
	err := s.Read(ctx).Model(&row{}).Select("provider, service, COUNT(*) AS broken").
		Where("is_active AND reconnect_reason <> ''").Group("provider, service").Scan(&rows).Error
	counts := map[provider.Pair]int{}
	for _, row := range rows {
		counts[provider.Pair{Provider: row.Provider, Service: row.Service}] = row.Broken
	}
	return counts, err
}

// brokenCompanies reads the small index of lost credentials.
func (s *Store) brokenCompanies(ctx context.Context, after int64, n int) (ids []int64, err error) {
	err = s.Read(ctx).Model(&row{}).Distinct("company_id").
		Where("is_active AND reconnect_reason <> '' AND company_id > ?", after).
		Order("company_id").Limit(n).Pluck("company_id", &ids).Error
	return ids, err
}

// row is a row of oauth_tokens: a Connection whose tokens are encrypted, and what its columns
// hold in another form.
type row struct {
	Connection
	UserID       *int64
	Scopes       string   // separated by spaces (RFC 6749, section 3.3)
	MetadataJSON Metadata `gorm:"serializer:json"`
}

// TableName implements gorm's schema.Tabler.
func (row) TableName() string { return "oauth_tokens" }

// eachSecret replaces the secrets of r by what convert makes of them. They belong to what never
// changes of the row; its number is known only once it is written.
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

// seal returns the row of c.
func (s *Store) seal(c *Connection) row {
	r := row{Connection: *c, Scopes: strings.Join(c.Scopes, " "), MetadataJSON: c.Metadata}
	if c.UserID != 0 {
		r.UserID = &c.UserID
	}
	_ = r.eachSecret(func(secret string, p database.Place) (string, error) { return s.Seal(secret, p), nil })
	return r
}

// open returns the connection of r. When one of its secrets cannot be read, it has none of them
// and says why: the user can mend that by connecting again, and no one else's connection is
// concerned.
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

// truncate makes the optional times of c as the databases store them.
func (c *Connection) truncate() {
	c.ExpiresAt = database.OptionalInstant(c.ExpiresAt)
	c.UserExpiresAt = database.OptionalInstant(c.UserExpiresAt)
	c.DataAccessExpiresAt = database.OptionalInstant(c.DataAccessExpiresAt)
}

// chosen reads what was chosen off the columns, which have no other way to hold it: only a
// chosen page leaves the user's token aside, and only a chosen location makes the account one.
func (r *row) chosen() Chosen {
	switch {
	case r.MetadataJSON.UserAccessToken != "":
		return ChosenPage
	case strings.HasPrefix(r.AccountID, "locations/"):
		return ChosenLocation
	}
	return ChosenNothing
}
