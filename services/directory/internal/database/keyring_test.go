package database

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"backend.example/services/internal/kit/fault"
)

// keyOf makes an entry of a list whose key is 32 times the letter.
func keyOf(id, letter string) string {
	return id + ":" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(letter, keySize)))
}

func ring(t *testing.T, entries ...string) *Keyring {
	t.Helper()
	k, err := ParseKeys(strings.Join(entries, ","))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func placeOf(table string, parts ...string) Place {
	return Place(fmt.Sprintf("%q", append([]string{table}, parts...)))
}

var here = placeOf("oauth_tokens", "access_token", "1")

// TestSeal: FuzzSealSecret opens what was sealed.
func TestSeal(t *testing.T) {
	k := ring(t, keyOf("new", "n"), keyOf("old", "o"))
	sealed := k.seal("secret", here)
	if !strings.HasPrefix(sealed, "new:") || sealed == k.seal("secret", here) {
		t.Errorf("%q: want the id of the first key, and another nonce each time", sealed)
	}
	if k.seal("", here) != "" {
		t.Error("the empty text does not stay empty")
	}
}

// TestOpenRefuses changes everything that can be changed about a sealed secret.
func TestOpenRefuses(t *testing.T) {
	k := ring(t, keyOf("a", "a"), keyOf("b", "b"))
	sealed := k.seal("secret", here)
	tests := map[string]struct {
		sealed string
		place  Place
	}{
		"another row":      {sealed, placeOf("oauth_tokens", "access_token", "2")},
		"another column":   {sealed, placeOf("oauth_tokens", "refresh_token", "1")},
		"another table":    {sealed, placeOf("social_media_configs", "access_token", "1")},
		"a shifted place":  {sealed, placeOf("oauth_tokens", "access_token 1")},
		"a quoted place":   {sealed, placeOf("oauth_tokens\" \"access_token", "1")},
		"another key":      {"b" + sealed[1:], here},
		"an unknown key":   {"c" + sealed[1:], here},
		"no key":           {sealed[2:], here},
		"plain text":       {"secret", here},
		"only a key":       {"a:", here},
		"not base64":       {sealed + "!", here},
		"cut":              {sealed[:len(sealed)-4], here},
		"cut to a nonce":   {sealed[:2+16], here},
		"cut to one byte":  {"a:AA", here},
		"a loose last bit": {"a:AB", here},
	}
	encoded := sealed[2:]
	data, _ := base64.RawStdEncoding.DecodeString(encoded)
	for i := range data {
		for bit := range 8 {
			flipped := append([]byte{}, data...)
			flipped[i] ^= 1 << bit
			tests[fmt.Sprintf("bit %d of byte %d", bit, i)] = struct {
				sealed string
				place  Place
			}{"a:" + base64.RawStdEncoding.EncodeToString(flipped), here}
		}
	}
	for name, test := range tests {
		opened, err := k.open(test.sealed, test.place)
		if err == nil {
			t.Errorf("%s: opened as %q", name, opened)
			continue
		}
		if f := fault.From(err); f.Kind != fault.Internal || f.Code != "secret_unreadable" ||
			strings.Contains(err.Error(), encoded) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRenew(t *testing.T) {
	k := ring(t, keyOf("new", "n"), keyOf("old", "o"))
	sealed := ring(t, keyOf("old", "o")).seal("secret", here)
	renewed, changed, err := k.renew(sealed, here)
	if err != nil || !changed || !strings.HasPrefix(renewed, "new:") {
		t.Fatalf("%q, %v, %v", renewed, changed, err)
	}
	if again, changed, err := k.renew(renewed, here); err != nil || changed || again != renewed {
		t.Errorf("renewed twice: %q, %v, %v", again, changed, err)
	}
	if empty, changed, err := k.renew("", here); err != nil || changed || empty != "" {
		t.Errorf("empty: %q, %v, %v", empty, changed, err)
	}
	if _, _, err := k.renew("lost:AAAA", here); err == nil {
		t.Error("a secret of a lost key is renewed")
	}
}

func TestParseKeys(t *testing.T) {
	k := ring(t, " "+keyOf("a", "a"), "\n"+keyOf("B._-9", "b")+" ")
	if k.first != "a" || len(k.keys) != 2 {
		t.Errorf("first %q of %d", k.first, len(k.keys))
	}
	good := keyOf("a", "a")
	tests := map[string]string{
		"": "key 1", "a": "key 1", ":" + good[2:]: "key 1", good + ",": "key 2", good + "," + good: "key 2",
		good + ",b:" + base64.StdEncoding.EncodeToString(make([]byte, 16)): "key 2",
		good + ",b:" + base64.StdEncoding.EncodeToString(make([]byte, 33)): "key 2",
		good + ",b:SECRETSECRET":                              "key 2",
		good + ",b:SECRET!":                                   "key 2",
		good + ",SECRET/id:" + good[2:]:                       "key 2",
		good + "," + strings.Repeat("i", 33) + ":" + good[2:]: "key 2",
	}
	for list, want := range tests {
		_, err := ParseKeys(list)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one about %s", list, err, want)
			continue
		}
		if strings.Contains(err.Error(), "SECRET") || strings.Contains(err.Error(), good[2:]) {
			t.Errorf("the error shows a key: %v", err)
		}
	}
}

func TestKeyringDoesNotPrintKeys(t *testing.T) {
	k := ring(t, keyOf("a", "K"))
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		printed := fmt.Sprintf(verb, k) + fmt.Sprintf(verb, *k)
		if strings.Contains(printed, "KKKK") || strings.Contains(printed, "75 75 75") ||
			strings.Contains(printed, "0x4b, 0x4b") {
			t.Errorf("%s: %s", verb, printed)
		}
	}
}
