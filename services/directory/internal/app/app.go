// Package app is the whole service on one page each: settings, wiring, the URL map and the
// server.
package app

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/budget"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/location"
	"backend.example/services/directory/internal/mail"
	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/metrics"
	"backend.example/services/directory/internal/notify"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/scan"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/directory/internal/web"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/outbound"
	"backend.example/services/internal/kit/telemetry"
)

// App is the service. New makes every part by hand and gives it what it needs.
type App struct {
	Options
	cfg        Config
	registry   *prometheus.Registry
	metrics    *metrics.Metrics
	background sync.WaitGroup   // work that outlives the request that caused it
	timeout    time.Duration    // of a response
	accessLog  *httpx.AccessLog // nil if the log leaves out such lines

	DB        *database.DB
	Companies *company.Companies
	Users     *account.Users
	Store     *connection.Store
	Sessions  *account.Sessions
	Features
	Logins    *account.Logins
	Passwords *account.Passwords
	Incidents *incident.Incidents
	Scan      *scan.Service
	Erasures  *erasure.Service
	Webhooks  *webhook.Service
	Notify    *notify.Service
}

// Options are what the process gives to the service.
type Options struct {
	Build   build.Info
	Log     *slog.Logger
	Tracing *telemetry.Tracing // nil for none
}

// New wires the service on an open database.
func New(cfg Config, db *database.DB, o Options) (*App, error) {
	log := o.Log
	a := &App{
		Options: o, cfg: cfg, registry: prometheus.NewRegistry(), timeout: responseTimeout,
		DB: db, Companies: company.New(db), Users: account.NewUsers(db), Store: &connection.Store{DB: db},
	}
	a.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		collectors.NewDBStatsCollector(db.WritePool(), "directory"))
	if err := a.newSessions(); err != nil {
		return nil, err
	}
	a.metrics = metrics.New(a.registry)
	if err := a.newAccounts(); err != nil {
		return nil, err
	}
	a.Incidents = incident.New(db, log)
	clients := a.newClients()
	a.Features = a.newFeatures(clients)
	a.Scan = scan.New(scan.Options{
		DB: db, Readers: a.forScans(clients), People: a.Readers, Workers: cfg.ScanWorkers, Log: log,
	})
	a.Erasures = erasure.New(erasure.Options{
		Store: a.Store, Meta: clients.meta, Erased: cfg.erasureLog(log), PublicURL: cfg.publicBase(),
	})
	a.Webhooks = a.newWebhooks()
	a.Notify = &notify.Service{
		Users: a.Users, Companies: a.Companies, Store: a.Store, Statistics: a.Statistics, Social: a.Social,
		Audits: a.Audits, Send: a.Passwords.Send,
		PublicURL: cfg.publicBase(), Now: a.DB.Now, Log: log,
	}
	return a, nil
}

// Features call the providers.
type Features struct {
	scan.Readers
	Locations *location.Service
}

// clients call the providers.
type clients struct {
	google *google.Client
	meta   *meta.Client
	places *google.Places // nil without a key
}

func (a *App) newClients() clients {
	search := budget.Budgets{}
	for _, api := range google.APIs() {
		search[api] = a.budgetOf(provider.Search, api, a.cfg.SearchPerMinute)
	}
	return clients{
		a.newSearch(search), a.newSocial(a.budgetOf(provider.Social, "graph", a.cfg.SocialPerMinute)),
		a.newPlaces(search),
	}
}

func (a *App) newFeatures(c clients) (f Features) {
	strict := a.cfg.CompanyAccess == accessStrict
	f.Connections = connection.New(connection.Options{
		Store:     a.Store,
		Providers: map[provider.Name]provider.Client{provider.Search: c.google, provider.Social: c.meta},
		PublicURL: a.cfg.redirectBase(),
		Incidents: a.Incidents, Metrics: a.metrics,
		Limits: limit.New(a.DB), Discovers: a.cfg.DiscoverLimit, Syncs: a.cfg.SyncLimit,
		Strict: strict, Log: a.Log,
	})
	f.Social = social.New(a.Store, f.Connections, c.meta, strict, a.Log)
	f.Locations = location.New(f.Connections, c.google)
	f.Statistics = statistics.New(a.DB, a.Companies, f.Connections, c.google, a.Log)
	f.Audits = audit.New(a.DB, f.Locations, c.places, a.Log, a.metrics)
	return f
}

// forScans returns copies whose requests wait for those of people.
func (f Features) forScans(c clients) (scans scan.Readers) {
	scans.Connections = f.Connections.ForScans(map[provider.Name]provider.Client{
		provider.Search: c.google.ForScans(), provider.Social: c.meta.ForScans(),
	})
	scans.Social = f.Social.ForScans(scans.Connections)
	scans.Statistics = f.Statistics.ForScans(scans.Connections)
	scans.Audits = f.Audits.ForScans(f.Locations.ForScans(scans.Connections))
	return scans
}

func (a *App) budgetOf(p provider.Name, api string, perMinute int) *budget.Budget {
	return budget.New(budget.Options{
		Provider: p, API: api, PerMinute: perMinute, Clock: a.DB.Clock(), Log: a.Log, Metrics: a.metrics,
	})
}

// maxHashes bounds the memory of logins: a hash needs 19 MiB.
const maxHashes = 4

// concurrentHashes leaves half of the processors to everything but logins.
func concurrentHashes(processors int) int { return max(1, min(maxHashes, processors/2)) }

// newAccounts makes the parts that hash passwords, which share the turns of one Hasher.
func (a *App) newAccounts() error {
	hasher := account.NewHasher(concurrentHashes(runtime.GOMAXPROCS(0)))
	a.Logins = account.NewLogins(a.DB, hasher, a.Log)
	a.Logins.RefuseDemo = a.cfg.PublicURL.Scheme == "https"
	options := account.PasswordOptions{
		DB: a.DB, Hasher: hasher, PublicURL: a.cfg.publicBase(), Log: a.Log,
	}
	if a.cfg.SMTPURL != "" {
		server, err := mail.Parse(a.cfg.SMTPURL.Reveal())
		if err != nil {
			return err
		}
		options.Send = server.Send
	}
	a.Passwords = account.NewPasswords(options)
	return nil
}

func (a *App) newSessions() error {
	keys, err := account.ParseKeys(a.cfg.SessionKeys.Reveal())
	if err != nil {
		return err
	}
	a.Sessions = account.NewSessions(a.DB, keys, a.cfg.PublicURL.Scheme == "https", a.cfg.TrustedProxies)
	return nil
}

// newWebhooks returns the service of webhooks, whose calls are not traced: an address may contain a
// secret.
func (a *App) newWebhooks() *webhook.Service {
	var transport http.RoundTripper = outbound.NewTransport(webhook.SendTimeout)
	if a.cfg.WebhookPrivate {
		transport = outbound.NewOpenTransport(webhook.SendTimeout)
	}
	return webhook.New(webhook.Options{
		DB:           a.DB,
		Transport:    outbound.Logged(transport, a.Log),
		AllowPrivate: a.cfg.WebhookPrivate,
		UserAgent:    "directory/" + a.Build.Version,
		Metrics:      a.metrics,
	})
}

// transport reaches the real hosts of a provider, or only the host of base.
func (a *App) transport(base *url.URL) http.RoundTripper {
	var hosts []string
	if base != nil {
		hosts = append(hosts, base.Hostname())
	}
	return a.Tracing.Transport(outbound.Logged(outbound.NewProxiedTransport(a.cfg.ProviderTimeout, hosts...), a.Log))
}

func (a *App) newSearch(budgets budget.Budgets) *google.Client {
	return google.New(google.Options{
		ClientID: a.cfg.SearchClientID, ClientSecret: a.cfg.SearchClientSecret.Reveal(), BaseURL: a.cfg.SearchBaseURL,
		Transport: a.transport(a.cfg.SearchBaseURL), Timeout: a.cfg.ProviderTimeout, Now: a.DB.Now, Budgets: budgets,
		Metrics: a.metrics,
	})
}

func (a *App) newSocial(turns *budget.Budget) *meta.Client {
	return meta.New(meta.Options{
		ClientID: a.cfg.SocialClientID, ClientSecret: a.cfg.SocialClientSecret.Reveal(), BaseURL: a.cfg.SocialBaseURL,
		APIVersion: a.cfg.SocialAPIVersion, PKCE: a.cfg.SocialPKCE, ConfigID: a.cfg.SocialConfigID,
		PagesScopes: a.cfg.SocialPagesScopes, PhotosScopes: a.cfg.SocialPhotosScopes, PageMetrics: a.cfg.SocialMetrics,
		Transport: a.transport(a.cfg.SocialBaseURL), Timeout: a.cfg.ProviderTimeout, Now: a.DB.Now, Budget: turns,
		Metrics: a.metrics,
	})
}

func (a *App) newPlaces(budgets budget.Budgets) *google.Places {
	if a.cfg.PlacesAPIKey == "" {
		return nil
	}
	return google.NewPlaces(google.Options{
		APIKey: a.cfg.PlacesAPIKey.Reveal(), BaseURL: a.cfg.PlacesBaseURL,
		Transport: a.transport(a.cfg.PlacesBaseURL), Timeout: a.cfg.ProviderTimeout, Now: a.DB.Now, Budgets: budgets,
		Metrics: a.metrics,
	})
}

// Handler serves the API and the pages.
func (a *App) Handler() (http.Handler, error) {
	frame, err := web.NewSite(a.cfg.publicBase(), a.cfg.Notice, a.cfg.legal(), a.Sessions)
	if err != nil {
		return nil, err
	}
	guard := &account.Guard{Sessions: a.Sessions, Log: a.Log}
	for _, origin := range append([]string{a.cfg.PublicURL.Scheme + "://" + a.cfg.PublicURL.Host},
		a.cfg.AllowedOrigins...) {
		if err := guard.CrossOrigin.AddTrustedOrigin(origin); err != nil {
			return nil, err
		}
	}
	site := web.Handlers{
		Site: frame, Guard: guard, Logins: a.Logins, Passwords: a.Passwords, Users: a.Users, Sessions: a.Sessions,
		Connections: a.Connections, Locations: a.Locations, Social: a.Social, Statistics: a.Statistics,
		Audits: a.Audits, Webhooks: a.Webhooks, Companies: a.Companies,
		Erasures: a.Erasures, DB: a.DB, Log: a.Log,
	}
	e := httpx.New(httpx.Options{
		Log:       a.Log,
		Metrics:   httpx.NewMetrics(a.registry, "directory"),
		AccessLog: a.accessLog,
		BodyLimit: httpapi.BodyLimit,
		Timeout:   a.timeout,
		CORS:      httpx.CORS{Origins: a.cfg.AllowedOrigins, Credentials: true, Paths: []string{"/api/"}},
		Rate:      httpx.Rate{PerSecond: a.cfg.Rate, TrustedProxies: a.cfg.TrustedProxies},
		ErrorBody: httpapi.Render,
		Site:      frame,
	})
	a.Tracing.Serve(e)
	Register(e, Services{
		Guard: guard, Accounts: &account.Handlers{
			Guard: guard, Logins: a.Logins, Passwords: a.Passwords, Users: a.Users, Companies: a.Companies,
		},
		Connections: &connection.Handlers{Service: a.Connections, Guard: guard, Log: a.Log}, Erasures: a.Erasures,
		Locations: a.Locations, Social: a.Social, Statistics: a.Statistics, Audits: a.Audits,
	})
	site.Register(e)
	return e, nil
}

// serve answers requests until ctx ends, and waits for the work in the background.
func (a *App) serve(ctx context.Context) error {
	handler, err := a.Handler()
	if err != nil {
		return err
	}
	recurring, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer a.background.Wait()
	defer stop()
	a.background.Go(func() { a.work(recurring) })
	a.background.Go(func() { a.measure(recurring) })
	health := httpx.NewHealth(map[string]httpx.Check{"database": a.DB.Ping})
	health.Register(a.registry, "directory")
	admin, err := a.adminHandler(recurring, health)
	if err != nil {
		return err
	}
	return a.server(handler, admin, health).Run(ctx)
}

// adminHandler serves operators: health, metrics and, until ctx ends, the jobs.
func (a *App) adminHandler(ctx context.Context, health *httpx.Health) (http.Handler, error) {
	ui, err := jobs.New(a.DB).UI(ctx, "/jobs", a.Log)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", health.AdminHandler(a.registry))
	mux.Handle("/jobs/", ui)
	return mux, nil
}

// server gives up soon after a handler should have.
func (a *App) server(handler, admin http.Handler, health *httpx.Health) *httpx.Server {
	return &httpx.Server{
		Log: a.Log, Health: health,
		Addr: a.cfg.Addr, Handler: handler,
		AdminAddr: a.cfg.AdminAddr, AdminHandler: admin,
		WriteTimeout: a.timeout + 5*time.Second, DrainDelay: a.cfg.DrainDelay, DrainTimeout: a.cfg.DrainTimeout,
	}
}
