package metrics

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/upstream"
)

// Breaker returns next with its state shown in hardware_source_paused.
func (m *Metrics) Breaker(next upstream.Breaker) upstream.Breaker {
	return instrumentedBreaker{next: next, paused: m.paused}
}

// instrumentedBreaker shows in a gauge which sources are paused.
type instrumentedBreaker struct {
	next   upstream.Breaker
	paused *prometheus.GaugeVec
}

func (b instrumentedBreaker) Allow(ctx context.Context, name string) (time.Duration, bool) {
	rest, ok := b.next.Allow(ctx, name)
	if ok {
		b.paused.WithLabelValues(name).Set(0)
	} else {
		b.paused.WithLabelValues(name).Set(1)
	}
	return rest, ok
}

func (b instrumentedBreaker) Pause(ctx context.Context, name string, d time.Duration) {
	b.next.Pause(ctx, name, d)
	b.paused.WithLabelValues(name).Set(1)
}

func (b instrumentedBreaker) Fail(ctx context.Context, name string) { b.next.Fail(ctx, name) }

func (b instrumentedBreaker) Succeed(ctx context.Context, name string) {
	b.next.Succeed(ctx, name)
	b.paused.WithLabelValues(name).Set(0)
}
