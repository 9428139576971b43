package oauth_test

import (
	"testing"

	"backend.example/deploy/sandbox/internal/oauth"
)

func TestAuthenticates(t *testing.T) {
	client := oauth.NewClient("id", "secret", "http://localhost:8080/callback")
	for _, c := range []struct {
		id, secret string
		want       bool
	}{
		{"id", "secret", true},
		{"id", "Secret", false},
		{"id", "", false},
		{"ID", "secret", false},
		{"", "", false},
	} {
		if got := client.Authenticates(c.id, c.secret); got != c.want {
			t.Errorf("%q, %q: got %t", c.id, c.secret, got)
		}
	}
}
