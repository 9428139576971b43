package directory

import (
	"context"
)

// Look looks into the outbox once, and waits for the turns that it begins.
func (w *Webhooks) Look(ctx context.Context) {
	d := dispatcher{Webhooks: w, busy: map[int64]bool{}}
	d.look(ctx)
	d.turns.Wait()
}
