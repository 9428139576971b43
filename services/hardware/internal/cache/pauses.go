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

// Pauses keeps the pauses of sources in one key each. It implements fetch.PauseStore.
type Pauses struct{ client redis.UniversalClient }

// NewPauses returns Pauses on client.
func NewPauses(client redis.UniversalClient) *Pauses { return &Pauses{client: client} }

func pauseKey(source string) string { return "hw:pause:{" + source + "}" }

func failuresKey(source string) string { return "hw:failures:{" + source + "}" }

// Pause implements fetch.PauseStore. The key holds the cause and
// expires by the clock of Redis, so that the clock of a replica does not matter.
func (p *Pauses) Pause(ctx context.Context, source string) (fetch.Pause, error) {
	pipe := p.client.Pipeline()
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

// SetPause implements fetch.PauseStore. Two replicas that set a pause at once met the same
// refusal, so either may win.
func (p *Pauses) SetPause(ctx context.Context, source string, pause fetch.Pause) error {
	rest := time.Until(pause.Until)
	before, err := p.Pause(ctx, source)
	if err != nil {
		return err
	}
	if !pause.Until.After(before.Until) || rest <= 0 {
		return nil
	}
	if err := p.client.Set(ctx, pauseKey(source), pause.Code, rest).Err(); err != nil {
		return fmt.Errorf("set pause: %w", err)
	}
	return nil
}

// AddFailure implements fetch.PauseStore.
func (p *Pauses) AddFailure(ctx context.Context, source, id string, memory time.Duration) (int, error) {
	pipe := p.client.TxPipeline()
	pipe.SAdd(ctx, failuresKey(source), lookup.Hashed(id))
	pipe.Expire(ctx, failuresKey(source), memory)
	n := pipe.SCard(ctx, failuresKey(source))
	if _, err := pipe.Exec(ctx); err != nil {
		return 0, fmt.Errorf("count failure: %w", err)
	}
	return int(n.Val()), nil
}

// ClearFailures implements fetch.PauseStore.
func (p *Pauses) ClearFailures(ctx context.Context, source string) error {
	if err := p.client.Del(ctx, failuresKey(source)).Err(); err != nil {
		return fmt.Errorf("clear failures: %w", err)
	}
	return nil
}
