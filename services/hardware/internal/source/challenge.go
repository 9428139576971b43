package source

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

// errChallenge is the cause of a fault when a site asks whether we are a person.
var errChallenge = errors.New("challenge page")

// refusal returns the fault for an answer that turns us away by its status (403,
// 429, 503), and nil for any other.
func refusal(status int, header http.Header, now time.Time) error {
	switch status {
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return hardware.Blocked(fmt.Errorf("status %d", status), retryAfter(header, now))
	}
	return nil
}

// maxRetryAfter bounds what is read from Retry-After.
const maxRetryAfter = 7 * 24 * time.Hour

// retryAfter reads the Retry-After header: seconds or a date (RFC 9110, section
// 10.2.3). Zero when it is absent, past or unreadable.
func retryAfter(header http.Header, now time.Time) time.Duration {
	value := strings.TrimSpace(header.Get("Retry-After"))
	if seconds, err := strconv.ParseInt(value, 10, 64); err == nil {
		return time.Duration(max(0, min(seconds, int64(maxRetryAfter/time.Second)))) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return max(0, min(at.Sub(now), maxRetryAfter))
}

// atChallenge reports whether an address leads to the challenge page.
func (c addressForms) atChallenge(path string) bool {
	return strings.HasPrefix(strings.ToLower(path), c.challenge)
}

// looksLike reports whether a page of which nothing could be read is a challenge
// or the page before one. A page with content is never asked: the word reCAPTCHA
// stands on ordinary pages too.
func (c challengeMarkup) looksLike(body []byte) bool {
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

// titleOf cuts the text of the title element out of a page.
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
