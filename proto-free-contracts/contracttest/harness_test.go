package contracttest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

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
