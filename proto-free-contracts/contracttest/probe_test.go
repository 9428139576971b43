package contracttest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// described is a probe as a text, to compare.
func described(p Probe) string {
	return fmt.Sprintln(p.Operation, p.Sound, p.method, p.target, p.header, string(p.Body))
}

func TestProbesAreTheSameForTheSameSeed(t *testing.T) {
	c := New([]byte(notes))
	first, second, third := c.Probes(1, 50, nil), c.Probes(1, 50, nil), c.Probes(2, 50, nil)
	if len(first) != 3*50 || len(second) != len(first) {
		t.Fatalf("%d and %d probes of 3 operations", len(first), len(second))
	}
	different := 0
	for i := range first {
		if described(first[i]) != described(second[i]) {
			t.Errorf("%s became %s", described(first[i]), described(second[i]))
		}
		if described(first[i]) != described(third[i]) {
			different++
		}
	}
	if different < len(first)/2 {
		t.Errorf("only %d probes differ with another seed", different)
	}
}

// TestProbesAreSoundAndNot wants enough of both kinds for every operation, and
// every way in which one can be wrong.
func TestProbesAreSoundAndNot(t *testing.T) {
	sound, wrong := map[string]int{}, map[string]int{}
	ways := map[string]bool{}
	for _, p := range New([]byte(notes)).Probes(1, 400, map[string][]any{"id": {"a"}, "text": {"known"}}) {
		if p.Sound {
			sound[p.Operation]++
		} else {
			wrong[p.Operation]++
		}
		r := p.Request()
		ways["enum refused"] = ways["enum refused"] || !p.Sound && !strings.HasPrefix(r.URL.Path, "/notes/a") && !strings.HasPrefix(r.URL.Path, "/notes/b")
		ways["limit below"] = ways["limit below"] || !p.Sound && r.URL.Query().Get("limit") == "0"
		ways["limit twice"] = ways["limit twice"] || len(r.URL.Query()["limit"]) > 1
		ways["body cut"] = ways["body cut"] || strings.HasPrefix(string(p.Body), `{"`) && !strings.HasSuffix(string(p.Body), "}")
		ways["body long"] = ways["body long"] || len(p.Body) > 1<<16
		ways["body deep"] = ways["body deep"] || strings.HasPrefix(string(p.Body), "[[[[")
		ways["other type"] = ways["other type"] || r.Header.Get("Content-Type") == "text/plain"
		ways["known value"] = ways["known value"] || p.Sound && strings.Contains(string(p.Body), `"known"`)
	}
	for _, operation := range []string{"GET /notes/{id}", "HEAD /notes/{id}", "POST /notes/{id}"} {
		if sound[operation] < 80 || wrong[operation] < 80 {
			t.Errorf("%s: %d sound probes, %d others", operation, sound[operation], wrong[operation])
		}
	}
	for way, seen := range ways {
		if !seen {
			t.Errorf("no probe with %s", way)
		}
	}
}

func TestHammerReportsWhatDeparts(t *testing.T) {
	tests := map[string]struct {
		answer http.Handler
		want   string // part of the first report, empty: none
	}{
		"documented":   {answer{400, jsonHeader, `{"code":"bad_id"}`}, ""},
		"500":          {answer{500, jsonHeader, `{"code":"x"}`}, "is answered 500"},
		"undocumented": {answer{418, jsonHeader, `{}`}, "departs from the document"},
		"wrong body":   {answer{400, jsonHeader, `{"code":1}`}, "departs from the document"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, s := New([]byte(notes)), &spy{}
			var probes []Probe
			for _, p := range c.Probes(1, 20, nil) {
				if p.Operation == "GET /notes/{id}" {
					probes = append(probes, p)
				}
			}
			sound, others := c.Hammer(s, test.answer, probes)
			total := 0
			for _, counts := range []map[int]int{sound, others} {
				for _, n := range counts {
					total += n
				}
			}
			if total != len(probes) || len(sound) == 0 || len(others) == 0 {
				t.Errorf("%d probes, answers %v and %v", len(probes), sound, others)
			}
			if test.want == "" {
				s.reports = dropUnknownPaths(s.reports)
			}
			if (test.want == "") != (len(s.reports) == 0) || len(s.reports) > 0 && !strings.Contains(strings.Join(s.reports, "\n"), test.want) {
				t.Errorf("reports %q", s.reports)
			}
		})
	}
}

// dropUnknownPaths takes away the reports of probes that led to no operation,
// whose answer is another one.
func dropUnknownPaths(reports []string) (rest []string) {
	for _, report := range reports {
		if !strings.Contains(report, "unknown-path") {
			rest = append(rest, report)
		}
	}
	return rest
}

func TestProbesArriveWhole(t *testing.T) {
	c := New([]byte(notes))
	for _, p := range c.Probes(3, 100, nil) {
		r := p.Request()
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != string(p.Body) || r.RequestURI != r.URL.RequestURI() {
			t.Fatalf("%s: %d of %d bytes, %v", described(p), len(body), len(p.Body), err)
		}
	}
}
