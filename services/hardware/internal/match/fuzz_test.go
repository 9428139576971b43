package match

import (
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

// FuzzBest: the choice is one of the names, stands on its own, and does not
// depend on what else is there or where.
func FuzzBest(f *testing.F) {
	f.Add("RTX 4070 Ti", "Gigabyte RTX 4070 Ti 12GB", "Gigabyte RTX 4070 12GB")
	f.Add("karta graficzna", "(((", "karta graficzna)")
	f.Add("80+ Gold 750W", "750 W 80 Plus Gold", "")
	f.Add("i5-14600K", "Intel Core i5 14600KF", "i5‑14600K BOX")
	f.Add("RTX 4070 Ti", "Gigabyte RTX4070Ti (GV-N407T) 2x16GB 80+", "RTX 4070 Ti")
	f.Add("DDR5 32GB 6000 CL30", "1,5 .5 5. M.2 x + 9999999999999999999999tb", "DDR5")
	f.Add("ddr5 2x16 6000", "DDR5 32GB (2x16GB) 6000MHz", "2x16x6000")
	f.Fuzz(func(t *testing.T, text, a, b string) {
		q := catalog.Query{Text: text}
		fits := map[string]bool{}
		for _, name := range []string{a, b} {
			i, ok := Best(q, []Candidate{{Name: name}})
			if fits[name] = ok; ok != (i == 0) {
				t.Fatalf("%q for %q: %d, %t", name, text, i, ok)
			}
		}
		for _, names := range [][]string{{a, b}, {b, a}} {
			i, ok := Best(q, named(names...))
			if ok != (fits[a] || fits[b]) || ok != (i >= 0) || ok && !fits[names[i]] {
				t.Errorf("%q of %q: %d, %t; alone %v", text, names, i, ok, fits)
			}
		}
	})
}
