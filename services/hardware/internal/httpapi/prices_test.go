package httpapi_test

import (
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

const priceOf = "/api/prices/ceneo?"

func TestQuery(t *testing.T) {
	tests := map[string]string{ // query → q as it is looked up and echoed
		"q=rtx":                              "rtx",
		"q=RTX+4070%20SUPER":                 "RTX 4070 SUPER",
		"q=%20%20rtx%09%0A4070%C2%A0x%20":    "rtx 4070 x",
		"q=abc" + strings.Repeat("%20", 500): "abc",
		"q=%E2%80%A8abc%C2%85d":              "abc d", // line separators are white space
		"q=%EF%BB%BFabc%C2%ADd":              "abcd",  // byte order mark, soft hyphen
		"q=" + strings.Repeat("a", 200):      strings.Repeat("a", 200),
		"q=" + strings.Repeat("%C5%82", 200): strings.Repeat("ł", 200),
		"q=%C5%81%C3%B3d":                    "Łód",
		"q=2/3;4":                            "2/3;4",
		"q=2%2F3%3B4":                        "2/3;4",
		"q=a%2Bb%26c%3Dd%25e":                "a+b&c=d%e",
		"q=a=b":                              "a=b",
		`q=2.5"+\"x\`:                        `2.5" \"x\`,
		"q=%22%5C%5Cu0041%3C%3E%27":          `"\\u0041<>'`,
		"q=%F0%9F%92%BEab":                   "💾ab",
		"q=abc&q=x":                          "abc",
		"%71=abc&Q=defg":                     "abc",
		"x=%zz&%zz=1&;&q=abc":                "abc",
	}
	for query, want := range tests {
		t.Run(query[:min(len(query), 30)], func(t *testing.T) {
			s := newCanned(t, 0)
			if strings.Contains(query, ";") {
				s.Handler = s.echo // the checker takes a bare ";" for an error
			}
			answer := s.get(priceOf + query)
			b := read(t, answer)
			if answer.Code != 200 || b.Query != want || b.ProductName != card().ProductName {
				t.Errorf("answer %d %s", answer.Code, answer.Body)
			}
			if !slices.Equal(s.queries, []catalog.Query{{Text: want}}) {
				t.Errorf("looked up %+v", s.queries)
			}
		})
	}
}

func TestQueryRefused(t *testing.T) {
	const short, long, invalid, undecodable = "query_too_short", "query_too_long", "invalid_query", "invalid_query_string"
	tests := map[string]string{ // query → code
		"":                                       short,
		"category=gpu":                           short,
		"Q=abc":                                  short,
		"q":                                      short,
		"q=":                                     short,
		"q=ab":                                   short,
		"q=%C5%82%C5%82":                         short, // two characters in four bytes
		"q=++a%20%20":                            short,
		"q=%20%09%0A":                            short,
		"q=ab&q=abc":                             short,
		"a;q=abc":                                short,
		"q=" + strings.Repeat("a", 201):          long,
		"q=" + strings.Repeat("a", 5000):         long,
		"q=" + strings.Repeat("%C5%82", 201):     long,
		"q=abc%00":                               invalid,
		"q=%00":                                  invalid,
		"q=abc%1B[2J":                            invalid,
		"q=abc%7F":                               invalid,
		"q=abc%C2%80":                            invalid,
		"q=abc%E2%80%AEd":                        invalid, // turns round what follows
		"q=abc%FF":                               invalid,
		"q=%C5":                                  invalid,
		"q=%ED%A0%80abc":                         invalid, // a surrogate
		"q=---":                                  invalid,
		"q=%22%22%22":                            invalid,
		"q=%F0%9F%92%BE%F0%9F%92%BE%F0%9F%92%BE": invalid,
		"q=abc%zz":                               undecodable,
		"q=abc%":                                 undecodable,
		"q=abc%2":                                undecodable,
		"q=a&category=%zz":                       undecodable,
	}
	for query, want := range tests {
		t.Run(query[:min(len(query), 30)], func(t *testing.T) {
			s := newCanned(t, 0)
			b := requireFailure(t, s.get(priceOf+query), 400, want)
			if len(b.Allowed) > 0 || len(s.queries) > 0 {
				t.Errorf("allowed %v; looked up %v", b.Allowed, s.queries)
			}
		})
	}
}

func TestCategory(t *testing.T) {
	for _, name := range append(catalog.Categories(), "") {
		s := newCanned(t, 0)
		answer := s.get(priceOf + "q=abc&category=" + name)
		if answer.Code != 200 || !slices.Equal(s.queries, []catalog.Query{{Text: "abc", Category: catalog.Category(name)}}) {
			t.Errorf("%q: answer %d; looked up %+v", name, answer.Code, s.queries)
		}
	}
	for _, name := range []string{"x", "GPU", "gpu%20", "+gpu", "ssd", "cpu,gpu", "gpu%00", "%FF", "x&category=gpu"} {
		t.Run(name, func(t *testing.T) {
			s := newCanned(t, 0)
			b := requireFailure(t, s.get(priceOf+"q=abc&category="+name), 400, "unknown_category")
			if !slices.Equal(b.Allowed, []string{"cpu", "gpu", "ram", "storage", "motherboard", "psu", "cooling", "case"}) || len(s.queries) > 0 {
				t.Errorf("allowed %v; looked up %v", b.Allowed, s.queries)
			}
		})
	}
}

func TestAggregator(t *testing.T) {
	for _, name := range []string{"skapiec", "CENEO", "ceneo%20", "ceneo.pl", "cen%2Feo", "%00", "*", strings.Repeat("x", 5000)} {
		t.Run(name[:min(len(name), 20)], func(t *testing.T) {
			s := newCanned(t, 0)
			b := requireFailure(t, s.get("/api/prices/"+name+"?q=abc"), 404, "unknown_aggregator")
			if !slices.Equal(b.Allowed, []string{"ceneo"}) || len(s.queries) > 0 {
				t.Errorf("allowed %v; looked up %v", b.Allowed, s.queries)
			}
		})
	}
}

// TestOrderOfChecks: aggregator, then q, then category.
func TestOrderOfChecks(t *testing.T) {
	s := newCanned(t, 0)
	requireFailure(t, s.get("/api/prices/skapiec?q=a&category=x"), 404, "unknown_aggregator")
	requireFailure(t, s.get("/api/prices/skapiec?q=%zz"), 404, "unknown_aggregator")
	requireFailure(t, s.get(priceOf+"q=a&category=x"), 400, "query_too_short")
	requireFailure(t, s.get(priceOf+"q=abc&category=x"), 400, "unknown_category")
}
