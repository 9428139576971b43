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
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

// Numbers of rows in a ranking answer.
const (
	DefaultLimit = 200
	MaxLimit     = 500
)

// BenchmarkSite names the source of rankings to the breaker and in metrics.
const BenchmarkSite = "benchmark"

// LocalFallback is the source of an answer that did not come from the source.
const LocalFallback = "local-fallback"

// retryPause is how long the benchmark source is left alone after a failure.
const retryPause = 30 * time.Second

// Answer is a ranking together with how long it may be given out.
type Answer = lookup.Answer[Ranking]

// LastGood keeps the last ranking that the source gave, without expiry.
type LastGood interface {
	Load(ctx context.Context, f catalog.Family) (*Answer, error) // an error when there is none
	Save(ctx context.Context, f catalog.Family, a *Answer) error
}

// Options are what Rankings need.
type Options struct {
	Host string // where Fetch reads, with the port if there is one; part of every key
	// Fetch asks the source for a whole ranking. Its errors are the faults of package
	// lookup.
	Fetch    func(ctx context.Context, f catalog.Family) (Ranking, error)
	LastGood LastGood
	// Shipped are the rows of the ranking that is part of the program, and their date.
	Shipped func(f catalog.Family) ([]Row, time.Time, error)
	Layers  *lookup.Layers[Ranking]
	Breaker lookup.Breaker
	TTL     time.Duration // how long a success is kept
	// Answered and LookedUp are called with each answer and each look-up, for metrics.
	Answered func(via lookup.Via, err error)
	LookedUp func(outcome string, at time.Time)
	Now      func() time.Time
	Log      *slog.Logger
}

// Rankings answers benchmark queries.
type Rankings struct{ Options }

// New returns Rankings.
func New(o Options) *Rankings { return &Rankings{Options: o} }

// Key names the look-up of f, the same in every replica and another one for each source.
func (r *Rankings) Key(f catalog.Family) string { return "ranking:" + r.Host + ":" + string(f) }

// Get returns the ranking of f. When the source does not answer, it is the last
// good copy or the shipped snapshot, with LocalFallback as its source.
func (r *Rankings) Get(ctx context.Context, f catalog.Family) (*Answer, lookup.Via, error) {
	a, via, err := r.Layers.Get(ctx, r.Key(f), lookup.Caller{}, func(ctx context.Context, _ *lookup.Request) (*Answer, error) { return r.load(ctx, f) })
	r.Answered(via, err)
	return a, via, err
}

func (r *Rankings) load(ctx context.Context, f catalog.Family) (*Answer, error) {
	if rest, ok := r.allowed(ctx, f); !ok {
		return r.fallback(ctx, f, rest)
	}
	ranking, err := lookup.Guarded(ctx, func(ctx context.Context) (Ranking, error) { return r.Fetch(ctx, f) })
	if err == nil && len(ranking.Rows) == 0 {
		err = lookup.Changed(errors.New("no rows")) // it must not take the place of the last good one
	}
	if err != nil {
		r.Log.WarnContext(ctx, "ranking not fetched", "family", f, "error", err)
		return r.fallback(ctx, f, r.failed(ctx, f, fault.From(err)))
	}
	r.Breaker.Succeed(ctx, BenchmarkSite)
	r.Breaker.Succeed(ctx, fileOf(f))
	now := r.Now()
	r.LookedUp("found", now)
	a := &Answer{Value: ranking, Lifetime: lookup.Lifetime{FetchedAt: now, ExpiresAt: now.Add(r.TTL), Shareable: true}}
	if err := r.LastGood.Save(ctx, f, a); err != nil {
		r.Log.WarnContext(ctx, "last good ranking not kept", "family", f, "error", err)
	}
	return a, nil
}

// fileOf names the file of f to the breaker: a site that is down pauses every
// family, a file that cannot be read only its own.
func fileOf(f catalog.Family) string { return BenchmarkSite + "/" + string(f) }

func (r *Rankings) allowed(ctx context.Context, f catalog.Family) (rest time.Duration, ok bool) {
	for _, name := range []string{BenchmarkSite, fileOf(f)} {
		if rest, ok = r.Breaker.Allow(ctx, name); !ok {
			return rest, false
		}
	}
	return 0, true
}

// failed pauses what failed and returns for how long.
func (r *Rankings) failed(ctx context.Context, f catalog.Family, e *fault.Error) time.Duration {
	r.LookedUp(e.Code, r.Now())
	switch e.Code {
	case lookup.CodeBlocked:
		pause := max(retryPause, min(e.RetryAfter, lookup.MaxPause))
		r.Breaker.Pause(ctx, BenchmarkSite, pause)
		return pause
	case lookup.CodeChanged:
		r.Breaker.Pause(ctx, fileOf(f), retryPause)
		r.Breaker.Succeed(ctx, BenchmarkSite) // it did answer
	default:
		r.Breaker.Pause(ctx, BenchmarkSite, retryPause)
	}
	return retryPause
}

// fallback gives the last good copy, else the snapshot, to be given out until
// the source may be asked again. It is read even when the source used up the
// time of the look-up.
func (r *Rankings) fallback(ctx context.Context, f catalog.Family, rest time.Duration) (*Answer, error) {
	rows, fetchedAt, err := r.lastGood(context.WithoutCancel(ctx), f)
	if err != nil {
		var missing error
		if rows, fetchedAt, missing = r.Shipped(f); missing != nil {
			return nil, fmt.Errorf("no fallback for %s: %w", f, errors.Join(err, missing))
		}
	}
	return &Answer{
		Value:    Ranking{Source: LocalFallback, Rows: rows},
		Lifetime: lookup.Lifetime{FetchedAt: fetchedAt, ExpiresAt: r.Now().Add(min(rest, retryPause))},
	}, nil
}

func (r *Rankings) lastGood(ctx context.Context, f catalog.Family) ([]Row, time.Time, error) {
	a, err := r.LastGood.Load(ctx, f)
	if err != nil {
		return nil, time.Time{}, err
	}
	return a.Value.Rows, a.FetchedAt, nil
}
