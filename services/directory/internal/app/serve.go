package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"time"

	"github.com/riverqueue/river"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/cli"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/internal/kit/build"
	"backend.example/services/internal/kit/httpx"
	"backend.example/services/internal/kit/memory"
	"backend.example/services/internal/kit/telemetry"
)

// serve brings the schema up to date and answers until ctx ends.
func serve(ctx context.Context, info build.Info, environ []string, stderr io.Writer) (err error) {
	tuneGarbageCollector(concurrentHashes(runtime.GOMAXPROCS(0)))
	cfg, s, err := openDatabase(ctx, environ, cli.Create)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	return serveOn(ctx, info, cfg, s, stderr)
}

func serveOn(ctx context.Context, info build.Info, cfg Config, s *database.DB, stderr io.Writer) error {
	log := newLogger(stderr, cfg.LogLevel)
	tracing, err := telemetry.Start(ctx, "directory", info, log)
	if err != nil {
		return err
	}
	defer tracing.Stop(context.WithoutCancel(ctx), log)
	log = tracing.Logger(log)
	_, embedded := cfg.sqlitePath()
	if err := traceStore(s, tracing, embedded); err != nil {
		return err
	}
	a, err := New(cfg, s, Options{Build: info, Log: log, Tracing: tracing})
	if err != nil {
		return err
	}
	if a.Erasures.Erased != nil {
		if err := a.Erasures.Erased.Check(); err != nil {
			return fmt.Errorf("DIRECTORY_ERASURE_LOG: %w", err)
		}
	}
	if log.Enabled(ctx, slog.LevelInfo) {
		a.accessLog = httpx.NewAccessLog(stderr)
		defer a.accessLog.Flush()
	}
	httpx.RegisterBuild(a.registry, "directory", info)
	log.Info("starting", "build", info, "tracing", tracing.On(), "public_url", cfg.PublicURL.String(),
		"sqlite", embedded, "company_access", cfg.CompanyAccess, "scan_interval", cfg.ScanInterval.String(),
		"smtp", cfg.SMTPURL != "", "provider_search", cfg.SearchClientID != "",
		"provider_social", cfg.SocialClientID != "", "places", cfg.PlacesAPIKey != "")
	cfg.warnUnlessComplete(log)
	return a.serve(ctx)
}

// garbagePercent is for GOGC, with whose default the little memory that the service keeps would be
// collected after every few dozen requests.
const garbagePercent = 400

// memoryLimit, in bytes, leaves room for so many logins: with less, the collector takes the processors
// from them.
func memoryLimit(hashes int) int64 { return 60<<20 + int64(hashes)*20<<20 }

func tuneGarbageCollector(hashes int) { memory.Tune(garbagePercent, memoryLimit(hashes)) }

// traceStore makes a span of each statement that belongs to a trace.
func traceStore(s *database.DB, tracing *telemetry.Tracing, embedded bool) error {
	if !tracing.On() {
		return nil
	}
	system := semconv.DBSystemNamePostgreSQL
	if embedded {
		system = semconv.DBSystemNameSQLite
	}
	return s.Trace(func(ctx context.Context, name string) (context.Context, func(error)) {
		if !trace.SpanContextFromContext(ctx).IsValid() {
			return ctx, func(error) {}
		}
		return tracing.Span(ctx, name, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(system))
	})
}

// responseTimeout is shorter than that of the gateway, 60 s.
const responseTimeout = 55 * time.Second

const (
	limitRetention    = 2 * time.Hour
	deliveryRetention = 14 * 24 * time.Hour
)

func (a *App) cleanUp(ctx context.Context, _ *river.Job[jobs.Cleanup]) error {
	_, sessions := a.Sessions.Sweep(ctx)
	_, limits := limit.New(a.DB).DeleteBefore(ctx, a.DB.Now().Add(-limitRetention))
	_, deliveries := a.Webhooks.DeleteBefore(ctx, a.DB.Now().Add(-deliveryRetention))
	keep := erasure.Retention{Readings: a.cfg.KeepReadings, Audits: a.cfg.KeepAudits, Trail: a.cfg.KeepTrail}
	return errors.Join(sessions, limits, deliveries, a.Users.Sweep(ctx), erasure.Prune(ctx, a.DB, keep, a.DB.Now()))
}

// Workers returns who does the jobs of each kind. None inserts periodic jobs.
func (a *App) Workers() *jobs.Workers {
	w := jobs.NewWorkers()
	jobs.Add(w, a.Passwords.SendMail)
	jobs.Add(w, a.Notify.SendBroken)
	jobs.Add(w, a.Notify.SendMonth)
	jobs.Add(w, a.Webhooks.Deliver)
	jobs.Add(w, func(ctx context.Context, _ *river.Job[jobs.Deletions]) error { return a.Erasures.CarryOut(ctx) })
	jobs.Add(w, func(ctx context.Context, _ *river.Job[jobs.Purge]) error {
		_, err := a.Erasures.Purge(ctx)
		return err
	})
	jobs.Add(w, a.Scan.Connections.Withdraw)
	jobs.Add(w, a.Scan.ReadConnected)
	jobs.Add(w, a.cleanUp)
	jobs.Add(w, func(ctx context.Context, _ *river.Job[jobs.Schedule]) error {
		if a.cfg.ScanInterval > 0 {
			if err := a.Scan.Schedule(ctx, a.cfg.ScanInterval); err != nil {
				return err
			}
		}
		return a.DB.Transaction(ctx, func(tx *gorm.DB) error {
			return errors.Join(a.Passwords.ScheduleMails(tx), a.Store.ScheduleRevocations(tx), a.Erasures.Schedule(tx),
				a.Webhooks.Schedule(tx), a.Notify.Schedule(tx))
		})
	})
	a.Scan.AddWorkers(w)
	if a.cfg.ScanInterval > 0 {
		w.WithScans(a.cfg.ScanWorkers)
	}
	return w
}

// work does jobs until ctx ends.
func (a *App) work(ctx context.Context) {
	for ctx.Err() == nil {
		err := jobs.New(a.DB).Run(ctx, a.Workers().WithPeriodic(), a.Log, a.Tracing, a.metrics)
		if err != nil && ctx.Err() == nil {
			a.Log.ErrorContext(ctx, "jobs not started; it is tried again", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(restartPause):
			}
		}
	}
}

const restartPause = 5 * time.Second
