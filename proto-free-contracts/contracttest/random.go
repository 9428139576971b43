package contracttest

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// RandomRequest is a request that was generated from the document.
type RandomRequest struct {
	Operation string // "GET /notes/{id}"
	Valid     bool   // matches the document
	Body      []byte

	method string
	target *url.URL
	header http.Header
}

// HTTP returns the request as a server receives it.
func (r RandomRequest) HTTP() *http.Request {
	request := httptest.NewRequest(r.method, "/", bytes.NewReader(r.Body))
	target := *r.target
	request.URL = &target
	request.RequestURI = target.RequestURI()
	request.Header = r.header.Clone()
	return request
}

// RandomRequests returns n requests to every operation, the same for the same seed. Some
// match the document, others have one or more faults. known has values that exist in the
// service, by the name of a parameter or field.
func (c *Checker) RandomRequests(seed uint64, n int, known map[string][]any) []RandomRequest {
	g := generator{rng: rand.New(rand.NewPCG(seed, 0)), known: known} // #nosec G404 -- the same for the same seed
	var requests []RandomRequest
	for range n {
		for _, path := range slices.Sorted(maps.Keys(c.document.Paths.Map())) {
			item := c.document.Paths.Value(path)
			for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
				operation := item.GetOperation(method)
				r := g.request(method, path, slices.Concat(item.Parameters, operation.Parameters),
					operation.RequestBody)
				target, err := c.find(r.HTTP())
				r.Valid = err == nil && target.name == r.Operation &&
					checkRequest(target, Exchange{Request: r.HTTP(), RequestBody: r.Body}) == nil
				requests = append(requests, r)
			}
		}
	}
	return requests
}

// SendAll sends the requests to handler. It reports every response that does not match
// the document and every 500, and counts the responses to valid and to invalid requests
// by status.
func (c *Checker) SendAll(tb testing.TB, handler http.Handler, requests []RandomRequest) (valid, invalid map[int]int) {
	tb.Helper()
	valid, invalid = map[int]int{}, map[int]int{}
	checked := c.Wrap(tb, handler)
	for _, r := range requests {
		answer := httptest.NewRecorder()
		checked.ServeHTTP(answer, r.HTTP())
		if answer.Code == http.StatusInternalServerError {
			tb.Errorf("%s %s with %q returns 500", r.method, r.target, r.Body)
		}
		counts := invalid
		if r.Valid {
			counts = valid
		}
		counts[answer.Code]++
	}
	return valid, invalid
}

// generator generates random requests.
type generator struct {
	rng        *rand.Rand
	known      map[string][]any
	faultShare float64 // share of values with a fault in the current request
}

// oneIn returns true once in n times.
func (g *generator) oneIn(n int) bool { return g.rng.IntN(n) == 0 }

// faultIn returns true once in n times if the request may have faults.
func (g *generator) faultIn(n int) bool { return g.faultShare > 0 && g.oneIn(n) }

func (g *generator) pick(from []string) string { return from[g.rng.IntN(len(from))] }

func (g *generator) request(method, path string, parameters openapi3.Parameters,
	body *openapi3.RequestBodyRef) RandomRequest {
	g.faultShare = []float64{0, 0, 0.2, 0.7}[g.rng.IntN(4)]
	r := RandomRequest{Operation: method + " " + path, method: method, header: http.Header{}}
	query := url.Values{}
	for _, ref := range parameters {
		g.setParameter(ref.Value, &path, query, r.header)
	}
	r.target = &url.URL{Path: path, RawQuery: query.Encode()}
	if g.faultIn(5) {
		r.target.RawQuery += g.pick([]string{"&%zz", "&a;b", "&=&&", "&" + strings.Repeat("x=1&", 500), "&\x00"})
	}
	if plain, err := url.PathUnescape(path); err == nil {
		r.target.Path, r.target.RawPath = plain, path
	}
	if body != nil && !g.faultIn(10) {
		r.Body = g.body(body.Value, r.header)
	}
	return r
}

// setParameter sets or omits a parameter.
func (g *generator) setParameter(parameter *openapi3.Parameter, path *string, query url.Values, header http.Header) {
	text := asText(g.value(parameter.Name, parameter.Schema))
	if parameter.Example != nil && g.faultShare == 0 && g.oneIn(3) {
		text = asText(parameter.Example)
	}
	switch {
	case parameter.In == openapi3.ParameterInPath:
		*path = strings.ReplaceAll(*path, "{"+parameter.Name+"}", url.PathEscape(text))
	case !parameter.Required && g.oneIn(3):
	case parameter.In == openapi3.ParameterInQuery:
		query.Add(parameter.Name, text)
		if g.faultIn(10) {
			query.Add(parameter.Name, asText(g.value(parameter.Name, parameter.Schema)))
		}
	case parameter.In == openapi3.ParameterInHeader:
		header.Set(parameter.Name, strings.Map(printable, text))
	}
}

// printable drops characters that net/http rejects in a header.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}

func asText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	encoded, _ := json.Marshal(v) // never fails for generated values
	return string(encoded)
}

// body returns a body of one of the documented content types, sometimes with a fault.
func (g *generator) body(documented *openapi3.RequestBody, header http.Header) []byte {
	kind := g.pick(slices.Sorted(maps.Keys(documented.Content)))
	header.Set("Content-Type", kind)
	fields := g.value("", documented.Content[kind].Schema)
	b, _ := json.Marshal(fields) // never fails for generated values
	if object, ok := fields.(map[string]any); ok && strings.Contains(kind, "form") {
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		form := url.Values{}
		for name, value := range object {
			form.Set(name, asText(value))
		}
		b = []byte(form.Encode())
	}
	if g.faultIn(3) {
		b = g.withFault(b, header)
	}
	return b
}

// withFault returns a body with a random fault, or sets a wrong content type.
func (g *generator) withFault(b []byte, header http.Header) []byte {
	switch g.rng.IntN(7) {
	case 0:
		return b[:g.rng.IntN(len(b)+1)]
	case 1:
		return append(b, b...)
	case 2:
		b = append(b, ' ')
		b[g.rng.IntN(len(b))] ^= byte(1 + g.rng.IntN(255)) // #nosec G115 -- at most 255
		return b
	case 3:
		return slices.Concat([]byte(strings.Repeat("[", 12000)), b, []byte(strings.Repeat("]", 12000)))
	case 4:
		return append(b, strings.Repeat(" ", 1<<17)...)
	case 5:
		header.Set("Content-Type", g.pick([]string{
			"text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json; charset=\"", "/",
		}))
		return b
	default:
		random := make([]byte, 200)
		for i := range random {
			random[i] = byte(g.rng.Uint32()) // #nosec G115 -- any byte
		}
		return random
	}
}

// value returns a value of a schema. name is the name of the parameter or field.
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

// object returns an object without some of the optional fields.
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

// number returns a number, often one at the ends of the range.
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

// text returns a text of least to most characters.
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
		"\x00", "a\x00b", "\u202e\ufeff", "\U0001F994", "\uFFFD", "../../etc/passwd", "..", ".", "/", "//", "\\", "%00",
		"%2e%2e%2f", "{{7*7}}", "${x}",
		"' OR '1'='1", "'; DROP TABLE users; --", "<script>alert(1)</script>", "\r\nSet-Cookie: a=b", "a;b,c", `"`,
		"null", "*",
		strings.Repeat("ż", 300), strings.Repeat("a", 5000),
		[]any{}, []any{1, "a", nil}, map[string]any{}, map[string]any{"$gt": ""}, []any{[]any{[]any{}}},
	}
	return values[g.rng.IntN(len(values))]
}
