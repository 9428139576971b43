package lookup

import (
	"context"
	"time"
)

// Place is where a look-up stands in the line for its next turn at a source. The
// wait is as far as is known: it grows when those in front are late, and a
// look-up takes more than one turn.
type Place struct {
	Number int // 1 is next
	Wait   time.Duration
}

type contextKey struct{}

// WithKey names the look-up that ctx belongs to.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, contextKey{}, key)
}

// KeyOf is the key of the look-up that ctx belongs to, by which its place in the
// line is asked for; empty for any other work.
func KeyOf(ctx context.Context) string {
	key, _ := ctx.Value(contextKey{}).(string)
	return key
}
