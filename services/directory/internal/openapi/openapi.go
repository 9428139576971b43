// Package openapi reads an OpenAPI 3.1 document for people who want to read it: its
// operations, with all that they refer to, in the order of the document.
//
// It reads what the contracts of this project use, and takes them to be valid, since
// their own tests hold them to the specification. Turning this into a page is the
// business of package pages.
package openapi

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is an API. Descriptions are CommonMark, here and in all that follows.
type Document struct {
	Title, Version, Description string
	Groups                      []Group
	Schemas                     []Schema
	Headers                     []Header // of responses, as components
}

// Group has the operations with one tag.
type Group struct {
	Name, Description string
	Operations        []Operation
}

// Operation is one method of one path.
type Operation struct {
	ID, Method, Path, Summary, Description string
	Login                                  bool // needs a session
	Parameters                             []Parameter
	Body                                   *Body // nil: none
	Responses                              []Response
}

// Parameter is a value that a request carries besides its body.
type Parameter struct {
	Name, In, Description string // In: path, query or header
	Required              bool
	Type                  Type
	Limits                []Limit
	Example               string
}

// Header is one of a response. Several components may have the same name.
type Header struct {
	Component string
	Parameter
}

// Body is that of a request.
type Body struct {
	Description string
	Required    bool
	Contents    []Content
}

// Response is an answer with one status.
type Response struct {
	Status      string // three digits, or "default" for all that have no answer of their own
	Description string
	Headers     []Header
	Contents    []Content
}

// Failed reports whether the response tells of a failure.
func (r Response) Failed() bool { return r.Status == "default" || r.Status >= "400" }

// Content is a body in one media type.
type Content struct {
	MediaType string
	Type      Type
	Fields    []Field // of the body, if it is an object
	Codes     []string
	Examples  []Example
}

// Example is one value of a body. Code and Message are those of a failure.
type Example struct{ Name, Summary, JSON, Code, Message string }

// Parse reads a document in YAML.
func Parse(document []byte) (*Document, error) {
	var c contract
	if err := yaml.Unmarshal(document, &c); err != nil {
		return nil, fmt.Errorf("OpenAPI document: %w", err)
	}
	d := &Document{Title: c.Info.Title, Version: c.Info.Version, Description: c.Info.Description}
	for _, tag := range c.Tags {
		d.Groups = append(d.Groups, Group{Name: tag.Name, Description: tag.Description, Operations: c.operations(tag.Name)})
	}
	d.Headers = headers(d.Groups)
	for _, s := range c.Components.Schemas {
		d.Schemas = append(d.Schemas, c.named(s.Key, s.Value.Value))
	}
	return d, nil
}

func (c *contract) operations(tag string) (found []Operation) {
	for _, path := range c.Paths {
		for method, o := range path.Value.methods() {
			if len(o.Tags) == 0 || o.Tags[0] != tag {
				continue
			}
			operation := Operation{
				ID: o.OperationID, Method: method, Path: path.Key, Summary: o.Summary, Description: o.Description,
				Login: len(o.Security) > 0, Body: c.body(o.RequestBody), Responses: c.responses(o.Responses),
			}
			for _, p := range append(path.Value.Parameters, o.Parameters...) {
				operation.Parameters = append(operation.Parameters, c.parameter(resolve(p, c.Components.Parameters)))
			}
			found = append(found, operation)
		}
	}
	return found
}

func (c *contract) parameter(p parameter) Parameter {
	return Parameter{
		Name: p.Name, In: p.In, Description: p.Description, Required: p.Required, Type: typeOf(p.Schema),
		Limits: c.limits(p.Schema), Example: text(&p.Example),
	}
}

func (c *contract) body(b *requestBody) *Body {
	if b == nil {
		return nil
	}
	return &Body{Description: b.Description, Required: b.Required, Contents: c.contents(b.Content)}
}

func (c *contract) responses(listed ordered[orRef[response]]) (all []Response) {
	for _, entry := range listed {
		r := resolve(entry.Value, c.Components.Responses)
		answer := Response{Status: entry.Key, Description: r.Description, Contents: c.contents(r.Content)}
		for _, h := range r.Headers {
			answer.Headers = append(answer.Headers, c.header(h.Key, h.Value.Name))
		}
		all = append(all, answer)
	}
	return all
}

func (c *contract) header(name, component string) Header {
	h := Header{Component: component}
	for _, known := range c.Components.Headers {
		if known.Key == component {
			h.Parameter = c.parameter(known.Value)
		}
	}
	h.Name = name
	return h
}

// headers are all that responses have, each once, by the first name it is used under.
func headers(groups []Group) (all []Header) {
	for _, group := range groups {
		for _, operation := range group.Operations {
			for _, r := range operation.Responses {
				for _, h := range r.Headers {
					if !slices.ContainsFunc(all, func(known Header) bool { return known.Component == h.Component }) {
						all = append(all, h)
					}
				}
			}
		}
	}
	return all
}

func (c *contract) contents(types ordered[mediaType]) (all []Content) {
	for _, entry := range types {
		content := Content{
			MediaType: entry.Key, Type: typeOf(entry.Value.Schema), Fields: c.fields("", entry.Value.Schema),
			Codes: c.codes(entry.Value.Schema),
		}
		for _, e := range entry.Value.Examples {
			shown := resolve(e.Value, c.Components.Examples)
			content.Examples = append(content.Examples, Example{
				Name: e.Key, Summary: strings.TrimSpace(shown.Summary), JSON: toJSON(&shown.Value),
				Code: member(&shown.Value, "code"), Message: member(&shown.Value, "error"),
			})
		}
		all = append(all, content)
	}
	return all
}
