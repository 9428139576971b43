package contracttest

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// value makes a value of a schema up; name is that of the parameter or field.
func (m *maker) value(name string, ref *openapi3.SchemaRef) any {
	if m.wild > 0 && m.rng.Float64() < m.wild && name != "" {
		return m.wildValue()
	}
	if values := m.known[name]; len(values) > 0 && !m.one(4) {
		return values[m.rng.IntN(len(values))]
	}
	if ref == nil || ref.Value == nil {
		return m.text(0, 20)
	}
	return m.ofSchema(ref.Value)
}

func (m *maker) ofSchema(s *openapi3.Schema) any {
	given := slices.Concat(s.Enum, s.Examples)
	for _, v := range []any{s.Example, s.Default} {
		if v != nil {
			given = append(given, v)
		}
	}
	choices := slices.Concat(s.OneOf, s.AnyOf)
	switch {
	case len(s.Enum) > 0 || len(given) > 0 && m.one(2):
		return given[m.rng.IntN(len(given))]
	case len(choices) > 0:
		return m.value("", choices[m.rng.IntN(len(choices))])
	case s.Type == nil:
		return m.text(0, 20)
	}
	return m.ofType((*s.Type)[m.rng.IntN(len(*s.Type))], s)
}

func (m *maker) ofType(kind string, s *openapi3.Schema) any {
	switch kind {
	case openapi3.TypeObject:
		return m.object(s)
	case openapi3.TypeArray:
		return []any{m.value("", s.Items)}
	case openapi3.TypeInteger, openapi3.TypeNumber:
		return m.number(s)
	case openapi3.TypeBoolean:
		return m.one(2)
	case openapi3.TypeNull:
		return nil
	}
	least, most := min(s.MinLength, 1000), uint64(40)
	if s.MaxLength != nil {
		most = min(*s.MaxLength, 1000)
	}
	return m.text(int(least), int(most)) // #nosec G115 -- at most 1000
}

// object leaves some of the fields that may be absent out.
func (m *maker) object(s *openapi3.Schema) any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) && !(m.wild > 0 && m.one(8)) || !m.one(3) {
			object[name] = m.value(name, s.Properties[name])
		}
	}
	if m.wild > 0 && m.one(4) {
		object[m.text(0, 10)] = m.wildValue()
	}
	return object
}

// number prefers the ends of the range.
func (m *maker) number(s *openapi3.Schema) any {
	low, high := 0, 1000
	if s.Min != nil {
		low = int(*s.Min)
	}
	if s.Max != nil {
		high = int(*s.Max)
	}
	near := []int{low, high, low + 1, max(low, high-1), low + m.rng.IntN(max(high-low, 1))}
	return near[m.rng.IntN(len(near))]
}

// text is a text of least to most characters.
func (m *maker) text(least, most int) string {
	alphabet := []rune("abcdefgh RTX4070-_.żółć")
	var b strings.Builder
	for range least + m.rng.IntN(max(most-least, 0)+1) {
		b.WriteRune(alphabet[m.rng.IntN(len(alphabet))])
	}
	return b.String()
}

// wildValue is something that hardly any schema allows, or that trips readers up.
func (m *maker) wildValue() any {
	values := []any{
		nil, true, "", " ", 0, -1, 1.5, 1e300, 9007199254740993, "-0", "1e3", "0x10", "٣", "NaN",
		"\x00", "a\x00b", "\u202e\ufeff", "\U0001F994", "\uFFFD", "../../etc/passwd", "..", ".", "/", "//", "\\", "%00", "%2e%2e%2f", "{{7*7}}", "${x}",
		"' OR '1'='1", "'; DROP TABLE users; --", "<script>alert(1)</script>", "\r\nSet-Cookie: a=b", "a;b,c", `"`, "null", "*",
		strings.Repeat("ż", 300), strings.Repeat("a", 5000),
		[]any{}, []any{1, "a", nil}, map[string]any{}, map[string]any{"$gt": ""}, []any{[]any{[]any{}}},
	}
	return values[m.rng.IntN(len(values))]
}
