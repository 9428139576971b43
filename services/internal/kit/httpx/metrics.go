package httpx

import (
	"net/http"
	"runtime"
	"strconv"
	"sync"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/internal/kit/build"
)

// Metrics measures requests by route (never by raw path), method and status.
type Metrics struct {
	duration *prometheus.HistogramVec
	inFlight prometheus.Gauge
	series   sync.Map // prometheus.Observer by seriesKey, which saves allocations
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

// observer returns the histogram for a request whose response has been written.
func (m *Metrics) observer(c echo.Context) prometheus.Observer {
	key := seriesKey{route: routeOf(c), method: methodOf(c.Request()), status: c.Response().Status}
	if o, ok := m.series.Load(key); ok {
		return o.(prometheus.Observer)
	}
	o := m.duration.WithLabelValues(key.route, key.method, strconv.Itoa(key.status))
	m.series.Store(key, o)
	return o
}

// routeOf returns the route, or "none", which bounds the values of the label.
func routeOf(c echo.Context) string {
	if c.Path() == "" {
		return "none"
	}
	return c.Path()
}

// methodOf returns a standard method or "other", because clients may send any method.
func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
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
