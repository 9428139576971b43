package contracttest

import (
	"flag"
	"slices"
	"strings"
	"testing"
)

// every contains the documented responses of the notes API.
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
		{"GET", "/notes/a?limit=0", "", answer{400, jsonHeader, `{"code":"bad_limit"}`},
			"GET /notes/{id} 400 bad_limit"},
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
			t.Fatalf("after %s %s → %d: missing %q, want %q", step.method, step.target, step.answer.status, missing,
				left)
		}
	}
	if code := run(t, c, 0); code != 0 {
		t.Errorf("all responses occurred, but Run returns %d", code)
	}
}

// run calls c.Run with tests that return code, as if go test ran all of them unless args
// say otherwise.
func run(t *testing.T, c *Checker, code int, args ...string) int {
	t.Helper()
	for _, name := range []string{"run", "skip", "list", "fuzz"} {
		f := flag.Lookup("test." + name)
		before := f.Value.String()
		t.Cleanup(func() { _ = f.Value.Set(before) })
		_ = f.Value.Set("")
		if slices.Contains(args, name) {
			_ = f.Value.Set("TestA")
		}
	}
	return c.Run(func() int { return code })
}

func TestRunFailsIfResponsesAreMissing(t *testing.T) {
	for name, test := range map[string]struct {
		code int // of the tests
		arg  string
		want int
	}{
		"all tests":    {want: 1},
		"failed tests": {code: 2, want: 2},
		"-run":         {arg: "run"}, "-skip": {arg: "skip"}, "-list": {arg: "list"}, "-fuzz": {arg: "fuzz"},
	} {
		if got := run(t, New([]byte(notes)), test.code, test.arg); got != test.want {
			t.Errorf("%s: exit code %d, want %d", name, got, test.want)
		}
	}
}

func TestRequireRoutes(t *testing.T) {
	all := []string{"GET /notes/:id", "HEAD /notes/:id", "POST /notes/:id"}
	tests := map[string]struct{ routes, want []string }{
		"the documented ones": {all, nil},
		"pseudo method":       {append([]string{"echo_route_not_found /*"}, all...), nil},
		"undocumented route": {
			append([]string{"GET /notes"}, all...), []string{"route GET /notes is not in the document"},
		},
		"undocumented method": {append([]string{"PUT /notes/:id"}, all...),
			[]string{"route PUT /notes/{id} is not in the document"}},
		"operation left out": {all[:2], []string{"operation POST /notes/{id} has no route"}},
		"other parameter's name": {append([]string{"GET /notes/:note"}, all[1:]...),
			[]string{"route GET /notes/{note} is not in the document", "operation GET /notes/{id} has no route"}},
		"not a route": {append([]string{"GET"}, all...), []string{`route "GET": want a method, a space and a path`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &spy{}
			New([]byte(notes)).RequireRoutes(s, test.routes)
			if !slices.Equal(s.reports, test.want) {
				t.Errorf("reports: %q, want %q", s.reports, test.want)
			}
		})
	}
}

func TestNewRefusesDocuments(t *testing.T) {
	const general = `{"404": Failed}`
	tests := map[string]struct{ document, want string }{
		"not YAML":    {"\t", "load document"},
		"not OpenAPI": {"openapi: 3.1.1", "validate document"},
		"general: not a map": {strings.Replace(notes, "x-general-responses:", "x-general-responses: 1\nx-a:", 1),
			"x-general-responses: "},
		"general: unknown kind": {strings.Replace(notes, "unknown-path:", "unknown:", 1), `unknown kind "unknown"`},
		"general: nothing named": {
			"{openapi: 3.1.1, info: {title: a, version: b}, paths: {}, x-general-responses: {options: {'204': A}}}",
			"no entry A",
		},
		"general: unknown name": {strings.Replace(notes, general, `{"404": Lost}`, 1), "no entry Lost"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if message, _ := recover().(string); !strings.Contains(message, test.want) {
					t.Errorf("panic %q does not name %q", message, test.want)
				}
			}()
			New([]byte(test.document))
		})
	}
}
