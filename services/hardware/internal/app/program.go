package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9/logging"

	"backend.example/services/hardware/internal/cache"
	"backend.example/services/hardware/internal/cli"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/internal/kit/build"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/memory"
	"backend.example/services/internal/kit/outbound"
	"backend.example/services/internal/kit/settings"
	"backend.example/services/internal/kit/telemetry"
)

// NewProgram wires the commands to the service.
func NewProgram(info build.Info, environ []string, stdin io.Reader, stdout, stderr io.Writer) *cli.Program {
	p := &cli.Program{Open: func() (cli.Lookups, func(), error) {
		cfg, err := LoadConfig(environ)
		if err != nil {
			return cli.Lookups{}, nil, err
		}
		log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelError}))
		a, err := New(cfg, Options{Log: log, Now: time.Now})
		if err != nil {
			return cli.Lookups{}, nil, err
		}
		return cli.Lookups{Rankings: a.Rankings, Prices: a.Prices, Quotes: a.Quotes, Shared: a.redis != nil}, a.Close,
			nil
	}}
	p.Program = kitcli.Program{
		Service: program{environ, stderr, info},
		Environ: environ, Stdin: stdin, Stdout: stdout, Stderr: stderr, Build: info,
		Settings: settings.List(defaults()),
	}
	return p
}

// program implements kitcli.Service.
type program struct {
	environ []string
	stderr  io.Writer
	build   build.Info
}

// Probe implements kitcli.Service.
func (p program) Probe(ctx context.Context) error {
	cfg, err := LoadConfig(p.environ)
	if err != nil {
		return err
	}
	return httpx.Probe(ctx, cfg.AdminAddr)
}

// Serve implements kitcli.Service.
func (p program) Serve(ctx context.Context) error {
	cfg, err := LoadConfig(p.environ)
	if err != nil {
		return err
	}
	memory.Tune(garbagePercent, memoryLimit(cfg.CacheMaxBytes))
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

const doctorTimeout = 30 * time.Second

// Doctor implements kitcli.Service. It sends no request to a source, because that would take a slot.
func (p program) Doctor(ctx context.Context) *kitcli.Diagnosis {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	d := &kitcli.Diagnosis{}
	cfg, err := LoadConfig(p.environ)
	if !d.Check("settings", err, "correct them; deploy/env/hardware.env.example describes each") {
		return d
	}
	d.Check("folder", settings.CheckFolder(cfg.StateDir),
		"set HARDWARE_STATE_DIR to a folder that the service may write")
	if cfg.RedisURL == "" {
		d.Off("redis", "HARDWARE_REDIS_URL is not set: for one replica only")
	} else {
		d.Check("redis", pingRedis(ctx, cfg.RedisURL.Reveal()), "check host, name and password in HARDWARE_REDIS_URL")
	}
	if strings.Contains(cfg.UserAgent, "backend.example") {
		d.Off("contact", "HARDWARE_USER_AGENT names none of yours: set it before you ask the real sources")
	}
	const toDo = "check the network, DNS and proxies"
	d.Check("benchmark site", outbound.Reach(ctx, cfg.BenchmarkBaseURL), toDo)
	d.Check("price site", outbound.Reach(ctx, cfg.AggregatorBaseURL), toDo)
	return d
}

func pingRedis(ctx context.Context, address string) error {
	logging.Disable() // the library's lines would stand between the findings
	client, err := cache.Dial(address, metrics.New(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	if err != nil {
		return errors.New("not an address of Redis") // the cause would show the password
	}
	return errors.Join(client.Ping(ctx).Err(), client.Close())
}
