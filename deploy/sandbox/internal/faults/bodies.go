package faults

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"backend.example/deploy/sandbox/internal/seeded"
)

const (
	htmlType     = "text/html; charset=utf-8"
	garbageSize  = 8 << 10
	endlessBlock = 64 << 10
)

// captured is the answer that a handler would have sent.
type captured struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// capture runs next and keeps its answer back.
func capture(r *http.Request, next http.Handler) *captured {
	answer := &captured{header: make(http.Header), status: http.StatusOK}
	next.ServeHTTP(answer, r)
	return answer
}

func (c *captured) Header() http.Header              { return c.header }
func (c *captured) WriteHeader(status int)           { c.status = status }
func (c *captured) Write(body []byte) (int, error)   { return c.body.Write(body) }
func (c *captured) copyHeader(w http.ResponseWriter) { maps.Copy(w.Header(), c.header) }

func (f Fault) sendStatus(w http.ResponseWriter) {
	w.Header().Set("Content-Type", htmlType)
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
	}
	w.WriteHeader(f.Status)
	fmt.Fprintf(w, "<!DOCTYPE html>\n<html lang=\"pl\"><head><title>%d</title></head>"+
		"<body><h1>Błąd %d</h1><p>Odpowiedź ustawiona w makiecie.</p></body></html>\n", f.Status, f.Status)
}

// sendHalf promises the whole body and breaks off in the middle of it. One byte
// more is promised, so that an answer without a body is cut as well.
func sendHalf(w http.ResponseWriter, answer *captured) {
	answer.copyHeader(w)
	w.Header().Set("Content-Length", strconv.Itoa(answer.body.Len()+1))
	w.WriteHeader(answer.status)
	_, _ = w.Write(answer.body.Bytes()[:answer.body.Len()/2]) // cut off anyway
	flush(w)
	panic(http.ErrAbortHandler)
}

// sendGarbage answers bytes of no format, the same ones every time.
func sendGarbage(w http.ResponseWriter) {
	random := seeded.Rand("garbage")
	body := make([]byte, garbageSize)
	for i := range body {
		body[i] = byte(random.UintN(256))
	}
	w.Header().Set("Content-Type", htmlType)
	_, _ = w.Write(body) // the client has gone; there is nobody to tell
}

// sendEndless repeats the true answer until the client has had enough or the
// sandbox stops.
func sendEndless(w http.ResponseWriter, r *http.Request, answer *captured) {
	answer.copyHeader(w)
	w.Header().Del("Content-Length")
	w.WriteHeader(answer.status)
	block := append(answer.body.Bytes(), '\n')
	block = bytes.Repeat(block, 1+endlessBlock/len(block))
	for r.Context().Err() == nil {
		if _, err := w.Write(block); err != nil {
			return
		}
	}
	panic(http.ErrAbortHandler)
}

// flush sends what is buffered; a writer that cannot has nothing to send to.
func flush(w http.ResponseWriter) {
	_ = http.NewResponseController(w).Flush()
}
