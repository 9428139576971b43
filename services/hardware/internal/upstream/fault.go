// Package upstream says in which ways an external source fails, and when it may be
// asked again. Adapters return its faults; the look-ups pause a source by their codes.
package upstream

import (
	"time"

	"backend.example/services/internal/kit/fault"
)

// Codes of the faults below.
const (
	CodeBlocked     = "source_blocked"
	CodeDisallowed  = "source_disallowed"
	CodeChanged     = "source_changed"
	CodeUnavailable = "source_unavailable"
	CodeSlow        = "source_timeout"
)

// Blocked says that the source refused us: a challenge, 403, 429 or 503.
// retryAfter is what the source asked for, zero when it did not.
func Blocked(err error, retryAfter time.Duration) error {
	return fault.Wrap(err, fault.Upstream, CodeBlocked,
		"Źródło danych chwilowo odmawia odpowiedzi. Spróbuj ponownie później.").After(retryAfter)
}

// Disallowed says that the source's robots.txt closes the address that the question
// needs. It says nothing about other questions.
func Disallowed(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeDisallowed,
		"Źródło danych nie pozwala na takie zapytanie.")
}

// Changed says that the source answered with something we cannot read.
func Changed(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeChanged,
		"Źródło danych odpowiedziało w nieznanym formacie.")
}

// Unreachable says that the source could not be reached or answered with an error.
func Unreachable(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeUnavailable,
		"Źródło danych jest chwilowo niedostępne. Spróbuj ponownie później.")
}

// Slow says that the source did not answer in time.
func Slow(err error) error {
	return fault.Wrap(err, fault.Timeout, CodeSlow,
		"Źródło danych nie odpowiedziało na czas. Spróbuj ponownie później.")
}
