package cache

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/lookup"
)

// Sources keeps in Redis what all replicas have to know of the sources. It implements
// fetch.SourceStore.
type Sources struct{ client redis.UniversalClient }

// NewSources returns Sources on client.
func NewSources(client redis.UniversalClient) *Sources { return &Sources{client: client} }

func pauseKey(source string) string { return "hw:pause:{" + source + "}" }

func failuresKey(source string) string { return "hw:failures:{" + source + "}" }

// Pause implements fetch.SourceStore. The key holds the cause and
// expires by the clock of Redis, so that the clock of a replica does not matter.
func (s *Sources) Pause(ctx context.Context, source string) (fetch.Pause, error) {
	pipe := s.client.Pipeline()
	code, rest := pipe.Get(ctx, pauseKey(source)), pipe.PTTL(ctx, pauseKey(source))
	_, err := pipe.Exec(ctx)
	if errors.Is(err, redis.Nil) {
		return fetch.Pause{}, nil
	}
	if err != nil {
		return fetch.Pause{}, fmt.Errorf("read pause: %w", err)
	}
	return fetch.Pause{Until: time.Now().Add(rest.Val()), Code: code.Val()}, nil
}

// SetPause implements fetch.SourceStore. Two replicas that set a pause at once met the same
// refusal, so either may win.
func (s *Sources) SetPause(ctx context.Context, source string, pause fetch.Pause) error {
	rest := time.Until(pause.Until)
	before, err := s.Pause(ctx, source)
	if err != nil {
		return err
	}
	if !pause.Until.After(before.Until) || rest <= 0 {
		return nil
	}
	if err := s.client.Set(ctx, pauseKey(source), pause.Code, rest).Err(); err != nil {
		return fmt.Errorf("set pause: %w", err)
	}
	return nil
}

// AddFailure implements fetch.SourceStore.
func (s *Sources) AddFailure(ctx context.Context, source, id string, memory time.Duration) (int, error) {
	pipe := s.client.TxPipeline()
	pipe.SAdd(ctx, failuresKey(source), lookup.Hashed(id))
	pipe.Expire(ctx, failuresKey(source), memory)
	n := pipe.SCard(ctx, failuresKey(source))
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, fmt.Errorf("count failure: %w", err)
	}
	return int(n.Val()), nil
}

// ClearFailures implements fetch.SourceStore.
func (s *Sources) ClearFailures(ctx context.Context, source string) error {
	if err := s.client.Del(ctx, failuresKey(source)).Err(); err != nil {
		return fmt.Errorf("clear failures: %w", err)
	}
	return nil
}

// robotsClaim is how long a replica has to read a robots.txt, until another one tries.
const robotsClaim = 30 * time.Second

func robotsKey(host string) string { return "hw:robots:{" + host + "}" }

// ClaimRobots implements fetch.SourceStore. The claim is made before the file is read, so that
// one which is stored in between is found.
func (s *Sources) ClaimRobots(ctx context.Context, host string) (fetch.Robots, bool, error) {
	pipe := s.client.TxPipeline()
	mine := pipe.SetNX(ctx, robotsKey(host)+":claim", 1, robotsClaim)
	rules, rest := pipe.Get(ctx, robotsKey(host)), pipe.PTTL(ctx, robotsKey(host))
	_, err := pipe.Exec(ctx)
	if errors.Is(err, redis.Nil) {
		return fetch.Robots{}, mine.Val(), nil
	}
	if err != nil {
		return fetch.Robots{}, false, fmt.Errorf("read robots.txt: %w", err)
	}
	return fetch.Robots{Rules: rules.Val(), Rest: rest.Val()}, false, nil
}

// SettleRobots implements fetch.SourceStore.
func (s *Sources) SettleRobots(ctx context.Context, host string, r fetch.Robots) error {
	pipe := s.client.TxPipeline()
	if r.Rest > 0 {
		pipe.Set(ctx, robotsKey(host), r.Rules, r.Rest)
	}
	pipe.Del(ctx, robotsKey(host)+":claim")
	if _, err := pipe.Exec(ctx); err != nil {
		return fmt.Errorf("keep robots.txt: %w", err)
	}
	return nil
}
