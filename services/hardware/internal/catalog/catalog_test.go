package catalog_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/fault"
)

func TestParseQueryTrimsAndCollapsesWhiteSpace(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"RTX 4070", "RTX 4070"},
		{"  RTX   4070  ", "RTX 4070"},
		{"\tRTX\r\n4070\v\f", "RTX 4070"},
		{"\u00a0RTX\u00a0 \u00a04070\u00a0", "RTX 4070"}, // no-break spaces
		{"RTX\u2009\u202f\u30004070\u0085", "RTX 4070"},  // thin, narrow, ideographic; next line
		{"RTX\u20284070\u2029", "RTX 4070"},              // line and paragraph separators
		{`2.5" <b> & \`, `2.5" <b> & \`},                 // marks are the product's own
		{"RTX\u200b4070", "RTX 4070"},                    // zero-width space
		// byte order mark, soft hyphen, joiner, mark of direction
		{"\ufeffgra\u00adficzna\u2060 \u200eRTX", "graficzna RTX"},
		{"R\u200cT\u200dX\u200f", "RTX"}, {"4070", "4070"},
		{"Zażółć Gęślą", "Zażółć Gęślą"},                             // letter case stays
		{"RTX 4070 \U0001f600", "RTX 4070 \U0001f600"},               // emoji next to words
		{"e\u0301cran", "e\u0301cran"}, {"\ufffd ssd", "\ufffd ssd"}, // combining mark; a real U+FFFD
	} {
		q, err := catalog.ParseQuery(tt.in, "gpu")
		if err != nil || q.Text != tt.want || q.Category != "gpu" {
			t.Errorf("ParseQuery(%q) = %+v, %v; want %q", tt.in, q, err, tt.want)
		}
	}
}

func TestParseQueryCountsCharactersAfterCollapsing(t *testing.T) {
	for _, tt := range []struct{ name, in, code string }{
		{"empty", "", "query_too_short"},
		{"white space", " \t\u00a0\n ", "query_too_short"},
		{"two", "i7", "query_too_short"},
		{"two in many bytes", "źż", "query_too_short"},
		{"two and spaces", "  i7  ", "query_too_short"},
		{"two and what is not seen", "\ufeffi\u00ad7\u200b", "query_too_short"},
		{"200 and what is not seen", strings.Repeat("x\u00ad", 200), ""},
		{"three", "ssd", ""},
		{"three in many bytes", "łóż", ""},
		{"three with the space between", "i\t\t7", ""},
		{"200", strings.Repeat("x", 200), ""},
		{"200 in 400 bytes", strings.Repeat("ż", 200), ""},
		{"200 in outer space", strings.Repeat(" ", 50) + strings.Repeat("x", 200) + "\n", ""},
	} {
		if _, err := catalog.ParseQuery(tt.in, ""); codeOf(err) != tt.code {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.code)
		}
	}
}

func TestParseQueryRefusesCharactersOfNoProductName(t *testing.T) {
	for name, in := range map[string]string{
		"NUL":            "rtx\x004070",
		"NUL at the end": "rtx 4070\x00",
		"escape":         "rtx \x1b[31m",
		"delete":         "rtx\x7f4070",
		"C1 control":     "rtx\u00904070",
		"right-to-left":  "rtx \u202e4070",
		"invalid UTF-8":  "rtx \xff 4070",
		"cut-off UTF-8":  "rtx 4070\xc5",
	} {
		q, err := catalog.ParseQuery(in, "")
		if codeOf(err) != "invalid_query" || fault.From(err).Kind != fault.Invalid || q.Text != "" {
			t.Errorf("%s: ParseQuery(%q) = %+v, %v; want the fault invalid_query", name, in, q, err)
		}
	}
}

func TestFoldedIgnoresLetterCase(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"RTX 4070 Super", "rtx 4070 super"},
		{"ZAŻÓŁĆ GĘŚLĄ JAŹŃ", "zażółć gęślą jaźń"},
		{"İNTEL", "intel"}, // one character each, so that lengths stay
	} {
		if got := (catalog.Query{Text: tt.text}).Folded(); got != tt.want {
			t.Errorf("Folded(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestParseCategoryAcceptsTheListedValuesAndNone(t *testing.T) {
	for _, name := range append(catalog.Categories(), "") {
		if c, err := catalog.ParseCategory(name); err != nil || string(c) != name {
			t.Errorf("ParseCategory(%q) = %q, %v", name, c, err)
		}
	}
	for _, name := range []string{"GPU", " ", "ssd", "gpu "} {
		if _, err := catalog.ParseCategory(name); codeOf(err) != "unknown_category" ||
			fault.From(err).Kind != fault.Invalid {
			t.Errorf("ParseCategory(%q): %v, want the fault unknown_category", name, err)
		}
	}
}

func TestParseFamilyAcceptsExactlyTheListedValues(t *testing.T) {
	for _, name := range catalog.Families() {
		if f, err := catalog.ParseFamily(name); err != nil || string(f) != name {
			t.Errorf("ParseFamily(%q) = %q, %v", name, f, err)
		}
	}
	for _, name := range []string{"", "GPU", "Gpu", " gpu", "gpus", "cpu,gpu", "psu", "gpu\x00"} {
		f, err := catalog.ParseFamily(name)
		if f != "" || !fault.Is(err, "unknown_type") || fault.From(err).Kind != fault.Invalid {
			t.Errorf("ParseFamily(%q) = %q, %v; want the fault unknown_type", name, f, err)
		}
	}
}

func TestCallersMayChangeTheLists(t *testing.T) {
	catalog.Families()[0], catalog.Categories()[0] = "changed", "changed"
	if catalog.Families()[0] != "cpu" || catalog.Categories()[0] != "cpu" {
		t.Error("a caller changed the list")
	}
}

// codeOf is the code of err's fault, "" without an error.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

func TestIsSearchable(t *testing.T) {
	for text, want := range map[string]bool{
		"ssd": true, "łóż": true, strings.Repeat("ż", 200): true, strings.Repeat("x", 201): false, "--- ... !!!": false,
		"\U0001f600\U0001f600\U0001f600": false,
	} {
		if got := (catalog.Query{Text: text}).IsSearchable(); got != want {
			t.Errorf("%.20q: %t", text, got)
		}
	}
}

// FuzzQuery: a query is refused in Polish, or it is within its bounds and stays the
// same when it is checked again.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"RTX 4070 SUPER", "  a\tb\u00a0c ", `2.5" \ dysk`, "\u200eab", "łóż", "ab", "\xffabc",
		"---", `a"b\c`, "İİİ", strings.Repeat("ż ", 150), "a\u2028b\u0085c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, q string) {
		parsed, err := catalog.ParseQuery(q, "gpu")
		if refused := (*fault.Error)(nil); err != nil {
			if !errors.As(err, &refused) || refused.Kind != fault.Invalid {
				t.Fatalf("%q: %+v, %v", q, parsed, err)
			}
			if refused.Message == "" || parsed != (catalog.Query{}) {
				t.Errorf("%q: %+v, %v", q, parsed, err)
			}
			return
		}
		if utf8.RuneCountInString(parsed.Text) < catalog.MinQueryLength || !utf8.ValidString(parsed.Text) {
			t.Errorf("%q becomes %q", q, parsed.Text)
		}
		if again, err := catalog.ParseQuery(parsed.Text, "gpu"); err != nil || again != parsed {
			t.Errorf("%q becomes %+v, then %+v, %v", q, parsed, again, err)
		}
	})
}
