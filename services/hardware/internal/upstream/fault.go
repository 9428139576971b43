// Package upstream says in which ways an external source fails, and when it may be
// asked again. Adapters return its faults; the look-ups pause a source by their codes.
package upstream

import (
	"errors"
	"fmt"
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

// Blocked says that the source refused us: a challenge, 403, 429, or 503 with a time to come back.
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
		"Nie udało się odczytać cen.")
}

// Unreachable says that the source could not be reached or answered with an error.
func Unreachable(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeUnavailable,
		"Źródło danych jest chwilowo niedostępne. Spróbuj ponownie później.")
}

// ErrNotAsked is the cause of a fault that concerns the asker alone: the source was not
// asked, and others who want the same answer may still ask it.
var ErrNotAsked = errors.New("the source was not asked")

// Abandoned says that nobody waited any longer before the look-up had its first turn.
func Abandoned(err error) error {
	return fault.Wrap(fmt.Errorf("%w: %w", ErrNotAsked, err), fault.Unavailable, "lookup_abandoned",
		"Nikt już nie czekał na tę odpowiedź.")
}

// errThisQuestion is the cause of a fault that says nothing about other questions.
var errThisQuestion = errors.New("this question only")

// NotAnswered says that the source is there and has no answer to this one question,
// such as 404. Callers see it as Unreachable.
func NotAnswered(err error) error { return Unreachable(fmt.Errorf("%w: %w", errThisQuestion, err)) }

// Unreadable says that the page which answers this one question cannot be read. Callers
// see it as Changed.
func Unreadable(err error) error { return Changed(fmt.Errorf("%w: %w", errThisQuestion, err)) }

// IsFailing reports whether err says that the source as a whole fails: it cannot be
// reached, is too slow, or sends what no page should be.
func IsFailing(err error) bool {
	f := fault.From(err)
	if f == nil || errors.Is(err, errThisQuestion) {
		return false
	}
	return f.Code == CodeUnavailable || f.Code == CodeSlow || f.Code == CodeChanged
}

// Slow says that the source did not answer in time.
func Slow(err error) error {
	return fault.Wrap(err, fault.Timeout, CodeSlow,
		"Źródło danych nie odpowiedziało na czas. Spróbuj ponownie później.")
}
