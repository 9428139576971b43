package lookup

import "context"

// Asker says for whom a look-up is made. A look-up that several ask for at once has the
// asker who came first.
type Asker struct {
	Client string // in whose line it waits: turns go round the clients
	Class  Class
	Begun  bool // an earlier step of the same look-up has had a turn
}

// Class says how a look-up waits for its first turn at a source. Once it has begun, it
// goes before all that have not.
type Class int

// The classes. A refusal is the fault throttle_queue_full, which tells in RetryAfter
// when the turn would have come.
const (
	// Awaited is for a caller who waits for the answer. At most two such look-ups of a
	// client wait, and none that would wait longer than the throttle allows.
	Awaited Class = iota
	// Listed is for one of several answers that a client asked for at once and comes
	// back for. At most MaxListed look-ups of a client wait, for as long as their
	// context lasts, in the order in which they were asked for.
	Listed
	// Idle is for work ahead of time. It is refused at once unless nobody waits and a
	// request may be sent now; its later requests let everybody else pass.
	Idle
)

// MaxListed is how many look-ups of one client may wait.
const MaxListed = 20

type askerKey struct{}

// WithAsker says for whom the look-ups that are made with the context are.
func WithAsker(ctx context.Context, a Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// AskerOf is for whom the look-up of ctx is made: without WithAsker a nameless client
// who waits for the answer.
func AskerOf(ctx context.Context) Asker {
	a, _ := ctx.Value(askerKey{}).(Asker)
	return a
}

// WithBegun says that the look-ups that are made with the context go on with one that
// has had a turn.
func WithBegun(ctx context.Context) context.Context {
	a := AskerOf(ctx)
	a.Begun = true
	return WithAsker(ctx, a)
}
