package database

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// leaseLength is how long others wait for a process that was killed or is frozen. A lease
// is renewed four times in it.
const leaseLength = time.Minute

// releaseLimit bounds the release of a lease, which expires anyway.
const releaseLimit = 5 * time.Second

// ErrLeaseLost is the cause of the end of an Exclusively that could not renew its lease.
var ErrLeaseLost = errors.New("the lease was lost: another process may have it now")

// Exclusively runs fn unless another caller, in any replica, is running one under the
// same name; ran reports whether it did. The name is leased in the database until fn
// returns. If the lease is lost, the context of fn ends; what fn writes then must not harm
// a successor that is running already.
func (db *DB) Exclusively(ctx context.Context, name string, fn func(ctx context.Context) error) (ran bool, err error) {
	l := lease{db: db, name: name, holder: rand.Text()}
	until := time.Now().Add(db.lease)
	if taken, err := l.take(ctx); err != nil || !taken {
		return false, err
	}
	working, cancel := context.WithCancelCause(ctx)
	var renewal sync.WaitGroup
	renewal.Go(func() { l.keep(working, until, cancel) })
	defer func() {
		cancel(nil)
		renewal.Wait()
		l.release(ctx)
	}()
	return true, fn(working)
}

// lease is a name that one holder has until it expires.
type lease struct {
	db           *DB
	name, holder string
}

// take takes the lease if it is free, and renews it if its holder has it. One that expires
// later than any that is taken now is of a clock that was ahead, and counts as expired.
func (l lease) take(ctx context.Context) (taken bool, err error) {
	length := l.db.lease.Milliseconds()
	result := l.db.Write(ctx).Exec(`INSERT INTO leases (name, holder, expires_ms) VALUES (?, ?, ? + ?)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_ms = excluded.expires_ms
		WHERE leases.holder = excluded.holder OR leases.expires_ms <= excluded.expires_ms - ?
			OR leases.expires_ms > excluded.expires_ms + ?`,
		l.name, l.holder, l.db.clock(), length, length, length)
	return result.RowsAffected == 1, result.Error
}

// keep renews the lease until ctx ends. It calls lost if another holder has it, or if it
// could not be renewed before until, when it expires.
func (l lease) keep(ctx context.Context, until time.Time, lost context.CancelCauseFunc) {
	tick := time.NewTicker(l.db.lease / 4)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		begin := time.Now()
		trying, cancel := context.WithDeadline(ctx, until)
		renewed, err := l.take(trying)
		cancel()
		switch {
		case renewed:
			until = begin.Add(l.db.lease)
		case err == nil, !time.Now().Before(until):
			lost(ErrLeaseLost)
			return
		}
	}
}

// release lets others take the lease at once.
func (l lease) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	_ = l.db.Write(ctx).Exec("DELETE FROM leases WHERE name = ? AND holder = ?", l.name, l.holder)
}
