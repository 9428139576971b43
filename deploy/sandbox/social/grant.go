package social

import (
	"backend.example/deploy/sandbox/internal/oauth"
	"backend.example/deploy/sandbox/social/tokens"
)

// Tokens are what an app has after somebody let it use their account.
type Tokens struct {
	User string // long-lived
	App  string // of the app itself
}

// Grant lets the app use an account ("anna") with the permissions, as the dialog and
// the token endpoint do one after the other.
func (p *Provider) Grant(account string, permissions ...string) Tokens {
	short, err := p.site.tokens.Redeem(p.Code(account, "", permissions...), p.site.client.RedirectURI, "")
	if err != nil {
		panic(err)
	}
	long, err := p.site.tokens.Lengthen(short.Value)
	if err != nil {
		panic(err)
	}
	return Tokens{User: long.Value, App: p.site.client.ID + "|" + p.site.client.Secret}
}

// Code is a fresh code of the dialog. A challenge is the S256 challenge of the
// verifier that has to come with the code; empty: none.
func (p *Provider) Code(account, challenge string, permissions ...string) string {
	id := p.site.personID(account)
	if id == "" {
		panic("social: nobody has the account " + account)
	}
	return p.site.tokens.IssueCode(tokens.Login{
		Account: id, Asked: permissions, Allowed: permissions,
		RedirectURI: p.site.client.RedirectURI, Challenge: oauth.Challenge(challenge),
	})
}

// PageToken is the credential of a page that an account manages, as the list of its
// pages gives it with the token of that person; empty when the token is not known.
func (p *Provider) PageToken(user, page string) string { return p.site.tokens.PageToken(user, page) }
