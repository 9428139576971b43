package store

import (
	"database/sql"
	"encoding/json"
	"strings"
	"time"

	"backend.example/services/directory/internal/connection"
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
	DataAccessExpiresAt *time.Time         `json:"data_access_expires_at,omitempty"`
	ConnectedAt         time.Time          `json:"connected_at"`
}

// TableName implements gorm's schema.Tabler.
func (connectionRow) TableName() string { return "oauth_tokens" }

// scan reads the row that connectionsOfCompany is at.
func (r *connectionRow) scan(rows *sql.Rows) error {
	var document []byte
	err := rows.Scan(&r.ID, &r.CompanyID, &r.UserID, &r.Provider, &r.Service, &r.AccessToken, &r.RefreshToken, &r.Scopes, &r.AccountID, &r.AccountName,
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
func (s *Store) connectionRow(c *connection.Connection) connectionRow {
	row := connectionRow{
		ID: c.ID, CompanyID: c.CompanyID, UserID: optionalID(c.UserID), Provider: c.Pair.Provider, Service: c.Pair.Service,
		AccessToken: c.AccessToken, RefreshToken: c.RefreshToken,
		Scopes: strings.Join(c.Scopes, " "), AccountID: c.AccountID, AccountName: c.AccountName,
		ExpiresAt: database.OptionalInstant(c.ExpiresAt), IsActive: c.Active, ProviderUserID: c.ProviderUserID, ReconnectReason: c.ReconnectReason,
		MetadataJSON: metadata{
			UserAccessToken: c.UserAccessToken, UserExpiresAt: database.OptionalInstant(c.UserExpiresAt), Denied: c.Denied,
			LostChoice: c.LostChoice, DataAccessExpiresAt: database.OptionalInstant(c.DataAccessExpiresAt), ConnectedAt: c.ConnectedAt,
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
func (r *connectionRow) chosen() connection.Chosen {
	switch {
	case r.MetadataJSON.UserAccessToken != "":
		return connection.ChosenPage
	case strings.HasPrefix(r.AccountID, "locations/"):
		return connection.ChosenLocation
	}
	return connection.ChosenNothing
}

// connection decrypts r. When one of its secrets cannot be read, it has none of them
// and says why: the user can mend that by connecting again, and no one else's
// connection is concerned.
func (s *Store) connection(r *connectionRow) connection.Connection {
	c := connection.Connection{
		ID: r.ID, CompanyID: r.CompanyID, UserID: idOrNone(r.UserID), Pair: provider.Pair{Provider: r.Provider, Service: r.Service},
		Scopes: strings.Fields(r.Scopes), AccountID: r.AccountID, AccountName: r.AccountName, ExpiresAt: database.OptionalInstant(r.ExpiresAt),
		Active: r.IsActive, UserExpiresAt: database.OptionalInstant(r.MetadataJSON.UserExpiresAt), ProviderUserID: r.ProviderUserID,
		ReconnectReason: r.ReconnectReason, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		Chosen: r.chosen(), Denied: r.MetadataJSON.Denied, LostChoice: r.MetadataJSON.LostChoice,
		DataAccessExpiresAt: database.OptionalInstant(r.MetadataJSON.DataAccessExpiresAt), ConnectedAt: r.MetadataJSON.ConnectedAt.UTC(),
	}
	opened := []*string{&c.AccessToken, &c.RefreshToken, &c.UserAccessToken}
	for i, secret := range r.secrets() {
		var err error
		if *opened[i], err = s.Unseal(*secret.sealed, r.place(secret.column)); err != nil {
			c.AccessToken, c.RefreshToken, c.UserAccessToken = "", "", ""
			c.ReconnectReason = connection.ReasonUnreadable
			break
		}
	}
	return c
}
