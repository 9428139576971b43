package fetch

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/retry"
)

// errChallenge is the cause of a fault if a site demands proof of a human visitor.
var errChallenge = errors.New("challenge page")

// maxRetryAfter bounds what a site may ask for in Retry-After.
const maxRetryAfter = 7 * 24 * time.Hour

// refusal returns the fault for a response that refuses our requests: 403, 429, and 503 with
// Retry-After or a challenge. Any other 503 means that the site is down.
func (c *Client) refusal(status int, header http.Header, body []byte) error {
	after := min(retry.After(header, c.Now()), maxRetryAfter)
	switch status {
	case http.StatusServiceUnavailable:
		if after <= 0 && !c.isChallenge(body) {
			return nil
		}
	case http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return nil
	}
	return lookup.Blocked(fmt.Errorf("status %d", status), after)
}

func isChallengePath(u *url.URL) bool {
	return strings.Contains(strings.ToLower(u.Path), "/captcha")
}

// longPage is a size in bytes above which a page has content. Markers mean nothing there.
const longPage = 60_000

// isChallenge reports whether a page that could not be read is a challenge, or the page
// before one. Do not call it for pages with content: ordinary pages mention reCAPTCHA too.
func (c *Client) isChallenge(body []byte) bool {
	title := titleOf(body)
	titles := []string{"just a moment", "attention required", "access denied", "human verification", "captcha"}
	if slices.ContainsFunc(titles, func(t string) bool { return strings.Contains(title, t) }) {
		return true
	}
	return len(body) < longPage && slices.ContainsFunc(append([]string{"cf-turnstile"}, c.Challenges...), func(m string) bool {
		return bytes.Contains(body, []byte(m))
	})
}

// titleOf returns the text of the page's title element in lower case.
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
