package fetch

import (
	"errors"
	"fmt"
	"time"

	"backend.example/services/internal/kit/fault"
)

// Codes of the faults of a source.
const (
	CodeBlocked     = "source_blocked"
	CodeDisallowed  = "source_disallowed"
	CodeChanged     = "source_changed"
	CodeUnavailable = "source_unavailable"
	CodeSlow        = "source_timeout"
	CodePaused      = "source_paused"
	CodeQueueFull   = "throttle_queue_full"
)

// Blocked returns the fault for a source that refuses our requests: a challenge, 403, 429,
// or 503 with Retry-After. retryAfter is zero if the source did not send one.
func Blocked(err error, retryAfter time.Duration) error {
	return fault.Wrap(err, fault.Upstream, CodeBlocked,
		"Źródło danych chwilowo odmawia odpowiedzi. Spróbuj ponownie później.").After(retryAfter)
}

// Disallowed returns the fault for an address that the source's robots.txt disallows.
// It concerns only queries that need this address.
func Disallowed(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeDisallowed,
		"Źródło danych nie pozwala na takie zapytanie.")
}

// Changed returns the fault for a response that cannot be parsed, or leads to another place.
func Changed(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeChanged,
		"Nie udało się odczytać cen.")
}

// Unreachable returns the fault for a source that does not respond or responds with an error.
func Unreachable(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeUnavailable,
		"Źródło danych jest chwilowo niedostępne. Spróbuj ponownie później.")
}

// QueueFull returns the fault for a look-up whose turn would come after wait.
func QueueFull(err error, wait time.Duration) error {
	return fault.Wrap(err, fault.Unavailable, CodeQueueFull,
		"Sprawdzamy teraz wiele cen. Spróbuj ponownie za chwilę.").After(max(wait, time.Second))
}

// errThisQuery is the cause of a fault that concerns a single query.
var errThisQuery = errors.New("this question only")

// NotAnswered is Unreachable for a failure of one query, such as 404, that does not count
// against the source.
func NotAnswered(err error) error { return Unreachable(fmt.Errorf("%w: %w", errThisQuery, err)) }

// IsFailing reports whether err counts against the source as a whole: it does not respond,
// or is too slow. What it sends in response to one query says nothing about others.
func IsFailing(err error) bool {
	return !errors.Is(err, errThisQuery) && (fault.Is(err, CodeUnavailable) || fault.Is(err, CodeSlow))
}

// Slow returns the fault for a source that did not respond in time.
func Slow(err error) error {
	return fault.Wrap(err, fault.Timeout, CodeSlow,
		"Źródło danych nie odpowiedziało na czas. Spróbuj ponownie później.")
}

// MaxPause is the longest pause that Retry-After can cause.
const MaxPause = 24 * time.Hour

// Paused returns the fault for a source that is paused for rest.
func Paused(rest time.Duration) error {
	return fault.New(fault.Unavailable, CodePaused,
		"Sprawdzanie cen jest chwilowo wstrzymane. Spróbuj ponownie później.").After(rest)
}
