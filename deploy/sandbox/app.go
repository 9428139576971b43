package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"backend.example/deploy/sandbox/aggregator"
	"backend.example/deploy/sandbox/benchmarksite"
	"backend.example/deploy/sandbox/internal/control"
	"backend.example/deploy/sandbox/places"
	"backend.example/deploy/sandbox/search"
	"backend.example/deploy/sandbox/social"
	"backend.example/deploy/sandbox/upstream"
)

const (
	maxHeader      = 32 << 10
	headerTimeout  = 10 * time.Second
	drainTimeout   = 5 * time.Second
	controlSite    = "control"
	healthEndpoint = "/healthz"
)

// mount is a fake and the address at which it shall listen.
type mount struct {
	*upstream.Fake
	addr string
}

// mounts lists the fakes; a new one is a line here and an address in Config.
func mounts(config Config) []mount {
	return []mount{
		{benchmarksite.New(), config.BenchmarkAddr},
		{aggregator.New(), config.AggregatorAddr},
		{search.New(search.Options{
			ClientID: config.ClientID, ClientSecret: config.ClientSecret, RedirectURI: config.redirectURI("provider_search"),
		}).Fake, config.SearchAddr},
		{places.New(places.Options{APIKey: config.PlacesAPIKey}), config.PlacesAddr},
		{social.New(social.Options{
			ClientID: config.ClientID, ClientSecret: config.ClientSecret, RedirectURI: config.redirectURI("provider_social"),
		}).Fake, config.SocialAddr},
	}
}

// App is the listening sandbox.
type App struct {
	log     *slog.Logger
	servers []server
}

// server is one listener with its handler.
type server struct {
	name     string
	listener net.Listener
	handler  http.Handler
}

func (s server) url() string { return "http://" + s.listener.Addr().String() }

// Open listens on every address and wires the fakes. On an error nothing is left open.
func Open(config Config, log *slog.Logger) (*App, error) {
	app := &App{log: log}
	if err := app.listen(controlSite, config.ControlAddr, nil); err != nil {
		return nil, err
	}
	var mounted []control.Mounted
	for _, m := range mounts(config) {
		if err := app.listen(m.Name, m.addr, m.Fake); err != nil {
			return nil, errors.Join(err, app.close())
		}
		mounted = append(mounted, control.Mounted{Fake: m.Fake, URL: app.URL(m.Name)})
	}
	app.servers[0].handler = control.New(app.URL(controlSite), mounted).Handler()
	return app, nil
}

// URL is the base URL of a fake or of "control"; empty when there is none.
func (a *App) URL(name string) string {
	for _, s := range a.servers {
		if s.name == name {
			return s.url()
		}
	}
	return ""
}

// Serve answers until the context ends, then lets answers under way finish.
// Delays and endless bodies end at once. It returns nil after a clean stop.
func (a *App) Serve(ctx context.Context) error {
	serving, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	running := make([]*http.Server, 0, len(a.servers))
	for _, s := range a.servers {
		running = append(running, a.start(serving, s, stop))
		a.log.Info("listening", "site", s.name, "url", s.url())
	}
	<-serving.Done()
	a.log.Info("stopping")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	for _, s := range running {
		if err := s.Shutdown(drain); err != nil {
			_ = s.Close()
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(serving)
}

// start runs a server; its failure ends them all.
func (a *App) start(serving context.Context, s server, stop context.CancelCauseFunc) *http.Server {
	running := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerTimeout,
		MaxHeaderBytes:    maxHeader,
		BaseContext:       func(net.Listener) context.Context { return serving },
		ErrorLog:          slog.NewLogLogger(a.log.Handler(), slog.LevelWarn),
	}
	go func() {
		if err := running.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			stop(fmt.Errorf("serving %s: %w", s.name, err))
		}
	}()
	return running
}

func (a *App) listen(name, addr string, handler http.Handler) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listening for %s: %w", name, err)
	}
	a.servers = append(a.servers, server{name, listener, handler})
	return nil
}

func (a *App) close() error {
	var problems []error
	for _, s := range a.servers {
		problems = append(problems, s.listener.Close())
	}
	return errors.Join(problems...)
}
