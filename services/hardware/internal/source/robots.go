package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

const robotsPath = "/robots.txt"

// robotsLifetime is how long a robots.txt is used without asking again (RFC 9309,
// section 2.4).
const robotsLifetime = 24 * time.Hour

// robotsCache keeps the robots.txt of a site's hosts for all look-ups. Only one
// look-up asks at a time; the others wait for what it gets.
type robotsCache struct {
	now func() time.Time

	mu    sync.Mutex
	files map[string]*robotsFile // by host
}

// robotsFile is an answer to come: resp, body and err are set once done is closed.
type robotsFile struct {
	done    chan struct{}
	resp    http.Response
	body    []byte
	err     error
	expires time.Time
}

func newRobotsCache(now func() time.Time) *robotsCache {
	return &robotsCache{now: now, files: map[string]*robotsFile{}}
}

// get answers a request for robots.txt from the cache, else with fetch. An answer
// that says nothing about the rules is an error and is not kept.
func (c *robotsCache) get(ctx context.Context, req *http.Request, fetch func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	for {
		file, mine := c.claim(req.URL.Host)
		if mine {
			file.resp, file.body, file.err = c.read(fetch(req))
			c.release(req.URL.Host, file)
			return file.answer(req)
		}
		select {
		case <-file.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if !gaveUp(file.err) {
			return file.answer(req)
		}
	}
}

// claim returns the file of host; mine says that the caller has to fill it.
func (c *robotsCache) claim(host string) (file *robotsFile, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if file = c.files[host]; file != nil && (file.expires.IsZero() || c.now().Before(file.expires)) {
		return file, false
	}
	file = &robotsFile{done: make(chan struct{})}
	c.files[host] = file
	return file, true
}

// release hands file to those who wait, and drops it when it holds no rules.
func (c *robotsCache) release(host string, file *robotsFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	file.expires = c.now().Add(robotsLifetime)
	if file.err != nil {
		delete(c.files, host)
	}
	close(file.done)
}

// gaveUp reports whether err means that the look-up that asked was itself given
// up, which says nothing to the others.
func gaveUp(err error) bool {
	var classified *fault.Error
	over := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return over && !errors.As(err, &classified)
}

// read takes in the answer to a request for robots.txt. Most client errors say
// that there are no rules (RFC 9309, section 2.3.1.3). A refusal, a server error
// or a web page in its place say that we cannot know them: then nothing may be
// asked.
func (c *robotsCache) read(resp *http.Response, err error) (http.Response, []byte, error) {
	if err != nil {
		return http.Response{}, nil, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return http.Response{}, nil, err
	}
	page := resp.StatusCode < 300 && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
	switch err := refusal(resp.StatusCode, resp.Header, c.now()); {
	case err != nil:
		return http.Response{}, nil, err
	case resp.StatusCode >= 500:
		return http.Response{}, nil, hardware.Unreachable(fmt.Errorf("robots.txt: status %d", resp.StatusCode))
	case page:
		return http.Response{}, nil, hardware.Blocked(fmt.Errorf("robots.txt: %w", errChallenge), 0)
	}
	return *resp, body, nil
}

// answer is the file as the response to req.
func (f *robotsFile) answer(req *http.Request) (*http.Response, error) {
	if f.err != nil {
		return nil, f.err
	}
	resp := f.resp
	resp.Request, resp.Body = req, io.NopCloser(bytes.NewReader(f.body))
	return &resp, nil
}
