package database

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"backend.example/services/internal/kit/fault"
)

// MoveInBatches is Move with batches of so many rows.
var MoveInBatches = moveInBatches

// Migrations are those of all databases.
var Migrations fs.FS = migrationFiles

// Acquire waits for the named lock over all processes.
func (db *DB) Acquire(ctx context.Context, name string) (release func(), err error) {
	return db.engine.acquire(ctx, name)
}

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

// TestSeal checks what a sealed secret looks like; FuzzSealSecret opens it again.
func TestSeal(t *testing.T) {
	k := ring(t, keyOf("new", "n"), keyOf("old", "o"))
	sealed := k.seal("secret", here)
	if !strings.HasPrefix(sealed, "new:") {
		t.Errorf("%q does not begin with the id of the first key", sealed)
	}
	if sealed == k.seal("secret", here) {
		t.Errorf("sealed twice to %q, want another nonce each time", sealed)
	}
	if empty := k.seal("", here); empty != "" {
		t.Errorf("the empty text becomes %q", empty)
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
		"another row":       {sealed, placeOf("oauth_tokens", "access_token", "2")},
		"another column":    {sealed, placeOf("oauth_tokens", "refresh_token", "1")},
		"another table":     {sealed, placeOf("social_media_configs", "access_token", "1")},
		"a joined place":    {sealed, placeOf("oauth_tokens", "access_token 1")},
		"a quoted place":    {sealed, placeOf("oauth_tokens\" \"access_token", "1")},
		"another key":       {"b" + sealed[1:], here},
		"an unknown key":    {"c" + sealed[1:], here},
		"no key":            {sealed[2:], here},
		"plain text":        {"secret", here},
		"only a key":        {"a:", here},
		"not base64":        {sealed + "!", here},
		"cut":               {sealed[:len(sealed)-4], here},
		"cut to a nonce":    {sealed[:2+16], here},
		"cut to one byte":   {"a:AA", here},
		"a padding bit set": {"a:AB", here},
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
		if f := fault.From(err); f.Kind != fault.Internal || f.Code != "secret_unreadable" {
			t.Errorf("%s: error %v, want secret_unreadable", name, err)
		}
		if strings.Contains(err.Error(), encoded) {
			t.Errorf("%s: the error shows the sealed secret: %v", name, err)
		}
	}
}

// TestRenew: what another key sealed is sealed with the first key. Everything else stays as it is.
func TestRenew(t *testing.T) {
	k := ring(t, keyOf("new", "n"), keyOf("old", "o"))
	sealed := ring(t, keyOf("old", "o")).seal("secret", here)
	renewed, changed, err := k.renew(sealed, here)
	if err != nil || !changed || !strings.HasPrefix(renewed, "new:") {
		t.Fatalf("renewed to %q, changed is %t, error %v; want a change to the key new", renewed, changed, err)
	}
	for _, same := range []string{renewed, ""} {
		got, changed, err := k.renew(same, here)
		if err != nil || changed || got != same {
			t.Errorf("%q is renewed to %q, changed is %t, error %v; want no change", same, got, changed, err)
		}
	}
	if _, _, err := k.renew("lost:AAAA", here); err == nil {
		t.Error("a secret of a lost key is renewed")
	}
}

func TestParseKeys(t *testing.T) {
	k := ring(t, " "+keyOf("a", "a"), "\n"+keyOf("B._-9", "b")+" ")
	if k.first != "a" || len(k.keys) != 2 {
		t.Errorf("the first of %d keys is %q, want a of 2", len(k.keys), k.first)
	}
	good := keyOf("a", "a")
	tests := map[string]string{ // what the error is about
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
		for _, key := range []string{"KKKK", "75 75 75", "0x4b, 0x4b"} { // as text, numbers and in hexadecimal
			if strings.Contains(printed, key) {
				t.Errorf("%s shows the key as %s: %s", verb, key, printed)
			}
		}
	}
}

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
		sealed := strings.NewReplacer("\r", "", "\n", "").Replace(text) // base64 ignores line ends
		want := ""
		if err == nil && sealed == sealedHere {
			want = "the secret itself"
		}
		if secret != want {
			t.Errorf("%q opens to %q, error %v; want %q", text, secret, err, want)
		}
		if err == nil && sealed != "" && sealed != sealedHere {
			t.Errorf("%q opens, want an error", text)
		}
		if mustOpen := text == "" || text == sealedHere; err != nil && mustOpen {
			t.Errorf("%q does not open: %v", text, err)
		}
		if err != nil && !fault.Is(err, "secret_unreadable") {
			t.Errorf("%q: error %v, want secret_unreadable", text, err)
		}
		if err != nil && strings.Contains(err.Error(), sealedHere[4:]) {
			t.Errorf("%q: the error shows the sealed secret: %v", text, err)
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
		home, elsewhere := placeOf(table, row), placeOf(table+row)
		sealed := old.seal(secret, home)
		renewed, changed, err := both.renew(sealed, home)
		if err != nil || changed != (secret != "") {
			t.Fatalf("%q is renewed to %q, changed is %t, error %v", sealed, renewed, changed, err)
		}
		if secret != "" && !strings.HasPrefix(renewed, "new:") {
			t.Fatalf("%q is renewed to %q, want the key new", sealed, renewed)
		}
		for _, text := range []string{sealed, renewed} {
			if opened, err := both.open(text, home); err != nil || opened != secret {
				t.Errorf("%q opens to %q, error %v; want %q", text, opened, err, secret)
			}
			if len(secret) > 4 && strings.Contains(text, secret) { // a shorter one may occur by chance
				t.Errorf("%q is sealed as %q, which shows it", secret, text)
			}
			if !utf8.ValidString(text) {
				t.Errorf("%q is sealed as %q, which is no text", secret, text)
			}
			if _, err := both.open(text, elsewhere); secret != "" && err == nil {
				t.Errorf("%q, sealed for %q, opens at %q", secret, home, elsewhere)
			}
		}
	})
}

func TestKeyedMutex(t *testing.T) {
	var mutex keyedMutex
	ctx := t.Context()
	unlock, err := mutex.lock(ctx, "a")
	if err != nil {
		t.Fatalf("the first lock: %v", err)
	}
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := mutex.lock(canceled, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("a second lock, with a canceled context: error %v, want %v", err, context.Canceled)
	}
	waiting, giveUp := context.WithTimeout(ctx, time.Millisecond)
	defer giveUp()
	if _, err := mutex.lock(waiting, "a"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock, which waits: error %v, want %v", err, context.DeadlineExceeded)
	}
	unlockOther, err := mutex.lock(ctx, "b")
	if err != nil {
		t.Fatalf("the lock of another name: %v", err)
	}
	unlockOther()
	locked := make(chan func())
	go func() {
		unlock, err := mutex.lock(ctx, "a")
		if err != nil {
			t.Errorf("a second lock, after the first: %v", err)
			unlock = func() {}
		}
		locked <- unlock
	}()
	unlock()
	(<-locked)()
	mutex.held.Range(func(name, _ any) bool {
		t.Errorf("the name %s is kept", name)
		return true
	})
}
