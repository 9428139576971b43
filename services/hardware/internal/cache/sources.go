package cache

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
)

// Sources is the fetch.SourceStore of all replicas. Without Redis, what this process has noted counts.
type Sources struct {
	client redis.UniversalClient
	own    fetch.MemoryStore
	log    *slog.Logger
}

// NewSources returns Sources on client.
func NewSources(client redis.UniversalClient, log *slog.Logger) *Sources {
	return &Sources{client: client, log: log}
}

func pauseKey(source string) string { return "hw:pause:{" + source + "}" }

func failuresKey(source string) string { return "hw:failures:{" + source + "}" }

// Pause implements fetch.SourceStore. The key expires by the clock of Redis, whatever a replica's says.
func (s *Sources) Pause(ctx context.Context, source string) fetch.Pause {
	pipe := s.client.Pipeline()
	code, rest := pipe.Get(ctx, pauseKey(source)), pipe.PTTL(ctx, pauseKey(source))
	_, err := pipe.Exec(ctx)
	switch {
	case errors.Is(err, redis.Nil):
		return fetch.Pause{}
	case err != nil:
		return s.own.Pause(ctx, source)
	}
	return fetch.Pause{Until: time.Now().Add(rest.Val()), Code: code.Val()}
}

// SetPause implements fetch.SourceStore. Two replicas that set a pause at once met the same refusal, so either may
// win.
func (s *Sources) SetPause(ctx context.Context, source string, pause fetch.Pause) {
	before := s.Pause(ctx, source)
	s.own.SetPause(ctx, source, pause)
	rest := time.Until(pause.Until)
	if !pause.Until.After(before.Until) || rest <= 0 {
		return
	}
	s.warn(ctx, "pause not shared", s.client.Set(ctx, pauseKey(source), pause.Code, rest).Err())
}

// AddFailure implements fetch.SourceStore.
func (s *Sources) AddFailure(ctx context.Context, source, id string, memory time.Duration) int {
	own := s.own.AddFailure(ctx, source, id, memory)
	pipe := s.client.TxPipeline()
	pipe.SAdd(ctx, failuresKey(source), lookup.Hashed(id))
	pipe.Expire(ctx, failuresKey(source), memory)
	n := pipe.SCard(ctx, failuresKey(source))
	if _, err := pipe.Exec(ctx); err != nil {
		return own
	}
	return int(n.Val())
}

// ClearFailures implements fetch.SourceStore.
func (s *Sources) ClearFailures(ctx context.Context, source string) {
	s.warn(ctx, "failures not cleared", s.client.Del(ctx, failuresKey(source)).Err())
	s.own.ClearFailures(ctx, source)
}

const robotsClaim = 30 * time.Second

func robotsKey(host string) string { return "hw:robots:{" + host + "}" }

// ClaimRobots implements fetch.SourceStore. The claim precedes the reading, so that a file stored in between is
// found.
func (s *Sources) ClaimRobots(ctx context.Context, host string) (fetch.Robots, bool) {
	pipe := s.client.TxPipeline()
	mine := pipe.SetNX(ctx, robotsKey(host)+":claim", 1, robotsClaim)
	rules, rest := pipe.Get(ctx, robotsKey(host)), pipe.PTTL(ctx, robotsKey(host))
	_, err := pipe.Exec(ctx)
	switch {
	case errors.Is(err, redis.Nil):
		return fetch.Robots{}, mine.Val()
	case err != nil:
		return fetch.Robots{}, true
	}
	return fetch.Robots{Rules: rules.Val(), Rest: rest.Val()}, false
}

// SettleRobots implements fetch.SourceStore.
func (s *Sources) SettleRobots(ctx context.Context, host string, r fetch.Robots) {
	pipe := s.client.TxPipeline()
	if r.Rest > 0 {
		pipe.Set(ctx, robotsKey(host), r.Rules, r.Rest)
	}
	pipe.Del(ctx, robotsKey(host)+":claim")
	_, err := pipe.Exec(ctx)
	s.warn(ctx, "robots.txt not shared", err)
}

func (s *Sources) warn(ctx context.Context, message string, err error) {
	if err != nil {
		s.log.WarnContext(ctx, message, "error", err)
	}
}
