package social

import (
	"maps"
	"slices"
	"strconv"
)

// object is a node of the graph: a person, a page, a medium …
type object struct {
	kind   string         // as errors call it, e.g. "Page"
	usual  []string       // fields that are answered when none are asked for
	fields map[string]any // every field of the kind
}

// Values of fields that are not plain JSON.
type (
	// lazy is computed when it is asked for.
	lazy func() any
	// absent is a field that the kind has and this object has not.
	absent struct{}
	// wrapped is an object or a list that stands within {"data": …}.
	wrapped struct{ content any }
)

// pick returns the selected fields, and always the id.
func (o object) pick(fields selection) (map[string]any, *refusal) {
	if fields == nil {
		for _, name := range o.usual {
			fields = append(fields, field{name: name})
		}
	}
	picked := make(map[string]any)
	for _, f := range append(fields, field{name: "id"}) {
		value, known := o.fields[f.name]
		if !known {
			return nil, badParameter("Tried accessing nonexisting field (%s) on node type (%s)", f.name, o.kind)
		}
		value, present, refused := resolve(value, f.of)
		if refused != nil {
			return nil, refused
		}
		if present {
			picked[f.name] = value
		}
	}
	return picked, nil
}

// resolve turns a field's value into JSON; present is false where there is none.
func resolve(value any, of selection) (resolved any, present bool, refused *refusal) {
	switch v := value.(type) {
	case absent:
		return nil, false, nil
	case lazy:
		return resolve(v(), of)
	case wrapped:
		content, _, refused := resolve(v.content, of)
		return map[string]any{"data": content}, true, refused
	case object:
		picked, refused := v.pick(of)
		return picked, true, refused
	case []object:
		list, refused := pickAll(v, of)
		return list, true, refused
	case map[string]any:
		picked, refused := part(v, of)
		return picked, true, refused
	default:
		return value, true, nil
	}
}

func pickAll(objects []object, of selection) ([]map[string]any, *refusal) {
	list := make([]map[string]any, 0, len(objects))
	for _, o := range objects {
		picked, refused := o.pick(of)
		if refused != nil {
			return nil, refused
		}
		list = append(list, picked)
	}
	return list, nil
}

// part returns the selected members of a value that is no object of its own.
func part(value map[string]any, of selection) (map[string]any, *refusal) {
	if of == nil {
		return value, nil
	}
	picked := maps.Clone(value)
	maps.DeleteFunc(picked, func(name string, _ any) bool {
		return !slices.ContainsFunc(of, func(f field) bool { return f.name == name })
	})
	if len(picked) != len(of) {
		return nil, badParameter("Tried accessing nonexisting field of a structure")
	}
	return picked, nil
}

// optional is absent for an empty text.
func optional(text string) any {
	if text == "" {
		return absent{}
	}
	return text
}

func itoa(n int) string { return strconv.Itoa(n) }

// graphTime is how the API writes a time.
const graphTime = "2006-01-02T15:04:05-0700"
