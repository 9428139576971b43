// Package rankings answers with the benchmark ranking of a family: the source's own, else the last good copy, else
// the one shipped with the program.
package rankings

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/hardware/internal/userbenchmark"
	"backend.example/services/internal/kit/fault"
)

// Numbers of rows in a ranking answer.
const (
	DefaultLimit = 200
	MaxLimit     = 500
)

// BenchmarkSite names the source of rankings in pauses, logs and metrics.
const BenchmarkSite = "benchmark"

// LocalFallback is the source of an answer that did not come from the source.
const LocalFallback = "local-fallback"

// RetryPause is how long the benchmark source is left alone after a failure.
const RetryPause = 30 * time.Second

// Answer is a ranking together with how long it may be given out.
type Answer = lookup.Answer[Ranking]

// Ranking and Row are those of the source.
type (
	Ranking = userbenchmark.Ranking
	Row     = userbenchmark.Row
)

// Rankings answers benchmark queries.
type Rankings struct {
	source   *userbenchmark.Site
	lastGood *LastGood
	lookups  *lookup.Lookups[Ranking]
	ttl      time.Duration // how long a success is kept
	metrics  *metrics.Metrics
	log      *slog.Logger
}

// New returns Rankings.
func New(
	source *userbenchmark.Site, lastGood *LastGood, lookups *lookup.Lookups[Ranking], ttl time.Duration,
	m *metrics.Metrics, log *slog.Logger,
) *Rankings {
	return &Rankings{source: source, lastGood: lastGood, lookups: lookups, ttl: ttl, metrics: m, log: log}
}

// Key names the look-up of f, the same in every replica, another one for each source.
func (r *Rankings) Key(f catalog.Family) string {
	return "ranking:" + r.source.Host() + ":" + string(f)
}

// Get returns the ranking of f. If the source does not answer, it is the last good copy or the shipped snapshot,
// with LocalFallback as its source.
func (r *Rankings) Get(ctx context.Context, f catalog.Family) (*Answer, lookup.Via, error) {
	load := func(ctx context.Context, _ *fetch.Request) (*Answer, error) { return r.load(ctx, f) }
	a, via, err := r.lookups.Get(ctx, r.Key(f), lookup.Caller{}, load)
	if err != nil && ctx.Err() == nil {
		if !fault.Is(err, fetch.Paused) {
			r.log.WarnContext(ctx, "ranking not fetched", "family", f, "error", err)
		}
		a, err = r.fallback(ctx, f, fault.From(err))
		via = lookup.ViaSource
	}
	r.metrics.Answered("ranking", via.String(), err)
	return a, via, err
}

func (r *Rankings) load(ctx context.Context, f catalog.Family) (*Answer, error) {
	ranking, dropped, err := r.source.Ranking(ctx, f)
	if err == nil {
		err = r.checkWhole(ctx, f, len(ranking.Rows)) // it must not replace the last good one
	}
	if err != nil {
		r.metrics.LookedUp(BenchmarkSite, fault.From(err).Code)
		return nil, err
	}
	r.metrics.LookedUp(BenchmarkSite, "found")
	if dropped.Rows > 0 {
		r.metrics.RowsDropped(dropped.Rows)
		r.log.WarnContext(ctx, "rows of a ranking left out", "family", f, "rows", dropped.Rows, "first", dropped.First)
	}
	now := r.lookups.Now()
	a := &Answer{Value: ranking, Lifetime: lookup.Lifetime{FetchedAt: now, ExpiresAt: now.Add(r.ttl), Shareable: true}}
	if err := r.lastGood.Save(ctx, f, a); err != nil {
		r.log.WarnContext(ctx, "last good ranking not kept", "family", f, "error", err)
	}
	return a, nil
}

// checkWhole refuses a ranking with fewer than four fifths of the rows of the last good one: a file that was cut at
// the end of a line looks whole.
func (r *Rankings) checkWhole(ctx context.Context, f catalog.Family, rows int) error {
	if rows == 0 {
		return fetch.Changed.Wrap(errors.New("no rows"))
	}
	last, err := r.lastGood.Load(ctx, f)
	if err != nil {
		return nil //nolint:nilerr // there is none to compare with
	}
	if known := len(last.Value.Rows); rows*5 < known*4 {
		return fetch.Changed.Wrap(fmt.Errorf("%d rows where the last good ranking has %d", rows, known))
	}
	return nil
}

func (r *Rankings) fallback(ctx context.Context, f catalog.Family, cause *fault.Error) (*Answer, error) {
	rest := RetryPause
	if cause.RetryAfter > 0 {
		rest = min(rest, cause.RetryAfter)
	}
	last, err := r.lastGood.Load(ctx, f)
	if err != nil {
		rows, asOf, missing := userbenchmark.Snapshot(f)
		if missing != nil {
			return nil, fmt.Errorf("no fallback for %s: %w", f, errors.Join(err, missing))
		}
		last = &Answer{Value: Ranking{Rows: rows}, Lifetime: lookup.Lifetime{FetchedAt: asOf}}
	}
	a := &Answer{
		Value:    Ranking{Source: LocalFallback, Rows: last.Value.Rows},
		Lifetime: lookup.Lifetime{FetchedAt: last.FetchedAt, ExpiresAt: r.lookups.Now().Add(rest)},
	}
	r.lookups.Keep(r.Key(f), a)
	return a, nil
}
