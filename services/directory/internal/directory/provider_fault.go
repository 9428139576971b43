package directory

import (
	"errors"
	"fmt"
	"time"

	"backend.example/services/internal/kit/fault"
)

// Adapters of providers return one of the faults below; what follows from it
// (reconnect, wait, ask the operator) is decided here.

// Revoked says that a credential is refused for good: revoked, expired without a
// way to renew it, password changed. reason is Polish and goes to the user.
func Revoked(err error, reason string) *fault.Error {
	refused := CodeReconnect.Wrap(err)
	refused.Message = reason
	return refused
}

// Denied says that the credential may not do this.
func Denied(err error) *fault.Error { return CodePermission.Wrap(err) }

// Throttled says that a limit of the provider is used up, for wait where it says so.
// It is the limit of the page or the user whose token was used.
func Throttled(err error, wait time.Duration) *fault.Error {
	return CodeThrottled.Wrap(err).After(wait)
}

var errAppLimit = errors.New("the limit of the app")

// ThrottledApp is Throttled of a limit that all tokens share.
func ThrottledApp(err error, wait time.Duration) *fault.Error {
	return Throttled(fmt.Errorf("%w: %w", errAppLimit, err), wait)
}

// IsAppLimit reports whether err is one of ThrottledApp.
func IsAppLimit(err error) bool { return errors.Is(err, errAppLimit) }

// Temporary says that trying again later may help.
func Temporary(err error) *fault.Error { return CodeTemporary.Wrap(err) }

// NotSetUp says that the operator has to act at the provider: an API not enabled
// or not approved, a wrong key or client.
func NotSetUp(err error) *fault.Error { return CodeOperator.Wrap(err) }

// Gone says that the asked-for page, account, location or place is not there.
func Gone(err error) *fault.Error { return CodeGone.Wrap(err) }

// Unreadable says that the provider answered in a form that we do not know.
func Unreadable(err error) *fault.Error { return CodeChanged.Wrap(err) }
