package source

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"time"

	"backend.example/services/hardware/internal/hardware"
)

// Pacer hands out the turns in which an aggregator is asked, over all replicas.
type Pacer interface {
	// Turn blocks until the next request may be sent. admitted is false for the
	// first request of a look-up, which may be refused with the fault
	// throttle_queue_full (503), and true for those that follow: a look-up once
	// begun is not broken off for want of a turn.
	//
	// sent must be called once, when the request has been written or has failed.
	Turn(ctx context.Context, admitted bool) (sent func(), err error)
}

// road is what all look-ups at one site have in common on the way there.
type road struct {
	site      site
	forms     addressForms
	userAgent string
	timeout   time.Duration // of one request, counted from its turn
	maxBody   int64
	next      http.RoundTripper
	pacer     Pacer
	robots    *robotsCache
	now       func() time.Time
}

// lookupTransport carries every request of one look-up: pages, redirects and
// robots.txt. It binds them to the look-up's context, as colly asks for
// robots.txt without one.
type lookupTransport struct {
	*road
	ctx      context.Context
	admitted bool // a turn was given to this look-up before
}

// RoundTrip implements http.RoundTripper. The body of the response has been read
// completely.
func (t *lookupTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.mayAsk(req); err != nil {
		return nil, err
	}
	if req.URL.Path == robotsPath {
		return t.robots.get(t.ctx, req, t.send)
	}
	return t.send(req)
}

// mayAsk refuses what must never be requested: other sites, paid click counters
// and the challenge page.
func (t *lookupTransport) mayAsk(req *http.Request) error {
	if err := t.site.check(req.URL); err != nil {
		return err
	}
	path := strings.ToLower(req.URL.Path)
	if strings.Contains(path, t.forms.clicks) {
		return hardware.Changed(fmt.Errorf("led to the click counter %.40q", req.URL.Path))
	}
	if t.forms.atChallenge(strings.TrimPrefix(path, strings.ToLower(t.site.root()))) {
		return hardware.Blocked(errChallenge, 0)
	}
	return nil
}

// send takes a turn and makes the request.
func (t *lookupTransport) send(req *http.Request) (*http.Response, error) {
	sent, err := t.pacer.Turn(t.ctx, t.admitted)
	if err != nil {
		return nil, err
	}
	t.admitted = true
	written := sync.OnceFunc(sent)
	defer written()

	ctx, cancel := context.WithTimeout(t.ctx, t.timeout)
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { written() },
	})
	resp, err := t.next.RoundTrip(t.dress(req.Clone(ctx)))
	if err != nil {
		return nil, t.timed(ctx, err)
	}
	defer resp.Body.Close()
	body, err := readBody(resp, t.maxBody)
	if err != nil {
		return nil, t.timed(ctx, err)
	}
	resp.Body, resp.ContentLength, resp.Uncompressed = io.NopCloser(strings.NewReader(body)), int64(len(body)), true
	return resp, nil
}

// dress sets the headers that every request carries.
func (t *lookupTransport) dress(req *http.Request) *http.Request {
	req.Header.Set("User-Agent", t.userAgent)
	req.Header.Set("Accept", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5")
	req.Header.Set("Accept-Language", "pl")
	return req
}

// timed tells the end of this request's time from the end of the look-up's.
func (t *lookupTransport) timed(ctx context.Context, err error) error {
	if t.ctx.Err() == nil && ctx.Err() != nil {
		return hardware.Slow(fmt.Errorf("no complete answer within %s: %w", t.timeout, err))
	}
	return err
}
