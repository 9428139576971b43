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
	"backend.example/deploy/sandbox/internal/faults"
	"backend.example/deploy/sandbox/internal/issued"
	"backend.example/deploy/sandbox/internal/requestlog"
	"backend.example/deploy/sandbox/internal/standin"
	"backend.example/deploy/sandbox/places"
	"backend.example/deploy/sandbox/search"
	"backend.example/deploy/sandbox/social"
)

const (
	logCapacity    = 10_000
	maxHeader      = 32 << 10
	headerTimeout  = 10 * time.Second
	drainTimeout   = 5 * time.Second
	controlSite    = "control"
	healthEndpoint = "/healthz"
)

// mount is a stand-in and the address at which it shall listen.
type mount struct {
	standin.StandIn
	addr string
}

// mounts is the whole cast; a new stand-in is a line here and an address in
// Config.
func mounts(config Config, secrets *issued.Register) []mount {
	return []mount{
		{benchmarksite.New().StandIn, config.BenchmarkAddr},
		{aggregator.New().StandIn, config.AggregatorAddr},
		{search.New(search.Options{
			ClientID: config.ClientID, ClientSecret: config.ClientSecret, RedirectURI: config.redirectURI("provider_search"), Secrets: secrets,
		}).StandIn, config.SearchAddr},
		{places.New(places.Options{APIKey: config.PlacesAPIKey}).StandIn, config.PlacesAddr},
		{social.New(social.Options{
			ClientID: config.ClientID, ClientSecret: config.ClientSecret, RedirectURI: config.redirectURI("provider_social"), Secrets: secrets,
		}).StandIn, config.SocialAddr},
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

// Open listens on every address and wires the stand-ins. On an error nothing
// is left open.
func Open(config Config, log *slog.Logger) (*App, error) {
	secrets := issued.New(issued.Usual, time.Now)
	cast := mounts(config, secrets)
	app := &App{log: log}
	sites := make([]faults.Site, 0, len(cast))
	mounted := make([]control.Mounted, 0, len(cast))
	if err := app.listen(controlSite, config.ControlAddr); err != nil {
		return nil, err
	}
	for _, m := range cast {
		if err := app.listen(m.Site.Name, m.addr); err != nil {
			return nil, errors.Join(err, app.close())
		}
		sites = append(sites, m.Site)
		mounted = append(mounted, control.Mounted{StandIn: m.StandIn, URL: app.servers[len(app.servers)-1].url()})
	}
	board, requests := faults.NewBoard(sites...), requestlog.New(logCapacity, time.Now)
	app.servers[0].handler = control.New(app.servers[0].url(), mounted, board, requests, secrets).Handler()
	for i, m := range cast {
		app.servers[i+1].handler = requests.Record(m.Site.Name, board.Inject(m.Site.Name, time.After, m.Handler))
	}
	return app, nil
}

// URL is the base URL of a stand-in or of "control"; empty when there is none.
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

func (a *App) listen(name, addr string) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("listening for %s: %w", name, err)
	}
	a.servers = append(a.servers, server{name: name, listener: listener})
	return nil
}

func (a *App) close() error {
	var problems []error
	for _, s := range a.servers {
		problems = append(problems, s.listener.Close())
	}
	return errors.Join(problems...)
}
