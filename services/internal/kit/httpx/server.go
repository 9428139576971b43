package httpx

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Server serves a public address and an admin address, which must only be reachable from the same network.
type Server struct {
	Log          *slog.Logger
	Health       *Health
	Addr         string
	Handler      http.Handler
	AdminAddr    string
	AdminHandler http.Handler
	WriteTimeout time.Duration // from the end of the request's header to the end of the response
	DrainDelay   time.Duration // how long Run serves while not ready, so that the gateway can react
	DrainTimeout time.Duration // how long requests in progress may take after that
}

const (
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 15 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 16 << 10
)

// Run serves until ctx ends. Then it reports not ready, continues to serve for DrainDelay, finishes the requests
// in progress within DrainTimeout and returns nil. If a listener fails, Run returns its error.
func (s *Server) Run(ctx context.Context) error {
	var listeners net.ListenConfig
	public, err := listeners.Listen(ctx, "tcp", s.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", s.Addr, err)
	}
	admin, err := listeners.Listen(ctx, "tcp", s.AdminAddr)
	if err != nil {
		return errors.Join(fmt.Errorf("listen on %s: %w", s.AdminAddr, err), public.Close())
	}
	return s.serve(ctx, public, admin)
}

func (s *Server) serve(ctx context.Context, publicListener, adminListener net.Listener) error {
	public, admin := s.server(s.Handler, s.WriteTimeout), s.server(s.AdminHandler, readTimeout)
	failed := make(chan error, 2)
	go func() { failed <- public.Serve(publicListener) }()
	go func() { failed <- admin.Serve(adminListener) }()
	addr, adminAddr := publicListener.Addr().String(), adminListener.Addr().String()
	s.Log.InfoContext(ctx, "serving", "addr", addr, "admin_addr", adminAddr)

	select {
	case err := <-failed:
		return errors.Join(err, public.Close(), admin.Close())
	case <-ctx.Done():
	}
	return s.drain(context.WithoutCancel(ctx), public, admin)
}

func (s *Server) server(handler http.Handler, writeTimeout time.Duration) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: readHeaderTimeout, ReadTimeout: readTimeout,
		WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(s.Log.Handler(), slog.LevelWarn),
	}
}

func (s *Server) drain(ctx context.Context, public, admin *http.Server) error {
	s.Health.Drain()
	s.Log.InfoContext(ctx, "draining",
		"delay_seconds", s.DrainDelay.Seconds(), "timeout_seconds", s.DrainTimeout.Seconds())
	time.Sleep(s.DrainDelay)
	ctx, cancel := context.WithTimeout(ctx, s.DrainTimeout)
	defer cancel()
	err := public.Shutdown(ctx)
	if err != nil {
		s.Log.WarnContext(ctx, "requests cut off", "error", err)
		err = public.Close()
	}
	return errors.Join(err, admin.Close())
}

// Check returns nil if a dependency of the service works. It must end when its context does.
type Check func(context.Context) error

const checkTimeout = 2 * time.Second

// Health serves the admin endpoints of a process.
type Health struct {
	draining atomic.Bool
	checks   map[string]Check
}

// NewHealth returns a Health that is ready while all checks pass.
func NewHealth(checks map[string]Check) *Health { return &Health{checks: checks} }

// Drain makes the process permanently not ready. It stays healthy.
func (h *Health) Drain() { h.draining.Store(true) }

// AdminHandler serves /healthz, which returns 200 while the process runs, /readyz, which returns 503 with the
// names of the failed checks if the process cannot serve, and /metrics. /readyz?exclude=NAME omits a check.
func (h *Health) AdminHandler(gatherer prometheus.Gatherer) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeHealth(w, http.StatusOK, map[string]string{"status": "ok"})
	})
	mux.HandleFunc("GET /readyz", h.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{}))
	return mux
}

// Register registers the gauge <service>_ready, for which the checks run each time.
func (h *Health) Register(registry prometheus.Registerer, service string) {
	registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: service, Name: "ready", Help: "1 while the process can serve, as /readyz says.",
	}, func() float64 {
		if _, ready := h.state(context.Background()); ready {
			return 1
		}
		return 0
	}))
}

func (h *Health) ready(w http.ResponseWriter, r *http.Request) {
	answer, ready := h.state(r.Context(), r.URL.Query()["exclude"]...)
	status := http.StatusOK
	if !ready {
		status = http.StatusServiceUnavailable
	}
	writeHealth(w, status, answer)
}

// state returns the body of /readyz, and whether the process can serve.
func (h *Health) state(ctx context.Context, exclude ...string) (answer map[string]string, ready bool) {
	if h.draining.Load() {
		return map[string]string{"status": "draining"}, false
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	answer, ready = map[string]string{"status": "ok"}, true
	for name, check := range h.checks {
		if slices.Contains(exclude, name) {
			continue
		}
		answer[name] = "ok"
		if check(ctx) != nil {
			answer["status"], answer[name] = "unavailable", "unavailable"
			ready = false
		}
	}
	return answer, ready
}

func writeHealth(w http.ResponseWriter, status int, answer map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer) // fails if the client has disconnected
}

const probeTimeout = 3 * time.Second

// probeClient uses no proxy, because the process is on the same machine.
var probeClient = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// Probe returns nil if the process with that admin address (host:port) is ready. It is the health check of
// container images, which contain no other client.
func Probe(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
	if err != nil {
		return fmt.Errorf("admin address: %w", err)
	}
	response, err := probeClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", response.Status)
	}
	return nil
}
