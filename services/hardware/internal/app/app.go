package main

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/redis/go-redis/extra/redisotel/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"backend.example/services/hardware/internal/cache"
	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/ceneo"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/hardware/internal/throttle"
	"backend.example/services/hardware/internal/userbenchmark"
	"backend.example/services/hardware/internal/web"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/network"
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
	redis    redis.UniversalClient       // nil without Redis
	follow   []func(ctx context.Context) // take in what other replicas look up
	// accessLog is nil for the command line, and where the log leaves out such lines.
	accessLog *httpx.AccessLog

	local    *lookup.Local
	pacer    *throttle.Pacer
	rankings *rankings.Rankings
	prices   *prices.Prices
	quotes   *prices.Quotes
	pages    *web.Pages
}

// newApp wires the service. waiting, which may be nil, is
// called with the time until each turn at the aggregator.
func newApp(cfg config, log *slog.Logger, tracing *telemetry.Tracing, waiting func(time.Duration)) (*app, error) {
	a := &app{cfg: cfg, log: log, tracing: tracing, registry: prometheus.NewRegistry()}
	a.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	a.metrics = metrics.New(a.registry, time.Now, rankings.BenchmarkSite, cfg.Aggregator)
	err := a.dialRedis()
	if err != nil {
		return nil, err
	}
	pauses := a.newBreaker()
	breaker := a.metrics.Breaker(pauses)
	a.pacer = a.newPacer(pauses, waiting)
	aggregator, benchmark := a.newAggregator(), a.newBenchmark()
	a.local = lookup.NewLocal(cfg.CacheMaxBytes)
	a.rankings = rankings.New(rankings.Options{
		Host: benchmark.Host(), Fetch: benchmark.Ranking, LastGood: a.newLastGood(benchmark), Shipped: userbenchmark.Snapshot,
		Layers:  newLayers[rankings.Ranking](a, "ranking", cfg.CacheTTL, nil),
		Breaker: breaker, TTL: cfg.CacheTTL, Now: time.Now, Log: log,
		Answered: a.metrics.Answered("ranking"), LookedUp: a.metrics.LookedUp(rankings.BenchmarkSite),
	})
	a.prices = prices.New(prices.Options{
		Aggregator: cfg.Aggregator, Domain: aggregator.Domain(), Host: aggregator.Host(), Source: aggregator,
		Matches: newLayers[prices.Match](a, "match", cfg.ProductTTL, a.pacer.Join),
		Offers:  newLayers[prices.Price](a, "price", cfg.CacheTTL, a.pacer.Join),
		Breaker: breaker, TTL: cfg.CacheTTL, ProductTTL: cfg.ProductTTL, Now: time.Now,
		Answered: a.metrics.Answered("price"), LookedUp: a.metrics.LookedUp(cfg.Aggregator),
	})
	var board prices.Board
	if a.redis != nil {
		board = cache.NewRedisBoard(a.redis)
		asked := cache.NewRedisAsked(a.redis, cfg.ProductTTL)
		a.follow = append(a.follow, func(ctx context.Context) { a.prices.ShareRemembered(ctx, asked) })
	}
	a.quotes = prices.NewQuotes(a.prices, a.pacer, board, log)
	a.pages, err = web.New(web.Options{
		Builds:  a.newBuilds(),
		Ranking: a.rankings.Get, Price: a.prices.Get, KeptPrice: a.prices.Kept, KnownPrice: a.prices.Peek, Suggest: a.prices.Suggest, Quotes: a.quotes.Ask,
		RankingSource: userbenchmark.Name, PriceSource: ceneo.Name, Caller: a.callerOf(), Log: log, Notice: cfg.Notice, Legal: cfg.legal(),
		Place: func(ctx context.Context, q catalog.Query) lookup.Place {
			return a.pacer.Places(ctx, a.prices.Step(q))[0]
		},
	})
	return a, err
}

func (a *app) dialRedis() (err error) {
	if a.cfg.RedisURL == "" {
		return nil
	}
	logging.Disable() // the library's own lines are not JSON; what matters is logged below
	a.redis, err = cache.Dial(a.cfg.RedisURL.Reveal(), func(up bool) {
		a.metrics.RedisUp(up)
		if up {
			a.log.Info("redis available again")
		} else {
			a.log.Error("redis unavailable: serving cached responses, new look-ups at this process's share of the rate")
		}
	})
	if err != nil { // the cause would show the password
		return errors.New("HARDWARE_REDIS_URL: not an address of Redis: redis://, rediss://, unix://, redis-cluster:// or redis-sentinel://")
	}
	return traceRedis(a.redis, a.tracing)
}

// traceRedis makes a span of every command, with its name but not its arguments,
// which hold what users asked for.
func traceRedis(client redis.UniversalClient, tracing *telemetry.Tracing) error {
	if !tracing.On() {
		return nil
	}
	return redisotel.InstrumentTracing(client, redisotel.WithTracerProvider(tracing.Provider()),
		redisotel.WithDBStatement(false), redisotel.WithCallerEnabled(false), redisotel.WithDialFilter(true))
}

// newLayers wires the layers of one kind of values, which are kept for ttl at most. With
// Redis they follow what other replicas look up, for as long as the service runs. join is
// nil for what takes no turns.
func newLayers[V lookup.Value](a *app, kind string, ttl time.Duration, join lookup.Join) *lookup.Layers[V] {
	o := lookup.Options[V]{Local: a.local, Timing: lookup.DefaultTiming(), Join: join, Now: time.Now, Log: a.log}
	if a.redis == nil {
		return lookup.New(o)
	}
	shared := cache.NewRedis[V](a.redis, kind, ttl, time.Now, a.log)
	o.Shared = shared
	layers := lookup.New(o)
	a.follow = append(a.follow, func(ctx context.Context) { shared.Follow(ctx, layers.Deliver) })
	return layers
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
		Taken: a.metrics.Taken,
		Rest:  func(ctx context.Context) time.Duration { return pauses.Rest(ctx, a.cfg.Aggregator) },
	}
	if a.redis != nil {
		return throttle.NewRedisPacer(a.redis, a.cfg.Aggregator, options)
	}
	return throttle.NewPacer(options)
}

func (a *app) newLastGood(site *userbenchmark.Site) rankings.LastGood {
	places := cache.Newest{cache.NewFiles(filepath.Join(a.cfg.StateDir, "lastgood"), site.Domain())}
	if a.redis != nil {
		places = append(places, cache.NewRedisLastGood(a.redis, site.Host()))
	}
	return places
}

func (a *app) newBuilds() web.Builds {
	if a.redis != nil {
		return cache.NewRedisBuilds(a.redis, cache.MaxBuilds, time.Now)
	}
	return cache.NewFileBuilds(filepath.Join(a.cfg.StateDir, "builds"), cache.MaxBuilds, time.Now)
}

// fetchOptions uses each connection once: on a kept one that breaks, net/http repeats a
// request by itself, which the throttle would not count.
func (a *app) fetchOptions(base *url.URL) fetch.Options {
	t := outbound.NewProxiedTransport(a.cfg.SourceTimeout, base.Hostname())
	t.DisableKeepAlives = true
	return fetch.Options{
		BaseURL: base, UserAgent: a.cfg.UserAgent, Timeout: a.cfg.SourceTimeout,
		Transport: a.tracing.Transport(t), Now: time.Now,
	}
}

func (a *app) newBenchmark() *userbenchmark.Site {
	return userbenchmark.New(a.fetchOptions(a.cfg.BenchmarkBaseURL), func(f catalog.Family, d userbenchmark.Dropped) {
		a.metrics.RowsDropped(d.Rows)
		a.log.Warn("rows of a ranking left out", "family", f, "rows", d.Rows, "first", d.First)
	})
}

func (a *app) newAggregator() *ceneo.Site {
	o := a.fetchOptions(a.cfg.AggregatorBaseURL)
	o.Turn, o.KeepApart = a.turn, a.pacer.KeepApart
	return ceneo.New(o, a.cfg.AggregatorSections)
}

// turn waits for a turn at the aggregator, in a span of its own.
func (a *app) turn(ctx context.Context, r *lookup.Request) (sent func(), err error) {
	ctx, end := a.tracing.Span(ctx, "wait for a turn")
	defer func() { end(err) }()
	return a.pacer.Turn(ctx, r)
}

// leaders returns how shops are asked for the first parts of every ranking.
func (a *app) leaders(ctx context.Context) (queries []catalog.Query) {
	for _, name := range catalog.Families() {
		family := catalog.Family(name)
		answer, _, err := a.rankings.Get(ctx, family)
		if err != nil {
			a.log.WarnContext(ctx, "prices of a ranking not kept warm", "family", family, "error", err)
			continue
		}
		queries = append(queries, web.Leaders(answer.Value.Rows, family, a.cfg.Warm)...)
	}
	return queries
}

// handler is the public face: the API for programs, the pages for people.
func (a *app) handler() *echo.Echo {
	api := &httpapi.API{
		Ranking: a.rankings.Get, Price: a.prices.Get, Quotes: a.quotes.Ask, Caller: a.callerOf(), Bodies: a.local, Aggregator: a.cfg.Aggregator, Now: time.Now,
	}
	e := httpx.New(httpx.Options{
		Log: a.log, Metrics: httpx.NewMetrics(a.registry, "hardware"), AccessLog: a.accessLog, BodyLimit: httpapi.BodyLimit,
		CORS:      httpx.CORS{Origins: a.cfg.AllowedOrigins, Paths: []string{"/api/"}},
		Rate:      httpx.Rate{PerSecond: a.cfg.Rate, TrustedProxies: a.cfg.TrustedProxies},
		ErrorBody: api.Render, ErrorPage: a.pages.Site().WriteError,
	})
	a.tracing.Serve(e)
	api.Register(e)
	a.pages.Register(e)
	return e
}

// callerOf returns a function that identifies the caller of a request by its address, as
// trusted proxies report it.
func (a *app) callerOf() func(*http.Request) lookup.Caller {
	clientIP := httpx.ClientIP(a.cfg.TrustedProxies)
	return func(r *http.Request) lookup.Caller {
		return lookup.Caller{Client: network.OfClient(clientIP(r))}
	}
}

// observeEvery is how often a replica notes that it runs.
const observeEvery = 15 * time.Second

// keepObserving observes until ctx ends.
func (a *app) keepObserving(ctx context.Context) {
	for name, seen := rand.Text(), 0; ; {
		seen = a.observe(ctx, name, seen)
		select {
		case <-ctx.Done():
			return
		case <-time.After(observeEvery):
		}
	}
}

// observe shows the queue and the replicas in the metrics. It returns how many replicas were
// seen, and logs when they become more than allowed.
func (a *app) observe(ctx context.Context, name string, before int) (seen int) {
	a.metrics.Queue(a.pacer.State(ctx))
	seen = 1
	if a.redis != nil {
		var err error
		if seen, err = cache.CountReplicas(ctx, a.redis, name); err != nil {
			return before // Redis is away, which is logged
		}
	}
	a.metrics.Replicas(seen, a.cfg.MaxReplicas)
	if seen > a.cfg.MaxReplicas && before <= a.cfg.MaxReplicas {
		a.log.WarnContext(ctx, "more replicas than HARDWARE_MAX_REPLICAS: without Redis they would exceed the agreed rate",
			"seen", seen, "allowed", a.cfg.MaxReplicas)
	}
	return seen
}

// close gives back what newApp opened.
func (a *app) close() {
	if a.redis != nil {
		_ = a.redis.Close() // the process ends
	}
}
