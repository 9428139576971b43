package main

import (
	"context"

	"github.com/redis/go-redis/extra/redisotel/v9"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/telemetry"
)

// turn waits for a turn at the aggregator, in a span of its own.
func (a *app) turn(ctx context.Context, r *lookup.Request) (sent func(), err error) {
	ctx, end := a.tracing.Span(ctx, "wait for a turn")
	defer func() { end(err) }()
	return a.pacer.Turn(ctx, r)
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
