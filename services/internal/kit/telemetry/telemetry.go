// Package telemetry traces a service with OpenTelemetry, as the standard OTEL_*
// variables say: the requests that it answers, the calls that it makes, and other
// work for which the service begins a span.
//
// Tracing is off unless a variable turns it on. It is then a nil *Tracing, whose
// methods install nothing, start no goroutine and cost nothing.
//
// Spans never hold queries, bodies, headers, raw paths or the texts of errors,
// because any of these may hold a credential. Metrics are in package httpx.
package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"

	"backend.example/services/internal/kit/build"
)

// Tracing makes spans and sends them to a collector; nil makes none.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// Start reads the OTEL_* variables of the process and returns nil when tracing is
// off. Spans belong to the given service, unless OTEL_SERVICE_NAME names another. An
// error names the invalid variable without its value, which may hold a password.
//
// Later failures, such as a collector that is away, are logged as warnings, once a
// minute at most, and never fail a request. Start therefore sets the error handler
// and the logger of the OpenTelemetry SDK, of which a process has one.
func Start(ctx context.Context, service string, b build.Info, log *slog.Logger) (*Tracing, error) {
	to, on, err := readTarget()
	if err != nil || !on {
		return nil, err
	}
	// The exporter also reads variables that another one overrides. It would log a value
	// there that it does not understand, which may be a secret.
	otel.SetLogger(logr.Discard())
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second}
	exporter, err := newExporter(ctx, to, service+"/"+b.Version, transport)
	if err != nil {
		return nil, err
	}
	otel.SetErrorHandler(&reporter{log: log})
	otel.SetLogger(logr.FromSlogHandler(log.Handler()))
	source, err := resource.New(ctx, resource.WithHost(), resource.WithTelemetrySDK(),
		resource.WithAttributes(semconv.ServiceName(service), semconv.ServiceVersion(b.Version)), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	return newTracing(sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(source))), nil
}

func newTracing(provider *sdk.TracerProvider) *Tracing {
	return &Tracing{provider: provider, tracer: provider.Tracer("backend.example/services/internal/kit/telemetry")}
}

// Provider is for libraries that begin their own spans. It must not be called when
// tracing is off, see On.
func (t *Tracing) Provider() trace.TracerProvider { return t.provider }

// On reports whether there is tracing.
func (t *Tracing) On() bool { return t != nil }

// flushTimeout bounds the wait for a collector when the process ends.
const flushTimeout = 5 * time.Second

// Stop sends the remaining spans within flushTimeout and the time of ctx. Spans that
// the collector has not taken by then are lost.
func (t *Tracing) Stop(ctx context.Context, log *slog.Logger) {
	if t == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, flushTimeout)
	defer cancel()
	if err := t.provider.Shutdown(ctx); err != nil {
		log.WarnContext(ctx, "last spans not sent", "error", err)
	}
}
