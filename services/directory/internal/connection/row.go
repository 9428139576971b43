package connection

import (
	"strings"
	"time"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/provider"
)

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
