package httpx

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Server serves a public address and an admin address, which must only be reachable from the same network.
type Server struct {
	Log          *slog.Logger
	Health       *Health
	Addr         string
	Handler      http.Handler
	AdminAddr    string
	AdminHandler http.Handler
	WriteTimeout time.Duration // from the end of the request's header
	DrainDelay   time.Duration // not ready, but serving, so that the gateway can react
	DrainTimeout time.Duration // for requests in progress
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
	s.Log.InfoContext(ctx, "serving", "addr", publicListener.Addr().String(), "admin_addr", adminListener.Addr().
		String())

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
	s.Log.InfoContext(ctx, "draining", "delay_seconds", s.DrainDelay.Seconds(), "timeout_seconds",
		s.DrainTimeout.Seconds())
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
