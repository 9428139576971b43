package issued_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/internal/issued"
)

func moment() time.Time {
	return time.Date(2026, 11, 21, 10, 0, 0, 0, time.FixedZone("CET", 3600))
}

func TestEverySecretIsEntered(t *testing.T) {
	register := issued.New(10, moment)
	token := register.For("search").Issue("access_token", "ya29.")
	register.For("social").Enter("page_token", "EAAsigned")
	want := []issued.Secret{
		{Site: "search", Kind: "access_token", Value: token, IssuedAt: moment().UTC()},
		{Site: "social", Kind: "page_token", Value: "EAAsigned", IssuedAt: moment().UTC()},
	}
	all, _ := register.List("")
	if len(all) != 2 || all[0] != want[0] || all[1] != want[1] {
		t.Errorf("got  %+v\nwant %+v", all, want)
	}
	if social, _ := register.List("social"); len(social) != 1 || social[0] != want[1] {
		t.Errorf("of social: %+v", social)
	}
}

func TestSecretsAreLongAndNeverTheSame(t *testing.T) {
	issuer := issued.New(10, moment).For("search")
	first, second := issuer.Issue("code", "4/0"), issuer.Issue("code", "4/0")
	if first == second {
		t.Error("two secrets are the same")
	}
	if !strings.HasPrefix(first, "4/0") || len(first) < 3+52 {
		t.Errorf("got %q, want the prefix and 256 bits in base32", first)
	}
}

func TestTheOldestMakesRoom(t *testing.T) {
	register := issued.New(2, moment)
	for _, value := range []string{"a", "b", "c"} {
		register.For("search").Enter("code", value)
	}
	secrets, forgotten := register.List("")
	if len(secrets) != 2 || secrets[0].Value != "b" || secrets[1].Value != "c" || forgotten != 1 {
		t.Errorf("got %+v and %d forgotten", secrets, forgotten)
	}
}
