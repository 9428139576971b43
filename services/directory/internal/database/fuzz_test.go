package database

import (
	"strings"
	"testing"
	"unicode/utf8"

	"backend.example/services/internal/kit/fault"
)

// sealedHere is a secret that was sealed for the place named here with the key "new".
const sealedHere = "new:8YWlVrYBxG/3GO3CjPymNQPN5VZOKbvVHZlHKC7riNU+M0US0iyW3GFqBVdG" // #nosec G101 -- made up

// FuzzOpenSecret: what lies in the database opens to nothing but what was sealed
// for the same place; an error shows neither the secret nor what it was sealed to.
func FuzzOpenSecret(f *testing.F) {
	k, err := ParseKeys(keyOf("new", "n") + "," + keyOf("old", "o"))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		sealedHere, "old" + sealedHere[3:], sealedHere[:len(sealedHere)-1], sealedHere + "A", "new:", ":", "new:AAAA",
		"x:y", "\xff:\n",
		strings.ToLower(sealedHere), "new:" + sealedHere,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		secret, err := k.open(text, here)
		switch {
		case text == "" && (secret != "" || err != nil):
			t.Errorf("the empty text opens to %q, %v", secret, err)
		// base64 knows no line ends
		case text != "" && err == nil && strings.NewReplacer("\r", "", "\n", "").Replace(text) != sealedHere:
			t.Errorf("%q opens to %d bytes", text, len(secret))
		case text == sealedHere && secret != "the secret itself":
			t.Errorf("opens to %q, %v", secret, err)
		case err != nil &&
			(secret != "" || !fault.Is(err, "secret_unreadable") || strings.Contains(err.Error(), sealedHere[4:])):
			t.Errorf("%q: %q, %v", text, secret, err)
		}
		if renewed, changed, err := k.renew(text, here); err != nil && (renewed != "" || changed) {
			t.Errorf("%q is renewed to %q and %v", text, renewed, err)
		}
	})
}

// FuzzSealSecret: every secret opens again where it was sealed, and nowhere else,
// before and after its key is replaced.
func FuzzSealSecret(f *testing.F) {
	old, err1 := ParseKeys(keyOf("old", "o"))
	both, err2 := ParseKeys(keyOf("new", "n") + "," + keyOf("old", "o"))
	if err1 != nil || err2 != nil {
		f.Fatal(err1, err2)
	}
	f.Add("secret", "oauth_tokens", "1")
	f.Add("", "", "")
	f.Add("zażółć\x00\xff", `a" "b`, `\`)
	f.Fuzz(func(t *testing.T, secret, table, row string) {
		home, next := placeOf(table, row), placeOf(table+row)
		sealed := old.seal(secret, home)
		renewed, changed, err := both.renew(sealed, home)
		if err != nil || changed != (secret != "") {
			t.Fatalf("renewed to %q, %t, %v", renewed, changed, err)
		}
		if secret != "" && !strings.HasPrefix(renewed, "new:") {
			t.Fatalf("renewed to %q, %t, %v", renewed, changed, err)
		}
		for _, text := range []string{sealed, renewed} {
			if opened, err := both.open(text, home); err != nil || opened != secret {
				t.Errorf("%q opens to %q, %v", secret, opened, err)
			}
			if isShown := len(secret) > 4 && strings.Contains(text, secret); isShown || !utf8.ValidString(text) {
				t.Errorf("%q is sealed as %q", secret, text)
			}
			if _, err := both.open(text, next); secret != "" && err == nil {
				t.Errorf("%q opens at %q", secret, next)
			}
		}
	})
}
