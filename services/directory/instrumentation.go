package main

import (
	"context"
	"log/slog"

	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/telemetry"
)

// instrument counts the calls of those abilities of a provider that alerts watch.
func (m *metrics) instrument(p directory.Provider, abilities directory.Abilities) directory.Abilities {
	source := string(p)
	abilities.Refresh = instrumented(m, source, "refresh", abilities.Refresh)
	abilities.ReadLocation = instrumentedRead(m, source, "location", abilities.ReadLocation)
	abilities.ReadPage = instrumentedRead(m, source, "page", abilities.ReadPage)
	abilities.ReadPhotos = instrumentedRead(m, source, "photos", abilities.ReadPhotos)
	return abilities
}

// instrumented counts how the uses of call end; it is nil when call is.
func instrumented[In, Out any](m *metrics, source, name string, call func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	if call == nil {
		return nil
	}
	return func(ctx context.Context, in In) (Out, error) {
		out, err := call(ctx, in)
		m.called(source, name, err)
		return out, err
	}
}

// instrumentedRead is instrumented for what is read by its id with a token.
func instrumentedRead[Out any](m *metrics, source, name string, read func(ctx context.Context, token, id string) (Out, error)) func(ctx context.Context, token, id string) (Out, error) {
	if read == nil {
		return nil
	}
	return func(ctx context.Context, token, id string) (Out, error) {
		out, err := read(ctx, token, id)
		m.called(source, name, err)
		return out, err
	}
}

// instrumentedAudits counts how the audits end that users ask for.
type instrumentedAudits struct {
	*directory.Audits
	metrics *metrics
}

func (a instrumentedAudits) Trigger(ctx context.Context, actor directory.Actor, r directory.AuditRequest) (
	directory.Company, directory.Audit, *directory.Fetch, error,
) {
	company, audit, fetch, err := a.Audits.Trigger(ctx, actor, r)
	a.metrics.audits.WithLabelValues(outcome(err)).Inc()
	return company, audit, fetch, err
}

// instrumentedScans counts the enrichment scans and makes a trace of each.
type instrumentedScans struct {
	*store.Store
	metrics *metrics
	tracing *telemetry.Tracing
}

// Exclusively implements directory.ScanStore. Only the scan runs exclusively.
func (s instrumentedScans) Exclusively(ctx context.Context, name string, fn func(context.Context) error) (ran bool, err error) {
	ran, err = s.Store.Exclusively(ctx, name, func(ctx context.Context) (err error) {
		ctx, end := s.tracing.Span(ctx, name)
		defer func() { end(err) }()
		return fn(ctx)
	})
	if !ran && err == nil {
		return false, nil // another replica is scanning
	}
	s.metrics.scans.WithLabelValues(outcome(err)).Inc()
	if err == nil {
		s.metrics.lastScan.SetToCurrentTime()
	}
	return ran, err
}

// instrumentedLogins logs who logged in, and from which address a login was
// refused. It does not log the e-mail address that was typed: people type their
// passwords into the wrong field.
type instrumentedLogins struct {
	*directory.Logins
	log *slog.Logger
}

func (l instrumentedLogins) Login(ctx context.Context, email, password, address string) (directory.User, error) {
	user, err := l.Logins.Login(ctx, email, password, address)
	if err != nil {
		l.log.WarnContext(ctx, "login refused", "reason", fault.From(err).Code, "client", address)
		return user, err
	}
	l.log.InfoContext(ctx, "logged in", "user", user.ID, "client", address)
	return user, nil
}

// traceStore makes a span of each statement that belongs to a trace. Health checks
// and clean-up belong to none.
func traceStore(s *store.Store, tracing *telemetry.Tracing, embedded bool) error {
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
