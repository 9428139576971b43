package oauth_test

import (
	"strings"
	"testing"

	"backend.example/deploy/sandbox/internal/oauth"
)

// The pair of RFC 7636, appendix B.
const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
)

func TestParseChallenge(t *testing.T) {
	for name, c := range map[string]struct {
		challenge, method string
		right             bool
	}{
		"none":              {"", "", true},
		"S256":              {challenge, "S256", true},
		"plain":             {verifier, "plain", false},
		"no method":         {challenge, "", false},
		"lower case":        {challenge, "s256", false},
		"method alone":      {"", "S256", false},
		"too short":         {challenge[:42], "S256", false},
		"with padding":      {challenge + "=", "S256", false},
		"standard alphabet": {strings.ReplaceAll(challenge, "-", "+"), "S256", false},
	} {
		if got, err := oauth.ParseChallenge(c.challenge, c.method); (err == nil) != c.right || c.right && string(got) != c.challenge {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
	}
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		challenge oauth.Challenge
		verifier  string
		want      bool
	}{
		"right":          {challenge, verifier, true},
		"wrong":          {challenge, strings.Repeat("a", 43), false},
		"missing":        {challenge, "", false},
		"no challenge":   {"", verifier, false},
		"short verifier": {"ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", "abc", false}, // its sum is right
	} {
		if got := c.challenge.Answers(c.verifier); got != c.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
