package httpapi

import (
	"net/http"
	"sync"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

// room is memory for a body, used again for another one.
type room struct{ head, whole []byte }

var rooms = sync.Pool{New: func() any { return &room{head: make([]byte, 0, 192)} }}

// newRoom is given back by API.write.
func newRoom() *room { return rooms.Get().(*room) }

// empty is where the head of a body begins: behind the room for what Gzip needs.
func (r *room) empty() []byte { return r.head[:hardware.GzipRoom] }

// body is that of an answer: three consecutive parts, of which the one in the middle
// is the answer's own. The head begins behind hardware.GzipRoom bytes.
type body struct {
	room             *room
	head, kept, tail []byte
	variant          uint64 // tells it apart from other bodies made of the same answer
	gzip             bool
}

// write sends the body, in gzip if the client takes that and the answer has it, or
// 304 when the client has the body.
func (a *API) write(c echo.Context, answer *hardware.Answer, via hardware.Via, b body) error {
	defer rooms.Put(b.room)
	b.room.head = b.head
	request, response := c.Request().Header, c.Response()
	if acceptsGzip(request["Accept-Encoding"]) {
		b.head, b.kept, b.tail, b.gzip = answer.Gzip(b.head, b.kept, b.tail)
	}
	if !b.gzip {
		b.head = b.head[hardware.GzipRoom:]
	}
	if describe(response.Header(), answer, via, a.Now(), &b, request["If-None-Match"]) {
		response.WriteHeader(http.StatusNotModified)
		return nil
	}
	response.WriteHeader(http.StatusOK)
	if c.Request().Method == http.MethodHead {
		return nil
	}
	// To copy the parts costs less than a system call for each.
	b.room.whole = append(append(append(b.room.whole[:0], b.head...), b.kept...), b.tail...)
	_, _ = response.Write(b.room.whole) // fails when the client has gone; there is nobody to tell
	return nil
}

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
	case "unknown_type":
		body.Allowed = catalog.Families()
	case "unknown_category":
		body.Allowed = catalog.Categories()
	case "unknown_aggregator":
		body.Allowed = a.Prices.Aggregators()
	}
	return body
}
