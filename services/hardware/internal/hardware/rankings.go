package hardware

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/upstream"
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

// RankingSource gives the whole ranking of a family. Its errors are the faults
// of outcome.go.
type RankingSource interface {
	// Ranking is encoded, with the domain as its source. It says nothing of when.
	Ranking(ctx context.Context, f catalog.Family) (*Answer, error)
}

// LastGood keeps the last ranking that the source gave, without expiry.
type LastGood interface {
	Load(ctx context.Context, f catalog.Family) (*Answer, error) // an error when there is none
	Save(ctx context.Context, f catalog.Family, a *Answer) error
}

// Snapshot is the ranking that is shipped with the program, and its date.
type Snapshot func(f catalog.Family) ([]Row, time.Time, error)

// Rankings answers benchmark queries.
type Rankings struct {
	source   RankingSource
	lastGood LastGood
	snapshot Snapshot
	lookups  *Lookups
	breaker  upstream.Breaker
	observer Observer
	ttl      time.Duration
	now      func() time.Time
	log      *slog.Logger
}

// NewRankings returns a Rankings whose successes are kept for ttl.
func NewRankings(s RankingSource, g LastGood, shipped Snapshot, l *Lookups, b upstream.Breaker, o Observer,
	ttl time.Duration, now func() time.Time, log *slog.Logger,
) *Rankings {
	return &Rankings{source: s, lastGood: g, snapshot: shipped, lookups: l, breaker: b, observer: o, ttl: ttl, now: now, log: log}
}

// Get returns the encoded ranking of f. When the source does not answer, it is
// the last good copy or the shipped snapshot, with LocalFallback as its source.
func (r *Rankings) Get(ctx context.Context, f catalog.Family) (*Answer, Via, error) {
	key := "ranking:" + string(f)
	if a, ok := r.lookups.kept(key); ok {
		r.observer.Answered("ranking", ViaLocal, nil)
		return a, ViaLocal, nil
	}
	a, via, err := r.lookups.Get(ctx, key, func(ctx context.Context) (*Answer, error) { return r.load(ctx, f) })
	r.observer.Answered("ranking", via, err)
	return a, via, err
}

func (r *Rankings) load(ctx context.Context, f catalog.Family) (*Answer, error) {
	if rest, ok := r.allowed(ctx, f); !ok {
		return r.fallback(ctx, f, rest)
	}
	a, err := guarded(ctx, func(ctx context.Context) (*Answer, error) { return r.fetch(ctx, f) })
	if err != nil {
		r.log.WarnContext(ctx, "ranking not fetched", "family", f, "error", err)
		return r.fallback(ctx, f, r.failed(ctx, f, fault.From(err)))
	}
	r.breaker.Succeed(ctx, r.site())
	r.breaker.Succeed(ctx, r.part(f))
	r.observer.LookedUp(r.site(), "found", r.now())
	if err := r.lastGood.Save(ctx, f, a); err != nil {
		r.log.WarnContext(ctx, "last good ranking not kept", "family", f, "error", err)
	}
	return a, nil
}

// fetch asks the source. A ranking without rows is no ranking: it must not take
// the place of the last good one.
func (r *Rankings) fetch(ctx context.Context, f catalog.Family) (*Answer, error) {
	a, err := r.source.Ranking(ctx, f)
	switch {
	case err != nil:
		return nil, err
	case len(a.Ends) == 0:
		return nil, upstream.Changed(errors.New("no rows"))
	}
	a.FetchedAt = r.now()
	a.ExpiresAt, a.Shareable = a.FetchedAt.Add(r.ttl), true
	return a, nil
}

// site and part name the breaker's pauses: a site that is down pauses every
// family, a file that cannot be read only its own.
func (r *Rankings) site() string                 { return BenchmarkSite }
func (r *Rankings) part(f catalog.Family) string { return BenchmarkSite + "/" + string(f) }

func (r *Rankings) allowed(ctx context.Context, f catalog.Family) (rest time.Duration, ok bool) {
	for _, name := range []string{r.site(), r.part(f)} {
		if rest, ok = r.breaker.Allow(ctx, name); !ok {
			return rest, false
		}
	}
	return 0, true
}

// failed pauses what failed and returns for how long.
func (r *Rankings) failed(ctx context.Context, f catalog.Family, e *fault.Error) time.Duration {
	r.observer.LookedUp(r.site(), e.Code, r.now())
	switch e.Code {
	case upstream.CodeBlocked:
		pause := max(retryPause, min(e.RetryAfter, upstream.MaxPause))
		r.breaker.Pause(ctx, r.site(), pause)
		return pause
	case upstream.CodeChanged:
		r.breaker.Pause(ctx, r.part(f), retryPause)
		r.breaker.Succeed(ctx, r.site()) // it did answer
	default:
		r.breaker.Pause(ctx, r.site(), retryPause)
	}
	return retryPause
}

// fallback gives the last good copy, else the snapshot, to be given out until
// the source may be asked again. It is read even when the source used up the
// time of the look-up.
func (r *Rankings) fallback(ctx context.Context, f catalog.Family, rest time.Duration) (*Answer, error) {
	a, err := r.lastGood.Load(context.WithoutCancel(ctx), f)
	if err != nil {
		var shipped error
		if a, shipped = r.shipped(f); shipped != nil {
			return nil, fmt.Errorf("no fallback for %s: %w", f, errors.Join(err, shipped))
		}
	}
	local := *a
	local.Source, local.Shareable = LocalFallback, false
	local.Digest = digest([]byte(LocalFallback), local.Payload)
	local.ExpiresAt = r.now().Add(min(rest, retryPause))
	return &local, nil
}

func (r *Rankings) shipped(f catalog.Family) (*Answer, error) {
	rows, date, err := r.snapshot(f)
	if err != nil {
		return nil, err
	}
	a, err := EncodeRanking(LocalFallback, rows)
	if err != nil {
		return nil, err
	}
	a.FetchedAt = date
	return a, nil
}
