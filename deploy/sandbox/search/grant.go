package search

import (
	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/internal/oauth"
	"backend.example/deploy/sandbox/search/tokens"
)

// Tokens are what an app has after somebody let it use their account.
type Tokens struct {
	Access  string
	Refresh string // empty when it is withheld
}

// Grant lets the app use an account ("anna") with the scopes, as the consent page and
// the token endpoint do one after the other.
func (p *Provider) Grant(account string, scopes ...string) Tokens {
	given, err := p.site.tokens.Redeem(p.Code(account, "", scopes...), p.site.client.RedirectURI, "")
	if err != nil {
		panic(err)
	}
	return Tokens{Access: given.Access, Refresh: given.Refresh}
}

// Code is a fresh authorization code of an account. A challenge is the S256 challenge
// of the verifier that has to come with the code; empty: none.
func (p *Provider) Code(account, challenge string, scopes ...string) string {
	if _, known := fixtures.FindPerson(account); !known {
		panic("search: nobody has the account " + account)
	}
	return p.site.tokens.IssueCode(tokens.Consent{
		Account: account, Scopes: scopes, RedirectURI: p.site.client.RedirectURI, Challenge: oauth.Challenge(challenge), Offline: true, Prompted: true,
	})
}
