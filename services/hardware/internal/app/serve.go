package app

import (
	"context"
	"log/slog"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/memory"
	"backend.example/services/internal/kit/telemetry"
)

// Serve implements kitcli.Service.
func (p program) Serve(ctx context.Context) error {
	cfg, err := LoadConfig(p.environ)
	if err != nil {
		return err
	}
	tuneGarbageCollector(cfg)
	log := slog.New(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: cfg.LogLevel}))
	tracing, err := telemetry.Start(ctx, "hardware", p.build, log)
	if err != nil {
		return err
	}
	defer tracing.Stop(context.WithoutCancel(ctx), log)
	log = tracing.Logger(log)
	a, err := New(cfg, Options{Log: log, Tracing: tracing, Now: time.Now})
	if err != nil {
		return err
	}
	defer a.Close()
	if log.Enabled(ctx, slog.LevelInfo) {
		a.accessLog = httpx.NewAccessLog(p.stderr)
		defer a.accessLog.Flush()
	}
	httpx.RegisterBuild(a.registry, "hardware", p.build)
	log.Info("starting", "build", p.build, "tracing", tracing.On(), "aggregator", cfg.AggregatorBaseURL.String(),
		"benchmark", cfg.BenchmarkBaseURL.String(), "redis", cfg.RedisURL != "")
	cfg.warnUnlessComplete(log)
	return a.serve(ctx)
}

func (a *App) serve(ctx context.Context) error {
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	a.Work(working)
	return a.server().Run(ctx)
}

func (a *App) server() *httpx.Server {
	health := httpx.NewHealth(nil)
	health.Register(a.registry, "hardware")
	return &httpx.Server{
		Log: a.Log, Health: health,
		Addr: a.cfg.Addr, Handler: a.Handler(),
		AdminAddr: a.cfg.AdminAddr, AdminHandler: health.AdminHandler(a.registry),
		WriteTimeout: lookup.Limit + 5*time.Second,
		DrainDelay:   a.cfg.DrainDelay, DrainTimeout: a.cfg.DrainTimeout,
	}
}

const observeEvery = 5 * time.Second

// Work starts the work in the background, until ctx ends.
func (a *App) Work(ctx context.Context) {
	if a.redis != nil {
		go lookup.FollowForget(ctx, a.redis, a.local)
	}
	go a.observe(ctx)
	go a.Prices.RefreshAhead(ctx)
	if a.cfg.ListPages > 0 {
		go a.Prices.KeepLists(ctx)
	}
}

func (a *App) observe(ctx context.Context) {
	for {
		a.metrics.Queue(a.queue.Waiting())
		select {
		case <-ctx.Done():
			return
		case <-time.After(observeEvery):
		}
	}
}

// garbagePercent balances processor time per hit and memory; DECISIONS.md has the figures.
const garbagePercent = 200

// memoryLimit returns bytes: 200 MiB with the default cache, for copies of responses and garbage in a container of
// 256 MiB.
func memoryLimit(cacheBytes uint64) int64 {
	return 72<<20 + 4*int64(cacheBytes) // #nosec G115 -- no machine has as much
}

func tuneGarbageCollector(cfg Config) { memory.Tune(garbagePercent, memoryLimit(cfg.CacheMaxBytes)) }
