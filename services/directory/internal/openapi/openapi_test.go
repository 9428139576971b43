package openapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	contracts "backend.example/proto-free-contracts"
	"backend.example/services/directory/internal/openapi"
)

const small = `
openapi: 3.1.1
info: {title: Small, version: 1.2.3, description: "**All** of it."}
tags: [{name: things, description: Things.}]
paths:
  /things/{id}:
    parameters: [{$ref: "#/components/parameters/ID"}]
    post:
      operationId: change
      tags: [things]
      summary: Change it
      security: [{session: []}]
      parameters: [{name: q, in: query, schema: {type: [integer, "null"], minimum: 1, default: 20}, example: 5}]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [list]
              properties:
                list: {type: array, description: All., items: {type: object, properties: {at: {$ref: "#/components/schemas/Time"}}}}
                inner: {type: object, properties: {either: {oneOf: [{$ref: "#/components/schemas/Time"}, {type: "null"}]}}}
                free: {type: object, additionalProperties: {type: number}}
            examples: {one: {summary: One., value: {z: 2026-11-22, a: [1, true, null, "<"], empty: {}}}}
      responses:
        "200": {description: Done., headers: &h {X-Id: {$ref: "#/components/headers/Id"}}}
        "404": {$ref: "#/components/responses/Missing"}
    get: {operationId: read, tags: [things], responses: {default: {description: Any., headers: *h}}}
components:
  parameters: {ID: {name: id, in: path, required: true, schema: {$ref: "#/components/schemas/Kind"}, example: b}}
  headers: {Id: {description: Of it., schema: {const: x}, example: 7}}
  schemas:
    Time: {type: string, description: A time., format: date-time}
    Kind: {enum: [b, a], type: string}
    Failure: {type: object, properties: {code: {type: string}}}
  responses:
    Missing:
      description: Not there.
      content:
        application/json:
          schema: {allOf: [{$ref: "#/components/schemas/Failure"}, {properties: {code: {enum: [gone, never]}}}]}
          examples: {gone: {$ref: "#/components/examples/Gone"}}
  examples: {Gone: {summary: It went., value: {code: gone, error: Nie ma.}}}
`

func typeText(t openapi.Type) (text string) {
	for _, part := range t {
		if part.Schema {
			text += "#"
		}
		text += part.Text
	}
	return text
}

// outline is what is read of a document, a line for each thing.
func outline(d *openapi.Document) string {
	var b strings.Builder
	line := func(values ...any) { fmt.Fprintln(&b, values...) }
	content := func(all []openapi.Content) {
		for _, c := range all {
			line("content", c.MediaType, typeText(c.Type), c.Codes)
			for _, f := range c.Fields {
				line("field", f.Name, typeText(f.Type), f.Required, f.Description, f.Limits)
			}
			for _, e := range c.Examples {
				line("example", e.Name, e.Summary, e.Code, e.Message, strings.Join(strings.Fields(e.JSON), ""))
			}
		}
	}
	for _, o := range d.Groups[0].Operations {
		line(o.Method, o.Path, o.ID, o.Login)
		for _, p := range o.Parameters {
			line("parameter", p.Name, p.In, p.Required, typeText(p.Type), p.Limits, p.Example)
		}
		if o.Body != nil {
			content(o.Body.Contents)
		}
		for _, r := range o.Responses {
			line(r.Status, r.Failed(), r.Description)
			for _, h := range r.Headers {
				line("header", h.Component, h.Name, typeText(h.Type), h.Example)
			}
			content(r.Contents)
		}
	}
	return b.String()
}

const outlined = `GET /things/{id} read false
parameter id path true #Kind [{enum b, a}] b
default true Any.
header Id X-Id "x" 7
POST /things/{id} change true
parameter id path true #Kind [{enum b, a}] b
parameter q query false integer | null [{minimum 1} {default 20}] 5
content application/json object []
field list array of object true All. []
field list[].at #Time false A time. [{format date-time}]
field inner object false  []
field inner.either #Time | null false  []
field free object of number false  []
example one One.   {"z":"2026-11-22","a":[1,true,null,"<"],"empty":{}}
200 false Done.
header Id X-Id "x" 7
404 true Not there.
content application/json #Failure [gone never]
example gone It went. gone Nie ma. {"code":"gone","error":"Niema."}
`

func TestParse(t *testing.T) {
	d, err := openapi.Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	if got := outline(d); got != outlined {
		t.Errorf("got\n%swant\n%s", got, outlined)
	}
	if d.Title != "Small" || d.Version != "1.2.3" || len(d.Schemas) != 3 || d.Schemas[0].Name != "Time" || len(d.Headers) != 1 {
		t.Errorf("%+v", d)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, document := range []string{"paths: [1]", "a: b: c", "paths: {/x: {get: {parameters: 7}}}"} {
		if d, err := openapi.Parse([]byte(document)); err == nil {
			t.Errorf("%s: %+v", document, d)
		}
	}
}

// TestContracts asks of both contracts that nothing stays without its text.
func TestContracts(t *testing.T) {
	for name, document := range map[string][]byte{"directory": contracts.Directory(), "hardware": contracts.Hardware()} {
		d, err := openapi.Parse(document)
		if err != nil {
			t.Fatal(err)
		}
		operations := 0
		for _, group := range d.Groups {
			operations += len(group.Operations)
			for _, o := range group.Operations {
				requireTexts(t, o)
			}
		}
		if written := strings.Count(string(document), "operationId: "); operations != written {
			t.Errorf("%s: %d operations of %d", name, operations, written)
		}
	}
}

func requireTexts(t *testing.T, o openapi.Operation) {
	t.Helper()
	if o.Summary == "" || o.Description == "" || len(o.Responses) == 0 {
		t.Errorf("%s: %+v", o.ID, o)
	}
	for _, p := range o.Parameters {
		if p.Name == "" || p.In == "" || p.Description == "" || p.Example == "" || typeText(p.Type) == "" {
			t.Errorf("%s: %+v", o.ID, p)
		}
	}
	for _, r := range o.Responses {
		if r.Description == "" {
			t.Errorf("%s %s has no description", o.ID, r.Status)
		}
		for _, c := range r.Contents {
			if typeText(c.Type) == "" || len(c.Examples) == 0 {
				t.Errorf("%s %s: %+v", o.ID, r.Status, c)
			}
			for _, e := range c.Examples {
				if !json.Valid([]byte(e.JSON)) || r.Failed() && e.Message == "" && !strings.Contains(e.JSON, `"error"`) {
					t.Errorf("%s %s %s: %s", o.ID, r.Status, e.Name, e.JSON)
				}
			}
		}
	}
}
