package fetch

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/temoto/robotstxt"

	"backend.example/services/hardware/internal/lookup"
)

const (
	robotsPath = "/robots.txt"
	// robotsLifetime is how long a robots.txt is used (RFC 9309, section 2.4).
	robotsLifetime = 24 * time.Hour
	// maxCrawlDelay bounds what a robots.txt may ask for.
	maxCrawlDelay = time.Minute
)

// robotsCache keeps the robots.txt of a site's hosts for all look-ups.
type robotsCache struct {
	mu    sync.Mutex
	files map[string]*robotsFile // by host
}

// robotsFile is a response to a request for robots.txt. One look-up at a time requests
// it, while the others wait for its lock.
type robotsFile struct {
	lock    chan struct{} // holds a value while it is locked
	resp    http.Response
	rules   []byte
	expires time.Time
}

func (c *robotsCache) file(host string) *robotsFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files[host] == nil {
		c.files[host] = &robotsFile{lock: make(chan struct{}, 1)}
	}
	return c.files[host]
}

// robotsTxt responds to a request for robots.txt from the cache, or else sends it. A
// response without rules is an error and is not kept.
func (t *transport) robotsTxt(req *http.Request) (*http.Response, error) {
	f := t.robots.file(req.URL.Host)
	select {
	case f.lock <- struct{}{}:
		defer func() { <-f.lock }()
	case <-t.ctx.Done():
		return nil, t.ctx.Err()
	}
	if !t.Now().Before(f.expires) {
		resp, err := t.send(req)
		if err != nil {
			return nil, err
		}
		rules, err := t.readRules(resp)
		if err != nil {
			return nil, err
		}
		f.resp, f.rules, f.expires = *resp, []byte(rules), t.Now().Add(robotsLifetime)
		if t.KeepApart != nil {
			t.KeepApart(crawlDelay(rules, t.UserAgent))
		}
	}
	resp := f.resp
	resp.Request, resp.Body = req, io.NopCloser(bytes.NewReader(f.rules))
	return &resp, nil
}

// readRules reads the response to a request for robots.txt. Most client errors mean that
// there are no rules (RFC 9309, section 2.3.1.3). After a refusal, a server error or
// a web page in its place the rules are unknown, and nothing may be requested.
func (c *Client) readRules(resp *http.Response) (string, error) {
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	if err := c.refusal(resp.StatusCode, resp.Header, body); err != nil {
		return "", err
	}
	switch {
	case resp.StatusCode >= 500:
		return "", lookup.Unreachable(fmt.Errorf("robots.txt: status %d", resp.StatusCode))
	case resp.StatusCode < 300 && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		return "", lookup.Blocked(fmt.Errorf("robots.txt: %w", errChallenge), 0)
	}
	return readableRules(string(body)), nil
}

// readableRules returns the lines of a robots.txt that hold rules. The library refuses the
// whole file for a line that it cannot read, which RFC 9309 says to ignore.
func readableRules(file string) string {
	var rules strings.Builder
	inGroup := false
	for line := range strings.Lines(strings.TrimPrefix(file, "\ufeff")) {
		line, _, _ = strings.Cut(line, "#")
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key = strings.ToLower(strings.TrimSpace(key)); {
		case key == "user-agent":
			inGroup = true
		case !inGroup:
			continue
		case key == "crawl-delay":
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil || !(seconds >= 0) {
				continue
			}
			value = strconv.FormatFloat(min(seconds, maxCrawlDelay.Seconds()), 'f', -1, 64)
		case key != "allow" && key != "disallow":
			continue
		}
		rules.WriteString(key + ": " + value + "\n")
	}
	return rules.String()
}

// crawlDelay returns the delay that the rules ask of agent, zero if there is none.
func crawlDelay(rules, agent string) time.Duration {
	parsed, err := robotstxt.FromString(rules)
	if err != nil {
		return 0
	}
	return parsed.FindGroup(agent).CrawlDelay
}
