package meta

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"time"

	"backend.example/deploy/sandbox/fake"
)

// The kinds of tokens, how long they live
// (https://developers.facebook.com/docs/facebook-login/guides/access-tokens) and what they begin with.
const (
	userToken   = "user_token"
	longToken   = "long_lived_token"
	pageToken   = "page_token"
	appToken    = "app_token" // the app's id and secret
	shortLife   = 90 * time.Minute
	longLife    = 5183944 * time.Second // almost 60 days
	dataAccess  = 90 * 24 * time.Hour   // how long an app may read a person's data after a login
	tokenPrefix = "EAAG"

	maxForm = 64 << 10
)

// exchange gives the token of a person for a code, and a long-lived one for that.
func (p *Provider) exchange(w http.ResponseWriter, r *http.Request) {
	err := checkCall(w, r)
	grantType := cmp.Or(r.Form.Get("grant_type"), "authorization_code")
	p.Count("token_requests", grantType)
	if err != nil {
		p.send(w, r, "", nil, err)
		return
	}
	given, err := p.give(grantType, r.Form)
	p.send(w, r, "", given, err)
}

func (p *Provider) give(grantType string, form url.Values) (map[string]any, error) {
	id, secret := form.Get("client_id"), form.Get("client_secret")
	switch {
	case id != p.Options.ClientID:
		return nil, refuse(101, 0, "Error validating application. Cannot get application info due to a system error.")
	case !p.Authenticates(id, secret):
		return nil, refuse(1, 0, "Error validating client secret.")
	case grantType == "fb_exchange_token":
		return p.lengthen(form.Get("fb_exchange_token"))
	case grantType != "authorization_code":
		return nil, badParameter("Invalid grant_type: %s", grantType)
	case form.Get("redirect_uri") == "":
		return nil, refuse(191, 0, "Missing redirect_uri parameter.")
	case form.Get("code") == "":
		return nil, refuse(1, 0, "Missing authorization code")
	}
	consent, err := p.Tokens.Redeem(form.Get("code"), form.Get("redirect_uri"), form.Get("code_verifier"))
	subcodes := map[error]int{fake.ErrExpiredCode: 36007, fake.ErrRedirect: 36008, fake.ErrUsedCode: 36009}
	switch {
	case errors.Is(err, fake.ErrRevoked):
		return nil, deadToken(err)
	case err != nil:
		return nil, refuse(100, subcodes[err], "Error validating verification code: "+err.Error())
	}
	return p.giveUser(userToken, consent.Account, shortLife), nil
}

func (p *Provider) lengthen(value string) (map[string]any, error) {
	if value == "" {
		return nil, badParameter("fb_exchange_token parameter not specified")
	}
	token, err := p.Tokens.Check(value)
	if token.Kind == pageToken {
		err = fake.ErrUnknownToken
	}
	if err != nil {
		return nil, deadToken(err)
	}
	return p.giveUser(longToken, token.Account, longLife), nil
}

func (p *Provider) giveUser(kind, account string, life time.Duration) map[string]any {
	value := p.Issue(tokenPrefix, fake.Token{Kind: kind, Account: account, Ends: p.Now().Add(life)})
	given := map[string]any{"access_token": value, "token_type": "bearer", "expires_in": int64(life.Seconds())}
	if p.On(toggleNoExpiry) {
		delete(given, "expires_in")
	}
	return given
}

// grantee returns the person whose permissions the path means: the caller, or anyone if the app calls in its own
// name.
func (p *Provider) grantee(c *call) (string, error) {
	id := c.PathValue("node")
	if c.token.Kind == pageToken && (id == "me" || id == c.token.Page) {
		return "", badParameter("Tried accessing nonexisting field (permissions) on node type (Page)")
	}
	for _, person := range fake.People() {
		mine := c.isPerson() && c.token.Account == person.Key
		named := id == personID(person.Key) || id == "me" && mine
		allowed := mine || c.token.Kind == appToken
		if named && allowed && p.Permissions(person.Key) != nil {
			return person.Key, nil
		}
	}
	return "", unknownObject(c.Method, id)
}

// permissions returns the permissions of an account. Those that a toggle withholds are declined.
func (p *Provider) permissions(account string) []fake.Permission {
	permissions := p.Tokens.Permissions(account)
	for i, permission := range permissions {
		if p.Lists(toggleMissing, permission.Name) {
			permissions[i].Status = "declined"
		}
	}
	return permissions
}

// listPermissions: see https://developers.facebook.com/docs/graph-api/reference/user/permissions.
func (p *Provider) listPermissions(c *call) (any, error) {
	account, err := p.grantee(c)
	if err != nil {
		return nil, err
	}
	return map[string]any{"data": p.permissions(account)}, nil
}

func (p *Provider) withdraw(c *call) (any, error) {
	account, err := p.grantee(c)
	if err != nil {
		return nil, err
	}
	p.End(account, fake.ErrRevoked)
	return map[string]bool{"success": true}, nil
}

// debugToken: see https://developers.facebook.com/docs/graph-api/reference/debug_token.
func (p *Provider) debugToken(c *call) (any, error) {
	if c.token.Kind != appToken {
		return nil,
			badParameter("You must provide an app access token, or a user access token that is an owner or developer " +
				"of the app")
	}
	token, scopes, err := p.check(c.Form.Get("input_token"))
	kind := map[string]string{userToken: "USER", longToken: "USER", pageToken: "PAGE", appToken: "APP"}[token.Kind]
	data := map[string]any{"type": kind, "is_valid": err == nil, "user_id": personID(token.Account), "scopes": scopes}
	if err == nil {
		data["data_access_expires_at"] = c.now.Add(dataAccess).Unix()
	}
	return map[string]any{"data": data}, nil
}

// Grant lets the app use an account ("anna") with the permissions, without the browser, and returns a long-lived
// token of the person.
func (p *Provider) Grant(account string, permissions ...string) string {
	p.Code(account, "", permissions...)
	return p.giveUser(longToken, account, longLife)["access_token"].(string)
}

// PageToken returns the credential of a page that an account manages, as the list of its pages gives it to the
// holder of the user's token.
func (p *Provider) PageToken(user, page string) string {
	return p.Tokens.PageToken(user, page, tokenPrefix, longToken)
}
