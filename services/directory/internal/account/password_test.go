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

const goodPassword = "zażółć gęślą jaźń"

func TestHashMatchesItsPasswordAlone(t *testing.T) {
	h := NewHasher(1)
	hash, err := h.Hash(t.Context(), goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hash = %q, want argon2id with 19 MiB, 2 passes and 1 lane", hash)
	}
	for password, want := range map[string]bool{
		goodPassword: true, goodPassword + " ": false, strings.ToUpper(goodPassword): false, "": false,
		goodPassword + strings.Repeat("x", maxPassword): false,
	} {
		if got, err := h.Matches(t.Context(), password, hash); got != want || err != nil {
			t.Errorf("Matches(%.20q) = %t, %v, want %t", password, got, err, want)
		}
	}
	if again, err := h.Hash(t.Context(), goodPassword); again == hash || err != nil {
		t.Errorf("second hash = %q, %v, want another salt", again, err)
	}
}

func TestLengthsOfAPassword(t *testing.T) {
	h := NewHasher(1)
	for password, good := range map[string]bool{
		"":                                 false,
		strings.Repeat("ż", 11):            false, // 22 bytes
		strings.Repeat("ż", 12):            true,
		strings.Repeat("a", maxPassword):   true,
		strings.Repeat("a", maxPassword+1): false,
	} {
		_, err := h.Hash(t.Context(), password)
		if good && err != nil || !good && !fault.Is(err, "invalid_password") {
			t.Errorf("Hash of %d bytes: %v, good is %t", len(password), err, good)
		}
	}
}

func TestEmptyHashMatchesNothingInTheSameTime(t *testing.T) {
	h := NewHasher(1)
	hash, err := h.Hash(t.Context(), goodPassword)
	if err != nil {
		t.Fatal(err)
	}
	real, err := parsePHC(hash)
	if err != nil {
		t.Fatal(err)
	}
	cost := func(p phc) string { return fmt.Sprint(p.memory, p.passes, p.lanes, len(p.salt), len(p.sum)) }
	if cost(h.decoy) != cost(real) {
		t.Errorf("cost of the decoy = %s, want that of %s", cost(h.decoy), cost(real))
	}
	if ok, err := h.Matches(t.Context(), "", ""); ok || err != nil {
		t.Errorf("Matches without a hash = %t, %v", ok, err)
	}
	h.turns <- struct{}{}
	if _, err := h.Matches(cancelled(t), goodPassword, ""); !errors.Is(err, context.Canceled) {
		t.Errorf("Matches without a hash without a free turn: %v, want that it waited for one", err)
	}
}

// TestLongPasswordsAreNotHashed holds without a free turn, which a hash would wait for.
func TestLongPasswordsAreNotHashed(t *testing.T) {
	h := NewHasher(1)
	h.turns <- struct{}{}
	long := strings.Repeat("a", maxPassword+1)
	if ok, err := h.Matches(cancelled(t), long, h.decoy.String()); ok || err != nil {
		t.Errorf("Matches = %t, %v", ok, err)
	}
}

func cancelled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestHashesWaitForATurn(t *testing.T) {
	h := NewHasher(2)
	synctest.Test(t, func(t *testing.T) {
		h := &Hasher{turns: make(chan struct{}, cap(h.turns)), wait: hashWait, decoy: h.decoy} // its channel belongs to this bubble
		h.turns <- struct{}{}
		h.turns <- struct{}{}
		done := false
		go func() {
			_, _ = h.Matches(t.Context(), goodPassword, "")
			done = true
		}()
		synctest.Wait()
		if done {
			t.Error("a third hash was made at the same time as two")
		}
		<-h.turns
		synctest.Wait()
		if !done || len(h.turns) != 1 {
			t.Errorf("done is %t with %d turns taken, want the freed turn taken and given back", done, len(h.turns))
		}
	})
}

func TestHashesDoNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHasher(1)
		h.turns <- struct{}{}
		begin := time.Now()
		_, err := h.Matches(t.Context(), goodPassword, "")
		f := fault.From(err)
		if !fault.Is(err, "too_many_attempts") || f.Kind != fault.Limited || f.RetryAfter != hashWait || time.Since(begin) != hashWait {
			t.Errorf("sent away after %s: %+v", time.Since(begin), f)
		}
	})
}

func TestNewHasherHasATurnAtLeast(t *testing.T) {
	for parallel, want := range map[int]int{-1: 1, 0: 1, 1: 1, 3: 3} {
		if got := cap(NewHasher(parallel).turns); got != want {
			t.Errorf("turns of NewHasher(%d) = %d, want %d", parallel, got, want)
		}
	}
}

const (
	phcSalt = "c2FsdHNhbHRzYWx0c2FsdA"
	phcSum  = "3q2+796tvu/erb7v3q2+796tvu/erb7v3q2+796tvu8"
)

func TestParsePHC(t *testing.T) {
	for _, hash := range []string{
		"$argon2id$v=19$m=19456,t=2,p=1$" + phcSalt + "$" + phcSum,
		"$argon2id$v=19$m=65536,t=3,p=4$" + phcSalt + "$" + phcSum,
	} {
		p, err := parsePHC(hash)
		if err != nil || p.String() != hash || string(p.salt) != "saltsaltsaltsalt" || len(p.sum) != 32 {
			t.Errorf("parsePHC(%q) = %+v, %v", hash, p, err)
		}
	}
}

func TestGarbageIsNoHashAndNeverPanics(t *testing.T) {
	h := NewHasher(1)
	rest := "$" + phcSalt + "$" + phcSum
	for name, hash := range map[string]string{
		"a word":            "garbage",
		"dollars":           "$$$$$",
		"no parameters":     "$argon2id$v=19$" + rest,
		"bcrypt":            "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy",
		"argon2i":           "$argon2i$v=19$m=19456,t=2,p=1" + rest,
		"old version":       "$argon2id$v=16$m=19456,t=2,p=1" + rest,
		"text before":       "x$argon2id$v=19$m=19456,t=2,p=1" + rest,
		"no passes":         "$argon2id$v=19$m=19456,t=0,p=1" + rest,
		"no lanes":          "$argon2id$v=19$m=19456,t=2,p=0" + rest,
		"many lanes":        "$argon2id$v=19$m=19456,t=2,p=255" + rest,
		"lanes overflow":    "$argon2id$v=19$m=19456,t=2,p=256" + rest,
		"negative":          "$argon2id$v=19$m=-1,t=2,p=1" + rest,
		"all memory":        "$argon2id$v=19$m=4294967295,t=2,p=1" + rest,
		"all time":          "$argon2id$v=19$m=19456,t=4294967295,p=1" + rest,
		"spaces for commas": "$argon2id$v=19$m=19456 t=2 p=1" + rest,
		"more parameters":   "$argon2id$v=19$m=19456,t=2,p=1,x=1" + rest,
		"salt not base64":   "$argon2id$v=19$m=19456,t=2,p=1$!!!!$" + phcSum,
		"salt short":        "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$" + phcSum,
		"sum not base64":    "$argon2id$v=19$m=19456,t=2,p=1$" + phcSalt + "$a",
		"sum empty":         "$argon2id$v=19$m=19456,t=2,p=1$" + phcSalt + "$",
		"sum short":         "$argon2id$v=19$m=19456,t=2,p=1$" + phcSalt + "$AAAA",
		"sum long":          "$argon2id$v=19$m=19456,t=2,p=1$" + phcSalt + "$" + strings.Repeat("AAAA", 22),
		"line break":        "$argon2id$v=19$m=19456,t=2,p=1$" + phcSalt + "$" + phcSum + "\n",
		"one part more":     "$argon2id$v=19$m=19456,t=2,p=1" + rest + "$",
	} {
		t.Run(name, func(t *testing.T) {
			ok, err := h.Matches(t.Context(), goodPassword, hash)
			if ok || err == nil {
				t.Fatalf("Matches = %t, %v, want an error", ok, err)
			}
			if strings.Contains(err.Error(), phcSum) {
				t.Errorf("the error contains the hash: %v", err)
			}
		})
	}
}

func FuzzParsePHC(f *testing.F) {
	f.Add("$argon2id$v=19$m=19456,t=2,p=1$" + phcSalt + "$" + phcSum)
	f.Add("$argon2id$v=19$m=,t=,p=$$")
	f.Fuzz(func(t *testing.T, s string) {
		if p, err := parsePHC(s); err == nil && (p.String() != s || !p.affordable()) {
			t.Errorf("parsePHC(%q) = %+v", s, p)
		}
	})
}

// TestCostsOfAStoredHash: each part of the cost has a least and a greatest value.
func TestCostsOfAStoredHash(t *testing.T) {
	good := phc{memory: 8, passes: 1, lanes: 1, salt: make([]byte, 8), sum: make([]byte, 16)}
	for name, test := range map[string]struct {
		change   func(p *phc)
		accepted bool
	}{
		"least":             {func(*phc) {}, true},
		"most memory":       {func(p *phc) { p.memory = 256 * 1024 }, true},
		"too much memory":   {func(p *phc) { p.memory = 256*1024 + 1 }, false},
		"most passes":       {func(p *phc) { p.passes = 16 }, true},
		"too many passes":   {func(p *phc) { p.passes = 17 }, false},
		"no passes":         {func(p *phc) { p.passes = 0 }, false},
		"most lanes":        {func(p *phc) { p.lanes = 16 }, true},
		"too many lanes":    {func(p *phc) { p.lanes = 17 }, false},
		"no lanes":          {func(p *phc) { p.lanes = 0 }, false},
		"salt of 7 bytes":   {func(p *phc) { p.salt = make([]byte, 7) }, false},
		"sum of 15 bytes":   {func(p *phc) { p.sum = make([]byte, 15) }, false},
		"sum of 64 bytes":   {func(p *phc) { p.sum = make([]byte, 64) }, true},
		"sum of 65 bytes":   {func(p *phc) { p.sum = make([]byte, 65) }, false},
		"salt of any other": {func(p *phc) { p.salt = make([]byte, 64) }, true},
	} {
		p := good
		test.change(&p)
		if got, err := parsePHC(p.String()); (err == nil) != test.accepted || test.accepted && got.String() != p.String() {
			t.Errorf("%s: %v", name, err)
		}
	}
}
