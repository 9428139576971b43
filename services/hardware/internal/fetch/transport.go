package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"

	"backend.example/services/hardware/internal/lookup"
)

// maxBody is the largest body that is read, in bytes after decompression. The largest
// known page has about one megabyte.
const maxBody = 4 << 20

// transport sends the requests for one page: the page, redirects and robots.txt. It binds
// them to the context of the look-up, because colly requests robots.txt without one.
type transport struct {
	*Client
	ctx     context.Context
	request *lookup.Request
}

// RoundTrip implements http.RoundTripper. The body of the response has been read
// completely.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case !t.contains(req.URL):
		return nil, lookup.Changed(fmt.Errorf("%s://%s is outside %s", req.URL.Scheme, req.URL.Host, t.BaseURL.Host))
	case t.Forbidden != "" && strings.Contains(strings.ToLower(req.URL.Path), t.Forbidden):
		return nil, lookup.Changed(fmt.Errorf("led to %.40q", req.URL.Path))
	case isChallengePath(req.URL):
		return nil, lookup.Blocked(errChallenge, 0)
	case req.URL.Path == robotsPath:
		return t.robotsTxt(req)
	}
	return t.send(req)
}

// send waits for a turn and makes the request.
func (t *transport) send(req *http.Request) (*http.Response, error) {
	reportSent := func() {}
	if t.Turn != nil {
		sent, err := t.Turn(t.ctx, t.request)
		if err != nil {
			return nil, err
		}
		reportSent = sync.OnceFunc(sent)
	}
	defer reportSent()

	ctx, cancel := context.WithTimeout(t.ctx, t.Timeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { reportSent() },
	})
	req = req.Clone(ctx)
	req.Header.Set("User-Agent", t.UserAgent)
	req.Header.Set("Accept", t.Accept)
	req.Header.Set("Accept-Language", "pl")
	resp, err := t.Transport.RoundTrip(req)
	if err == nil {
		err = readBody(resp)
	}
	if err == nil {
		return resp, nil
	}
	if t.ctx.Err() == nil && ctx.Err() != nil { // this request's time is over, and not that of the look-up
		err = lookup.Slow(fmt.Errorf("no complete response within %s: %w", t.Timeout, err))
	}
	return nil, err
}

// readBody replaces the body of resp by one that is read completely. A body above the
// limit is an error, so that half a page never passes for a page.
func readBody(resp *http.Response) error {
	defer resp.Body.Close()
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" && !resp.Uncompressed {
		return lookup.Changed(fmt.Errorf("content encoding %.20q was not requested", encoding))
	}
	tooLarge := lookup.Changed(fmt.Errorf("body exceeds %d bytes", maxBody))
	if resp.ContentLength > maxBody {
		return tooLarge
	}
	var body strings.Builder
	body.Grow(int(max(resp.ContentLength, 0)))
	if _, err := io.Copy(&body, io.LimitReader(resp.Body, maxBody+1)); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	if body.Len() > maxBody {
		return tooLarge
	}
	resp.Body, resp.ContentLength, resp.Uncompressed = io.NopCloser(strings.NewReader(body.String())), int64(body.Len()), true
	return nil
}
