package registration_test

import (
	"testing"

	"backend.example/deploy/sandbox/internal/registration"
)

func TestTheRedirectAddress(t *testing.T) {
	for _, base := range []string{"http://localhost:8080", "http://localhost:8080/"} {
		client := registration.New("id", "secret", base, "provider_search")
		if want := "http://localhost:8080/api/oauth/callback/provider_search"; client.RedirectURI != want {
			t.Errorf("of %s: got %s, want %s", base, client.RedirectURI, want)
		}
	}
}

func TestAuthenticates(t *testing.T) {
	client := registration.New("id", "secret", "http://localhost:8080", "provider_search")
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
