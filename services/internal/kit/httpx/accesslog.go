package httpx

import (
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	// accessLogDelay is the longest time that a line is buffered. A killed process loses
	// at most these lines.
	accessLogDelay = 100 * time.Millisecond
	accessLogBytes = 32 << 10
)

// AccessLog writes one line of JSON for each request: time, request_id, method, route,
// status, bytes, duration_ms and, if the response has Cache-Status, cache. A line contains
// no path, query, header or address of the client.
//
// Lines are buffered, because a system call takes half as long as a response from the
// cache.
type AccessLog struct {
	out io.Writer

	mu    sync.Mutex
	lines []byte
	timer *time.Timer // runs while lines are buffered
}

// NewAccessLog returns an AccessLog that writes whole lines to out.
func NewAccessLog(out io.Writer) *AccessLog {
	l := &AccessLog{out: out, lines: make([]byte, 0, accessLogBytes+1<<10)}
	l.timer = time.AfterFunc(accessLogDelay, l.Flush)
	return l
}

// Flush writes the buffered lines. It must be called after the last request.
func (l *AccessLog) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write()
}

func (l *AccessLog) write() {
	if len(l.lines) > 0 {
		_, _ = l.out.Write(l.lines) // the failure cannot be logged elsewhere
		l.lines = l.lines[:0]
	}
}

// add adds the line of a request.
func (l *AccessLog) add(c echo.Context, start time.Time, took time.Duration) {
	answer := c.Response()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == 0 {
		l.timer.Reset(accessLogDelay)
	}
	b := append(l.lines, `{"time":"`...)
	b = start.Add(took).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z")
	b = append(b, `","level":"INFO","msg":"request","request_id":"`...)
	b = append(b, answer.Header()[echo.HeaderXRequestID][0]...) // needs no quoting, see wellFormedID
	b = append(b, `","method":"`...)
	b = append(b, methodOf(c.Request())...)
	b = append(b, `","route":`...)
	b = strconv.AppendQuote(b, routeOf(c))
	b = append(b, `,"status":`...)
	b = strconv.AppendInt(b, int64(answer.Status), 10)
	b = append(b, `,"bytes":`...)
	b = strconv.AppendInt(b, answer.Size, 10)
	b = append(b, `,"duration_ms":`...)
	b = strconv.AppendFloat(b, float64(took.Microseconds())/1000, 'f', -1, 64)
	if cache := answer.Header()["Cache-Status"]; len(cache) > 0 {
		b = append(b, `,"cache":`...)
		b = strconv.AppendQuote(b, cache[0])
	}
	l.lines = append(b, "}\n"...)
	if len(l.lines) >= accessLogBytes {
		l.write()
	}
}
