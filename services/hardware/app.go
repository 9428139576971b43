package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"backend.example/services/hardware/internal/cache"
	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/hardware/internal/pages"
	"backend.example/services/hardware/internal/source"
	"backend.example/services/hardware/internal/throttle"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/outbound"
	"backend.example/services/internal/kit/telemetry"
)

// app is the service put together by hand: every part is made here and given
// what it needs.
type app struct {
	cfg      config
	log      *slog.Logger
	tracing  *telemetry.Tracing
	registry *prometheus.Registry
	metrics  *metrics.Metrics
	redis    redis.UniversalClient // nil without Redis
	follow   func(ctx context.Context)

	pacer      *throttle.Pacer
	aggregator *source.Aggregator
	rankings   *hardware.Rankings
	prices     *hardware.Prices
	pages      *pages.Pages
}

// newApp wires the service. waiting is told how long the next request to the
// aggregator waits for its turn, and may be nil.
func newApp(cfg config, log *slog.Logger, tracing *telemetry.Tracing, waiting func(time.Duration)) (*app, error) {
	a := &app{cfg: cfg, log: log, tracing: tracing, registry: prometheus.NewRegistry()}
	a.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	a.metrics = metrics.New(a.registry, time.Now, hardware.BenchmarkSite, cfg.Aggregator)
	err := a.dialRedis()
	if err != nil {
		return nil, err
	}
	lookups := a.newLookups()
	pauses := a.newBreaker()
	breaker := a.metrics.Breaker(pauses)
	a.pacer = a.newPacer(pauses, waiting)
	a.aggregator = a.newAggregator(a.pacer)
	a.rankings = hardware.NewRankings(a.newBenchmark(), a.newLastGood(), source.Snapshot, lookups, breaker, a.metrics, cfg.CacheTTL, time.Now, log)
	a.prices = hardware.NewPrices(a.aggregator, lookups, breaker, a.metrics, cfg.CacheTTL, time.Now)
	a.pages, err = pages.New(pages.Options{
		Rankings: a.rankings, Prices: a.prices, Queue: a.pacer, Log: log, Notice: cfg.Notice,
	})
	return a, err
}

func (a *app) dialRedis() (err error) {
	if a.cfg.RedisURL == "" {
		return nil
	}
	logging.Disable() // the library's own lines are not JSON; what matters is told below
	a.redis, err = cache.Dial(a.cfg.RedisURL.Reveal(), func(up bool) {
		a.metrics.RedisUp(up)
		if up {
			a.log.Info("redis is back")
		} else {
			a.log.Error("redis is away: cached answers go on, new look-ups at this process's share of the rate")
		}
	})
	if err != nil { // the cause would show the password
		return errors.New("HARDWARE_REDIS_URL: not an address of Redis: redis://, rediss://, unix://, redis-cluster:// or redis-sentinel://")
	}
	return traceRedis(a.redis, a.tracing)
}

func (a *app) newLookups() *hardware.Lookups {
	local := cache.NewLocal(a.cfg.CacheMaxBytes)
	if a.redis != nil {
		shared := cache.NewRedis(a.redis, time.Now, a.log)
		lookups := hardware.NewLookups(local, shared, hardware.DefaultTiming(), time.Now, a.log)
		a.follow = func(ctx context.Context) { shared.Follow(ctx, lookups.Deliver) }
		return lookups
	}
	a.follow = func(context.Context) {}
	var lookups *hardware.Lookups
	alone := cache.NewMemory(local, time.Now, func(key string, o hardware.Outcome) { lookups.Deliver(key, o) })
	lookups = hardware.NewLookups(local, alone, hardware.DefaultTiming(), time.Now, a.log)
	return lookups
}

func (a *app) newBreaker() *throttle.Breaker {
	if a.redis != nil {
		return throttle.NewRedisBreaker(a.redis, a.log)
	}
	return throttle.NewBreaker(a.log)
}

func (a *app) newPacer(pauses *throttle.Breaker, waiting func(time.Duration)) *throttle.Pacer {
	options := throttle.Options{
		Interval: a.cfg.PriceInterval, MaxWait: a.cfg.PriceMaxWait, Replicas: a.cfg.MaxReplicas, Log: a.log,
		Waiting: func(d time.Duration) {
			a.metrics.Waiting(d)
			if waiting != nil {
				waiting(d)
			}
		},
		Rest: func(ctx context.Context) time.Duration { return pauses.Rest(ctx, a.cfg.Aggregator) },
	}
	if a.redis != nil {
		return throttle.NewRedisPacer(a.redis, a.cfg.Aggregator, options)
	}
	return throttle.NewPacer(options)
}

func (a *app) newLastGood() hardware.LastGood {
	places := cache.Newest{cache.NewFiles(filepath.Join(a.cfg.StateDir, "lastgood"))}
	if a.redis != nil {
		places = append(places, cache.NewRedisLastGood(a.redis))
	}
	return places
}

// newTransport uses each connection once: on a kept one that breaks, net/http
// repeats a request by itself, which no throttle would see.
func (a *app) newTransport(base *url.URL) http.RoundTripper {
	t := outbound.NewTransport(a.cfg.SourceTimeout, base.Hostname())
	t.DisableKeepAlives = true
	return a.tracing.Transport(t)
}

func (a *app) newBenchmark() *source.Benchmark {
	base := a.cfg.BenchmarkBaseURL
	return source.NewBenchmark(source.BenchmarkOptions{
		BaseURL: base, UserAgent: a.cfg.UserAgent, Timeout: a.cfg.SourceTimeout, Now: time.Now,
		Transport: a.newTransport(base),
	})
}

func (a *app) newAggregator(pacer *throttle.Pacer) *source.Aggregator {
	base := a.cfg.AggregatorBaseURL
	return source.NewAggregator(source.AggregatorOptions{
		Name: a.cfg.Aggregator, BaseURL: base, UserAgent: a.cfg.UserAgent, Timeout: a.cfg.SourceTimeout,
		Slugs: a.cfg.AggregatorSections, Pacer: tracedPacer{pacer, a.tracing}, Now: time.Now,
		Transport: a.newTransport(base),
	})
}

// bodyLimit is more than enough for a service that reads no bodies.
const bodyLimit = 4 << 10

// handler is the public face: the API for programs, the pages for pages.
func (a *app) handler() *echo.Echo {
	api := &httpapi.API{Rankings: a.rankings, Prices: a.prices, Now: time.Now}
	e := httpx.New(httpx.Options{
		Log: a.log, Metrics: httpx.NewMetrics(a.registry, "hardware"), BodyLimit: bodyLimit,
		ErrorBody: api.Render, ErrorPage: a.pages.Site().WriteError,
	})
	a.tracing.Serve(e)
	api.Register(e)
	a.pages.Register(e)
	return e
}

// serve answers until ctx ends.
func (a *app) serve(ctx context.Context) error {
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	go a.follow(following)
	health := httpx.NewHealth(nil)
	server := httpx.Server{
		Log: a.log, Health: health,
		Addr: a.cfg.Addr, Handler: a.handler(),
		AdminAddr: a.cfg.AdminAddr, AdminHandler: health.AdminHandler(a.registry),
		WriteTimeout: hardware.DefaultTiming().Limit + 5*time.Second,
		DrainDelay:   a.cfg.DrainDelay, DrainTimeout: a.cfg.DrainTimeout,
	}
	return server.Run(ctx)
}

// close gives back what newApp opened.
func (a *app) close() {
	if a.redis != nil {
		_ = a.redis.Close() // the process ends
	}
}
