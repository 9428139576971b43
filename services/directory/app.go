package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/pages"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/session"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/outbound"
	"backend.example/services/internal/kit/telemetry"
)

// hashesMost bounds the memory that logins can take: each hash needs 19 MiB.
const hashesMost = 4

// hashesAtOnce leaves half of the processors to everything but logins.
func hashesAtOnce() int { return max(1, min(hashesMost, runtime.GOMAXPROCS(0)/2)) }

// app is the service put together by hand: every part is made here and given
// what it needs.
type app struct {
	cfg      config
	log      *slog.Logger
	tracing  *telemetry.Tracing
	registry *prometheus.Registry
	store    *store.Store
	sessions *session.Store
	behind   sync.WaitGroup // what goes on after an answer

	logins    loggedLogins
	oauth     *directory.OAuth
	pages     *directory.Pages
	locations *directory.Locations
	audits    countedAudits
	scan      *directory.Scan
}

// openStore opens the database of the settings.
func openStore(ctx context.Context, cfg config) (*store.Store, error) {
	keys, err := store.ParseKeys(cfg.EncryptionKeys.Reveal())
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, cfg.DatabaseURL.Reveal(), keys)
}

// newApp wires the service on an open database.
func newApp(cfg config, s *store.Store, log *slog.Logger, tracing *telemetry.Tracing) (*app, error) {
	a := &app{cfg: cfg, log: log, tracing: tracing, registry: prometheus.NewRegistry(), store: s}
	a.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if err := a.newSessions(); err != nil {
		return nil, err
	}
	hasher := directory.NewHasher(hashesAtOnce())
	m := newMetrics(a.registry)
	search, social := countedSearch{a.newSearch(), m}, countedSocial{a.newSocial(), m}
	a.logins = loggedLogins{directory.NewLogins(s, s, hasher, time.Now), log}
	a.oauth = directory.NewOAuth(s, map[directory.Provider]directory.Authorizer{
		directory.ProviderSearch: search, directory.ProviderSocial: social,
	}, strings.TrimSuffix(cfg.PublicURL.String(), "/"), time.Now, a.behind.Go, log)
	a.pages = directory.NewPages(a.oauth, s, social, time.Now, log)
	a.locations = directory.NewLocations(a.oauth, search, time.Now)
	a.audits = countedAudits{directory.NewAudits(s, a.locations, countedPlaces{a.newPlaces(), m}, time.Now, log), m}
	a.scan = directory.NewScan(tracedScans{countedScans{s, m}, tracing}, a.oauth, a.pages, time.Now, log)
	return a, nil
}

func (a *app) newSessions() error {
	keys, err := session.ParseKeys(a.cfg.SessionKeys.Reveal())
	if err != nil {
		return err
	}
	a.sessions = session.New(a.store, keys, a.cfg.PublicURL.Scheme == "https", time.Now)
	return nil
}

// transport reaches the real hosts of a provider, or the one that takes their place.
func (a *app) transport(base *url.URL) http.RoundTripper {
	if base == nil {
		return a.tracing.Transport(outbound.NewTransport(a.cfg.ProviderTimeout))
	}
	return a.tracing.Transport(outbound.NewTransport(a.cfg.ProviderTimeout, base.Hostname()))
}

func (a *app) newSearch() *provider.Search {
	return provider.NewSearch(provider.SearchOptions{
		ClientID: a.cfg.SearchClientID, ClientSecret: a.cfg.SearchClientSecret.Reveal(), BaseURL: a.cfg.SearchBaseURL,
		Transport: a.transport(a.cfg.SearchBaseURL), Timeout: a.cfg.ProviderTimeout, Now: time.Now,
	})
}

func (a *app) newSocial() *provider.Social {
	return provider.NewSocial(provider.SocialOptions{
		ClientID: a.cfg.SocialClientID, ClientSecret: a.cfg.SocialClientSecret.Reveal(), BaseURL: a.cfg.SocialBaseURL,
		APIVersion: a.cfg.SocialAPIVersion, PKCE: a.cfg.SocialPKCE,
		Transport: a.transport(a.cfg.SocialBaseURL), Timeout: a.cfg.ProviderTimeout, Now: time.Now,
	})
}

func (a *app) newPlaces() *provider.Places {
	return provider.NewPlaces(provider.PlacesOptions{
		APIKey: a.cfg.PlacesAPIKey.Reveal(), BaseURL: a.cfg.PlacesBaseURL,
		Transport: a.transport(a.cfg.PlacesBaseURL), Timeout: a.cfg.ProviderTimeout, Now: time.Now,
	})
}

// answerLimit is the longest that an answer may take: a sync asks its provider
// several times. The gateway waits for 60 s.
const answerLimit = 55 * time.Second

// withDeadline lets the context of every request end after limit, so that there is
// still an answer.
func withDeadline(next http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), limit)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// handler is the public face: the API, and the pages for pages.
func (a *app) handler() (http.Handler, error) {
	frame, err := pages.NewSite(a.cfg.Notice)
	if err != nil {
		return nil, err
	}
	api := httpapi.API{
		Sessions: a.sessions, Logins: a.logins, Companies: a.store, OAuth: a.oauth,
		Locations: a.locations, Pages: a.pages, Audits: a.audits, Database: a.store,
		Strict: a.cfg.CompanyAccess == accessStrict, ClientIP: httpapi.ClientIP(a.cfg.TrustedProxies), Log: a.log,
	}
	if err := api.CrossOrigin.AddTrustedOrigin(a.cfg.PublicURL.Scheme + "://" + a.cfg.PublicURL.Host); err != nil {
		return nil, err
	}
	pages := pages.Pages{
		Site: frame, Sessions: a.sessions, Logins: a.logins, Companies: a.store, OAuth: a.oauth,
		Locations: a.locations, Social: a.pages, Audits: a.audits, Database: a.store,
		CrossOrigin: &api.CrossOrigin, ClientIP: api.ClientIP, Log: a.log,
	}
	e := httpx.New(a.log, httpx.NewMetrics(a.registry, "directory"), httpapi.BodyLimit, httpapi.Render, frame)
	a.tracing.Serve(e)
	api.Register(e)
	pages.Register(e)
	return withDeadline(e, answerLimit), nil
}

// serve answers until ctx ends, and sees to what has to be done now and then.
func (a *app) serve(ctx context.Context) error {
	handler, err := a.handler()
	if err != nil {
		return err
	}
	background, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.behind.Go(func() { a.scan.Every(background, a.cfg.ScanInterval) })
	a.behind.Go(func() { a.tidy(background) })
	health := httpx.NewHealth(map[string]httpx.Check{"database": a.store.Ping})
	server := httpx.Server{
		Log: a.log, Health: health,
		Addr: a.cfg.Addr, Handler: handler,
		AdminAddr: a.cfg.AdminAddr, AdminHandler: health.AdminHandler(a.registry),
		WriteTimeout: answerLimit + 5*time.Second, DrainDelay: a.cfg.DrainDelay, DrainTimeout: a.cfg.DrainTimeout,
	}
	err = server.Run(ctx)
	stop()
	a.behind.Wait()
	return err
}

// tidyEvery is how often what has run out is deleted; limitMemory is longer than
// the longest window of a limit.
const (
	tidyEvery   = time.Hour
	limitMemory = 8 * 24 * time.Hour
)

// tidy deletes sessions and uses of limits that count no more.
func (a *app) tidy(ctx context.Context) {
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := a.sessions.Sweep(ctx); err != nil {
			a.log.WarnContext(ctx, "old sessions not deleted", "error", err)
		}
		if _, err := a.store.DeleteLimitEntriesBefore(ctx, time.Now().Add(-limitMemory)); err != nil {
			a.log.WarnContext(ctx, "old uses of limits not deleted", "error", err)
		}
	}
}
