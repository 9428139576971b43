package seeded_test

import (
	"testing"

	"backend.example/deploy/sandbox/internal/seeded"
)

// The numbers are written out: a change would alter every page of the sandbox.
func TestIntNIsFixedByTheWords(t *testing.T) {
	cases := []struct {
		words []string
		want  int
	}{
		{[]string{"price", "RTX 4070"}, 243473},
		{[]string{"price", "RTX 4080"}, 444501},
		{[]string{"priceRTX 4070"}, 646672},
	}
	for _, c := range cases {
		for range 2 {
			if got := seeded.IntN(1_000_000, c.words...); got != c.want {
				t.Errorf("IntN(%q) = %d, want %d", c.words, got, c.want)
			}
		}
	}
}

func TestPickStaysWithinTheChoices(t *testing.T) {
	seen := map[string]bool{}
	for _, word := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		seen[seeded.Pick([]string{"x", "y"}, word)] = true
	}
	if !seen["x"] || !seen["y"] || len(seen) != 2 {
		t.Errorf("picked %v, want both x and y", seen)
	}
}
