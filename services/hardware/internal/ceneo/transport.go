package ceneo

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

// lookupTransport sends every request of one look-up: pages, redirects and
// robots.txt. It binds them to the look-up's context, because colly asks for
// robots.txt without one.
type lookupTransport struct {
	*siteClient
	ctx     context.Context
	request *lookup.Request
}

// RoundTrip implements http.RoundTripper. The body of the response has been read
// completely.
func (t *lookupTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.checkAllowed(req); err != nil {
		return nil, err
	}
	if req.URL.Path == robotsPath {
		return t.robots.get(t.ctx, req, t.send)
	}
	return t.send(req)
}

// checkAllowed refuses what must never be requested: other sites, paid click
// counters and the challenge page.
func (t *lookupTransport) checkAllowed(req *http.Request) error {
	if err := t.baseURL.check(req.URL); err != nil {
		return err
	}
	if strings.Contains(strings.ToLower(req.URL.Path), t.addresses.clicks) {
		return lookup.Changed(fmt.Errorf("led to the click counter %.40q", req.URL.Path))
	}
	if t.isChallenge(req.URL) {
		return lookup.Blocked(errChallenge, 0)
	}
	return nil
}

// send waits for a turn and makes the request.
func (t *lookupTransport) send(req *http.Request) (*http.Response, error) {
	sent, err := t.pacer.Turn(t.ctx, t.request)
	if err != nil {
		return nil, err
	}
	reportSent := sync.OnceFunc(sent)
	defer reportSent()

	ctx, cancel := context.WithTimeout(t.ctx, t.timeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { reportSent() },
	})
	resp, err := t.transport.RoundTrip(t.setHeaders(req.Clone(ctx)))
	if err != nil {
		return nil, t.timeoutFault(ctx, err)
	}
	defer resp.Body.Close()
	body, err := readBody(resp, t.maxBody)
	if err != nil {
		return nil, t.timeoutFault(ctx, err)
	}
	resp.Body, resp.ContentLength, resp.Uncompressed = io.NopCloser(strings.NewReader(body)), int64(len(body)), true
	return resp, nil
}

// setHeaders sets the headers that every request carries.
func (t *lookupTransport) setHeaders(req *http.Request) *http.Request {
	req.Header.Set("User-Agent", t.userAgent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5")
	req.Header.Set("Accept-Language", "pl")
	return req
}

// timeoutFault turns the end of this request's time into a fault. The end of the
// look-up's own time is left as it is.
func (t *lookupTransport) timeoutFault(ctx context.Context, err error) error {
	if t.ctx.Err() == nil && ctx.Err() != nil {
		return lookup.Slow(fmt.Errorf("no complete answer within %s: %w", t.timeout, err))
	}
	return err
}
