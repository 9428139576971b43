package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/lookup"
)

// Breaker returns next with its state shown in hardware_source_paused.
func (m *Metrics) Breaker(next lookup.Breaker) lookup.Breaker {
	return instrumentedBreaker{Breaker: next, paused: m.paused}
}

// instrumentedBreaker shows in a gauge which sources are paused.
type instrumentedBreaker struct {
	lookup.Breaker
	paused *prometheus.GaugeVec
}

func (b instrumentedBreaker) Allow(ctx context.Context, name string) (time.Duration, bool) {
	rest, ok := b.Breaker.Allow(ctx, name)
	b.show(name, !ok)
	return rest, ok
}

func (b instrumentedBreaker) Pause(ctx context.Context, name string, d time.Duration) {
	b.Breaker.Pause(ctx, name, d)
	b.show(name, true)
}

func (b instrumentedBreaker) Succeed(ctx context.Context, name string) time.Duration {
	rest := b.Breaker.Succeed(ctx, name)
	b.show(name, rest > 0)
	return rest
}

func (b instrumentedBreaker) show(name string, paused bool) {
	value := 0.0
	if paused {
		value = 1
	}
	b.paused.WithLabelValues(name).Set(value)
}
