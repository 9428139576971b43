package connection

import (
	"context"
	"fmt"

	"backend.example/services/directory/internal/provider"
)

// Abilities are what the domain may ask of one provider. A func that is nil is
// something the provider cannot do: whoever needs it looks, and decides what
// follows. The errors of all of them are the faults of provider_fault.go, or those of ctx.
type Abilities struct {
	Configured bool // client id and secret are set, so that people can connect
	UsesPKCE   bool // authorizations carry a code challenge (RFC 7636)

	// AuthURL is where the user's browser goes to authorize (RFC 6749, section
	// 4.1); verifier is empty without PKCE.
	AuthURL func(s provider.Service, state, verifier, redirectURL string) string
	// Exchange turns the code into a token with the granted scopes. Where the
	// provider has a long-lived form of the token, it is that.
	Exchange func(ctx context.Context, s provider.Service, code, verifier, redirectURL string) (provider.Token, error)
	// Lacks lists those of the scopes which s needs that granted does not hold.
	Lacks func(s provider.Service, granted []string) []string
	// Account returns identifier and name of the account of token, empty where the
	// provider does not tell.
	Account func(ctx context.Context, s provider.Service, token provider.Token) (id, name string, err error)
	// Refresh renews an access token before it expires: with the refresh token, or by
	// exchanging the token itself where the provider has none.
	Refresh func(ctx context.Context, grant provider.Token) (provider.Token, error)
	// Revoke withdraws the grant behind a connection. A grant that is gone already
	// is no error.
	Revoke func(ctx context.Context, grant provider.Token) error

	// ReadRequest reads what the provider signed on behalf of a person. Another
	// signature, or form, is the fault invalid_request.
	ReadRequest func(signed string) (provider.PersonRequest, error)
}

// cannot is the failure of a provider that was put together without an ability.
func cannot(p provider.Name, do string) error { return fmt.Errorf("%s cannot %s", p, do) }
