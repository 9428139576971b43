package httpx

import (
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
)

const (
	// accessLogDelay is how long a line waits at most for others to be written with
	// it. A process that is killed loses no more than that.
	accessLogDelay = 100 * time.Millisecond
	accessLogBytes = 32 << 10
)

// AccessLog writes one line of JSON for each answered request: time, request_id,
// method, route, status, bytes, duration_ms, and cache, the answer's Cache-Status,
// where it has one. A line holds no path, query, header or address of the client.
//
// Lines are written together, because a system call costs as much as half an answer
// from the cache.
type AccessLog struct {
	out io.Writer

	mu    sync.Mutex
	lines []byte
	timer *time.Timer // runs while lines wait
}

// NewAccessLog returns an AccessLog that writes whole lines to out.
func NewAccessLog(out io.Writer) *AccessLog {
	l := &AccessLog{out: out, lines: make([]byte, 0, accessLogBytes+1<<10)}
	l.timer = time.AfterFunc(accessLogDelay, l.Flush)
	return l
}

// Flush writes the lines that wait. It is called once more when no further request
// is answered.
func (l *AccessLog) Flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write()
}

func (l *AccessLog) write() {
	if len(l.lines) > 0 {
		_, _ = l.out.Write(l.lines) // there is no other place to tell of the failure
		l.lines = l.lines[:0]
	}
}

// add notes the answer of c, which began at start and took so long.
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
	b = append(b, answer.Header()[echo.HeaderXRequestID][0]...) // setRequestID lets nothing in that needs quoting
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
