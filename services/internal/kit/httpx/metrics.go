package httpx

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
)

// Metrics counts requests and their duration by route (never by raw path),
// method and status.
type Metrics struct {
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	series   sync.Map // prometheus.Observer by seriesKey, so that a request allocates no labels
}

type seriesKey struct {
	route, method string
	status        int
}

// NewMetrics registers <service>_http_request_duration_seconds and
// <service>_http_requests_in_flight.
func NewMetrics(registry prometheus.Registerer, service string) *Metrics {
	m := &Metrics{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: service, Name: "http_request_duration_seconds",
			Help:    "Time from the request's first byte to the end of its answer, by route.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 65},
		}, []string{"route", "method", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: service, Name: "http_requests_in_flight", Help: "Requests being answered now.",
		}),
	}
	registry.MustRegister(m.duration, m.inFlight)
	return m
}

// observe records a request after its answer, which may be an error, is written.
func (m *Metrics) observe(c echo.Context, took time.Duration) {
	m.observer(c).Observe(took.Seconds())
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

// routeOf bounds the values of the label: all requests without a route have one.
func routeOf(c echo.Context) string {
	if c.Path() == "" {
		return "none"
	}
	return c.Path()
}

// methodOf bounds the values of the label, since clients may invent methods.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return r.Method
	}
	return "other"
}
