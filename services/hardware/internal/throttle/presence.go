package throttle

import (
	"context"
	"time"
)

// noticed is how long after its last word a replica is taken for one that is cut off
// from Redis, and then for one that asks the source at its own share of the rate.
func noticed(interval time.Duration) time.Duration { return max(interval, time.Second) }

// Stay says that a replica is here until ctx ends, then that it is gone. While one that
// was here says nothing, for an hour at most, its share is taken off the rate of the
// others: it may be using it. A replica that starts again keeps its name.
func (p *Pacer) Stay(ctx context.Context, replica string) {
	if p.presence == nil {
		return
	}
	tick := time.NewTicker(noticed(p.options.Interval) / 4)
	defer tick.Stop()
	for {
		_ = p.presence.run(ctx, "here", hashed(replica)).Err() // a Redis that is away learns it later
		select {
		case <-tick.C:
		case <-ctx.Done():
			_ = p.presence.run(context.WithoutCancel(ctx), "gone", hashed(replica)).Err()
			return
		}
	}
}
