package httpapi_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/catalog"
)

func TestLimit(t *testing.T) {
	tests := map[string]int{ // query → number of rows
		"":                                 200,
		"?":                                200,
		"?limit=1":                         1,
		"?limit=499":                       499,
		"?limit=500":                       500,
		"?limit=501":                       500,
		"?limit=99999":                     500,
		"?limit=9223372036854775807":       500,
		"?limit=%2B5":                      5,
		"?limit=007":                       7,
		"?limit=5&limit=abc":               5,
		"?lim%69t=5":                       5,
		"?LIMIT=5":                         200,
		"?limits=5&a=%zz&%zz=1&&=&limit=5": 5,
	}
	long := ranking(600, now)
	for query, want := range tests {
		t.Run(query, func(t *testing.T) {
			s := newCanned(t, 0)
			s.ranking = long
			answer := s.get("/api/benchmark/gpu" + query)
			b := read(t, answer)
			if answer.Code != 200 || b.Count != want || len(b.Rows) != want {
				t.Errorf("answer %d, count %d, %d rows; want %d", answer.Code, b.Count, len(b.Rows), want)
			}
		})
	}
}

// TestLimitBeyondIntegers goes past the checker, which reads 64 bits at most.
func TestLimitBeyondIntegers(t *testing.T) {
	s := newCanned(t, 0)
	s.Handler, s.ranking = s.echo, ranking(501, now)
	for _, sign := range []string{"", "%2B"} {
		answer := s.get("/api/benchmark/gpu?limit=" + sign + "1" + strings.Repeat("0", 30))
		if b := read(t, answer); answer.Code != 200 || b.Count != 500 {
			t.Errorf("answer %d, count %d", answer.Code, b.Count)
		}
	}
}

func TestLimitRefused(t *testing.T) {
	const invalid, undecodable = "invalid_limit", "invalid_query_string"
	tests := map[string]string{ // query → code
		"limit":                              invalid,
		"limit=":                             invalid,
		"limit=abc":                          invalid,
		"limit=0":                            invalid,
		"limit=-0":                           invalid,
		"limit=-1":                           invalid,
		"limit=1.5":                          invalid,
		"limit=1e2":                          invalid,
		"limit=+5":                           invalid, // a space and 5
		"limit=5%20":                         invalid,
		"limit=0x10":                         invalid,
		"limit=1_000":                        invalid,
		"limit=5;6":                          invalid,
		"limit=%00":                          invalid,
		"limit=%ff":                          invalid,
		"limit=%D9%A5":                       invalid, // the Arabic-Indic digit 5
		"limit=abc&limit=5":                  invalid,
		"limit=%zz":                          undecodable,
		"limit=5%":                           undecodable,
		"a=%zz&limit=%zz":                    undecodable,
		"limit=-1" + strings.Repeat("0", 30): invalid,
	}
	for query, want := range tests {
		t.Run(query, func(t *testing.T) {
			s := newCanned(t, 0)
			b := requireFailure(t, s.get("/api/benchmark/gpu?"+query), 400, want)
			if len(b.Allowed) > 0 || len(s.families) > 0 {
				t.Errorf("allowed %v; looked up %v", b.Allowed, s.families)
			}
		})
	}
}

func TestType(t *testing.T) {
	for _, name := range catalog.Families() {
		s := newCanned(t, 0)
		answer := s.get("/api/benchmark/" + name + "?limit=2")
		if b := read(t, answer); answer.Code != 200 || b.Family != name || b.Source != "userbenchmark.com" {
			t.Errorf("%s: answer %d %s", name, answer.Code, answer.Body)
		}
		if !slices.Equal(s.families, []catalog.Family{catalog.Family(name)}) {
			t.Errorf("%s: looked up %v", name, s.families)
		}
	}
	for _, name := range []string{"CPU", "Gpu", "gpu%20", "%20gpu", "gpus", "motherboard", "g%2Fpu", "gpu%00", "%ff", ";", "*", ":type", "gpu;a=b", strings.Repeat("x", 5000)} {
		t.Run(name[:min(len(name), 20)], func(t *testing.T) {
			s := newCanned(t, 0)
			b := requireFailure(t, s.get("/api/benchmark/"+name), 400, "unknown_type")
			if !slices.Equal(b.Allowed, []string{"cpu", "gpu", "ssd", "hdd", "ram", "usb"}) {
				t.Errorf("allowed: %v", b.Allowed)
			}
			if plain, err := url.PathUnescape(name); err != nil || strings.Contains(b.Error, plain) || len(s.families) > 0 {
				t.Errorf("%v; message %q; looked up %v", err, b.Error, s.families)
			}
		})
	}
}

func TestTypeIsCheckedBeforeLimit(t *testing.T) {
	s := newCanned(t, 0)
	requireFailure(t, s.get("/api/benchmark/CPU?limit=abc"), 400, "unknown_type")
	requireFailure(t, s.get("/api/benchmark/CPU?limit=%zz"), 400, "unknown_type")
}
