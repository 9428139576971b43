package hardware

import (
	"context"
	"time"

	"backend.example/services/hardware/internal/catalog"
)

// Place is where a look-up stands in the line for its next turn at a source. The
// wait is as far as is known: it grows when those in front are late, and a
// look-up takes more than one turn.
type Place struct {
	Number int // 1 is next
	Wait   time.Duration
}

type lookupKey struct{}

// WithLookup names the look-up that ctx belongs to.
func WithLookup(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, lookupKey{}, name)
}

// LookupOf is the name of the price look-up that ctx belongs to, as Prices.LookupName
// gives it; empty for any other work.
func LookupOf(ctx context.Context) string {
	name, _ := ctx.Value(lookupKey{}).(string)
	return name
}

// LookupName names the look-up of q, the same in every replica.
func (p *Prices) LookupName(q catalog.Query) string {
	return "price:" + p.aggregator.Name() + ":" + string(q.Category) + ":" + q.Folded()
}
