package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"backend.example/deploy/sandbox/ceneo"
	"backend.example/deploy/sandbox/fake"
	"backend.example/deploy/sandbox/google"
	"backend.example/deploy/sandbox/meta"
	"backend.example/deploy/sandbox/places"
	"backend.example/deploy/sandbox/userbenchmark"
)

const drainTimeout = 5 * time.Second // for current requests when the program stops

type site struct {
	*fake.Fake // nil for the control address
	Addr       string
	URL        string // no trailing slash

	listener net.Listener
}

// sites returns the fakes. A new one is a line here and an address in Config.
func sites(config Config) []*site {
	options := func(provider string) fake.Options {
		return fake.Options{
			ClientID: config.ClientID, ClientSecret: config.ClientSecret,
			RedirectURI: strings.TrimSuffix(config.RedirectBase, "/") + "/api/oauth/callback/" + provider,
		}
	}
	return []*site{
		{Fake: userbenchmark.New(), Addr: config.BenchmarkAddr},
		{Fake: ceneo.New(), Addr: config.AggregatorAddr},
		{Fake: google.New(options("provider_search")).Fake, Addr: config.SearchAddr},
		{Fake: places.New(config.PlacesAPIKey), Addr: config.PlacesAddr},
		{Fake: meta.New(options("provider_social")).Fake, Addr: config.SocialAddr},
	}
}

func open(config Config) (*control, error) {
	c := &control{site: &site{Addr: config.ControlAddr}, Sites: sites(config)}
	for _, s := range append(c.Sites, c.site) {
		listener, err := net.Listen("tcp", s.Addr)
		if err != nil {
			return nil, err
		}
		s.listener, s.URL = listener, "http://"+listener.Addr().String()
	}
	return c, nil
}

// serve answers on every address until the context ends, then lets current requests finish, without the delays of
// faults.
func (c *control) serve(ctx context.Context, log *slog.Logger) error {
	serving, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var servers []*http.Server
	start := func(s *site, handler http.Handler) {
		server := &http.Server{
			Handler: handler, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 32 << 10,
			BaseContext: func(net.Listener) context.Context { return serving },
			ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		}
		servers = append(servers, server)
		log.Info("listening", "url", s.URL)
		go func() {
			if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
				stop(fmt.Errorf("serving %s: %w", s.URL, err))
			}
		}()
	}
	start(c.site, c.handler())
	for _, s := range c.Sites {
		start(s, s.Fake)
	}
	<-serving.Done()
	log.Info("stopping")
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	for _, server := range servers {
		_ = server.Shutdown(drain) // what is left after the time-out ends with the program
	}
	if ctx.Err() != nil {
		return nil
	}
	return context.Cause(serving)
}
