package directory

import (
	"context"
)

// Fresh and FreshEarly are what every use of a connection, and the scan, begin with.
var (
	Fresh      = (*OAuth).fresh
	FreshEarly = (*OAuth).freshEarly
)

// Use and UseAsUser read a text.
func Use(ctx context.Context, o *OAuth, c Connection, read func(ctx context.Context, token, account string) (string, error)) (string, error) {
	return use(ctx, o, c, read)
}

func UseAsUser(ctx context.Context, o *OAuth, c Connection, read func(ctx context.Context, token string) (string, error)) (string, error) {
	return useAsUser(ctx, o, c, read)
}

// Look looks into the outbox once, and waits for the turns that it begins.
func (w *Webhooks) Look(ctx context.Context) {
	d := dispatcher{Webhooks: w, busy: map[int64]bool{}}
	d.look(ctx)
	d.turns.Wait()
}
