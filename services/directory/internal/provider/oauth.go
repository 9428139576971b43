package provider

import (
	"context"
	"time"
)

// Client is the part of a provider's client that connects accounts.
type Client interface {
	// Configured reports whether client id and secret are set.
	Configured() bool
	// UsesPKCE reports whether authorizations carry a code challenge (RFC 7636).
	UsesPKCE() bool
	// AuthURL returns where the user authorizes services with one consent (RFC 6749, section
	// 4.1). The verifier is empty without PKCE.
	AuthURL(services []Service, state, verifier, redirectURL string) string
	// Exchange turns the code into a token with the granted scopes, a long-lived one if the
	// provider has such tokens.
	Exchange(ctx context.Context, services []Service, code, verifier, redirectURL string) (Token, error)
	// Lacks lists the scopes that a service needs and that were not granted.
	Lacks(service Service, granted []string) []string
	// Account returns identifier and name of the account of a token, which may be empty.
	Account(ctx context.Context, service Service, token Token) (id, name string, err error)
	// FindChoice reads the page or the location with that id. If the token does not reach it,
	// the fault is provider_gone or provider_permission.
	FindChoice(ctx context.Context, token, id string) (Choice, error)
	// Refresh renews an access token, by itself if the provider has no refresh tokens.
	Refresh(ctx context.Context, grant Token) (Token, error)
	// Revoke withdraws a grant. It is no error if that does not exist any more.
	Revoke(ctx context.Context, grant Token) error
}

// Token is the response of a provider's token endpoint, and the grant behind a connection.
type Token struct {
	AccessToken    string
	RefreshToken   string     // empty: the previous one stays valid
	ExpiresAt      *time.Time // nil: does not expire
	Scopes         []string   // granted
	ProviderUserID string     // the person who granted, at the provider

	DataAccessExpiresAt *time.Time // nil: not known, or not for this provider
}

// Choice is a page, which has a token, or a location, which has address and place.
type Choice struct{ ID, Name, Token, Address, PlaceID string }
