package directory

import (
	"time"

	"backend.example/services/internal/kit/fault"
)

// Codes of the ways in which a provider fails. Adapters return one of the faults
// below; what follows from it (reconnect, wait, ask the operator) is decided here.
const (
	CodeReconnect  = "provider_reconnect"  // the credential is revoked; only the user can mend it
	CodePermission = "provider_permission" // the credential lacks a permission; connect again with it
	CodeThrottled  = "provider_throttled"  // a limit of the provider; wait
	CodeTemporary  = "provider_temporary"  // a fault that passes by itself
	CodeOperator   = "provider_setup"      // the operator has to set something up at the provider
	CodeGone       = "provider_gone"       // the thing asked for does not exist there any more
	CodeChanged    = "provider_changed"    // an answer that we cannot read
)

// Revoked says that a credential is refused for good: revoked, expired without a
// way to renew it, password changed. reason is Polish and goes to the user.
func Revoked(err error, reason string) *fault.Error {
	return fault.Wrap(err, fault.Internal, CodeReconnect, reason)
}

// Denied says that the credential may not do this.
func Denied(err error) *fault.Error {
	return fault.Wrap(err, fault.Internal, CodePermission,
		"Brak wymaganych uprawnień. Połącz konto ponownie i zaznacz wszystkie zgody.")
}

// Throttled says that a limit of the provider is used up, for wait where it says so.
func Throttled(err error, wait time.Duration) *fault.Error {
	return fault.Wrap(err, fault.Internal, CodeThrottled,
		"Dostawca chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później.").After(wait)
}

// Temporary says that trying again later may help.
func Temporary(err error) *fault.Error {
	return fault.Wrap(err, fault.Internal, CodeTemporary,
		"Dostawca jest chwilowo niedostępny. Spróbuj ponownie później.")
}

// NotSetUp says that the operator has to act at the provider: an API not enabled
// or not approved, a wrong key or client.
func NotSetUp(err error) *fault.Error {
	return fault.Wrap(err, fault.Internal, CodeOperator,
		"Usługa dostawcy nie jest jeszcze udostępniona. Skontaktuj się z administratorem.")
}

// Gone says that the asked-for page, account, location or place is not there.
func Gone(err error) *fault.Error {
	return fault.Wrap(err, fault.Internal, CodeGone, "Nie znaleziono zasobu u dostawcy.")
}

// Unreadable says that the provider answered in a form that we do not know.
func Unreadable(err error) *fault.Error {
	return fault.Wrap(err, fault.Internal, CodeChanged, "Dostawca odpowiedział w nieznanym formacie.")
}
