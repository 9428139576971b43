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

// The faults of a source.
var (
	// Blocked: it refuses requests, with a challenge, 403, 429, or 503 with Retry-After.
	Blocked = fault.NewCode(fault.Upstream, "source_blocked",
		"Źródło danych chwilowo odmawia odpowiedzi. Spróbuj ponownie później.", "the source refuses to answer")
	// Disallowed: its robots.txt disallows an address.
	Disallowed = fault.NewCode(fault.Upstream, "source_disallowed", "Źródło danych nie pozwala na takie zapytanie.",
		"the source's robots.txt closes the search that this question needs; name another --category")
	// Changed: a response cannot be parsed, or leads elsewhere.
	Changed = fault.NewCode(fault.Upstream, "source_changed", "Nie udało się odczytać cen.",
		"the source's page cannot be read")
	// Unreachable: it does not respond, or with an error.
	Unreachable = fault.NewCode(fault.Upstream, "source_unavailable",
		"Źródło danych jest chwilowo niedostępne. Spróbuj ponownie później.",
		"the source cannot be reached, or answers with an error")
	// Slow: it did not respond in time.
	Slow = fault.NewCode(fault.Timeout, "source_timeout",
		"Źródło danych nie odpowiedziało na czas. Spróbuj ponownie później.",
		"the source did not answer within HARDWARE_SOURCE_TIMEOUT")
	// Paused: it is left alone.
	Paused = fault.NewCode(fault.Unavailable, "source_paused",
		"Sprawdzanie cen jest chwilowo wstrzymane. Spróbuj ponownie później.",
		"the source is left alone, because it refused to answer or was down")
	// QueueFull: the turn of a look-up would come too late.
	QueueFull = fault.NewCode(fault.Unavailable, "throttle_queue_full",
		"Sprawdzamy teraz wiele cen. Spróbuj ponownie za chwilę.",
		"more look-ups wait for the source than HARDWARE_PRICE_MAX_WAIT allows")
)

var errThisQuery = errors.New("this question only")

// NotAnswered is Unreachable for a failure of one query, such as 404.
func NotAnswered(err error) error { return Unreachable.Wrap(fmt.Errorf("%w: %w", errThisQuery, err)) }

// IsFailing reports whether err counts against the source as a whole: no response, or a slow one.
func IsFailing(err error) bool {
	return !errors.Is(err, errThisQuery) && (fault.Is(err, Unreachable) || fault.Is(err, Slow))
}

// MaxPause is the longest pause that Retry-After can cause.
const MaxPause = 24 * time.Hour

func faultOf(ctx context.Context, err error) error {
	var classified *fault.Error
	var timeout net.Error
	switch {
	case errors.As(err, &classified):
		return classified
	case ctx.Err() != nil:
		return fmt.Errorf("look-up given up: %w", ctx.Err())
	case errors.As(err, &timeout) && timeout.Timeout():
		return Slow.Wrap(err)
	case errors.Is(err, colly.ErrForbiddenDomain), errors.Is(err, errRedirects):
		return Changed.Wrap(err)
	}
	return Unreachable.Wrap(err)
}

// UnexpectedStatus returns the fault for p, which what describes. Only errors of the server count against the
// source.
func (p Page) UnexpectedStatus(what string) error {
	err := fmt.Errorf("%s: status %d", what, p.Status)
	if p.Status >= http.StatusInternalServerError {
		return Unreachable.Wrap(err)
	}
	return NotAnswered(err)
}

// Unreadable returns the fault for p, which could not be parsed because of err. A challenge pauses the site.
func (c *Client) Unreadable(p Page, err error) error {
	if c.isChallenge(p.Body) {
		blocked := Blocked.Wrap(fmt.Errorf("%s: %w: %w", address(p.URL), errChallenge, err))
		return c.Gate.report(context.Background(), &Request{}, blocked)
	}
	return Changed.Wrap(err)
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
