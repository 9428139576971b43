package social

import "strings"

// object is a node of the graph: a person, a page, a photo account or a medium. A
// value of type func() any is computed when it is asked for, and a field that the
// kind has but this object has not is nil.
type object struct {
	kind   string         // as errors call it, e.g. "Page"
	usual  []string       // fields that are answered when none are asked for
	fields map[string]any // every field of the kind
}

// pick returns the selected fields, and always the id.
func (o object) pick(fields []string) (map[string]any, *refusal) {
	if len(fields) == 0 {
		fields = o.usual
	}
	picked := map[string]any{"id": o.fields["id"]}
	for _, name := range fields {
		value, known := o.fields[name]
		if !known {
			return nil, badParameter("Tried accessing nonexisting field (%s) on node type (%s)", name, o.kind)
		}
		if compute, lazy := value.(func() any); lazy {
			value = compute()
		}
		if value != nil {
			picked[name] = value
		}
	}
	return picked, nil
}

// readFields reads the parameter fields: names between commas. Of the language of the
// real API nothing else is understood
// (https://developers.facebook.com/docs/graph-api/guides/field-expansion).
func (c *call) readFields() []string {
	if text := c.Form.Get("fields"); text != "" {
		return strings.Split(text, ",")
	}
	return nil
}

// optional is nil for an empty text.
func optional(text string) any {
	if text == "" {
		return nil
	}
	return text
}
