package search

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/search/tokens"
)

// claims are those of an ID token (OpenID Connect Core, section 2).
type claims struct {
	Issuer        string `json:"iss"`
	AuthorizedApp string `json:"azp"`
	Audience      string `json:"aud"`
	Subject       string `json:"sub"` // the number by which the provider knows a person for ever
	IssuedAt      int64  `json:"iat"`
	ExpiresAt     int64  `json:"exp"`
}

// identify makes the ID token of the tokens' account. It is signed with the client
// secret (HS256), because the provider's own key, with which it signs RS256, is not
// to be had. Clients that take it straight from the token endpoint need no signature.
func (s *site) identify(given tokens.Tokens) string {
	now := s.now()
	text, err := json.Marshal(claims{
		Issuer: "https://accounts.google.com", AuthorizedApp: s.client.ID, Audience: s.client.ID,
		Subject:  fmt.Sprintf("1%020d", fixtures.Rand("subject", given.Account).Uint64N(1e18)),
		IssuedAt: now.Unix(), ExpiresAt: now.Add(given.AccessLife).Unix(),
	})
	if err != nil {
		panic(err) // strings and numbers alone
	}
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(text)
	mac := hmac.New(sha256.New, []byte(s.client.Secret))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
