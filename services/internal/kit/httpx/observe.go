package httpx

import (
	"cmp"
	"io"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/build"
)

const (
	// accessLogDelay limits how long a line is buffered. A killed process loses these lines.
	accessLogDelay = 100 * time.Millisecond
	accessLogBytes = 32 << 10
)

// AccessLog writes a line of JSON for each request, without path, query, headers or address of the client. Lines
// are buffered, because a system call takes half as long as a response from the cache.
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
	b = append(b, answer.Header()[echo.HeaderXRequestID][0]...) // needs no quoting, see idChars
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

// Metrics measures requests by route (never by raw path), method and status, and counts failures by code.
type Metrics struct {
	duration *prometheus.HistogramVec
	failures *prometheus.CounterVec
	inFlight prometheus.Gauge
	series   sync.Map // prometheus.Observer by seriesKey, which saves allocations
}

type seriesKey struct {
	route, method string
	status        int
}

// NewMetrics registers <service>_http_request_duration_seconds, <service>_http_failures_total and
// <service>_http_requests_in_flight.
func NewMetrics(registry prometheus.Registerer, service string) *Metrics {
	m := &Metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: service, Name: "http_request_duration_seconds",
			Help:    "Time from the request's first byte to the end of its answer, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 65},
		}, []string{"route", "method", "status"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: service, Name: "http_failures_total",
			Help: "Responses of 500 and above by the code of their fault; internal is the service's own.",
		}, []string{"code"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: service, Name: "http_requests_in_flight", Help: "Requests being answered now.",
		}),
	}
	m.failures.WithLabelValues(codeInternal) // a rate ignores the first event of a new series
	registry.MustRegister(m.duration, m.failures, m.inFlight)
	return m
}

const codeInternal = "internal"

const codeKey = "fault code"

// SetCode records the code of a fault for the metrics, for handlers that write the response of a failure
// themselves. Without it the code is internal.
func SetCode(c echo.Context, code string) { c.Set(codeKey, code) }

func (m *Metrics) finished(c echo.Context, took time.Duration) {
	m.observer(c).Observe(took.Seconds())
	if c.Response().Status >= http.StatusInternalServerError {
		code, _ := c.Get(codeKey).(string)
		m.failures.WithLabelValues(cmp.Or(code, codeInternal)).Inc()
	}
}

func (m *Metrics) observer(c echo.Context) prometheus.Observer {
	key := seriesKey{route: routeOf(c), method: methodOf(c.Request()), status: c.Response().Status}
	if o, ok := m.series.Load(key); ok {
		return o.(prometheus.Observer)
	}
	o := m.duration.WithLabelValues(key.route, key.method, strconv.Itoa(key.status))
	m.series.Store(key, o)
	return o
}

// routeOf returns "none" without a route, which bounds the values of the label.
func routeOf(c echo.Context) string {
	if c.Path() == "" {
		return "none"
	}
	return c.Path()
}

// methodOf returns "other" for unknown methods, because clients may send any.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return r.Method
	}
	return "other"
}

// RegisterBuild registers <service>_build_info, whose labels identify the running build.
func RegisterBuild(registry prometheus.Registerer, service string, b build.Info) {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: service, Name: "build_info", Help: "Always 1; the labels identify the running build.",
		ConstLabels: prometheus.Labels{"version": b.Version, "commit": b.Commit, "goversion": runtime.Version()},
	})
	info.Set(1)
	registry.MustRegister(info)
}
