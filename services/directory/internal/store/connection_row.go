package store

import (
	"strconv"
	"strings"
	"time"

	"backend.example/services/directory/internal/directory"
)

// connectionRow is a line of oauth_tokens; tokens are encrypted in it.
type connectionRow struct {
	ID              int64
	CompanyID       int64
	UserID          int64
	Provider        directory.Provider
	Service         directory.Service
	AccessToken     string
	RefreshToken    string
	Scopes          string // separated by spaces (RFC 6749, section 3.3)
	AccountID       string
	AccountName     string
	ExpiresAt       *time.Time
	IsActive        bool
	ProviderUserID  string
	ReconnectReason string
	MetadataJSON    document[metadata] `gorm:"column:metadata_json"`
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

type metadata struct {
	UserAccessToken string     `json:"user_access_token,omitempty"` // encrypted
	UserExpiresAt   *time.Time `json:"user_expires_at,omitempty"`
}

// TableName implements gorm's schema.Tabler.
func (connectionRow) TableName() string { return "oauth_tokens" }

// place names the row by what never changes; its number is known only once it is
// written.
func (r *connectionRow) place(column string) place {
	return place{"oauth_tokens", column, strconv.FormatInt(r.CompanyID, 10), string(r.Provider), string(r.Service)}
}

const (
	accessColumn  = "access_token"
	refreshColumn = "refresh_token"
	userColumn    = "metadata_json.user_access_token"
)

// connectionRow encrypts c.
func (s *Store) connectionRow(c *directory.Connection) connectionRow {
	row := connectionRow{
		ID: c.ID, CompanyID: c.CompanyID, UserID: c.UserID, Provider: c.Pair.Provider, Service: c.Pair.Service,
		Scopes: strings.Join(c.Scopes, " "), AccountID: c.AccountID, AccountName: c.AccountName,
		ExpiresAt: optional(c.ExpiresAt), IsActive: c.Active, ProviderUserID: c.ProviderUserID,
		ReconnectReason: c.ReconnectReason, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt,
	}
	row.AccessToken = s.keys.seal(c.AccessToken, row.place(accessColumn))
	row.RefreshToken = s.keys.seal(c.RefreshToken, row.place(refreshColumn))
	row.MetadataJSON.value = metadata{
		UserAccessToken: s.keys.seal(c.UserAccessToken, row.place(userColumn)), UserExpiresAt: optional(c.UserExpiresAt),
	}
	return row
}

// chosen reads what was chosen off the columns, which have no other way to hold
// it: only a chosen page leaves the user's token aside, and only a chosen location
// makes the account one.
func (r *connectionRow) chosen() directory.Chosen {
	switch {
	case r.MetadataJSON.value.UserAccessToken != "":
		return directory.ChosenPage
	case strings.HasPrefix(r.AccountID, "locations/"):
		return directory.ChosenLocation
	}
	return directory.ChosenNothing
}

// connection decrypts r.
func (s *Store) connection(r *connectionRow) (directory.Connection, error) {
	meta := r.MetadataJSON.value
	c := directory.Connection{
		ID: r.ID, CompanyID: r.CompanyID, UserID: r.UserID, Pair: directory.Pair{Provider: r.Provider, Service: r.Service},
		Scopes: strings.Fields(r.Scopes), AccountID: r.AccountID, AccountName: r.AccountName, ExpiresAt: optional(r.ExpiresAt),
		Active: r.IsActive, UserExpiresAt: optional(meta.UserExpiresAt), ProviderUserID: r.ProviderUserID,
		ReconnectReason: r.ReconnectReason, CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
		Chosen: r.chosen(),
	}
	for _, secret := range []struct {
		into           *string
		sealed, column string
	}{
		{&c.AccessToken, r.AccessToken, accessColumn},
		{&c.RefreshToken, r.RefreshToken, refreshColumn},
		{&c.UserAccessToken, meta.UserAccessToken, userColumn},
	} {
		var err error
		if *secret.into, err = s.keys.open(secret.sealed, r.place(secret.column)); err != nil {
			return directory.Connection{}, err
		}
	}
	return c, nil
}
