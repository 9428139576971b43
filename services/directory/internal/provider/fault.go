package provider

import (
	"errors"
	"fmt"
	"time"

	"backend.example/services/internal/kit/fault"
)

// The codes of the ways in which a provider fails. The features decide what follows:
// reconnect, wait, or ask the operator.
var (
	// CodeReconnect is a credential that is revoked; only the user can renew it. The
	// text is the reason, see [Revoked].
	CodeReconnect = fault.NewCode(fault.Internal, "provider_reconnect", "")
	// CodePermission is a credential that lacks a permission.
	CodePermission = fault.NewCode(fault.Internal, "provider_permission", "Brak wymaganych uprawnień. Połącz konto ponownie i zaznacz wszystkie zgody.")
	// CodeThrottled is a used-up limit of the provider.
	CodeThrottled = fault.NewCode(fault.Internal, "provider_throttled", "Dostawca chwilowo ogranicza liczbę zapytań. Spróbuj ponownie później.")
	// CodeTemporary is a failure that passes without any action.
	CodeTemporary = fault.NewCode(fault.Internal, "provider_temporary", "Dostawca jest chwilowo niedostępny. Spróbuj ponownie później.")
	// CodeOperator is a setting that the operator has to make at the provider.
	CodeOperator = fault.NewCode(fault.Internal, "provider_setup", "Usługa dostawcy nie jest jeszcze udostępniona. Skontaktuj się z administratorem.")
	// CodeGone is a resource that does not exist at the provider any more.
	CodeGone = fault.NewCode(fault.Internal, "provider_gone", "Nie znaleziono zasobu u dostawcy.")
	// CodeChanged is a response that cannot be read.
	CodeChanged = fault.NewCode(fault.Internal, "provider_changed", "Dostawca odpowiedział w nieznanym formacie.")
	// CodeInvalidRequest is a signed request with another signature or format.
	CodeInvalidRequest = fault.NewCode(fault.Invalid, "invalid_request", "Podpis żądania jest nieprawidłowy.")
)

// ReasonCode is the reason for connecting again when an authorization code was refused.
const ReasonCode = "Kod autoryzacji wygasł lub został już użyty. Połącz konto ponownie."

// Revoked returns the fault of a credential that is refused for good: revoked, expired
// without a way to renew it, password changed. reason is Polish and shown to the user.
func Revoked(err error, reason string) *fault.Error {
	refused := CodeReconnect.Wrap(err)
	refused.Message = reason
	return refused
}

// Denied returns the fault of a credential without the permission for the call.
func Denied(err error) *fault.Error { return CodePermission.Wrap(err) }

// Throttled returns the fault of a used-up limit of the page or the user whose token
// was used. wait is zero if the provider does not say how long.
func Throttled(err error, wait time.Duration) *fault.Error {
	return CodeThrottled.Wrap(err).After(wait)
}

var errAppLimit = errors.New("the limit of the app")

// ThrottledApp is Throttled for a limit that all tokens share.
func ThrottledApp(err error, wait time.Duration) *fault.Error {
	return Throttled(fmt.Errorf("%w: %w", errAppLimit, err), wait)
}

// IsAppLimit reports whether err was made by ThrottledApp.
func IsAppLimit(err error) bool { return errors.Is(err, errAppLimit) }

// Temporary returns the fault of a failure that passes without any action.
func Temporary(err error) *fault.Error { return CodeTemporary.Wrap(err) }

// NotSetUp returns the fault of an API that is not enabled or not approved, or of a
// wrong key or client.
func NotSetUp(err error) *fault.Error { return CodeOperator.Wrap(err) }

// Gone returns the fault of a page, account, location or place that does not exist.
func Gone(err error) *fault.Error { return CodeGone.Wrap(err) }

// Unreadable returns the fault of a response in an unknown format.
func Unreadable(err error) *fault.Error { return CodeChanged.Wrap(err) }
