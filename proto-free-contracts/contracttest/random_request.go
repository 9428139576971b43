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
	Valid     bool   // it is as documented
	Body      []byte

	method string
	target *url.URL
	header http.Header
}

// HTTP returns the request as a server receives it.
func (r RandomRequest) HTTP() *http.Request {
	request := httptest.NewRequest(r.method, "/", bytes.NewReader(r.Body))
	target := *r.target
	request.URL, request.RequestURI, request.Header = &target, target.RequestURI(), r.header.Clone()
	return request
}

// RandomRequests makes n requests to every operation, which are the same for the same
// seed. Some are as documented, others have one or many faults. known has values, by
// the name of a parameter or field, that exist in the service.
func (c *Checker) RandomRequests(seed uint64, n int, known map[string][]any) []RandomRequest {
	g := generator{rng: rand.New(rand.NewPCG(seed, 0)), known: known} // #nosec G404 -- the same for the same seed
	var requests []RandomRequest
	for range n {
		for _, path := range slices.Sorted(maps.Keys(c.document.Paths.Map())) {
			item := c.document.Paths.Value(path)
			for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
				operation := item.GetOperation(method)
				r := g.request(method, path, slices.Concat(item.Parameters, operation.Parameters), operation.RequestBody)
				r.Valid = c.isValid(r)
				requests = append(requests, r)
			}
		}
	}
	return requests
}

func (c *Checker) isValid(r RandomRequest) bool {
	request := r.HTTP()
	target, err := c.find(request)
	return err == nil && target.name == r.Operation &&
		checkRequest(target, Exchange{Request: request, RequestBody: r.Body}) == nil
}

// SendAll sends the requests to handler. It reports to tb every answer that departs
// from the document and every 500, and counts the answers to valid and to invalid
// requests by status.
func (c *Checker) SendAll(tb testing.TB, handler http.Handler, requests []RandomRequest) (valid, invalid map[int]int) {
	tb.Helper()
	valid, invalid = map[int]int{}, map[int]int{}
	checked := c.Wrap(tb, handler)
	for _, r := range requests {
		answer := httptest.NewRecorder()
		checked.ServeHTTP(answer, r.HTTP())
		if answer.Code == http.StatusInternalServerError {
			tb.Errorf("%s %s with %q is answered 500", r.method, r.target, r.Body)
		}
		if r.Valid {
			valid[answer.Code]++
		} else {
			invalid[answer.Code]++
		}
	}
	return valid, invalid
}

// generator makes random requests.
type generator struct {
	rng        *rand.Rand
	known      map[string][]any
	faultShare float64 // share of values with a fault in the current request
}

// oneIn is true once in n times.
func (g *generator) oneIn(n int) bool { return g.rng.IntN(n) == 0 }

// faultIn is true once in n times for a request that may have faults.
func (g *generator) faultIn(n int) bool { return g.faultShare > 0 && g.oneIn(n) }

func (g *generator) pick(from []string) string { return from[g.rng.IntN(len(from))] }

func (g *generator) request(method, path string, parameters openapi3.Parameters, body *openapi3.RequestBodyRef) RandomRequest {
	g.faultShare = []float64{0, 0, 0.2, 0.7}[g.rng.IntN(4)]
	r := RandomRequest{Operation: operationName(method, path), method: method, header: http.Header{}}
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

// setParameter gives a parameter a value, or leaves it out.
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

// printable drops characters that net/http refuses in a header.
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

// body makes a body of one of the documented content types, with a fault at times.
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
		b[g.rng.IntN(len(b))] ^= byte(1 + g.rng.IntN(255))
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
			random[i] = byte(g.rng.Uint32())
		}
		return random
	}
}
