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
	"unicode"

	"github.com/getkin/kin-openapi/openapi3"
)

// SendRandom sends n random requests to every operation, the same ones each time. Their values are examples of the
// document, values that exist in the service (known, by the name of a parameter or field), and faults. It reports
// every response that does not match the document and every 500, and counts the responses to valid and to invalid
// requests by status.
func (c *Checker) SendRandom(
	tb testing.TB, handler http.Handler, n int, known map[string][]any,
) (valid, invalid map[int]int) {
	tb.Helper()
	g := generator{rng: rand.New(rand.NewPCG(1, 0)), known: known} // #nosec G404 -- the seed makes tests repeatable
	valid, invalid = map[int]int{}, map[int]int{}
	checked := c.Wrap(tb, handler)
	operations := c.operations()
	for range n {
		for _, name := range slices.Sorted(maps.Keys(operations)) {
			method, path, isOperation := strings.Cut(name, " ")
			if !isOperation {
				continue // a general response
			}
			parameters := slices.Concat(c.document.Paths.Value(path).Parameters, operations[name].Parameters)
			request, body := g.request(method, path, parameters, operations[name].RequestBody)
			counts := invalid
			if c.isValid(name, Exchange{Request: request, RequestBody: body}) {
				counts = valid
			}
			answer := httptest.NewRecorder()
			checked.ServeHTTP(answer, request)
			counts[answer.Code]++
			if answer.Code == http.StatusInternalServerError {
				tb.Errorf("%s %s with %q returns 500", method, request.RequestURI, body)
			}
		}
	}
	return valid, invalid
}

// isValid reports whether a request is for the operation and matches the document.
func (c *Checker) isValid(operation string, exchange Exchange) bool {
	target, err := c.find(exchange.Request)
	if err != nil || target.name != operation {
		return false
	}
	return checkRequest(target, exchange) == nil
}

// generator generates random requests.
type generator struct {
	rng        *rand.Rand
	known      map[string][]any
	faultShare float64 // share of the values in the current request that are faults
}

// oneIn returns true in one of n calls.
func (g *generator) oneIn(n int) bool { return g.rng.IntN(n) == 0 }

// faultIn is oneIn for requests with faults, and otherwise false.
func (g *generator) faultIn(n int) bool { return g.faultShare > 0 && g.oneIn(n) }

func pick[T any](g *generator, from []T) T { return from[g.rng.IntN(len(from))] }

// value returns a value of a parameter or field.
func (g *generator) value(name string, examples ...any) any {
	if g.rng.Float64() < g.faultShare {
		return pick(g, unusual)
	}
	if values := g.known[name]; len(values) > 0 && !g.oneIn(4) {
		return pick(g, values)
	}
	return pick(g, examples)
}

func (g *generator) request(method, path string, parameters openapi3.Parameters,
	documented *openapi3.RequestBodyRef) (request *http.Request, body []byte) {
	g.faultShare = pick(g, []float64{0, 0, 0.2, 0.7}) // half of the requests have none
	query, header := url.Values{}, http.Header{}
	for _, ref := range parameters {
		p := ref.Value
		text := asText(g.value(p.Name, examplesOf(p.Example, p.Examples)...))
		switch {
		case p.In == openapi3.ParameterInPath:
			path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(text))
		case !p.Required && g.oneIn(3):
		case p.In == openapi3.ParameterInQuery:
			query.Add(p.Name, text)
			if g.faultIn(10) { // twice
				query.Add(p.Name, text+"0")
			}
		case p.In == openapi3.ParameterInHeader:
			header.Set(p.Name, strings.Join(strings.FieldsFunc(text, unicode.IsControl), "")) // net/http rejects those
		}
	}
	target := &url.URL{Path: path, RawQuery: query.Encode()}
	if plain, err := url.PathUnescape(path); err == nil {
		target.Path, target.RawPath = plain, path
	}
	if g.faultIn(5) {
		target.RawQuery += pick(g, []string{"&%zz", "&a;b", "&=&&", "&" + strings.Repeat("x=1&", 500), "&\x00"})
	}
	if documented != nil && !g.faultIn(10) {
		body = g.body(documented.Value, header)
	}
	request = httptest.NewRequest(method, "/", bytes.NewReader(body))
	request.URL, request.RequestURI = target, target.RequestURI()
	request.Header = header
	return request, body
}

func examplesOf(one any, more openapi3.Examples) (values []any) {
	if one != nil {
		values = append(values, one)
	}
	for _, name := range slices.Sorted(maps.Keys(more)) {
		values = append(values, more[name].Value.Value)
	}
	return values
}

func asText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	encoded, _ := json.Marshal(v) // never fails for examples
	return string(encoded)
}

// body returns a body of one of the documented content types, sometimes with a fault.
func (g *generator) body(documented *openapi3.RequestBody, header http.Header) []byte {
	kind := pick(g, slices.Sorted(maps.Keys(documented.Content)))
	header.Set("Content-Type", kind)
	media := documented.Content[kind]
	example, _ := pick(g, examplesOf(media.Example, media.Examples)).(map[string]any)
	object, form := map[string]any{}, url.Values{}
	for _, name := range slices.Sorted(maps.Keys(example)) {
		if !g.faultIn(8) {
			object[name] = g.value(name, example[name])
			form.Set(name, asText(object[name]))
		}
	}
	if g.faultIn(4) {
		object["other"] = pick(g, unusual)
	}
	b := []byte(asText(object))
	if strings.Contains(kind, "form") {
		b = []byte(form.Encode())
	}
	if !g.faultIn(3) {
		return b
	}
	switch g.rng.IntN(6) {
	case 0:
		return b[:g.rng.IntN(len(b)+1)]
	case 1:
		return append(b, b...)
	case 2:
		b = append(b, ' ')
		b[g.rng.IntN(len(b))] ^= byte(1 + g.rng.IntN(255)) // #nosec G115 -- at most 255
		return b
	case 3:
		const depth = 12_000 // more than parsers of JSON allow
		return slices.Concat([]byte(strings.Repeat("[", depth)), b, []byte(strings.Repeat("]", depth)))
	case 4:
		const large = 128 << 10 // more than services accept
		return append(b, strings.Repeat(" ", large)...)
	}
	header.Set("Content-Type", pick(g, []string{
		"text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json; charset=\"", "/",
	}))
	return b
}

// unusual are values that few schemas allow, or that are hard to parse.
var unusual = []any{
	nil, true, "", " ", 0, -1, 1.5, 1e300, 9007199254740993, "-0", "1e3", "0x10", "٣", "NaN",
	"\x00", "a\x00b", "\u202e\ufeff", "\U0001F994", "\uFFFD", "../../etc/passwd", "..", ".", "/", "//", "\\", "%00",
	"%2e%2e%2f", "{{7*7}}", "${x}", "' OR '1'='1", "'; DROP TABLE users; --", "<script>alert(1)</script>",
	"\r\nSet-Cookie: a=b", "a;b,c", `"`, "null", "*", strings.Repeat("ż", 300), strings.Repeat("a", 5000),
	[]any{}, []any{1, "a", nil}, map[string]any{}, map[string]any{"$gt": ""}, []any{[]any{[]any{}}},
}
