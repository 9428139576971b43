package oauth_test

import (
	"errors"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/internal/oauth"
)

// The pair of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func TestParse(t *testing.T) {
	cases := map[string]struct {
		challenge, method string
		want              oauth.Challenge
		err               error
	}{
		"none":              {"", "", "", nil},
		"S256":              {challenge, "S256", challenge, nil},
		"plain":             {verifier, "plain", "", oauth.ErrMethod},
		"no method":         {challenge, "", "", oauth.ErrMethod},
		"lower case":        {challenge, "s256", "", oauth.ErrMethod},
		"method alone":      {"", "S256", "", oauth.ErrChallenge},
		"too short":         {challenge[:42], "S256", "", oauth.ErrChallenge},
		"with padding":      {challenge + "=", "S256", "", oauth.ErrChallenge},
		"standard alphabet": {strings.ReplaceAll(challenge, "-", "+"), "S256", "", oauth.ErrChallenge},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, err := oauth.ParseChallenge(c.challenge, c.method); got != c.want || !errors.Is(err, c.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, c.want, c.err)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	cases := map[string]struct {
		challenge oauth.Challenge
		verifier  string
		want      bool
	}{
		"right":          {challenge, verifier, true},
		"wrong":          {challenge, strings.Repeat("a", 43), false},
		"missing":        {challenge, "", false},
		"no challenge":   {"", verifier, false},
		"the challenge":  {challenge, challenge, false},
		"short verifier": {"ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", "abc", false}, // its sum is right
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := c.challenge.Answers(c.verifier); got != c.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
