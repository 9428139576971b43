package account

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"backend.example/services/internal/kit/fault"
)

// TestPasswords checks which passwords a user may choose.
func TestPasswords(t *testing.T) {
	u := User{Email: "jan.kowalski@firma.example", Name: "Jan Kowalski"}
	h := NewHasher(1)
	for password, want := range map[string]string{ // the code of the error, if any
		"Kolarska-Przystań-17":     "",
		"żółwżółwżółw":             "", // 12 characters
		"żółwżółwżół":              "invalid_password",
		strings.Repeat("x", 513):   "invalid_password",
		"password1234":             "common_password",
		"PassWord1234":             "common_password",
		"ｐassword1234":             "common_password", // NFKC: full-width p
		"moje-jan.kowalski-haslo":  "name_in_password",
		"to JAN KOWALSKI i koniec": "name_in_password",
	} {
		got := ""
		if _, err := h.Hash(t.Context(), "", u, password); err != nil {
			got = fault.From(err).Code
		}
		if got != want {
			t.Errorf("%q: code %q, want %q", password, got, want)
		}
	}
}

// TestPasswordsAreNormalised compares composed with decomposed letters (NFC with NFD).
func TestPasswordsAreNormalised(t *testing.T) {
	const composed, decomposed = "zażółć gęślą", "zaz\u0307o\u0301łc\u0301 ge\u0328s\u0301la\u0328"
	h := NewHasher(1)
	hash, err := h.Hash(t.Context(), "", User{}, composed)
	ok(t, err)
	for password, want := range map[string]bool{composed: true, decomposed: true, "zazolc gesla": false} {
		got, err := h.Matches(t.Context(), "", password, hash)
		ok(t, err)
		if got != want {
			t.Errorf("%q matches: %t, want %t", password, got, want)
		}
	}
}

func TestNoPasswordMatchesTheEmptyHash(t *testing.T) {
	matches, err := NewHasher(1).Matches(t.Context(), "", "Kolarska-Przystań-17", "")
	ok(t, err)
	if matches {
		t.Error("a password matches")
	}
}

// TestTurnsGoRoundNetworks: the sites (IPv6 /48) take turns, and within a site its networks (/56).
func TestTurnsGoRoundNetworks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := turns{free: 1}
		ok(t, q.take(t.Context(), "192.0.2.9")) // until all others wait
		var order []string
		for _, client := range []string{
			"2001:db8:1:100::1", "2001:db8:1:100::2", "2001:db8:1:200::1", "2001:db8:1:300::1", "192.0.2.1",
			"192.0.2.1", "2001:db8:2::1",
		} {
			go func() {
				ok(t, q.take(t.Context(), client))
				order = append(order, client)
				q.giveBack()
			}()
			synctest.Wait()
		}
		q.giveBack()
		synctest.Wait()
		want := []string{
			"2001:db8:1:100::1",
			"192.0.2.1",
			"2001:db8:2::1",
			"2001:db8:1:200::1",
			"192.0.2.1",
			"2001:db8:1:300::1",
			"2001:db8:1:100::2",
		}
		requireEqual(t, "order", want, order)
	})
}

func TestHashesDoNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(1)
		ok(t, h.turns.take(t.Context(), "192.0.2.9"))
		begin := time.Now()
		_, err := h.Matches(t.Context(), "192.0.2.1", "Kolarska-Przystań-17", "")
		wantCode(t, err, CodeTooManyAttempts)
		if waited := time.Since(begin); waited != hashWait {
			t.Errorf("gave up after %s, want %s", waited, hashWait)
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := h.Matches(gone, "192.0.2.1", "Kolarska-Przystań-17", ""); !errors.Is(err, context.Canceled) {
			t.Errorf("a caller who has left: error %v, want %v", err, context.Canceled)
		}
	})
}

// TestStoredHashes: a stored hash of another kind or at a cost that takes all memory is an
// error that does not show it.
func TestStoredHashes(t *testing.T) {
	const salt, sum = "c2FsdHNhbHRzYWx0c2FsdA", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
	for _, hash := range []string{
		"garbage", "$$$$$", "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		fmt.Sprintf("$argon2i$v=19$m=19456,t=2,p=1$%s$%s", salt, sum),
		fmt.Sprintf("$argon2id$v=19$m=19456,t=0,p=1$%s$%s", salt, sum),
		fmt.Sprintf("$argon2id$v=19$m=4294967295,t=2,p=1$%s$%s", salt, sum),
		fmt.Sprintf("$argon2id$v=19$m=19456,t=2,p=255$%s$%s", salt, sum),
		"$argon2id$v=19$m=19456,t=2,p=1$!!$" + sum, "$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$AAAA",
	} {
		matches, err := NewHasher(1).Matches(t.Context(), "", "Kolarska-Przystań-17", hash)
		if err == nil {
			t.Errorf("%s: no error, matches: %t", hash, matches)
			continue
		}
		if strings.Contains(err.Error(), sum) {
			t.Errorf("%s: the error shows the hash: %v", hash, err)
		}
	}
}

// FuzzParsePHC: what is read as a hash has no other spelling.
func FuzzParsePHC(f *testing.F) {
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := parsePHC(s); err == nil && p.String() != s {
			t.Errorf("parsePHC(%q) = %+v, which is written %q", s, p, p)
		}
	})
}
