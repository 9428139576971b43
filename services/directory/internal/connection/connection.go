// Package connection connects companies to their accounts at the OAuth providers, renews
// the tokens on use, and disconnects.
package connection

import (
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// The codes of connections and of what is read through them.
var (
	CodeInvalidPair       = fault.NewCode(fault.Invalid, "invalid_pair", "Nieprawidłowy dostawca lub usługa.")
	CodeNotConfigured     = fault.NewCode(fault.Unavailable, "not_configured", "Ten dostawca nie jest skonfigurowany.")
	CodeNoConnection      = fault.NewCode(fault.NotFound, "no_connection", "Nie znaleziono połączenia z tą usługą.")
	CodeConnectionChanged = fault.NewCode(fault.Internal, "connection_changed",
		"Połączenie zmieniło się w międzyczasie. Spróbuj ponownie.")
	CodeSpeculative = fault.NewCode(fault.Unavailable, "speculative",
		"Otwórz tę stronę ponownie, aby dokończyć łączenie.")
	CodeNoPage = fault.NewCode(fault.NotFound, "no_page", "Najpierw wybierz stronę firmy.")
)

// The types of events about connections.
const (
	EventBroken    = "connection.broken"
	EventRecovered = "connection.recovered"
)

// ConnectionEvent is the data of EventBroken and EventRecovered.
type ConnectionEvent struct {
	CompanyID int64            `json:"company_id"`
	Provider  provider.Name    `json:"provider"`
	Service   provider.Service `json:"service"`
	Reason    *string          `json:"reason"` // in Polish; null if the connection works again
}

// Chosen is the kind of thing that the company has chosen of a connected account.
type Chosen uint8

// The kinds of choices.
const (
	ChosenNothing Chosen = iota
	ChosenPage
	ChosenLocation
)

// Connection is the OAuth credential of one company at one service: a row of oauth_tokens.
// Tokens are in the clear here and nowhere else: the store encrypts them.
type Connection struct {
	ID              int64
	CompanyID       int64
	UserID          int64         `gorm:"-"` // who connected; 0: a person who was erased
	Pair            provider.Pair `gorm:"embedded"`
	AccessToken     string        // the user's; once a page is chosen, the page's
	RefreshToken    string        // may be empty
	Scopes          []string      `gorm:"-"` // granted, never asked
	Chosen          Chosen        `gorm:"-"`
	AccountID       string        // of what is chosen, otherwise of the connected account
	AccountName     string
	ExpiresAt       *time.Time // of AccessToken; nil: never
	Active          bool       `gorm:"column:is_active"`
	ProviderUserID  string     // who granted
	ReconnectReason string     // why AccessToken is lost for good, in Polish
	Metadata        `gorm:"-"`
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// Metadata is what of a connection is stored in one column, as JSON.
type Metadata struct {
	// UserAccessToken is the user's token if a page's has replaced it.
	UserAccessToken string     `json:"user_access_token,omitempty"`
	UserExpiresAt   *time.Time `json:"user_expires_at,omitempty"`
	// Denied are the services that cannot be read in full for lack of a permission.
	Denied []provider.Service `json:"denied,omitempty"`
	// LostChoice is the name of the page or location that the newest grant does not reach.
	LostChoice string `json:"lost_choice,omitempty"`
	// Property of Search Console is read if it is set, else that of the company's website.
	Property       string `json:"property,omitempty"`
	OwnerName      string `json:"owner_name,omitempty"` // of the connected account, also after a choice
	AccountAddress string `json:"account_address,omitempty"`
	PlaceID        string `json:"place_id,omitempty"` // of a chosen location among the public places
	// DataAccessExpiresAt is when the provider stops to answer until the person logs in again.
	DataAccessExpiresAt *time.Time `json:"data_access_expires_at,omitempty"`
	ConnectedAt         time.Time  `json:"connected_at"` // when the person granted

	// Readings are the outcomes of reading, by service: photos are read with a page, too.
	Readings map[provider.Service]Reading `json:"readings,omitempty"`
}

// sameGrant reports whether both live on one consent of one person.
func (c *Connection) sameGrant(other *Connection) bool {
	return c.ConnectedAt.Equal(other.ConnectedAt) && c.UserID == other.UserID &&
		c.ProviderUserID == other.ProviderUserID
}

func (c *Connection) sameChoice(other *Connection) bool {
	return c.Chosen == other.Chosen && c.AccountID == other.AccountID && c.Property == other.Property
}

// readsLike reports whether both read the same data with the same grant.
func (c *Connection) readsLike(other *Connection) bool {
	return c.Active == other.Active && c.sameGrant(other) && c.sameChoice(other)
}

// needsChoice reports whether c cannot be read before a page or a location is chosen.
func (c *Connection) needsChoice() bool {
	hasChoices := c.Pair == provider.PagesPair || c.Pair == provider.ProfilePair
	return hasChoices && c.Chosen == ChosenNothing
}

// UserToken is the token of the user, also if a page's has replaced it.
func (c *Connection) UserToken() string {
	if c.Chosen == ChosenPage {
		return c.UserAccessToken
	}
	return c.AccessToken
}

// grant returns what the provider has to be sent to renew or withdraw the grant of c.
func (c *Connection) grant() provider.Token {
	return provider.Token{AccessToken: c.UserToken(), RefreshToken: c.RefreshToken, ProviderUserID: c.ProviderUserID}
}

// awaitsPage reports whether the token of the chosen page has yet to be read.
func (c *Connection) awaitsPage() bool {
	return c.Chosen == ChosenPage && c.AccessToken == "" && c.ReconnectReason == ""
}

// NeedsUser reports whether only the user can repair c.
func (c *Connection) NeedsUser() bool { return c.reason() != "" }

// reason returns in Polish why only the user can repair c; empty if no action is needed.
func (c *Connection) reason() string {
	switch {
	case c.ReconnectReason != "":
		return c.ReconnectReason
	case c.LostChoice != "":
		return reasonLost(c.Pair, c.LostChoice)
	case len(c.Denied) > 0:
		return provider.CodePermission.Text
	}
	return ""
}

// Event returns EventBroken or EventRecovered for c.
func (c *Connection) Event() (eventType string, data ConnectionEvent) {
	data = ConnectionEvent{CompanyID: c.CompanyID, Provider: c.Pair.Provider, Service: c.Pair.Service}
	if !c.NeedsUser() {
		return EventRecovered, data
	}
	reason := c.reason()
	data.Reason = &reason
	return EventBroken, data
}

// due reports whether the user's token, which can be renewed, ends before t.
func (c *Connection) due(t time.Time) bool {
	end := c.ExpiresAt
	if c.Chosen == ChosenPage {
		end = c.UserExpiresAt
	}
	return end != nil && end.Before(t)
}

func (c *Connection) dataAccessExpired(t time.Time) bool {
	return c.DataAccessExpiresAt != nil && !c.DataAccessExpiresAt.After(t)
}

// replaceToken stores a renewed token as the user's. A page keeps its own token.
func (c *Connection) replaceToken(t provider.Token) {
	if t.DataAccessExpiresAt != nil {
		c.DataAccessExpiresAt = t.DataAccessExpiresAt
	}
	if c.Chosen == ChosenPage {
		c.UserAccessToken, c.UserExpiresAt = t.AccessToken, t.ExpiresAt
		return
	}
	c.AccessToken, c.ExpiresAt = t.AccessToken, t.ExpiresAt
	if t.RefreshToken != "" {
		c.RefreshToken = t.RefreshToken
	}
	if len(t.Scopes) > 0 {
		c.Scopes = t.Scopes
	}
}

// Choose makes a page or a location the chosen one. A page's token, which does not expire,
// replaces the user's; an empty one has yet to be read.
func (c *Connection) Choose(chosen Chosen, choice provider.Choice) {
	if chosen == ChosenPage {
		if c.Chosen != ChosenPage {
			c.UserAccessToken, c.UserExpiresAt = c.AccessToken, c.ExpiresAt
		}
		c.AccessToken, c.ExpiresAt = choice.Token, nil
	}
	if c.Chosen == ChosenNothing && c.OwnerName == "" { // connected by a version that did not store it
		c.OwnerName = c.AccountName
	}
	if c.Chosen != chosen || c.AccountID != choice.ID {
		c.Readings = nil
	}
	c.Chosen = chosen
	c.AccountID = choice.ID
	c.AccountName = choice.Name
	c.LostChoice = ""
	c.AccountAddress, c.PlaceID = choice.Address, choice.PlaceID
}

// ChooseProperty makes a property of Search Console the one that is read; if it is empty, the
// company's website decides.
func (c *Connection) ChooseProperty(property string) {
	if c.Property != property {
		c.Readings = nil
	}
	c.Property = property
}

// lose takes out the choice, of which only the name is kept. The user's token becomes the one to
// read with again.
func (c *Connection) lose(name string) {
	if c.Chosen == ChosenPage {
		c.AccessToken, c.ExpiresAt = c.UserAccessToken, c.UserExpiresAt
		c.UserAccessToken, c.UserExpiresAt = "", nil
	}
	if c.Chosen != ChosenNothing {
		c.Chosen = ChosenNothing
		c.AccountID, c.AccountName = "", ""
		c.AccountAddress, c.PlaceID = "", ""
	}
	c.LostChoice = name
}

// End wipes the credential. With its token, a page is no longer chosen; a location and a property
// stay chosen for when the company connects again.
func (c *Connection) End() {
	c.Active = false
	c.AccessToken, c.RefreshToken = "", ""
	c.UserAccessToken = ""
	c.ExpiresAt, c.UserExpiresAt = nil, nil
	c.DataAccessExpiresAt = nil
	c.ReconnectReason, c.LostChoice = "", ""
	c.Denied, c.Readings = nil, nil
	if c.Chosen == ChosenPage {
		c.Chosen = ChosenNothing
	}
}

// Forget ends c and takes out who granted it. A chosen location is the company's own.
func (c *Connection) Forget(reason string) {
	c.End()
	if c.Chosen == ChosenNothing {
		c.AccountID, c.AccountName = "", ""
	}
	c.UserID = 0
	c.ProviderUserID = ""
	c.OwnerName = ""
	c.ReconnectReason = reason
}
