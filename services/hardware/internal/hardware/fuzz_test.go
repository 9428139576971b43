package hardware_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

// FuzzQuery: a query is refused in Polish, or it is within its bounds, stays the
// same when it is checked again, and can be written into an answer.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"RTX 4070 SUPER", "  a\tb\u00a0c ", `2.5" \ dysk`, "\u200eab", "łóż", "ab", "\xffabc", "---", `a"b\c`, "İİİ", strings.Repeat("ż ", 150), "a\u2028b\u0085c"} {
		f.Add(seed)
	}
	answer := &hardware.Answer{Payload: []byte("}")}
	f.Fuzz(func(t *testing.T, q string) {
		parsed, err := hardware.ParseQuery(q, "gpu")
		if refused := (*fault.Error)(nil); err != nil {
			if !errors.As(err, &refused) || refused.Kind != fault.Invalid || !strings.HasPrefix(refused.Message, "Zapytanie ") || parsed != (hardware.Query{}) {
				t.Errorf("%q: %+v, %v", q, parsed, err)
			}
			return
		}
		if n := utf8.RuneCountInString(parsed.Text); n < hardware.MinQueryLength || n > hardware.MaxQueryLength || !utf8.ValidString(parsed.Text) {
			t.Errorf("%q becomes %q", q, parsed.Text)
		}
		if again, err := hardware.ParseQuery(parsed.Text, "gpu"); err != nil || again != parsed {
			t.Errorf("%q becomes %+v, then %+v, %v", q, parsed, again, err)
		}
		head, tail := answer.PriceBody(nil, parsed.Text)
		var body struct{ Query string }
		if err := json.Unmarshal(slices.Concat(head, tail), &body); err != nil || body.Query != parsed.Text {
			t.Errorf("%q is answered as %s, %v", parsed.Text, head, err)
		}
	})
}

// FuzzBestMatch: the choice is one of the names, stands on its own, and does not
// depend on what else is there or where.
func FuzzBestMatch(f *testing.F) {
	f.Add("RTX 4070 Ti", "Gigabyte RTX 4070 Ti 12GB", "Gigabyte RTX 4070 12GB")
	f.Add("karta graficzna", "(((", "karta graficzna)")
	f.Add("80+ Gold 750W", "750 W 80 Plus Gold", "")
	f.Add("i5-14600K", "Intel Core i5 14600KF", "i5‑14600K BOX")
	f.Add("RTX 4070 Ti", "Gigabyte RTX4070Ti (GV-N407T) 2x16GB 80+", "RTX 4070 Ti")
	f.Add("DDR5 32GB 6000 CL30", "1,5 .5 5. M.2 x + 9999999999999999999999tb", "DDR5")
	f.Add("ddr5 2x16 6000", "DDR5 32GB (2x16GB) 6000MHz", "2x16x6000")
	f.Fuzz(func(t *testing.T, text, a, b string) {
		q := hardware.Query{Text: text}
		fits := map[string]bool{}
		for _, name := range []string{a, b} {
			i, ok := hardware.BestMatch(q, []string{name})
			if fits[name] = ok; ok != (i == 0) {
				t.Fatalf("%q for %q: %d, %t", name, text, i, ok)
			}
		}
		for _, names := range [][]string{{a, b}, {b, a}} {
			i, ok := hardware.BestMatch(q, names)
			if ok != (fits[a] || fits[b]) || ok != (i >= 0) || ok && !fits[names[i]] {
				t.Errorf("%q of %q: %d, %t; alone %v", text, names, i, ok, fits)
			}
		}
	})
}
