package contracttest

import (
	_ "embed" // the API that is checked
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

//go:embed testdata/notes.openapi.yaml
var notes string

// answer is a handler that always writes the same response.
type answer struct {
	status int
	header map[string]string
	body   string
}

// Headers of the notes API.
var (
	jsonHeader = map[string]string{"Content-Type": "application/json; charset=UTF-8"}
	noteHeader = map[string]string{"Content-Type": "application/json", "ETag": `"1"`}
	tagHeader  = map[string]string{"ETag": `"1"`}
)

const note = `{"text":"t","author":{"name":"n"}}`

func (a answer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	_, _ = w.Write([]byte(a.body))
}

// spy is a testing.TB that records errors.
type spy struct {
	testing.TB
	reports []string
}

func (s *spy) Helper() {}

func (s *spy) Errorf(format string, args ...any) {
	s.reports = append(s.reports, fmt.Sprintf(format, args...))
}

// exchange sends one request through the checker to a handler that writes a, and returns the reported errors.
func exchange(c *Checker, method, target, body string, a answer) []string {
	s := &spy{}
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	c.Wrap(s, a).ServeHTTP(httptest.NewRecorder(), request)
	return s.reports
}

func TestCheckAccepts(t *testing.T) {
	tests := map[string]struct {
		method, target, body string
		answer               answer
	}{
		"answer with a body": {"GET", "/notes/a?limit=3", "", answer{200, noteHeader, note}},
		"null where a null may stand": {
			"GET", "/notes/a", "", answer{200, noteHeader, `{"text":"t","author":null,"stars":null}`},
		},
		"unnamed query parameter": {"GET", "/notes/a?x=1", "", answer{200, noteHeader, note}},
		"bad input, refused": {
			"GET", "/notes/z?limit=none", "", answer{400, jsonHeader, `{"code":"bad_id"}`},
		},
		"HEAD whose body is dropped":   {"HEAD", "/notes/a", "", answer{200, tagHeader, note}},
		"escaped slash in a parameter": {"GET", "/notes/a%2Fb", "", answer{400, jsonHeader, `{"code":"bad_id"}`}},
		"escaped parameter":            {"GET", "/notes/%61", "", answer{200, noteHeader, note}},
		"undecodable query, refused": {
			"GET", "/notes/a?limit=%zz", "", answer{400, jsonHeader, `{"code":"bad_limit"}`},
		},
		"optional header in good shape": {
			"GET", "/notes/a", "", answer{304, map[string]string{"ETag": `"1"`, "Age": "0"}, ""},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, report := range exchange(New([]byte(notes)), test.method, test.target, test.body, test.answer) {
				t.Error(report)
			}
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	tests := map[string]struct {
		method, target, body string
		answer               answer
		want                 string
	}{
		"undocumented status": {"GET", "/notes/a", "", answer{202, noteHeader, note},
			"status 202 is not documented for GET /notes/{id}"},
		"extra field": {
			"GET", "/notes/a", "", answer{200, noteHeader, `{"text":"t","author":null,"x":1}`}, "\"x\" is unsupported",
		},
		"extra field, nested": {
			"GET", "/notes/a", "", answer{200, noteHeader, `{"text":"t","author":{"name":"n","x":1}}`},
			"at /author: value doesn't match",
		},
		"missing field": {"GET", "/notes/a", "", answer{200, noteHeader, `{"author":null}`},
			"\"text\" is missing"},
		"null where none may stand": {"GET", "/notes/a", "", answer{200, noteHeader, `{"text":null,"author":null}`},
			"at /text: Value is not nullable"},
		"wrong type": {
			"GET", "/notes/a", "", answer{200, noteHeader, `{"text":"t","author":null,"stars":1.5}`},
			"at /stars: value must be an integer",
		},
		"two faults": {
			"GET", "/notes/a", "", answer{200, noteHeader, `{"text":1,"author":null,"stars":1.5}`},
			"/stars: value must be an integer | at /text: value must be a string",
		},
		"two JSON values": {"GET", "/notes/a", "", answer{200, noteHeader, note + note},
			"not one JSON value"},
		"no body":        {"GET", "/notes/a", "", answer{200, noteHeader, ""}, "not one JSON value"},
		"missing header": {"GET", "/notes/a", "", answer{200, jsonHeader, note}, `"ETag" missing`},
		"malformed header": {
			"GET", "/notes/a", "", answer{200, map[string]string{"Content-Type": "application/json", "ETag": "1"},
				note}, `"ETag" doesn't match`,
		},
		"malformed optional header": {
			"GET", "/notes/a", "", answer{304, map[string]string{"ETag": `"1"`, "Age": "-1"}, ""},
			`"Age" doesn't match`,
		},
		"missing header of 304":   {"GET", "/notes/a", "", answer{304, nil, ""}, `"ETag" missing`},
		"missing header, general": {"OPTIONS", "/notes/a", "", answer{204, nil, ""}, `"Allow" missing`},
		"other content type": {
			"GET", "/notes/a", "", answer{200, map[string]string{"Content-Type": "text/html", "ETag": `"1"`}, note},
			`unexpected value: "text/html"`,
		},
		"body where none is": {"GET", "/notes/a", "", answer{304, tagHeader, note}, "undocumented body"},
		"bad path value, accepted": {"GET", "/notes/z", "", answer{200, noteHeader, note},
			`request: parameter "id" in path`},
		"bad query value, accepted": {"GET", "/notes/a?limit=0", "", answer{304, tagHeader, ""},
			`request: parameter "limit" in query`},
		"bad request body, accepted": {
			"POST", "/notes/a", `{"text":1}`, answer{308, map[string]string{"Location": "/"}, ""},
			"request: request body has an error",
		},
		"no request body, accepted": {"POST", "/notes/a", "", answer{308, map[string]string{"Location": "/"}, ""},
			"value is required but missing"},
		"success at an unknown path": {"GET", "/nothing", "", answer{200, noteHeader, note},
			"status 200 is not documented for unknown-path"},
		"general body off its schema": {"GET", "/nothing", "", answer{404, jsonHeader, `{}`},
			"missing property 'code'"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			reports := exchange(New([]byte(notes)), test.method, test.target, test.body, test.answer)
			if len(reports) != 1 || !strings.Contains(reports[0], test.want) {
				t.Errorf("want one report with %q, have %q", test.want, reports)
			}
		})
	}
}

func TestCheckNeedsGeneralResponsesForRequestsOutside(t *testing.T) {
	c := New([]byte(strings.Replace(notes, "x-general-responses", "x-other", 1)))
	for request, want := range map[string]string{
		"GET /nothing":     `no general response "unknown-path"`,
		"OPTIONS /notes/a": `no general response "other-method"`,
	} {
		method, target, _ := strings.Cut(request, " ")
		reports := exchange(c, method, target, "", answer{404, jsonHeader, `{"code":"not_found"}`})
		if len(reports) != 1 || !strings.Contains(reports[0], want) {
			t.Errorf("%s: got reports %q, want one with %s", request, reports, want)
		}
	}
}

func TestMissingNamesResponsesThatHaveNotOccurred(t *testing.T) {
	every := []string{
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
	c := New([]byte(notes))
	if missing := c.Missing(); !slices.Equal(missing, every) {
		t.Fatalf("before any exchange: missing %q, want %q", missing, every)
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
}

func TestRequireRoutesComparesBothWays(t *testing.T) {
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
