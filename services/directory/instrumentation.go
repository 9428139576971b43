package main

import (
	"context"
	"log/slog"

	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/store"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/telemetry"
)

// The types below wrap a part of the service and count how its calls end.
type (
	instrumentedSearch struct {
		*provider.Search
		metrics *metrics
	}
	instrumentedSocial struct {
		*provider.Social
		metrics *metrics
	}
	instrumentedPlaces struct {
		*provider.Places
		metrics *metrics
	}
	instrumentedAudits struct {
		*directory.Audits
		metrics *metrics
	}
)

func (s instrumentedSearch) Refresh(ctx context.Context, c directory.Connection) (directory.Token, error) {
	token, err := s.Search.Refresh(ctx, c)
	s.metrics.called("provider_search", "refresh", err)
	return token, err
}

func (s instrumentedSearch) ReadLocation(ctx context.Context, accessToken, name string) (directory.Profile, error) {
	profile, err := s.Search.ReadLocation(ctx, accessToken, name)
	s.metrics.called("provider_search", "location", err)
	return profile, err
}

func (s instrumentedSocial) Refresh(ctx context.Context, c directory.Connection) (directory.Token, error) {
	token, err := s.Social.Refresh(ctx, c)
	s.metrics.called("provider_social", "refresh", err)
	return token, err
}

func (s instrumentedSocial) ReadPage(ctx context.Context, pageToken, pageID string) (directory.PageData, error) {
	data, err := s.Social.ReadPage(ctx, pageToken, pageID)
	s.metrics.called("provider_social", "page", err)
	return data, err
}

func (s instrumentedSocial) ReadPhotos(ctx context.Context, pageToken, pageID string) (directory.PhotoData, error) {
	data, err := s.Social.ReadPhotos(ctx, pageToken, pageID)
	s.metrics.called("provider_social", "photos", err)
	return data, err
}

func (p instrumentedPlaces) FindPlace(ctx context.Context, c directory.Company) (directory.Profile, error) {
	profile, err := p.Places.FindPlace(ctx, c)
	p.metrics.called("places", "place", err)
	return profile, err
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
