package source

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"backend.example/services/hardware/internal/upstream"
	"backend.example/services/internal/kit/retry"
)

// errChallenge is the cause of a fault when a site asks whether we are a person.
var errChallenge = errors.New("challenge page")

// maxRetryAfter bounds what a site may ask for in Retry-After.
const maxRetryAfter = 7 * 24 * time.Hour

// refusal returns the fault for an answer that turns us away by its status (403,
// 429, 503), and nil for any other.
func refusal(status int, header http.Header, now time.Time) error {
	switch status {
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return upstream.Blocked(fmt.Errorf("status %d", status), min(retry.After(header, now), maxRetryAfter))
	}
	return nil
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
