package cache

import (
	"cmp"
	"context"
	_ "embed" // the script
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/prices"
)

//go:embed board.lua
var boardSource string

// RedisBoard is the prices.Board of all replicas.
type RedisBoard struct {
	client redis.UniversalClient
	script *redis.Script
}

// NewRedisBoard returns a RedisBoard on client.
func NewRedisBoard(client redis.UniversalClient) *RedisBoard {
	return &RedisBoard{client: client, script: redis.NewScript(boardSource)}
}

// boardKeys are those of a look-up. Replicas of two formats have boards of their own.
func boardKeys(key string) []string {
	tag := tag(key)
	return []string{fmt.Sprintf("%squote:%d", tag, format), fmt.Sprintf("%squoted-by:%d", tag, format)}
}

// Ask implements prices.Board, with one round trip for all.
func (b *RedisBoard) Ask(ctx context.Context, owner string, wants []prices.Want) ([]prices.Note, error) {
	answers, err := b.ask(ctx, owner, wants)
	if redis.HasErrorPrefix(err, "NOSCRIPT") {
		if err = b.script.Load(ctx, b.client).Err(); err == nil {
			answers, err = b.ask(ctx, owner, wants)
		}
	}
	notes := make([]prices.Note, len(wants))
	for i := 0; i < len(wants) && err == nil; i++ {
		notes[i], err = readNote(answers[i])
	}
	if err != nil {
		return nil, fmt.Errorf("ask for look-ups: %w", err)
	}
	return notes, nil
}

func (b *RedisBoard) ask(ctx context.Context, owner string, wants []prices.Want) (answers []*redis.Cmd, err error) {
	_, err = b.client.Pipelined(ctx, func(pipe redis.Pipeliner) error {
		for _, w := range wants {
			mayBegin := 0
			if w.MayBegin {
				mayBegin = 1
			}
			answers = append(answers, b.script.EvalSha(ctx, pipe, boardKeys(w.Key), "ask", owner,
				prices.WantedFor.Milliseconds(), prices.BoardLease.Milliseconds(), mayBegin))
		}
		return nil
	})
	return answers, err
}

// readNote reads the answer of the script. An outcome that is damaged counts as a look-up that
// another one runs, until it expires.
func readNote(answer *redis.Cmd) (prices.Note, error) {
	values, err := answer.Slice()
	if err != nil || len(values) != 3 {
		return prices.Note{}, fmt.Errorf("%v: %w", values, cmp.Or(err, errFormat))
	}
	mine, _ := values[0].(int64)
	outcome, _ := values[1].(string)
	rest, _ := values[2].(int64)
	note := prices.Note{Mine: mine == 1}
	if o, err := decodeOutcome[prices.Price]([]byte(outcome)); err == nil {
		note.Outcome, note.Rest = &o, time.Duration(rest)*time.Millisecond
	}
	return note, nil
}

// Hold implements prices.Board.
func (b *RedisBoard) Hold(ctx context.Context, owner, key string, left time.Duration) (time.Duration, error) {
	millis, err := b.script.Run(ctx, b.client, boardKeys(key), "hold", owner, left.Milliseconds(), prices.BoardLease.Milliseconds()).Int64()
	if err != nil {
		return 0, fmt.Errorf("hold a look-up: %w", err)
	}
	return time.Duration(millis) * time.Millisecond, nil
}

// End implements prices.Board.
func (b *RedisBoard) End(ctx context.Context, owner, key string, o prices.Outcome, keep time.Duration) error {
	var data []byte
	var err error
	if keep > 0 {
		if data, err = encodeOutcome(o); err != nil {
			return err
		}
	}
	if err := b.script.Run(ctx, b.client, boardKeys(key), "end", owner, keep.Milliseconds(), data).Err(); err != nil {
		return fmt.Errorf("end a look-up: %w", err)
	}
	return nil
}
