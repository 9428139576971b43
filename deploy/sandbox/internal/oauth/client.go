// Package oauth owns what the two OAuth providers share: the registered app, the page
// on which a person lets it use their account, and the proof key for code exchange.
// How a provider words its refusals, and what follows from a decision, stays in its
// own package.
package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
)

// Client is a registered web application.
type Client struct {
	ID          string
	Secret      string
	Name        string // as the consent page shows it
	RedirectURI string // the only address to which its users are sent back, compared exactly
}

// NewClient registers the directory service with its callback.
func NewClient(id, secret, redirectURI string) Client {
	return Client{ID: id, Secret: secret, Name: "Katalog firm", RedirectURI: redirectURI}
}

// Is reports whether id is the client's.
func (c Client) Is(id string) bool { return same(id, c.ID) }

// Authenticates reports whether both id and secret are the client's.
func (c Client) Authenticates(id, secret string) bool {
	right := same(secret, c.Secret) // compared in any case, so that time does not tell which is wrong
	return same(id, c.ID) && right
}

func same(a, b string) bool {
	first, second := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(first[:], second[:]) == 1
}
