// Package app is the whole service on one page each: settings, wiring, the URL map and the
// server.
package app

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

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/admin"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/mail"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/performance"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/searchstats"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/directory/internal/web"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/outbound"
	"backend.example/services/internal/kit/telemetry"
)

// app is the service. newApp makes every part by hand and gives it what it needs.
type app struct {
	build      build.Info
	cfg        config
	log        *slog.Logger
	tracing    *telemetry.Tracing
	registry   *prometheus.Registry
	db         *database.DB
	companies  *company.Companies
	users      *account.Users
	store      *connection.Store
	sessions   *account.Sessions
	background sync.WaitGroup    // work that outlives the request that caused it
	timeout    time.Duration     // of a response
	accessLog  *httpx.AccessLog  // nil where the log leaves out such lines
	network    http.RoundTripper // in simulations, instead of all transports

	features  // of people
	scans     features
	logins    *account.Logins
	passwords *account.Passwords
	incidents *incident.Incidents
	scan      *scan.Service
	erasures  *erasure.Service
	webhooks  *webhook.Service
}

// newApp wires the service on an open database, after options have changed it.
func newApp(info build.Info, cfg config, db *database.DB, log *slog.Logger, tracing *telemetry.Tracing, options ...func(*app)) (*app, error) {
	a := &app{
		build: info, cfg: cfg, log: log, tracing: tracing, registry: prometheus.NewRegistry(),
		db: db, companies: company.New(db), users: account.NewUsers(db), store: &connection.Store{DB: db},
		timeout: responseTimeout,
	}
	for _, option := range options {
		option(a)
	}
	a.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	if err := a.newSessions(); err != nil {
		return nil, err
	}
	m, limits := metrics.New(a.registry), limit.New(db)
	if err := a.newAccounts(); err != nil {
		return nil, err
	}
	a.incidents = incident.New(db, time.Now, log)
	search := budget.Budgets{}
	for _, api := range google.APIs() {
		search[api] = a.budgetOf(m, provider.Search, api, cfg.SearchPerMinute)
	}
	social := a.budgetOf(m, provider.Social, "graph", cfg.SocialPerMinute)
	a.scans = a.newFeatures(m, limits, search.Scan, social.Scan)
	a.features = a.newFeatures(m, limits, search.Person, social.Person)
	a.scan = scan.New(scan.Options{
		DB: db, Connection: a.scans.connections.Active, Renew: a.scans.connections.RenewEarly, Steps: a.scans.scanSteps(), Workers: cfg.ScanWorkers, Now: time.Now, Log: log,
		Trace:    func(ctx context.Context, name string) (context.Context, func(error)) { return tracing.Span(ctx, name) },
		OnFinish: m.ScanFinished,
	})
	a.erasures = erasure.New(erasure.Options{
		Store: a.store, Connections: a.connections, Erased: cfg.erasureLog(log), PublicURL: strings.TrimSuffix(cfg.PublicURL.String(), "/"), Now: time.Now, Log: log,
	})
	a.webhooks = a.newWebhooks(limits, m)
	return a, nil
}

// features are what calls the providers. Scans have their own, whose requests wait for those
// of people.
type features struct {
	connections *connection.Service
	social      *social.Service
	locations   *location.Service
	search      *searchstats.Service
	performance *performance.Service
	audits      *audit.Service
}

// newFeatures wires the features on clients of the providers, whose requests wait for their
// turns.
func (a *app) newFeatures(m *metrics.Metrics, limits *limit.Limits, searchTurn google.Turn, socialTurn func(context.Context) error) (f features) {
	googleClient, metaClient := a.newSearch(searchTurn), a.newSocial(socialTurn)
	f.connections = connection.New(connection.Options{
		Store: a.store,
		Providers: map[provider.Name]connection.Provider{
			provider.Search: m.Instrument(provider.Search, searchProvider(googleClient)),
			provider.Social: m.Instrument(provider.Social, socialProvider(metaClient, a.cfg.SocialPKCE)),
		},
		PublicURL: strings.TrimSuffix(a.cfg.PublicURL.String(), "/"),
		Incidents: a.incidents, OnSuppress: m.MarkSuppressed, OnGiveUp: m.RevocationsGivenUp,
		Limits: limits, Discovers: a.cfg.DiscoverLimit, Syncs: a.cfg.SyncLimit, Strict: a.cfg.CompanyAccess == accessStrict,
		Now: time.Now, Background: a.background.Go, Log: a.log,
	})
	f.social = social.New(social.Options{
		Connections: f.connections, Store: a.store, Pages: metaClient.Pages, FindPage: metaClient.FindPage,
		ReadPage:   metrics.CountRead(m, string(provider.Social), "page", metaClient.ReadPage),
		ReadPhotos: metrics.CountRead(m, string(provider.Social), "photos", metaClient.ReadPhotos),
		Strict:     a.cfg.CompanyAccess == accessStrict, Now: time.Now, Log: a.log,
	})
	f.locations = location.New(location.Options{
		Connections: f.connections, Configured: googleClient.Configured(), Locations: googleClient.Locations,
		ReadLocation: metrics.CountRead(m, string(provider.Search), "location", googleClient.ReadLocation), Now: time.Now,
	})
	f.search = searchstats.New(searchstats.Options{
		Connections: f.connections, DB: a.db, Company: a.companies.ByID, Sites: googleClient.Sites,
		ReadSearch: metrics.CountRead(m, string(provider.Search), "analytics", googleClient.ReadSearch), Now: time.Now, Log: a.log,
	})
	f.performance = performance.New(performance.Options{
		Connections: f.connections, DB: a.db,
		ReadPerformance: metrics.CountRead(m, string(provider.Search), "performance", googleClient.ReadPerformance), Now: time.Now, Log: a.log,
	})
	f.audits = audit.New(audit.Options{
		DB: a.db, Locations: f.locations, FindPlace: a.findPlace(m, searchTurn), Now: time.Now, Log: a.log, OnFinish: m.AuditFinished,
	})
	return f
}

// budgetOf returns the budget of an API of a provider.
func (a *app) budgetOf(m *metrics.Metrics, p provider.Name, api string, perMinute int) *budget.Budget {
	turn, busy := m.CountTurns(p, api, perMinute)
	return budget.New(budget.Options{Provider: p, API: api, PerMinute: perMinute, Take: a.db.TakeTurns, Log: a.log, OnTurn: turn, OnBusy: busy})
}

// maxHashes bounds the memory that logins can take: each hash needs 19 MiB.
const maxHashes = 4

// concurrentHashes leaves half of the processors to everything but logins.
func concurrentHashes(processors int) int { return max(1, min(maxHashes, processors/2)) }

// newAccounts makes the parts that hash passwords. They share the turns of one Hasher.
func (a *app) newAccounts() error {
	hasher := account.NewHasher(concurrentHashes(runtime.GOMAXPROCS(0)))
	a.logins = account.NewLogins(a.users.ByEmail, a.db, hasher, time.Now, a.log)
	options := account.PasswordOptions{
		DB: a.db, Hasher: hasher, PublicURL: strings.TrimSuffix(a.cfg.PublicURL.String(), "/"), Now: time.Now, Log: a.log,
	}
	if a.cfg.SMTPURL != "" {
		server, err := mail.Parse(a.cfg.SMTPURL.Reveal())
		if err != nil {
			return err
		}
		options.Send = server.Send
	}
	a.passwords = account.NewPasswords(options)
	return nil
}

func (a *app) newSessions() error {
	keys, err := account.ParseKeys(a.cfg.SessionKeys.Reveal())
	if err != nil {
		return err
	}
	a.sessions = account.NewSessions(a.db, keys, a.cfg.PublicURL.Scheme == "https", time.Now)
	return nil
}

// webhookTimeout bounds each phase of a call to a receiver.
const webhookTimeout = 5 * time.Second

// newWebhooks returns the service of webhooks. Its calls are not traced: the addresses
// belong to others, and often contain a secret.
func (a *app) newWebhooks(limits *limit.Limits, m *metrics.Metrics) *webhook.Service {
	var transport http.RoundTripper = outbound.NewTransport(webhookTimeout)
	if a.cfg.WebhookPrivate {
		transport = outbound.NewOpenTransport(webhookTimeout)
	}
	if a.network != nil {
		transport = a.network
	}
	return webhook.New(webhook.Options{
		DB: a.db, Limits: limits, Transport: transport, AllowPrivate: a.cfg.WebhookPrivate, UserAgent: "directory/" + a.build.Version,
		Now: time.Now, Log: a.log, OnAttempt: m.DeliveryAttempted, OnBacklog: m.BacklogMeasured,
	})
}

// transport reaches the real hosts of a provider, or only the host of base.
func (a *app) transport(base *url.URL) http.RoundTripper {
	if a.network != nil {
		return a.network
	}
	if base == nil {
		return a.tracing.Transport(outbound.NewProxiedTransport(a.cfg.ProviderTimeout))
	}
	return a.tracing.Transport(outbound.NewProxiedTransport(a.cfg.ProviderTimeout, base.Hostname()))
}

func (a *app) newSearch(turn google.Turn) *google.Client {
	return google.New(google.Options{
		ClientID: a.cfg.SearchClientID, ClientSecret: a.cfg.SearchClientSecret.Reveal(), BaseURL: a.cfg.SearchBaseURL,
		Transport: a.transport(a.cfg.SearchBaseURL), Timeout: a.cfg.ProviderTimeout, Now: time.Now, Turn: turn,
	})
}

func (a *app) newSocial(turn func(context.Context) error) *meta.Client {
	return meta.New(meta.Options{
		ClientID: a.cfg.SocialClientID, ClientSecret: a.cfg.SocialClientSecret.Reveal(), BaseURL: a.cfg.SocialBaseURL,
		APIVersion: a.cfg.SocialAPIVersion, PKCE: a.cfg.SocialPKCE, ConfigID: a.cfg.SocialConfigID,
		PagesScopes: a.cfg.SocialPagesScopes, PhotosScopes: a.cfg.SocialPhotosScopes, Metrics: a.cfg.SocialMetrics,
		Transport: a.transport(a.cfg.SocialBaseURL), Timeout: a.cfg.ProviderTimeout, Now: time.Now, Turn: turn,
	})
}

func (a *app) newPlaces(turn google.Turn) *google.Places {
	return google.NewPlaces(google.PlacesOptions{
		APIKey: a.cfg.PlacesAPIKey.Reveal(), BaseURL: a.cfg.PlacesBaseURL,
		Transport: a.transport(a.cfg.PlacesBaseURL), Timeout: a.cfg.ProviderTimeout, Now: time.Now, Turn: turn,
	})
}

// searchProvider are the functions of provider_search.
func searchProvider(c *google.Client) connection.Provider {
	return connection.Provider{
		Configured: c.Configured(), UsesPKCE: true, AuthURL: c.AuthURL, Exchange: c.Exchange, Lacks: c.Lacks, Account: c.Account,
		Refresh: c.Refresh, Revoke: c.Revoke,
	}
}

// socialProvider are the functions of provider_social.
func socialProvider(c *meta.Client, pkce bool) connection.Provider {
	return connection.Provider{
		Configured: c.Configured(), UsesPKCE: pkce, AuthURL: c.AuthURL, Exchange: c.Exchange, Lacks: c.Lacks, Account: c.Account,
		Refresh: c.Refresh, Revoke: c.Revoke, ReadRequest: c.ReadRequest,
	}
}

// scanSteps are the reads of the scan by the pair whose connections they use.
func (a features) scanSteps() map[provider.Pair][]scan.Step {
	return map[provider.Pair][]scan.Step{
		provider.PagesPair: {
			{Name: "sync photos", Chosen: connection.ChosenPage, Run: a.social.ScanPhotos(provider.PagesPair)},
			{Name: "sync page", Chosen: connection.ChosenPage, Run: a.social.ScanPage},
		},
		provider.PhotosPair: {{Name: "sync photos", Run: a.social.ScanPhotos(provider.PhotosPair)}},
		provider.ProfilePair: {
			{Name: "audit", Chosen: connection.ChosenLocation, Run: a.audits.RunWeekly},
			{Name: "sync performance", Chosen: connection.ChosenLocation, Run: a.performance.Scan},
		},
		provider.AnalyticsPair: {{Name: "sync search figures", Run: a.search.Scan}},
	}
}

// findPlace is nil without a key.
func (a *app) findPlace(m *metrics.Metrics, turn google.Turn) func(context.Context, google.PlaceQuery) (google.Business, error) {
	if a.cfg.PlacesAPIKey == "" {
		return nil
	}
	return metrics.CountCall(m, "places", "place", a.newPlaces(turn).FindPlace)
}

// handler serves the API and the pages.
func (a *app) handler() (http.Handler, error) {
	frame, err := web.NewSite(a.cfg.Notice, a.cfg.legal(), a.sessions)
	if err != nil {
		return nil, err
	}
	guard := &account.Guard{Sessions: a.sessions, ClientIP: httpx.ClientIP(a.cfg.TrustedProxies)}
	for _, origin := range append([]string{a.cfg.PublicURL.Scheme + "://" + a.cfg.PublicURL.Host}, a.cfg.AllowedOrigins...) {
		if err := guard.CrossOrigin.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	site := web.Handlers{
		Site: frame, Guard: guard, Logins: a.logins, Passwords: a.passwords, Users: a.users, Sessions: a.sessions,
		Connections: a.connections, Locations: a.locations, Social: a.social, Analytics: a.search, Performance: a.performance,
		Audits: a.audits, Webhooks: a.webhooks, Companies: a.companies,
		Company: a.companies.ByID, Deletion: a.erasures.Deletion, EraseUser: a.erasures.User, Ping: a.db.Ping,
		Trail: trail.Reader(a.db), Now: time.Now, Log: a.log,
	}
	e := httpx.New(httpx.Options{
		Log: a.log, Metrics: httpx.NewMetrics(a.registry, "directory"), AccessLog: a.accessLog, BodyLimit: httpapi.BodyLimit, Timeout: a.timeout,
		CORS:      httpx.CORS{Origins: a.cfg.AllowedOrigins, Credentials: true, Paths: []string{"/api/", web.StandInPath}},
		ErrorBody: httpapi.Render, ErrorPage: frame.WriteError,
	})
	a.tracing.Serve(e)
	Register(e, Services{
		Guard: guard, Accounts: &account.Handlers{
			Guard: guard, Logins: a.logins, Passwords: a.passwords, Sessions: a.sessions, Company: a.companies.ByID,
		},
		Admin: &admin.Handlers{
			Companies: a.companies, Users: a.users, Passwords: a.passwords, Sessions: a.sessions, EraseUser: a.erasures.User,
		},
		Connections: &connection.Handlers{Service: a.connections, Guard: guard, Log: a.log}, Erasures: a.erasures,
		Locations: a.locations, Social: a.social, SearchStats: a.search, Performance: a.performance, Audits: a.audits,
	})
	site.Register(e)
	return e, nil
}

func (a *app) countConnections() *metrics.Connections {
	return metrics.NewConnections(a.registry, metrics.ConnectionOptions{
		Broken: a.store.CountBroken, Revocations: a.store.PendingRevocations, Due: a.scan.Due, Ahead: a.scan.Ahead, Oldest: a.scan.Oldest, Pauses: a.scan.Pauses, Incidents: a.incidents.List, Interval: a.cfg.ScanInterval, Log: a.log,
	})
}

// serve answers requests until ctx ends. Then it waits for the work in the
// background; the recurring work is stopped, a revocation is finished.
func (a *app) serve(ctx context.Context) error {
	handler, err := a.handler()
	if err != nil {
		return err
	}
	recurring, stop := context.WithCancel(context.WithoutCancel(ctx))
	a.background.Go(func() { a.scan.Every(recurring, a.cfg.ScanInterval) })
	a.background.Go(func() { a.cleanUp(recurring) })
	a.background.Go(func() { a.erasures.Run(recurring) })
	a.background.Go(func() { a.countConnections().Measure(recurring) })
	a.background.Go(func() { a.webhooks.Run(recurring) })
	a.background.Go(func() { a.scans.connections.RunRevocations(recurring) })
	a.background.Go(func() { a.passwords.Run(recurring) })
	health := httpx.NewHealth(map[string]httpx.Check{"database": a.db.Ping})
	health.Register(a.registry, "directory")
	err = a.server(handler, health).Run(ctx)
	stop()
	a.background.Wait()
	return err
}

// server returns the server of the settings, which gives up soon after a handler should have.
func (a *app) server(handler http.Handler, health *httpx.Health) *httpx.Server {
	return &httpx.Server{
		Log: a.log, Health: health,
		Addr: a.cfg.Addr, Handler: handler,
		AdminAddr: a.cfg.AdminAddr, AdminHandler: health.AdminHandler(a.registry),
		WriteTimeout: a.timeout + 5*time.Second, DrainDelay: a.cfg.DrainDelay, DrainTimeout: a.cfg.DrainTimeout,
	}
}
