package ceneo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/internal/kit/fault"
)

const robotsPath = "/robots.txt"

// robotsLifetime is how long a robots.txt is used before it is fetched again (RFC
// 9309, section 2.4).
const robotsLifetime = 24 * time.Hour

// robotsCache keeps the robots.txt of a site's hosts for all look-ups. One look-up at
// a time fetches it, while the others wait for its result.
type robotsCache struct {
	challenge challengeMarkup
	now       func() time.Time
	learned   func(rules string) // is told every set of rules that was fetched

	mu      sync.Mutex
	entries map[string]*robotsEntry // by host
}

// robotsEntry is the result of a fetch. Its other fields are set when done is closed.
type robotsEntry struct {
	done    chan struct{}
	resp    http.Response
	body    []byte
	err     error
	expires time.Time
}

func newRobotsCache(challenge challengeMarkup, now func() time.Time, learned func(rules string)) *robotsCache {
	return &robotsCache{challenge: challenge, now: now, learned: learned, entries: map[string]*robotsEntry{}}
}

// get answers a request for robots.txt from the cache, or else with fetch. A response
// that does not tell the rules is an error and is not kept.
func (c *robotsCache) get(ctx context.Context, req *http.Request, fetch func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	for {
		entry, first := c.entry(req.URL.Host)
		if first {
			if entry.resp, entry.body, entry.err = c.read(fetch(req)); entry.err == nil {
				c.learned(string(entry.body))
			}
			c.finish(req.URL.Host, entry)
			return entry.response(req)
		}
		select {
		case <-entry.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !isGivenUp(entry.err) {
			return entry.response(req)
		}
	}
}

// entry is the entry of host. first is true for the caller who has to fill it.
func (c *robotsCache) entry(host string) (entry *robotsEntry, first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if entry = c.entries[host]; entry != nil && (entry.expires.IsZero() || c.now().Before(entry.expires)) {
		return entry, false
	}
	entry = &robotsEntry{done: make(chan struct{})}
	c.entries[host] = entry
	return entry, true
}

// finish releases the callers who wait for entry, and drops it when the fetch failed.
func (c *robotsCache) finish(host string, entry *robotsEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry.expires = c.now().Add(robotsLifetime)
	if entry.err != nil {
		delete(c.entries, host)
	}
	close(entry.done)
}

// isGivenUp reports whether err means that the look-up that fetched was given up or got
// no turn, so that the others have to fetch themselves.
func isGivenUp(err error) bool {
	if errors.Is(err, lookup.ErrNotAsked) {
		return true
	}
	var classified *fault.Error
	over := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return over && !errors.As(err, &classified)
}

// read reads the response to a request for robots.txt. Most client errors mean that
// there are no rules (RFC 9309, section 2.3.1.3). After a refusal, a server error or
// a web page in its place the rules are unknown, and nothing may be asked.
func (c *robotsCache) read(resp *http.Response, err error) (http.Response, []byte, error) {
	if err != nil {
		return http.Response{}, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return http.Response{}, nil, err
	}
	page := resp.StatusCode < 300 && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
	switch err := c.challenge.refusal(resp.StatusCode, resp.Header, body, c.now()); {
	case err != nil:
		return http.Response{}, nil, err
	case resp.StatusCode >= 500:
		return http.Response{}, nil, lookup.Unreachable(fmt.Errorf("robots.txt: status %d", resp.StatusCode))
	case page:
		return http.Response{}, nil, lookup.Blocked(fmt.Errorf("robots.txt: %w", errChallenge), 0)
	}
	return *resp, []byte(readableRules(string(body))), nil
}

// response is the entry as the response to req.
func (e *robotsEntry) response(req *http.Request) (*http.Response, error) {
	if e.err != nil {
		return nil, e.err
	}
	resp := e.resp
	resp.Request, resp.Body = req, io.NopCloser(bytes.NewReader(e.body))
	return &resp, nil
}
