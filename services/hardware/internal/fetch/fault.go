package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gocolly/colly/v2"

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

// Blocked returns the fault for a source that refuses requests: a challenge, 403, 429, or 503 with Retry-After.
// retryAfter is zero if it sent none.
func Blocked(err error, retryAfter time.Duration) error {
	return fault.Wrap(err, fault.Upstream, CodeBlocked,
		"Źródło danych chwilowo odmawia odpowiedzi. Spróbuj ponownie później.").After(retryAfter)
}

// Disallowed returns the fault for an address that the source's robots.txt disallows.
func Disallowed(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeDisallowed,
		"Źródło danych nie pozwala na takie zapytanie.")
}

// Changed returns the fault for a response that cannot be parsed, or leads elsewhere.
func Changed(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeChanged,
		"Nie udało się odczytać cen.")
}

// Unreachable returns the fault for a source that does not respond, or with an error.
func Unreachable(err error) error {
	return fault.Wrap(err, fault.Upstream, CodeUnavailable,
		"Źródło danych jest chwilowo niedostępne. Spróbuj ponownie później.")
}

// QueueFull returns the fault for a look-up whose turn would come after wait.
func QueueFull(err error, wait time.Duration) error {
	return fault.Wrap(err, fault.Unavailable, CodeQueueFull,
		"Sprawdzamy teraz wiele cen. Spróbuj ponownie za chwilę.").After(max(wait, time.Second))
}

var errThisQuery = errors.New("this question only")

// NotAnswered is Unreachable for a failure of one query, such as 404.
func NotAnswered(err error) error { return Unreachable(fmt.Errorf("%w: %w", errThisQuery, err)) }

// IsFailing reports whether err counts against the source as a whole: no response, or a slow one.
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

func faultOf(ctx context.Context, err error) error {
	var classified *fault.Error
	var timeout net.Error
	switch {
	case errors.As(err, &classified):
		return classified
	case ctx.Err() != nil:
		return fmt.Errorf("look-up given up: %w", ctx.Err())
	case errors.As(err, &timeout) && timeout.Timeout():
		return Slow(err)
	case errors.Is(err, colly.ErrForbiddenDomain), errors.Is(err, errRedirects):
		return Changed(err)
	}
	return Unreachable(err)
}

// UnexpectedStatus returns the fault for p, which what describes. Only errors of the server count against the
// source.
func (p Page) UnexpectedStatus(what string) error {
	err := fmt.Errorf("%s: status %d", what, p.Status)
	if p.Status >= http.StatusInternalServerError {
		return Unreachable(err)
	}
	return NotAnswered(err)
}

// Unreadable returns the fault for p, which could not be parsed because of err. A challenge pauses the site.
func (c *Client) Unreadable(p Page, err error) error {
	if c.isChallenge(p.Body) {
		blocked := Blocked(fmt.Errorf("%s: %w: %w", address(p.URL), errChallenge, err), 0)
		return c.Gate.report(context.Background(), &Request{}, blocked)
	}
	return Changed(err)
}

var errChallenge = errors.New("challenge page")

// longPage is a size in bytes above which markers mean nothing.
const longPage = 60_000

// isChallenge reports whether an unreadable page is a challenge, or the page before one. Ordinary pages mention
// reCAPTCHA too.
func (c *Client) isChallenge(body []byte) bool {
	title := titleOf(body)
	titles := []string{"just a moment", "attention required", "access denied", "human verification", "captcha"}
	if slices.ContainsFunc(titles, func(t string) bool { return strings.Contains(title, t) }) {
		return true
	}
	markers := append([]string{"cf-turnstile"}, c.Challenges...)
	return len(body) < longPage && slices.ContainsFunc(markers, func(m string) bool {
		return bytes.Contains(body, []byte(m))
	})
}

func titleOf(body []byte) string {
	lower := bytes.ToLower(body[:min(len(body), 16<<10)])
	_, rest, found := bytes.Cut(lower, []byte("<title"))
	if !found {
		return ""
	}
	title, _, _ := bytes.Cut(rest, []byte("</title"))
	_, text, _ := bytes.Cut(title, []byte(">"))
	return string(text)
}
