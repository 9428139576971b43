// Package rankings answers with the benchmark ranking of a component family: the
// source's own, else the last good copy, else the one shipped with the program.
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

// Source is the benchmark site. Its errors are the faults of package fetch.
type Source interface {
	Ranking(ctx context.Context, f catalog.Family) (Ranking, error)
	Host() string // with the port if there is one; part of every key
}

// LastGood keeps the last ranking that the source gave, without expiry.
type LastGood interface {
	Load(ctx context.Context, f catalog.Family) (*Answer, error) // an error when there is none
	Save(ctx context.Context, f catalog.Family, a *Answer) error
}

// Shipped returns the rows of the ranking that is part of the program, and their date.
type Shipped func(f catalog.Family) ([]Row, time.Time, error)

// Rankings answers benchmark queries.
type Rankings struct {
	source   Source
	lastGood LastGood
	shipped  Shipped
	lookups  *lookup.Lookups[Ranking]
	ttl      time.Duration // how long a success is kept
	metrics  *metrics.Metrics
	now      func() time.Time
	log      *slog.Logger
}

// New returns Rankings.
func New(
	source Source, lastGood LastGood, shipped Shipped, lookups *lookup.Lookups[Ranking], ttl time.Duration,
	m *metrics.Metrics, now func() time.Time, log *slog.Logger,
) *Rankings {
	return &Rankings{
		source: source, lastGood: lastGood, shipped: shipped, lookups: lookups, ttl: ttl, metrics: m, now: now,
		log: log,
	}
}

// Key names the look-up of f, the same in every replica and another one for each source.
func (r *Rankings) Key(f catalog.Family) string {
	return "ranking:" + r.source.Host() + ":" + string(f)
}

// Get returns the ranking of f. When the source does not answer, it is the last
// good copy or the shipped snapshot, with LocalFallback as its source.
func (r *Rankings) Get(ctx context.Context, f catalog.Family) (*Answer, lookup.Via, error) {
	load := func(ctx context.Context, _ *fetch.Request) (*Answer, error) { return r.load(ctx, f) }
	a, via, err := r.lookups.Get(ctx, r.Key(f), lookup.Caller{}, load)
	if err != nil && ctx.Err() == nil {
		if !fault.Is(err, fetch.CodePaused) {
			r.log.WarnContext(ctx, "ranking not fetched", "family", f, "error", err)
		}
		a, err = r.fallback(ctx, f, fault.From(err))
		via = lookup.ViaSource
	}
	r.metrics.Answered("ranking", string(via), err)
	return a, via, err
}

func (r *Rankings) load(ctx context.Context, f catalog.Family) (*Answer, error) {
	ranking, err := r.source.Ranking(ctx, f)
	if err == nil && len(ranking.Rows) == 0 {
		err = fetch.Changed(errors.New("no rows")) // it must not take the place of the last good one
	}
	if err != nil {
		r.metrics.LookedUp(BenchmarkSite, fault.From(err).Code)
		return nil, err
	}
	r.metrics.LookedUp(BenchmarkSite, "found")
	now := r.now()
	a := &Answer{Value: ranking, Lifetime: lookup.Lifetime{FetchedAt: now, ExpiresAt: now.Add(r.ttl), Shareable: true}}
	if err := r.lastGood.Save(ctx, f, a); err != nil {
		r.log.WarnContext(ctx, "last good ranking not kept", "family", f, "error", err)
	}
	return a, nil
}

// fallback returns the last good copy, or else the snapshot. It is kept until the source may
// be asked again.
func (r *Rankings) fallback(ctx context.Context, f catalog.Family, cause *fault.Error) (*Answer, error) {
	rest := RetryPause
	if cause.RetryAfter > 0 {
		rest = min(rest, cause.RetryAfter)
	}
	var rows []Row
	var fetchedAt time.Time
	last, err := r.lastGood.Load(ctx, f)
	if err == nil {
		rows, fetchedAt = last.Value.Rows, last.FetchedAt
	} else {
		var missing error
		rows, fetchedAt, missing = r.shipped(f)
		if missing != nil {
			return nil, fmt.Errorf("no fallback for %s: %w", f, errors.Join(err, missing))
		}
	}
	a := &Answer{
		Value:    Ranking{Source: LocalFallback, Rows: rows},
		Lifetime: lookup.Lifetime{FetchedAt: fetchedAt, ExpiresAt: r.now().Add(rest)},
	}
	r.lookups.Keep(r.Key(f), a)
	return a, nil
}
