package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

const (
	robotsPath = "/robots.txt"
	// robotsLifetime is that of RFC 9309, section 2.4.
	robotsLifetime = 24 * time.Hour
	// maxRobots is the least that RFC 9309, section 2.5, allows, in bytes.
	maxRobots     = 500 << 10
	robotsPoll    = 200 * time.Millisecond
	maxCrawlDelay = time.Minute
)

// robotsFile is what a robots.txt says about us. One look-up requests it, the others wait for its lock.
type robotsFile struct {
	lock    chan struct{} // holds a value while it is locked
	rules   *robotstxt.Group
	expires time.Time
}

func (c *Client) robotsOf(host string) *robotsFile {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.robots[host] == nil {
		c.robots[host] = &robotsFile{lock: make(chan struct{}, 1)}
	}
	return c.robots[host]
}

// obeyRobots returns source_disallowed for a disallowed address. A file that cannot be read is not kept.
func (t *transport) obeyRobots(u *url.URL) error {
	f := t.robotsOf(u.Host)
	select {
	case f.lock <- struct{}{}:
		defer func() { <-f.lock }()
	case <-t.ctx.Done():
		return t.ctx.Err()
	}
	if !t.Now().Before(f.expires) {
		robots, err := t.sharedRobots(u)
		if err != nil {
			return err
		}
		rules, err := robotstxt.FromString(robots.Rules)
		if err != nil {
			return Changed.Wrap(fmt.Errorf("robots.txt: %w", err))
		}
		f.rules, f.expires = rules.FindGroup(t.UserAgent), t.Now().Add(robots.Rest)
		if t.Gate.Queue != nil {
			t.Gate.Queue.Widen(f.rules.CrawlDelay)
		}
	}
	if path := plainPath(u.RequestURI()); !f.rules.Test(path) {
		return Disallowed.Wrap(fmt.Errorf("robots.txt disallows %.80q", path))
	}
	return nil
}

// sharedRobots returns the robots.txt that any replica has read. One replica at a time requests it.
func (t *transport) sharedRobots(u *url.URL) (Robots, error) {
	for {
		robots, mine := t.Gate.Store.ClaimRobots(t.ctx, u.Host)
		if robots.Rest > 0 {
			return robots, nil
		}
		if mine {
			rules, err := t.requestRobots(u)
			robots = Robots{Rules: rules, Rest: robotsLifetime}
			if err != nil {
				robots = Robots{}
			}
			t.Gate.Store.SettleRobots(context.WithoutCancel(t.ctx), u.Host, robots)
			return robots, err
		}
		select {
		case <-t.ctx.Done():
			return Robots{}, t.ctx.Err()
		case <-time.After(robotsPoll):
		}
	}
}

func (t *transport) requestRobots(u *url.URL) (string, error) {
	address := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: robotsPath}
	for range maxRedirects + 1 {
		req := &http.Request{URL: address, Header: http.Header{}}
		resp, err := t.send(req, func(resp *http.Response) error { return readStart(resp, maxRobots) })
		if err != nil {
			return "", err
		}
		target := redirectTarget(address, resp.StatusCode, resp.Header)
		if target == nil {
			return t.readRobots(resp)
		}
		address = target
	}
	return "", errRedirects
}

// readRobots takes most client errors for a file without rules (RFC 9309, section 2.3.1.3). After a refusal, a
// server error or a web page in its place nothing may be requested.
func (c *Client) readRobots(resp *http.Response) (string, error) {
	body, _ := io.ReadAll(resp.Body) // from memory
	if err := c.refusal(&url.URL{Host: c.Host(), Path: robotsPath}, resp.StatusCode, resp.Header, body); err != nil {
		return "", err
	}
	switch {
	case resp.StatusCode >= 500, resp.StatusCode/100 == 3:
		return "", Unreachable.Wrap(fmt.Errorf("robots.txt: status %d", resp.StatusCode))
	case resp.StatusCode >= 400:
		body = nil
	case bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		return "", Blocked.Wrap(fmt.Errorf("robots.txt: %w", errChallenge))
	case len(body) == maxRobots: // the last line may be cut short
		body = body[:bytes.LastIndexByte(body, '\n')+1]
	}
	return readableRules(string(body)), nil
}

var (
	escaped    = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	unreserved = regexp.MustCompile(`^[A-Za-z0-9._~-]$`)
)

// plainPath writes a path in the form in which RFC 9309, section 2.2.2, compares them: unreserved characters (RFC
// 3986, section 2.3) as they are, other escapes in upper case.
func plainPath(path string) string {
	return escaped.ReplaceAllStringFunc(path, func(octet string) string {
		code, _ := strconv.ParseUint(octet[1:], 16, 8) // two hexadecimal digits
		if plain := string(rune(code)); unreserved.MatchString(plain) {
			return plain
		}
		return strings.ToUpper(octet)
	})
}

// readableRules leaves out lines that the library cannot read. It would refuse the whole file, which RFC 9309 says
// not to.
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
		rules.WriteString(key + ": " + plainPath(value) + "\n")
	}
	return rules.String()
}
