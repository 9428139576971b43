package main

import (
	"context"

	"github.com/redis/go-redis/extra/redisotel/v9"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/ceneo"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/telemetry"
)

// tracedPacer shows the wait for a turn as a span of its own.
type tracedPacer struct {
	ceneo.Pacer
	tracing *telemetry.Tracing
}

// Turn implements ceneo.Pacer.
func (p tracedPacer) Turn(ctx context.Context, r *lookup.Request) (sent func(), err error) {
	ctx, end := p.tracing.Span(ctx, "wait for a turn")
	defer func() { end(err) }()
	return p.Pacer.Turn(ctx, r)
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
