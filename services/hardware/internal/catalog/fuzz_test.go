package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/fault"
)

// FuzzQuery: a query is refused in Polish, or it is within its bounds and stays the
// same when it is checked again.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"RTX 4070 SUPER", "  a\tb\u00a0c ", `2.5" \ dysk`, "\u200eab", "łóż", "ab", "\xffabc", "---", `a"b\c`, "İİİ", strings.Repeat("ż ", 150), "a\u2028b\u0085c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, q string) {
		parsed, err := catalog.ParseQuery(q, "gpu")
		if refused := (*fault.Error)(nil); err != nil {
			if !errors.As(err, &refused) || refused.Kind != fault.Invalid || refused.Message == "" || parsed != (catalog.Query{}) {
				t.Errorf("%q: %+v, %v", q, parsed, err)
			}
			return
		}
		if n := utf8.RuneCountInString(parsed.Text); n < catalog.MinQueryLength || n > catalog.MaxQueryLength || !utf8.ValidString(parsed.Text) {
			t.Errorf("%q becomes %q", q, parsed.Text)
		}
		if again, err := catalog.ParseQuery(parsed.Text, "gpu"); err != nil || again != parsed {
			t.Errorf("%q becomes %+v, then %+v, %v", q, parsed, again, err)
		}
	})
}
