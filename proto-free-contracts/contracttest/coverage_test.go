package contracttest

import (
	"flag"
	"slices"
	"strings"
	"testing"
)

// every names each documented answer of the notes API.
var every = []string{
	"GET /notes/{id} 200",
	"GET /notes/{id} 304",
	"GET /notes/{id} 400 bad_id",
	"GET /notes/{id} 400 bad_limit",
	"HEAD /notes/{id} 200",
	"HEAD /notes/{id} default",
	"POST /notes/{id} 308",
	"POST /notes/{id} 5XX",
	"options 204",
	"other-method 405",
	"unknown-path 404",
}

func TestMissing(t *testing.T) {
	c := New([]byte(notes))
	if missing := c.Missing(); !slices.Equal(missing, every) {
		t.Fatalf("before any exchange: %q", missing)
	}
	steps := []struct {
		method, target, body string
		answer               answer
		covers               string
	}{
		{"GET", "/notes/a", "", answer{200, noteHeader, note}, "GET /notes/{id} 200"},
		{"GET", "/notes/a", "", answer{304, tagHeader, ""}, "GET /notes/{id} 304"},
		{"GET", "/notes/a", "", answer{400, jsonHeader, `{"code":"other"}`}, ""},
		{"GET", "/notes/z", "", answer{400, jsonHeader, `{"code":"bad_id"}`}, "GET /notes/{id} 400 bad_id"},
		{"GET", "/notes/a?limit=0", "", answer{400, jsonHeader, `{"code":"bad_limit"}`}, "GET /notes/{id} 400 bad_limit"},
		{"HEAD", "/notes/b", "", answer{200, tagHeader, ""}, "HEAD /notes/{id} 200"},
		{"HEAD", "/notes/z", "", answer{404, nil, ""}, "HEAD /notes/{id} default"},
		{"POST", "/notes/a", note, answer{308, map[string]string{"Location": "/"}, ""}, "POST /notes/{id} 308"},
		{"POST", "/notes/a", note, answer{500, jsonHeader, `{"code":"x"}`}, "POST /notes/{id} 5XX"},
		{"OPTIONS", "/notes/a", "", answer{204, map[string]string{"Allow": "GET"}, ""}, "options 204"},
		{"DELETE", "/notes/a", "", answer{405, jsonHeader, `{"code":"x"}`}, "other-method 405"},
		{"GET", "/", "", answer{404, jsonHeader, `{"code":"x"}`}, "unknown-path 404"},
	}
	left := slices.Clone(every)
	for _, step := range steps {
		if reports := exchange(c, step.method, step.target, step.body, step.answer); len(reports) > 0 {
			t.Errorf("%s %s: %q", step.method, step.target, reports)
		}
		left = slices.DeleteFunc(left, func(name string) bool { return name == step.covers })
		if missing := c.Missing(); !slices.Equal(missing, left) {
			t.Fatalf("after %s %s → %d: missing %q, want %q", step.method, step.target, step.answer.status, missing, left)
		}
	}
	if code := c.run(func() int { return 0 }, false, &strings.Builder{}); code != 0 || len(left) > 0 {
		t.Errorf("all answers occurred, yet the run ends with %d and misses %q", code, left)
	}
}

func TestRun(t *testing.T) {
	tests := map[string]struct {
		code    int // of the tests
		partial bool
		want    int
		listed  bool
	}{
		"answers are missing":  {0, false, 1, true},
		"a part of the tests":  {0, true, 0, false},
		"tests failed already": {2, false, 2, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			if code := New([]byte(notes)).run(func() int { return test.code }, test.partial, &out); code != test.want {
				t.Errorf("exit code %d, want %d", code, test.want)
			}
			if listed := strings.Contains(out.String(), "never exercised: GET /notes/{id} 200\n"); listed != test.listed {
				t.Errorf("output: %q", out.String())
			}
		})
	}
}

func TestIsPartial(t *testing.T) {
	for args, want := range map[string]bool{
		"": false, "-test.run=TestA": true, "-test.skip=TestA": true, "-test.list=.": true, "-test.fuzz=FuzzA": true,
	} {
		flags := flag.NewFlagSet("", flag.ContinueOnError)
		for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
			flags.String(name, "", "")
		}
		if err := flags.Parse(strings.Fields(args)); err != nil {
			t.Fatal(err)
		}
		if got := isPartial(flags.Lookup); got != want {
			t.Errorf("%q: %t", args, got)
		}
	}
}
