package contracttest

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// value makes a value of a schema. name is that of the parameter or field.
func (g *generator) value(name string, ref *openapi3.SchemaRef) any {
	if g.faultShare > 0 && g.rng.Float64() < g.faultShare && name != "" {
		return g.unusualValue()
	}
	if values := g.known[name]; len(values) > 0 && !g.oneIn(4) {
		return values[g.rng.IntN(len(values))]
	}
	if ref == nil || ref.Value == nil {
		return g.text(0, 20)
	}
	return g.ofSchema(ref.Value)
}

func (g *generator) ofSchema(s *openapi3.Schema) any {
	given := slices.Concat(s.Enum, s.Examples)
	for _, v := range []any{s.Example, s.Default} {
		if v != nil {
			given = append(given, v)
		}
	}
	choices := slices.Concat(s.OneOf, s.AnyOf)
	switch {
	case len(s.Enum) > 0 || len(given) > 0 && g.oneIn(2):
		return given[g.rng.IntN(len(given))]
	case len(choices) > 0:
		return g.value("", choices[g.rng.IntN(len(choices))])
	case s.Type == nil:
		return g.text(0, 20)
	}
	return g.ofType((*s.Type)[g.rng.IntN(len(*s.Type))], s)
}

func (g *generator) ofType(kind string, s *openapi3.Schema) any {
	switch kind {
	case openapi3.TypeObject:
		return g.object(s)
	case openapi3.TypeArray:
		return []any{g.value("", s.Items)}
	case openapi3.TypeInteger, openapi3.TypeNumber:
		return g.number(s)
	case openapi3.TypeBoolean:
		return g.oneIn(2)
	case openapi3.TypeNull:
		return nil
	}
	least, most := min(s.MinLength, 1000), uint64(40)
	if s.MaxLength != nil {
		most = min(*s.MaxLength, 1000)
	}
	return g.text(int(least), int(most)) // #nosec G115 -- at most 1000
}

// object makes an object without some of the optional fields.
func (g *generator) object(s *openapi3.Schema) any {
	object := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) && !(g.faultIn(8)) || !g.oneIn(3) {
			object[name] = g.value(name, s.Properties[name])
		}
	}
	if g.faultIn(4) {
		object[g.text(0, 10)] = g.unusualValue()
	}
	return object
}

// number prefers the ends of the range.
func (g *generator) number(s *openapi3.Schema) any {
	low, high := 0, 1000
	if s.Min != nil {
		low = int(*s.Min)
	}
	if s.Max != nil {
		high = int(*s.Max)
	}
	near := []int{low, high, low + 1, max(low, high-1), low + g.rng.IntN(max(high-low, 1))}
	return near[g.rng.IntN(len(near))]
}

// text makes a text of least to most characters.
func (g *generator) text(least, most int) string {
	alphabet := []rune("abcdefgh RTX4070-_.żółć")
	var b strings.Builder
	for range least + g.rng.IntN(max(most-least, 0)+1) {
		b.WriteRune(alphabet[g.rng.IntN(len(alphabet))])
	}
	return b.String()
}

// unusualValue returns a value that few schemas allow, or that is hard to parse.
func (g *generator) unusualValue() any {
	values := []any{
		nil, true, "", " ", 0, -1, 1.5, 1e300, 9007199254740993, "-0", "1e3", "0x10", "٣", "NaN",
		"\x00", "a\x00b", "\u202e\ufeff", "\U0001F994", "\uFFFD", "../../etc/passwd", "..", ".", "/", "//", "\\", "%00", "%2e%2e%2f", "{{7*7}}", "${x}",
		"' OR '1'='1", "'; DROP TABLE users; --", "<script>alert(1)</script>", "\r\nSet-Cookie: a=b", "a;b,c", `"`, "null", "*",
		strings.Repeat("ż", 300), strings.Repeat("a", 5000),
		[]any{}, []any{1, "a", nil}, map[string]any{}, map[string]any{"$gt": ""}, []any{[]any{[]any{}}},
	}
	return values[g.rng.IntN(len(values))]
}
