package directory

import (
	"strings"
	"testing"
)

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
				t.Errorf("the error tells the hash: %v", err)
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
