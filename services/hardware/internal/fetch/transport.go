package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxBody is the largest body that is read, in bytes after decompression. The largest
// known page has about one megabyte.
const maxBody = 4 << 20

// transport sends the requests for one page: the page, redirects and robots.txt. It binds
// them to the context of the look-up, which colly does not know.
type transport struct {
	*Client
	ctx     context.Context
	request *Request
}

// RoundTrip implements http.RoundTripper. The body of the response has been read
// completely.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.obeyRobots(req.URL); err != nil {
		return nil, err
	}
	return t.send(req, readBody)
}

// checkAddress returns the fault for an address that must not be requested.
func (t *transport) checkAddress(u *url.URL) error {
	switch {
	case !t.contains(u):
		return Changed(fmt.Errorf("%s://%s is outside %s", u.Scheme, u.Host, t.BaseURL.Host))
	case t.Forbidden != "" && strings.Contains(strings.ToLower(u.Path), t.Forbidden):
		return Changed(fmt.Errorf("led to %.40q", u.Path))
	case isChallengePath(u):
		return Blocked(errChallenge, 0)
	}
	return nil
}

// send waits for a slot, makes the request and reads the body with read.
func (t *transport) send(req *http.Request, read func(*http.Response) error) (*http.Response, error) {
	if err := t.checkAddress(req.URL); err != nil {
		return nil, err
	}
	if err := t.Gate.turn(t.ctx, t.request); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(t.ctx, t.Timeout)
	defer cancel()
	req = req.Clone(ctx)
	req.Header.Set("User-Agent", t.UserAgent)
	req.Header.Set("Accept", t.Accept)
	req.Header.Set("Accept-Language", "pl")
	resp, err := t.Transport.RoundTrip(req)
	if err == nil {
		err = read(resp)
	}
	if err == nil {
		return resp, nil
	}
	if t.ctx.Err() == nil && ctx.Err() != nil { // this request's time is over, and not that of the look-up
		err = Slow(fmt.Errorf("no complete response within %s: %w", t.Timeout, err))
	}
	return nil, err
}

// readBody replaces the body of resp by one that is read completely. A body above the
// limit is an error, so that half a page never passes for a page.
func readBody(resp *http.Response) error {
	tooLarge := Changed(fmt.Errorf("body exceeds %d bytes", maxBody))
	if resp.ContentLength > maxBody {
		_ = resp.Body.Close()
		return tooLarge
	}
	if err := readStart(resp, maxBody+1); err != nil {
		return err
	}
	if resp.ContentLength > maxBody {
		return tooLarge
	}
	return nil
}

// readStart replaces the body of resp by its first bytes, at most limit of them.
func readStart(resp *http.Response, limit int64) error {
	defer resp.Body.Close()
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return Changed(fmt.Errorf("content encoding %.20q was not requested", encoding))
	}
	var body strings.Builder
	body.Grow(int(min(max(resp.ContentLength, 0), limit)))
	if _, err := io.Copy(&body, io.LimitReader(resp.Body, limit)); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	resp.Body = io.NopCloser(strings.NewReader(body.String()))
	resp.ContentLength, resp.Uncompressed = int64(body.Len()), true
	return nil
}
