package meta

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"time"

	"backend.example/deploy/sandbox/fake"
)

// served reports whether a version of the Graph API is alive
// (https://developers.facebook.com/docs/graph-api/changelog). The real API answers dead versions with the oldest
// live one; here an outdated client is noticed.
func served(version string) bool {
	return slices.Contains([]string{"v21.0", "v22.0", "v23.0", "v24.0", "v25.0", "v26.0"}, version)
}

// call has a valid token and proof.
type call struct {
	*http.Request
	value  string // the token itself
	token  fake.Token
	scopes []string // permissions that the account grants now
	now    time.Time
}

func (c *call) has(permission string) bool { return slices.Contains(c.scopes, permission) }

func (c *call) isPerson() bool { return c.token.Kind == userToken || c.token.Kind == longToken }

func (c *call) requires(permission string) error {
	if c.has(permission) {
		return nil
	}
	return lacks(permission)
}

func (p *Provider) graph(answer func(*call) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := &call{Request: r, now: p.Now()}
		if err := checkCall(w, r); err != nil {
			p.send(w, r, c.token.Page, nil, err)
			return
		}
		if err := p.authenticate(c); err != nil {
			p.send(w, r, c.token.Page, nil, err)
			return
		}
		p.Count("graph_calls", c.token.Kind)
		body, err := answer(c)
		p.send(w, r, c.token.Page, body, err)
	}
}

func checkCall(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		return badParameter("The parameters cannot be read")
	}
	if version := r.PathValue("version"); !served(version) {
		return refuse(2635, 0, "(#2635) You are calling a version of the API that is not served: "+version+
			". Please update to the latest version: v26.0")
	}
	for _, removed := range []string{"date_format", "debug", "ids", "pretty"} { // from every version on 2026-10-27
		if r.Form.Has(removed) {
			return badParameter("The parameter %s was removed from the Graph API", removed)
		}
	}
	return nil
}

// authenticate requires a token, and the proof that the app itself uses it
// (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
func (p *Provider) authenticate(c *call) error {
	header, bearer := strings.CutPrefix(c.Header.Get("Authorization"), "Bearer ")
	c.value = c.Form.Get("access_token")
	switch {
	case bearer && c.value != "" && c.value != header:
		return badParameter("Two different access tokens were sent")
	case bearer:
		c.value = header
	}
	if c.value == "" {
		return missingToken(c.PathValue("node"))
	}
	var err error
	if c.token, c.scopes, err = p.check(c.value); err != nil {
		return deadToken(err)
	}
	mac := hmac.New(sha256.New, []byte(p.Options.ClientSecret))
	mac.Write([]byte(c.value))
	proof := c.Form.Get("appsecret_proof")
	if hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(proof)) {
		return nil
	}
	wrong := refuse(100, 0, "Invalid appsecret_proof provided in the API argument")
	if proof == "" {
		wrong.Message = "API calls from the server require an appsecret_proof argument"
	}
	wrong.Type = "GraphMethodException"
	return wrong
}

func missingToken(node string) error {
	if node == "me" {
		return refuse(2500, 0, "An active access token must be used to query information about the current user.")
	}
	return refuse(104, 0, "An access token is required to request this resource.")
}

// check returns a token and the permissions that its account grants now. The app's own token consists of its id and
// secret.
func (p *Provider) check(value string) (token fake.Token, scopes []string, err error) {
	if id, secret, own := strings.Cut(value, "|"); own && p.Authenticates(id, secret) {
		return fake.Token{Kind: appToken}, nil, nil
	}
	token, err = p.Tokens.Check(value)
	for _, permission := range p.permissions(token.Account) {
		if permission.Status == "granted" {
			scopes = append(scopes, permission.Name)
		}
	}
	return token, scopes, err
}
