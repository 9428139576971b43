package openapi

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Schema is a type with a name.
type Schema struct {
	Name, Description string
	Type              Type
	Limits            []Limit
	Fields            []Field
}

// Field is one of an object's. Those of an object within it follow, with its name
// and a dot before theirs.
type Field struct {
	Name, Description string
	Required          bool
	Type              Type
	Limits            []Limit
}

// Limit is a rule of JSON Schema for a value, by its keyword.
type Limit struct{ Keyword, Value string }

// Type is the text of a type, in parts.
type Type []Part

// Part is a text, which Schema says to be the name of a schema.
type Part struct {
	Text   string
	Schema bool
}

type schema struct {
	Description          string
	Type                 yaml.Node
	Properties           ordered[orRef[schema]]
	Required             []string
	Items                *orRef[schema]
	AdditionalProperties yaml.Node       `yaml:"additionalProperties"`
	OneOf                []orRef[schema] `yaml:"oneOf"`
	AnyOf                []orRef[schema] `yaml:"anyOf"`
	AllOf                []orRef[schema] `yaml:"allOf"`
	Enum                 []yaml.Node
	Const                yaml.Node
	Rules                map[string]yaml.Node `yaml:",inline"`
}

// shownRules are the keywords of limits, in the order in which they are shown.
var shownRules = []string{
	"format", "minimum", "exclusiveMinimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "default",
}

func typeOf(s orRef[schema]) Type {
	if s.Name != "" {
		return Type{{Text: s.Name, Schema: true}}
	}
	v := s.Value
	for _, choice := range [][]orRef[schema]{v.OneOf, v.AnyOf, v.AllOf} {
		if t := union(choice); t != nil && v.Type.IsZero() {
			return t
		}
	}
	switch {
	case v.Items != nil:
		return slices.Concat(Type{{Text: "array of "}}, typeOf(*v.Items))
	case !v.Const.IsZero():
		return plain(toJSON(&v.Const))
	case v.Type.Kind == yaml.SequenceNode:
		return plain(strings.Join(texts(&v.Type), " | "))
	case v.AdditionalProperties.Kind == yaml.MappingNode && len(v.Properties) == 0:
		if t := typeOf(decoded(&v.AdditionalProperties)); t != nil {
			return slices.Concat(plain("object of "), t)
		}
	}
	return plain(v.Type.Value)
}

// union is one of several types. Alternatives that only say which fields are
// there, and not of which type, are none.
func union(alternatives []orRef[schema]) (all Type) {
	for _, alternative := range alternatives {
		t := typeOf(alternative)
		if t == nil {
			continue
		}
		if all != nil {
			all = append(all, Part{Text: " | "})
		}
		all = append(all, t...)
	}
	return all
}

func plain(text string) Type {
	if text == "" {
		return nil
	}
	return Type{{Text: text}}
}

func decoded(node *yaml.Node) (s orRef[schema]) {
	_ = node.Decode(&s) // it has been decoded before, as a part of the document
	return s
}

func (c *contract) named(name string, s schema) Schema {
	value := orRef[schema]{Value: s}
	return Schema{
		Name: name, Description: s.Description, Type: typeOf(value), Limits: c.limits(value), Fields: c.fields("", value),
	}
}

// schema is the value of s, also of one that is named.
func (c *contract) schema(s orRef[schema]) schema {
	for _, known := range c.Components.Schemas {
		if s.Name != "" && known.Key == s.Name {
			return known.Value.Value
		}
	}
	return s.Value
}

// fields are those of an object, or of the schemas that it is put together from.
func (c *contract) fields(prefix string, s orRef[schema]) (all []Field) {
	v := c.schema(s)
	for _, p := range v.Properties {
		name := prefix + p.Key
		all = append(all, Field{
			Name: name, Description: c.description(p.Value), Required: slices.Contains(v.Required, p.Key),
			Type: typeOf(p.Value), Limits: c.limits(p.Value),
		})
		if inner := p.Value.Value; inner.Items != nil && inner.Items.Name == "" {
			all = append(all, c.fields(name+"[].", *inner.Items)...)
		} else if p.Value.Name == "" {
			all = append(all, c.fields(name+".", p.Value)...)
		}
	}
	return all
}

// description is that of s, or of what it refers to when that is a simple value.
func (c *contract) description(s orRef[schema]) string {
	v := c.schema(s)
	return v.Description
}

func (c *contract) limits(s orRef[schema]) (all []Limit) {
	v := c.schema(s)
	if len(v.Enum) > 0 {
		var values []string
		for i := range v.Enum {
			values = append(values, text(&v.Enum[i]))
		}
		all = append(all, Limit{"enum", strings.Join(values, ", ")})
	}
	for _, keyword := range shownRules {
		if rule, ok := v.Rules[keyword]; ok {
			all = append(all, Limit{keyword, text(&rule)})
		}
	}
	return all
}

// codes are the values that the field code can have in a failure.
func (c *contract) codes(s orRef[schema]) (all []string) {
	for _, part := range s.Value.AllOf {
		for _, p := range part.Value.Properties {
			if p.Key != "code" {
				continue
			}
			for i := range p.Value.Value.Enum {
				all = append(all, p.Value.Value.Enum[i].Value)
			}
		}
	}
	return all
}
