package connection

import (
	"context"
	"regexp"
	"strings"
	"time"

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
	var row connectionRow
	if err := query.Take(&row).Error; err != nil {
		return Connection{}, database.NotFound(err, CodeNoConnection)
	}
	return s.connection(&row), nil
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
	var rows []connectionRow
	err := query.Find(&rows).Error
	connections := make([]Connection, len(rows))
	for i := range rows {
		connections[i] = s.connection(&rows[i])
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
