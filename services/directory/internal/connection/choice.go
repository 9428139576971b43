package connection

import (
	"context"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// choiceTries is how often a choice is made again because the connection was replaced
// meanwhile: the list belongs to another grant then.
const choiceTries = 3

// RetryChanged makes a choice, and makes it again if its fault is connection_changed.
func RetryChanged(choose func() error) (err error) {
	for range choiceTries {
		if err = choose(); !fault.Is(err, CodeConnectionChanged) {
			break
		}
	}
	return err
}

// CheckSameGrant returns the fault no_connection or connection_changed if c is no longer
// the connection with which a list was read.
func (c *Connection) CheckSameGrant(listed *Connection) error {
	switch {
	case !c.Active:
		return CodeNoConnection.Fault()
	case !c.sameGrant(listed):
		return CodeConnectionChanged.Fault()
	}
	return nil
}

// Change runs change on the company's connection as it is now and stores the result with
// the entry, see Store.LockConnection.
func (o *OAuth) Change(ctx context.Context, companyID int64, p provider.Pair, change func(context.Context, *Connection) (*trail.Entry, error)) (Connection, error) {
	return o.store.LockConnection(ctx, companyID, p, change)
}
