package directory

import (
	"slices"
	"time"
)

// Provider is an OAuth 2.0 provider.
type Provider string

// The providers.
const (
	ProviderSearch Provider = "provider_search"
	ProviderSocial Provider = "provider_social"
)

// Service is what a company connects at a provider.
type Service string

// The services.
const (
	SearchProfile   Service = "search_profile"
	SearchAnalytics Service = "search_analytics"
	SocialPages     Service = "social_pages"
	SocialPhotos    Service = "social_photos"
)

// Pair is a service of a provider, as it stands in addresses.
type Pair struct {
	Provider Provider
	Service  Service
}

// String is the pair as the status shows it, e.g. "provider_search/search_profile".
func (p Pair) String() string { return string(p.Provider) + "/" + string(p.Service) }

// Pairs lists the valid pairs in the order in which people see them.
func Pairs() []Pair {
	return []Pair{
		{ProviderSearch, SearchProfile},
		{ProviderSearch, SearchAnalytics},
		{ProviderSocial, SocialPages},
		{ProviderSocial, SocialPhotos},
	}
}

// Valid reports whether p is one of Pairs.
func (p Pair) Valid() bool { return slices.Contains(Pairs(), p) }

// Chosen is what the company has chosen of a connected account.
type Chosen uint8

// What can be chosen. With a page, the access token is the page's: nothing renews
// it, and it does not expire.
const (
	ChosenNothing Chosen = iota
	ChosenPage
	ChosenLocation
)

// Connection is the OAuth credential of one company at one service. Tokens are
// in the clear here and nowhere else: the store encrypts them.
type Connection struct {
	ID              int64
	CompanyID       int64
	UserID          int64 // who connected
	Pair            Pair
	AccessToken     string   // after a page is chosen, the page's
	RefreshToken    string   // empty where the provider gives none
	Scopes          []string // granted, never asked
	Chosen          Chosen
	AccountID       string // what is chosen, else the connected account
	AccountName     string
	ExpiresAt       *time.Time // of AccessToken; nil: does not expire
	Active          bool
	UserAccessToken string     // the user's token, kept when a page's replaces it
	UserExpiresAt   *time.Time // of UserAccessToken
	ProviderUserID  string     // who granted, at the provider
	ReconnectReason string     // not empty: AccessToken is lost for good, and why, in Polish
	Denied          []Service  // what could not be read in full for lack of a permission; the rest can be used
	CreatedAt       time.Time
	UpdatedAt       time.Time
}

// UserToken is the user-level credential: the one kept when a page's replaced it.
func (c *Connection) UserToken() string {
	if c.Chosen == ChosenPage {
		return c.UserAccessToken
	}
	return c.AccessToken
}

// due reports whether the renewable credential ends before t. After a page was
// chosen that is the user's token, which the page's does not replace.
func (c *Connection) due(t time.Time) bool {
	end := c.ExpiresAt
	if c.Chosen == ChosenPage {
		end = c.UserExpiresAt
	}
	return end != nil && end.Before(t)
}

// take replaces the renewed credential.
func (c *Connection) take(t Token) {
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

// choosePage puts the page's credential in the place of the user's, which is kept.
// A page's token that was made of a long-lived user token does not expire.
func (c *Connection) choosePage(page Page) error {
	if !c.Active {
		return CodeNoConnection.Fault()
	}
	if c.Chosen != ChosenPage {
		c.UserAccessToken, c.UserExpiresAt = c.AccessToken, c.ExpiresAt
	}
	c.AccessToken, c.ExpiresAt = page.AccessToken, nil
	c.Chosen, c.AccountID, c.AccountName, c.ReconnectReason = ChosenPage, page.ID, page.Name, ""
	c.Denied = nil
	return nil
}

// end wipes the credential. A page goes with its token; a location stays chosen for
// the next time.
func (c *Connection) end() {
	c.Active = false
	c.AccessToken, c.RefreshToken, c.UserAccessToken, c.ReconnectReason = "", "", "", ""
	c.ExpiresAt, c.UserExpiresAt, c.Denied = nil, nil, nil
	if c.Chosen == ChosenPage {
		c.Chosen = ChosenNothing
	}
}

// Token is what a provider's token endpoint gave.
type Token struct {
	AccessToken    string
	RefreshToken   string     // empty: the one before stays good
	ExpiresAt      *time.Time // nil: does not expire
	Scopes         []string   // granted
	ProviderUserID string
}
