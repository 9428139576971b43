package search

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"

	"backend.example/deploy/sandbox/internal/demo"
	"backend.example/deploy/sandbox/internal/seeded"
	"backend.example/deploy/sandbox/search/ledger"
)

// subject is the number by which the provider knows a person for ever.
func subject(person string) string {
	return fmt.Sprintf("1%020d", seeded.Rand("subject", person).Uint64N(1e18))
}

// claims are those of an ID token (OpenID Connect Core, section 2).
type claims struct {
	Issuer        string `json:"iss"`
	AuthorizedApp string `json:"azp"`
	Audience      string `json:"aud"`
	Subject       string `json:"sub"`
	Email         string `json:"email,omitempty"`
	EmailVerified bool   `json:"email_verified,omitempty"`
	TokenHash     string `json:"at_hash"`
	IssuedAt      int64  `json:"iat"`
	ExpiresAt     int64  `json:"exp"`
}

// identify makes the ID token of the tokens' account. It is signed with the client
// secret (HS256): the provider's own key, with which it signs RS256, is not to be
// had. Clients that take it straight from the token endpoint need no signature.
func (s *site) identify(tokens ledger.Tokens) string {
	sum := sha256.Sum256([]byte(tokens.Access))
	now := s.now()
	body := claims{
		Issuer: "https://accounts.google.com", AuthorizedApp: s.client.ID, Audience: s.client.ID, Subject: subject(tokens.Account),
		TokenHash: encode(sum[:16]), IssuedAt: now.Unix(), ExpiresAt: now.Add(tokens.AccessLife).Unix(),
	}
	if slices.Contains(tokens.Scopes, scopeEmail) || slices.Contains(tokens.Scopes, scopeEmailLong) {
		person, _ := demo.FindPerson(tokens.Account)
		body.Email, body.EmailVerified = person.Email, true
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(text)
	mac := hmac.New(sha256.New, []byte(s.client.Secret))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
