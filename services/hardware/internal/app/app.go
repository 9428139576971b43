// Package app contains the settings and the wiring of the service, its server and its commands.
package app

import (
	"errors"
	"log/slog"
	"net/url"
	"path/filepath"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/extra/redisotel/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"backend.example/services/hardware/internal/builds"
	"backend.example/services/hardware/internal/cache"
	"backend.example/services/hardware/internal/ceneo"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/hardware/internal/userbenchmark"
	"backend.example/services/hardware/internal/web"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/outbound"
	"backend.example/services/internal/kit/pace"
	"backend.example/services/internal/kit/telemetry"
)

// App is the service.
type App struct {
	Options
	cfg       Config
	registry  *prometheus.Registry
	metrics   *metrics.Metrics
	redis     redis.UniversalClient // nil without Redis
	accessLog *httpx.AccessLog      // nil below level INFO
	local     *lookup.Local
	queue     *pace.Queue // of requests to the aggregator
	pages     *web.Pages

	Rankings *rankings.Rankings
	Prices   *prices.Prices
	Quotes   *prices.Quotes
}

// Options come from the process.
type Options struct {
	Log     *slog.Logger
	Tracing *telemetry.Tracing // may be nil
	Now     func() time.Time
}

// A source is paused after so many failed look-ups in a row, and after a refusal for so long if it does not say
// for how long. Rankings have a fallback, so their source is paused at once, but briefly.
const (
	aggregatorFailures = 5
	aggregatorRefusal  = 10 * time.Minute
	benchmarkFailures  = 1
	benchmarkRefusal   = rankings.RetryPause
)

const lookupRequests = 2

// New wires the service.
func New(cfg Config, o Options) (*App, error) {
	a := &App{Options: o, cfg: cfg, registry: prometheus.NewRegistry(), local: lookup.NewLocal(cfg.CacheMaxBytes)}
	a.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	a.metrics = metrics.New(a.registry, rankings.BenchmarkSite, cfg.Aggregator)
	if err := a.dialRedis(); err != nil {
		return nil, err
	}
	var clock pace.Clock = &pace.Memory{}
	var sources fetch.SourceStore = &fetch.MemoryStore{}
	var shared builds.Store = builds.NewFiles(filepath.Join(cfg.StateDir, "builds"), builds.Max)
	if a.redis != nil {
		clock = cache.NewClock(a.redis, cfg.MaxReplicas, o.Log)
		sources = cache.NewSources(a.redis, o.Log)
		shared = builds.NewRedis(a.redis, builds.Max)
	}
	rate := pace.Rate{Interval: cfg.PriceInterval, Burst: 1, Turns: lookupRequests}
	a.queue = pace.NewQueue(clock, cfg.Aggregator, rate)
	aggregatorGate := &fetch.Gate{
		Source: cfg.Aggregator, Queue: a.queue, Store: sources, MaxWait: cfg.PriceMaxWait,
		Failures: aggregatorFailures, Refusal: aggregatorRefusal, Metrics: a.metrics, Log: o.Log,
	}
	benchmarkGate := &fetch.Gate{
		Source: rankings.BenchmarkSite, Store: sources,
		Failures: benchmarkFailures, Refusal: benchmarkRefusal, Metrics: a.metrics, Log: o.Log,
	}
	benchmark := userbenchmark.New(a.fetchOptions(cfg.BenchmarkBaseURL, benchmarkGate))
	lastGood := rankings.NewLastGood(filepath.Join(cfg.StateDir, "lastgood"), a.redis, benchmark)
	a.Rankings = rankings.New(benchmark, lastGood,
		newLookups[rankings.Ranking](a, benchmarkGate, cfg.CacheTTL), cfg.CacheTTL, a.metrics, o.Log)
	site := a.fetchOptions(cfg.AggregatorBaseURL, aggregatorGate)
	aggregator := ceneo.New(site, cfg.AggregatorSections, cfg.AggregatorLists)
	s := prices.Settings{
		Aggregator: cfg.Aggregator, Domain: ceneo.Domain, Host: aggregator.Host(),
		TTL: cfg.CacheTTL, ProductTTL: cfg.ProductTTL, ListPages: cfg.ListPages,
	}
	a.Prices = prices.New(s, aggregator, aggregatorGate, newLookups[prices.Match](a, aggregatorGate, cfg.ProductTTL),
		newLookups[prices.Price](a, aggregatorGate, cfg.CacheTTL),
		newLookups[prices.ListPage](a, aggregatorGate, cfg.CacheTTL), a.metrics, o.Log)
	a.Quotes = prices.NewQuotes(a.Prices, o.Log)
	var err error
	a.pages, err = web.New(web.Options{
		Rankings: a.Rankings, Prices: a.Prices, Quotes: a.Quotes, Builds: shared,
		ClientIP: httpx.ClientIP(cfg.TrustedProxies), Log: o.Log, Notice: cfg.Notice, Legal: cfg.legal(),
		RankingSource: userbenchmark.Name, PriceSource: ceneo.Name,
	})
	return a, err
}

func (a *App) dialRedis() (err error) {
	if a.cfg.RedisURL == "" {
		return nil
	}
	logging.Disable() // the library's lines are not JSON
	a.redis, err = cache.Dial(a.cfg.RedisURL.Reveal(), a.metrics, a.Log)
	if err != nil { // the cause would show the password
		return errors.New(
			"HARDWARE_REDIS_URL: not an address of Redis: redis://, rediss://, unix://, redis-cluster:// " +
				"or redis-sentinel://")
	}
	return traceRedis(a.redis, a.Tracing)
}

// traceRedis omits the arguments of commands, which contain what users asked for.
func traceRedis(client redis.UniversalClient, tracing *telemetry.Tracing) error {
	if !tracing.On() {
		return nil
	}
	return redisotel.InstrumentTracing(client, redisotel.WithTracerProvider(tracing.Provider()),
		redisotel.WithDBStatement(false), redisotel.WithCallerEnabled(false), redisotel.WithDialFilter(true))
}

func newLookups[V any](a *App, gate *fetch.Gate, ttl time.Duration) *lookup.Lookups[V] {
	if a.redis == nil {
		return lookup.New[V](a.local, nil, gate, a.Now, a.Log)
	}
	return lookup.New(a.local, lookup.NewStore[V](a.redis, ttl, a.Log), gate, a.Now, a.Log)
}

// fetchOptions uses each connection once: net/http repeats a request by itself if a kept one breaks, which the
// pace would not count.
func (a *App) fetchOptions(base *url.URL, gate *fetch.Gate) fetch.Options {
	t := outbound.NewProxiedTransport(a.cfg.SourceTimeout, base.Hostname())
	t.DisableKeepAlives = true
	return fetch.Options{
		BaseURL: base, UserAgent: a.cfg.UserAgent, Timeout: a.cfg.SourceTimeout,
		Transport: a.Tracing.Transport(t), Gate: gate, Now: a.Now,
	}
}

// Handler serves the API and the pages.
func (a *App) Handler() *echo.Echo {
	api := httpapi.New(a.Rankings, a.Prices, a.Quotes, httpx.ClientIP(a.cfg.TrustedProxies), a.local)
	e := httpx.New(httpx.Options{
		Log: a.Log, Metrics: httpx.NewMetrics(a.registry, "hardware"), AccessLog: a.accessLog,
		BodyLimit: httpapi.BodyLimit,
		CORS:      httpx.CORS{Origins: a.cfg.AllowedOrigins, Paths: []string{"/api/"}},
		Rate:      httpx.Rate{PerSecond: a.cfg.Rate, TrustedProxies: a.cfg.TrustedProxies},
		ErrorBody: api.Render, Site: a.pages.Site(),
	})
	a.Tracing.Serve(e)
	api.Register(e)
	a.pages.Register(e)
	return e
}

// Close closes what New opened.
func (a *App) Close() {
	if a.redis != nil {
		_ = a.redis.Close() // the process ends
	}
}
