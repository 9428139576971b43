package directory

import (
	"context"

	"backend.example/services/internal/kit/fault"
)

// choiceTries is how often a choice is made anew because the connection was made anew
// meanwhile: what was listed belongs to another grant then.
const choiceTries = 3

// untilUnchanged makes a choice, anew for as long as that is the reason.
func untilUnchanged(choose func() error) (err error) {
	for range choiceTries {
		if err = choose(); !fault.Is(err, CodeConnectionChanged) {
			break
		}
	}
	return err
}

// unlimited is for what a choice reads by itself.
func unlimited(context.Context, int64, Service) error { return nil }

// stillOf answers a connection that is not any more the one of a list with the
// fault no_connection or connection_changed.
func (c *Connection) stillOf(listed *Connection) error {
	switch {
	case !c.Active:
		return CodeNoConnection.Fault()
	case !c.sameGrant(listed):
		return CodeConnectionChanged.Fault()
	}
	return nil
}
