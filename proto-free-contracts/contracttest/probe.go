package contracttest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Probe is a request that was made up from the document.
type Probe struct {
	Operation string // "GET /notes/{id}"
	Sound     bool   // it is as documented
	Body      []byte

	method string
	target *url.URL
	header http.Header
}

// Request is the probe as a server receives it.
func (p Probe) Request() *http.Request {
	r := httptest.NewRequest(p.method, "/", bytes.NewReader(p.Body))
	target := *p.target
	r.URL, r.RequestURI, r.Header = &target, target.RequestURI(), p.header.Clone()
	return r
}

// Probes makes n requests to every operation, the same for the same seed: some as
// documented, some with one thing wrong, some with much. known are values by the
// name of a parameter or field that mean something where the requests go.
func (c *Checker) Probes(seed uint64, n int, known map[string][]any) []Probe {
	m := maker{rng: rand.New(rand.NewPCG(seed, 0)), known: known} // #nosec G404 -- the same for the same seed
	var probes []Probe
	for range n {
		for _, path := range slices.Sorted(maps.Keys(c.document.Paths.Map())) {
			item := c.document.Paths.Value(path)
			for _, method := range slices.Sorted(maps.Keys(item.Operations())) {
				p := m.probe(method, path, slices.Concat(item.Parameters, item.GetOperation(method).Parameters), item.GetOperation(method).RequestBody)
				p.Sound = c.sound(p)
				probes = append(probes, p)
			}
		}
	}
	return probes
}

func (c *Checker) sound(p Probe) bool {
	r := p.Request()
	target, err := c.find(r)
	return err == nil && target.name == p.Operation && checkRequest(target, Exchange{Request: r, RequestBody: p.Body}) == nil
}

// Hammer sends the probes to handler, and reports to tb every answer that departs
// from the document and every 500. It counts the answers to sound probes and to
// others by status.
func (c *Checker) Hammer(tb TB, handler http.Handler, probes []Probe) (sound, others map[int]int) {
	tb.Helper()
	sound, others = map[int]int{}, map[int]int{}
	checked := c.Wrap(tb, handler)
	for _, p := range probes {
		answer := httptest.NewRecorder()
		checked.ServeHTTP(answer, p.Request())
		if answer.Code == http.StatusInternalServerError {
			tb.Errorf("%s %s with %q is answered 500", p.method, p.target, p.Body)
		}
		if p.Sound {
			sound[answer.Code]++
		} else {
			others[answer.Code]++
		}
	}
	return sound, others
}

// maker makes probes up.
type maker struct {
	rng   *rand.Rand
	known map[string][]any
	wild  float64 // share of values that are no good, in the probe at hand
}

func (m *maker) one(in int) bool { return m.rng.IntN(in) == 0 }

func (m *maker) probe(method, path string, parameters openapi3.Parameters, body *openapi3.RequestBodyRef) Probe {
	m.wild = []float64{0, 0, 0.2, 0.7}[m.rng.IntN(4)]
	p := Probe{Operation: operationName(method, path), method: method, header: http.Header{}}
	query := url.Values{}
	for _, ref := range parameters {
		m.place(ref.Value, &path, query, p.header)
	}
	p.target = &url.URL{Path: path, RawQuery: m.damagedQuery(query.Encode())}
	if plain, err := url.PathUnescape(path); err == nil {
		p.target.Path, p.target.RawPath = plain, path
	}
	if body != nil && !(m.wild > 0 && m.one(10)) {
		p.Body = m.body(body.Value, p.header)
	}
	return p
}

// place puts a value of a parameter where it belongs, or leaves it out.
func (m *maker) place(parameter *openapi3.Parameter, path *string, query url.Values, header http.Header) {
	text := asText(m.value(parameter.Name, parameter.Schema))
	if parameter.Example != nil && m.wild == 0 && m.one(3) {
		text = asText(parameter.Example)
	}
	switch {
	case parameter.In == openapi3.ParameterInPath:
		*path = strings.ReplaceAll(*path, "{"+parameter.Name+"}", url.PathEscape(text))
	case !parameter.Required && m.one(3):
	case parameter.In == openapi3.ParameterInQuery:
		query.Add(parameter.Name, text)
		if m.wild > 0 && m.one(10) {
			query.Add(parameter.Name, asText(m.value(parameter.Name, parameter.Schema)))
		}
	case parameter.In == openapi3.ParameterInHeader:
		header.Set(parameter.Name, strings.Map(printable, text))
	}
}

// printable drops what net/http lets into no header.
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
	encoded, _ := json.Marshal(v) // nothing in a probe fails to encode
	return string(encoded)
}

func (m *maker) damagedQuery(query string) string {
	if m.wild > 0 && m.one(5) {
		query += []string{"&%zz", "&a;b", "&=&&", "&" + strings.Repeat("x=1&", 500), "&\x00"}[m.rng.IntN(5)]
	}
	return query
}

// body makes a body in one of the documented forms, and damages some.
func (m *maker) body(documented *openapi3.RequestBody, header http.Header) []byte {
	kind := m.pick(slices.Sorted(maps.Keys(documented.Content)))
	header.Set("Content-Type", kind)
	fields := m.value("", documented.Content[kind].Schema)
	var b []byte
	if object, ok := fields.(map[string]any); ok && strings.Contains(kind, "form") {
		header.Set("Content-Type", "application/x-www-form-urlencoded")
		form := url.Values{}
		for name, value := range object {
			form.Set(name, asText(value))
		}
		b = []byte(form.Encode())
	} else {
		b, _ = json.Marshal(fields)
	}
	if m.wild > 0 && m.one(3) {
		b = m.damaged(b, header)
	}
	return b
}

func (m *maker) pick(from []string) string { return from[m.rng.IntN(len(from))] }

func (m *maker) damaged(b []byte, header http.Header) []byte {
	switch m.rng.IntN(7) {
	case 0:
		return b[:m.rng.IntN(len(b)+1)]
	case 1:
		return append(b, b...)
	case 2:
		b = append(b, ' ')
		b[m.rng.IntN(len(b))] ^= byte(1 + m.rng.IntN(255))
		return b
	case 3:
		return slices.Concat([]byte(strings.Repeat("[", 12000)), b, []byte(strings.Repeat("]", 12000)))
	case 4:
		return append(b, strings.Repeat(" ", 1<<17)...)
	case 5:
		header.Set("Content-Type", m.pick([]string{"text/plain", "application/xml", "multipart/form-data; boundary=x", "application/json; charset=\"", "/"}))
		return b
	default:
		noise, _ := io.ReadAll(io.LimitReader(noise{m.rng}, 200))
		return noise
	}
}

// noise is an endless stream of bytes.
type noise struct{ rng *rand.Rand }

func (n noise) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(n.rng.Uint32())
	}
	return len(b), nil
}
