package ceneo

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/retry"
)

// errChallenge is the cause of a fault when a site asks whether we are a person.
var errChallenge = errors.New("challenge page")

// maxRetryAfter bounds what a site may ask for in Retry-After.
const maxRetryAfter = 7 * 24 * time.Hour

// refusal returns the fault for an answer that turns us away: 403, 429, and 503 where it
// says for how long, or holds a challenge. Any other 503 means that the site is down.
func (c challengeMarkup) refusal(status int, header http.Header, body []byte, now time.Time) error {
	after := min(retry.After(header, now), maxRetryAfter)
	switch status {
	case http.StatusServiceUnavailable:
		if after <= 0 && !c.matches(body) {
			return nil
		}
	case http.StatusForbidden, http.StatusTooManyRequests:
	default:
		return nil
	}
	return lookup.Blocked(fmt.Errorf("status %d", status), after)
}

// isChallengePath reports whether a path is that of the challenge page.
func (c addressMarkup) isChallengePath(path string) bool {
	return strings.HasPrefix(strings.ToLower(path), c.challenge)
}

// matches reports whether a page from which nothing could be read is a challenge,
// or the page before one. It must not be asked about pages with content: ordinary
// pages mention reCAPTCHA too.
func (c challengeMarkup) matches(body []byte) bool {
	title := strings.ToLower(titleOf(body))
	for _, t := range c.titles {
		if strings.Contains(title, t) {
			return true
		}
	}
	if len(body) >= c.maxSize {
		return false
	}
	for _, m := range c.markers {
		if bytes.Contains(body, []byte(m)) {
			return true
		}
	}
	return false
}

// titleOf is the text of the page's title element in lower case.
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
