package openapi

import (
	"fmt"
	"iter"
	"path"

	"go.yaml.in/yaml/v3"
)

// contract is an OpenAPI document as it is written.
type contract struct {
	Info       struct{ Title, Version, Description string }
	Tags       []struct{ Name, Description string }
	Paths      ordered[pathItem]
	Components struct {
		Parameters map[string]parameter
		Headers    ordered[parameter]
		Responses  map[string]response
		Examples   map[string]example
		Schemas    ordered[orRef[schema]]
	}
}

type pathItem struct {
	Parameters           []orRef[parameter]
	Get, Head, Post, Put *operation
	Patch, Delete        *operation
}

// methods yields the operations by their method, reading before writing.
func (p pathItem) methods() iter.Seq2[string, *operation] {
	return func(yield func(string, *operation) bool) {
		for _, m := range []struct {
			name string
			*operation
		}{{"GET", p.Get}, {"HEAD", p.Head}, {"POST", p.Post}, {"PUT", p.Put}, {"PATCH", p.Patch}, {"DELETE", p.Delete}} {
			if m.operation != nil && !yield(m.name, m.operation) {
				return
			}
		}
	}
}

type operation struct {
	OperationID          string `yaml:"operationId"`
	Summary, Description string
	Tags                 []string
	Security             []map[string][]string
	Parameters           []orRef[parameter]
	RequestBody          *requestBody `yaml:"requestBody"`
	Responses            ordered[orRef[response]]
}

type parameter struct {
	Name, In, Description string
	Required              bool
	Schema                orRef[schema]
	Example               yaml.Node
}

type requestBody struct {
	Description string
	Required    bool
	Content     ordered[mediaType]
}

type response struct {
	Description string
	Headers     ordered[orRef[parameter]]
	Content     ordered[mediaType]
}

type mediaType struct {
	Schema   orRef[schema]
	Examples ordered[orRef[example]]
}

type example struct {
	Summary string
	Value   yaml.Node
}

// orRef is a value, or the name of the component that has it.
type orRef[T any] struct {
	Name  string
	Value T
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (r *orRef[T]) UnmarshalYAML(node *yaml.Node) error {
	var reference struct {
		To string `yaml:"$ref"`
	}
	if err := node.Decode(&reference); err != nil {
		return err
	}
	if reference.To != "" {
		r.Name = path.Base(reference.To)
		return nil
	}
	return node.Decode(&r.Value)
}

// resolve is the value itself, or the component that is named.
func resolve[T any](r orRef[T], components map[string]T) T {
	if r.Name != "" {
		return components[r.Name]
	}
	return r.Value
}

// ordered is a mapping in the order in which it is written.
type ordered[T any] []entry[T]

type entry[T any] struct {
	Key   string
	Value T
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (o *ordered[T]) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: not a mapping", node.Line)
	}
	for i := 0; i < len(node.Content); i += 2 {
		e := entry[T]{Key: node.Content[i].Value}
		if err := node.Content[i+1].Decode(&e.Value); err != nil {
			return err
		}
		*o = append(*o, e)
	}
	return nil
}
