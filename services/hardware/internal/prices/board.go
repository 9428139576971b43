package prices

import (
	"context"
	"maps"
	"sync"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

const (
	// WantedFor is how long a look-up continues for a client that does not come back, and how
	// long its outcome is returned if no cache keeps it.
	WantedFor = time.Minute
	// BoardLease is how long a look-up belongs to an owner who does not hold it again.
	BoardLease = 15 * time.Second
)

// Outcome is how a look-up ended.
type Outcome = lookup.Outcome[Price]

// Board says which look-ups clients come back for, who runs each, and how those ended that no
// cache keeps. LocalBoard and that in Redis share the cases of TestBoard. An error means that
// the board is unavailable.
type Board interface {
	// Ask notes that these are wanted for WantedFor, unless they have ended. One that is not
	// run becomes owner's if it may begin; what may not is not noted.
	Ask(ctx context.Context, owner string, wants []Want) ([]Note, error)
	// Hold keeps a look-up owner's for BoardLease, and returns for how long it is wanted. A
	// board that has lost it believes owner that it is for left. Zero means that it is not
	// wanted, or another's, or has ended.
	Hold(ctx context.Context, owner, key string, left time.Duration) (time.Duration, error)
	// End ends a look-up unless it is another's. The outcome is returned for keep.
	End(ctx context.Context, owner, key string, o Outcome, keep time.Duration) error
}

// Want is a look-up that a client asks for, by its key.
type Want struct {
	Key      string
	MayBegin bool
}

// Note is what is known of a look-up: its outcome, for another Rest, or whether it is the
// owner's who asks.
type Note struct {
	Outcome *Outcome
	Rest    time.Duration
	Mine    bool
}

// LocalBoard is the Board of one process.
type LocalBoard struct {
	mu    sync.Mutex
	notes map[string]*boardNote
}

type boardNote struct {
	owner       string
	held, until time.Time // owner's, and wanted or returned
	outcome     *Outcome
}

// NewLocalBoard returns an empty LocalBoard.
func NewLocalBoard() *LocalBoard { return &LocalBoard{notes: map[string]*boardNote{}} }

// Ask implements Board.
func (b *LocalBoard) Ask(_ context.Context, owner string, wants []Want) ([]Note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, notes := time.Now(), make([]Note, len(wants))
	maps.DeleteFunc(b.notes, func(_ string, n *boardNote) bool { return !now.Before(n.until) })
	for i, w := range wants {
		n := b.notes[w.Key]
		if n != nil && n.outcome != nil {
			notes[i] = Note{Outcome: n.outcome, Rest: n.until.Sub(now)}
			continue
		}
		held := n != nil && now.Before(n.held)
		if notes[i].Mine = held && n.owner == owner || !held && w.MayBegin; notes[i].Mine {
			n = &boardNote{owner: owner, held: now.Add(BoardLease)}
			b.notes[w.Key] = n
		}
		if held || notes[i].Mine {
			n.until = now.Add(WantedFor)
		}
	}
	return notes, nil
}

// Hold implements Board.
func (b *LocalBoard) Hold(_ context.Context, owner, key string, left time.Duration) (time.Duration, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now, n := time.Now(), b.notes[key]
	if n.isOthers(owner, now) || n != nil && n.outcome != nil && now.Before(n.until) {
		return 0, nil
	}
	if n != nil {
		left = max(left, n.until.Sub(now))
	}
	if left > 0 {
		b.notes[key] = &boardNote{owner: owner, held: now.Add(BoardLease), until: now.Add(left)}
	}
	return left, nil
}

// End implements Board.
func (b *LocalBoard) End(_ context.Context, owner, key string, o Outcome, keep time.Duration) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.notes[key].isOthers(owner, now) {
		return nil
	}
	delete(b.notes, key)
	if keep > 0 {
		b.notes[key] = &boardNote{until: now.Add(keep), outcome: &o}
	}
	return nil
}

// isOthers reports whether another owner holds n.
func (n *boardNote) isOthers(owner string, now time.Time) bool {
	return n != nil && now.Before(n.held) && n.owner != owner
}
