package contracttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// TestMissing has the usual exchanges.
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
	c := New([]byte(strings.Replace(notes, generalExtension, "x-other", 1)))
	reports := exchange(c, http.MethodGet, "/nothing", "", answer{404, jsonHeader, `{"code":"not_found"}`})
	if len(reports) != 1 || !strings.Contains(reports[0], `no general response "unknown-path"`) {
		t.Errorf("reports: %q", reports)
	}
	reports = exchange(c, http.MethodOptions, "/notes/a", "", answer{204, nil, ""})
	if len(reports) != 1 || !strings.Contains(reports[0], `no general response "other-method"`) {
		t.Errorf("reports: %q", reports)
	}
}

// readAll reads the body of a request before next, as a JSON handler does.
func readAll(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		next.ServeHTTP(w, r)
	})
}

func TestWrapDoesNotChangeTheExchange(t *testing.T) {
	c := New([]byte(notes))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != note {
			t.Errorf("handler read %q, %v", body, err)
		}
		w.Header().Set("Location", "/here")
		w.WriteHeader(http.StatusPermanentRedirect)
		w.Header().Del("Location") // too late: it has been sent
		r.URL.Path = "/rewritten"
	})
	recorder := httptest.NewRecorder()
	request := httptest.NewRequest(http.MethodPost, "/notes/a", strings.NewReader(note))
	request.Header.Set("Content-Type", "application/json")
	c.Wrap(t, handler).ServeHTTP(recorder, request)
	if result := recorder.Result(); result.StatusCode != http.StatusPermanentRedirect ||
		result.Header.Get("Location") != "/here" {
		t.Errorf("answer: %d %v", result.StatusCode, result.Header)
	}
}

func TestWrapTreatsEmptyHandlerAsOK(t *testing.T) {
	s := &spy{}
	silent := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	New([]byte(notes)).Wrap(s, silent).
		ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/notes/a", nil))
	if len(s.reports) != 1 || !strings.Contains(s.reports[0], "→ 200") {
		t.Errorf("reports: %q", s.reports)
	}
}

func TestWrapIgnoresCancelledRequests(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	silent := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { cancel() })
	request := httptest.NewRequest(http.MethodGet, "/notes/a", nil).WithContext(ctx)
	New([]byte(notes)).Wrap(t, silent).ServeHTTP(httptest.NewRecorder(), request)
}

func TestWrapIgnoresEarlyHints(t *testing.T) {
	c := New([]byte(notes))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusEarlyHints)
		answer{200, noteHeader, note}.ServeHTTP(w, r)
	})
	server := httptest.NewServer(c.Wrap(t, handler))
	defer server.Close()
	get(t, server.URL+"/notes/a")
}

func TestWrapSupportsResponseController(t *testing.T) {
	flushed := errors.New("not called")
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer{200, noteHeader, note}.ServeHTTP(w, r)
		flushed = http.NewResponseController(w).Flush()
	})
	recorder := httptest.NewRecorder()
	New([]byte(notes)).Wrap(t, handler).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/notes/a", nil))
	if flushed != nil || !recorder.Flushed {
		t.Errorf("flush: %v, recorder flushed: %t", flushed, recorder.Flushed)
	}
}

func TestCheckerIsSafeForConcurrentUse(t *testing.T) {
	c := New([]byte(notes))
	server := httptest.NewServer(c.Wrap(t, answer{200, noteHeader, note}))
	defer server.Close()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			get(t, server.URL+"/notes/a")
			c.Missing()
		})
	}
	group.Wait()
}

func get(t *testing.T, url string) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Error(err)
		return
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || string(body) != note {
		t.Errorf("body %q, %v", body, err)
	}
}

// notes is a small API with one of everything: parameters, a body, headers, a redirect,
// a login, responses without a body, nullable fields, codes, general responses.
const notes = `
openapi: 3.1.1
info: {title: Notes, version: "1"}
servers: [{url: "https://notes.example/base"}]
x-general-responses:
  unknown-path: {"404": Failed}
  other-method: {"405": Failed}
  options: {"204": Empty}
paths:
  /notes/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: string, enum: [a, b]}}
      - {name: limit, in: query, schema: {type: integer, minimum: 1, default: 10}}
    get:
      responses:
        "200":
          description: ok
          headers: &headers
            ETag: {required: true, schema: {type: string, pattern: '^".+"$'}}
            Age: {schema: {type: integer, minimum: 0}}
          content: &content
            application/json: {schema: {$ref: "#/components/schemas/Note"}}
        "304": {description: not modified, headers: *headers}
        "400": {$ref: "#/components/responses/Invalid"}
    head:
      responses:
        "200": {description: ok, headers: *headers}
        default: {$ref: "#/components/responses/Failed"}
    post:
      security: [{session: []}]
      requestBody: {required: true, content: *content}
      responses:
        "308": {description: elsewhere, headers: {Location: {required: true, schema: {type: string}}}}
        5XX: {$ref: "#/components/responses/Failed"}
components:
  securitySchemes: {session: {type: apiKey, in: cookie, name: session}}
  schemas:
    Note:
      type: object
      additionalProperties: false
      required: [text, author]
      properties:
        text: {type: string}
        author: {oneOf: [{$ref: "#/components/schemas/Author"}, {type: "null"}]}
        stars: {type: [integer, "null"]}
    Author: {type: object, additionalProperties: false, required: [name], properties: {name: {type: string}}}
    Error: {type: object, additionalProperties: false, required: [code], properties: {code: {type: string}}}
  responses:
    Empty: {description: nothing, headers: {Allow: {required: true, schema: {type: string}}}}
    Failed: {description: failed, content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}}
    Invalid:
      description: invalid
      content:
        application/json:
          schema: {$ref: "#/components/schemas/Error"}
          examples: {id: {value: {code: bad_id}}, low: {value: {code: bad_limit}}, text: {value: {code: bad_limit}}}
`

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

func (a answer) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
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

// exchange sends one request through the checker to a handler that writes a, and returns
// the reported errors.
func exchange(c *Checker, method, target, body string, a answer) []string {
	s := &spy{}
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	c.Wrap(s, readAll(a)).ServeHTTP(httptest.NewRecorder(), request)
	return s.reports
}
