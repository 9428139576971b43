package catalog_test

import (
	"errors"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/fault"
)

// codeOf is the code of err's fault, "" without an error, and the message of any other error.
func codeOf(err error) string {
	var refused *fault.Error
	switch {
	case err == nil:
		return ""
	case !errors.As(err, &refused) || refused.Kind != fault.Invalid:
		return err.Error()
	}
	return refused.Code
}

func TestParseQuery(t *testing.T) {
	const short, invalid = "query_too_short", "invalid_query"
	long := strings.Repeat("ż", 200)
	for in, want := range map[string]struct{ text, code string }{
		"  RTX   4070  ":                      {"RTX 4070", ""},
		"\tRTX\r\n4070\v\f":                   {"RTX 4070", ""},
		"\u00a0RTX\u00a0 \u00a04070\u00a0":    {"RTX 4070", ""}, // no-break spaces
		"RTX\u2009\u202f\u30004070\u0085":     {"RTX 4070", ""}, // thin, narrow, ideographic; next line
		"RTX\u20284070\u2029":                 {"RTX 4070", ""}, // line and paragraph separators
		"RTX\u200b4070":                       {"RTX 4070", ""}, // zero-width space
		"\ufeffgra\u00adficzna\u2060 \u200eX": {"graficzna X", ""},
		"R\u200cT\u200dX\u200f":               {"RTX", ""},
		`2.5" <b> & \`:                        {`2.5" <b> & \`, ""}, // marks are the product's own
		"Zażółć Gęślą":                        {"Zażółć Gęślą", ""}, // letter case stays
		"RTX 4070 \U0001f600":                 {"RTX 4070 \U0001f600", ""},
		"e\u0301cran \ufffd":                  {"e\u0301cran \ufffd", ""}, // combining mark; a real U+FFFD
		"łóż":                                 {"łóż", ""},
		"i\t\t7":                              {"i 7", ""},
		"  " + long + "\n":                    {long, ""},
		"":                                    {"", short},
		" \t\u00a0\n ":                        {"", short},
		"źż":                                  {"", short},
		"  i7  ":                              {"", short},
		"\ufeffi\u00ad7\u200b":                {"", short},
		"rtx\x004070":                         {"", invalid},
		"rtx \x1b[31m":                        {"", invalid},
		"rtx\x7f4070":                         {"", invalid},
		"rtx\u00904070":                       {"", invalid}, // C1 control
		"rtx \u202e4070":                      {"", invalid}, // right-to-left
		"rtx \xff 4070":                       {"", invalid},
		"rtx 4070\xc5":                        {"", invalid},
	} {
		q, err := catalog.ParseQuery(in, "gpu")
		if q.Text != want.text || codeOf(err) != want.code {
			t.Errorf("ParseQuery(%q) = %+v, %v; want %+v", in, q, err, want)
		}
		if err == nil && q.Category != "gpu" {
			t.Errorf("ParseQuery(%q) has the category %q, want gpu", in, q.Category)
		}
		if again, _ := catalog.ParseQuery(q.Text, "gpu"); again != q {
			t.Errorf("%q becomes %+v, then %+v", in, q, again)
		}
	}
}

func TestFoldedIgnoresLetterCase(t *testing.T) {
	for text, want := range map[string]string{"ZAŻÓŁĆ Super": "zażółć super", "İNTEL": "intel"} { // as many letters
		if got := (catalog.Query{Text: text}).Folded(); got != want {
			t.Errorf("Folded(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestOnlyListedCategoriesAndFamiliesAreAccepted(t *testing.T) {
	category := func(s string) error { _, err := catalog.ParseCategory(s); return err }
	family := func(s string) error { _, err := catalog.ParseFamily(s); return err }
	for _, tt := range []struct {
		parse func(string) error
		names []string
		code  string
	}{
		{category, append(catalog.Categories(), ""), ""},
		{category, []string{"GPU", " ", "ssd", "gpu "}, catalog.UnknownCategory.Name},
		{family, catalog.Families(), ""},
		{family, []string{"", "GPU", " gpu", "gpus", "cpu,gpu", "psu", "gpu\x00"}, catalog.UnknownFamily.Name},
	} {
		for _, name := range tt.names {
			if err := tt.parse(name); codeOf(err) != tt.code {
				t.Errorf("%q: %v, want %q", name, err, tt.code)
			}
		}
	}
}

func TestIsSearchable(t *testing.T) {
	for text, want := range map[string]bool{
		"łóż": true, strings.Repeat("ż", 200): true, strings.Repeat("x", 201): false, "--- ... !!!": false,
		"\U0001f600\U0001f600\U0001f600": false,
	} {
		if got := (catalog.Query{Text: text}).IsSearchable(); got != want {
			t.Errorf("%.20q: %t", text, got)
		}
	}
}
