package httpapi

import (
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// buffer is memory for a body, used again for another one.
type buffer struct{ head, whole []byte }

var bufferPool = sync.Pool{New: func() any { return &buffer{head: make([]byte, gzipSpace, 192)} }}

// body is that of an answer: three consecutive parts, of which the one in the middle is
// cut from the answer's form.
type body struct {
	buffer           *buffer
	head, rows, tail []byte // head begins behind gzipSpace bytes that are not sent
	form             *rendered
	lifetime         lookup.Lifetime
	via              lookup.Via
	fallback         bool   // our own copy of a ranking
	variant          uint64 // tells it apart from other bodies made of the same form
	gzip             bool
}

// newBody takes a buffer, which API.write gives back.
func newBody(form *rendered, l lookup.Lifetime, via lookup.Via) body {
	b := bufferPool.Get().(*buffer)
	return body{buffer: b, head: b.head[:gzipSpace], form: form, lifetime: l, via: via}
}

// write sends the body, in gzip if the client takes that and a form in gzip is kept, or
// 304 when the client has the body.
func (a *API) write(c echo.Context, b body) error {
	defer bufferPool.Put(b.buffer)
	b.buffer.head = b.head
	request, response := c.Request().Header, c.Response()
	if b.form.compressed != nil && acceptsGzip(request["Accept-Encoding"]) {
		b.gzip = true
		b.head, b.rows, b.tail = b.form.compressed.gzip(b.head, b.rows, b.tail)
	} else {
		b.head = b.head[gzipSpace:]
	}
	if describe(response.Header(), a.Now(), &b, request["If-None-Match"]) {
		response.WriteHeader(http.StatusNotModified)
		return nil
	}
	response.WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	// To copy the parts costs less than a system call for each.
	b.buffer.whole = append(append(append(b.buffer.whole[:0], b.head...), b.rows...), b.tail...)
	_, _ = response.Write(b.buffer.whole) // fails when the client has gone; there is nobody to tell
	return nil
}

// codeUnknownAggregator is the fault of an address that names another aggregator.
const codeUnknownAggregator = "unknown_aggregator"

// failure is the body of every error.
type failure struct {
	Error   string   `json:"error"` // Polish, for people
	Code    string   `json:"code"`  // stable, for programs
	Allowed []string `json:"allowed,omitempty"`
}

// Render makes the body of an error; allowed values stand where there is a list
// of them.
func (a *API) Render(f *fault.Error) any {
	body := failure{Error: f.Message, Code: f.Code}
	switch f.Code {
	case catalog.CodeUnknownFamily:
		body.Allowed = catalog.Families()
	case catalog.CodeUnknownCategory:
		body.Allowed = catalog.Categories()
	case codeUnknownAggregator:
		body.Allowed = []string{a.Aggregator}
	}
	return body
}
