// Package fetch is the HTTP client for the two sites that the service reads. It obeys robots.txt, waits for slots,
// limits size and time, and stays on the site's host. Every failure becomes a fault with a code of its own.
// Failures that concern the whole site pause it (gate.go).
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gocolly/colly/v2"
	"golang.org/x/net/html/charset"

	"backend.example/services/internal/kit/outbound"
)

// Options are what a Client needs.
type Options struct {
	BaseURL   *url.URL          // its host may begin with "www." or not
	UserAgent string            // with a contact address
	Timeout   time.Duration     // of one request, counted from its turn
	Transport http.RoundTripper // guards against private addresses
	Gate      *Gate             // lets requests through
	Now       func() time.Time

	// set by the site's package

	Accept     string   // the header of that name
	Forbidden  string   // part of paths that are never requested, in lower case
	Challenges []string // markers of challenge pages
}

// Client reads pages of one site. It is safe for concurrent use.
type Client struct {
	Options

	mu     sync.Mutex
	robots map[string]*robotsFile // by host
}

// New returns a Client.
func New(o Options) *Client {
	return &Client{Options: o, robots: map[string]*robotsFile{}}
}

// Domain returns the host of the base URL without "www.".
func (c *Client) Domain() string { return bareHost(c.BaseURL) }

// Host returns the host of the base URL, with its port if it names one.
func (c *Client) Host() string { return strings.ToLower(c.BaseURL.Host) }

// Address returns the base URL followed by path, which may have escapes.
func (c *Client) Address(path string) string {
	return c.BaseURL.Scheme + "://" + c.BaseURL.Host + c.root() + "/" + path
}

// Path returns the escaped path of u below the base URL.
func (c *Client) Path(u *url.URL) string { return strings.TrimPrefix(u.EscapedPath(), c.root()) }

func (c *Client) root() string { return strings.TrimRight(c.BaseURL.EscapedPath(), "/") }

// contains reports whether u has the site's host, scheme and port, or https in place of http on standard ports.
func (c *Client) contains(u *url.URL) bool {
	if bareHost(u) != c.Domain() || u.User != nil {
		return false
	}
	upgrade := u.Scheme == "https" && c.BaseURL.Port() == "" && u.Port() == ""
	return upgrade || u.Scheme == c.BaseURL.Scheme && portOf(u) == portOf(c.BaseURL)
}

func bareHost(u *url.URL) string {
	return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.")
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	default:
		return "80"
	}
}

// Page is a response that is neither a redirect nor a refusal.
type Page struct {
	URL    *url.URL // after all redirects
	Status int
	Body   []byte
}

// Get requests an address of the site for the look-up r and follows redirects, except one for which stop returns
// true: the page then has that address and no body. stop may be nil.
//
// The errors are the faults of this package, and that of ctx.
func (c *Client) Get(ctx context.Context, r *Request, address string, stop func(*url.URL) bool) (Page, error) {
	page, err := c.get(ctx, r, address, stop)
	if err != nil {
		return Page{}, c.Gate.report(ctx, r, faultOf(ctx, err))
	}
	if page.Status >= http.StatusInternalServerError {
		_ = c.Gate.report(ctx, r, page.UnexpectedStatus("page")) // the caller says more
		return page, nil
	}
	c.Gate.Store.ClearFailures(context.WithoutCancel(ctx), c.Gate.Source)
	return page, nil
}

const maxRedirects = 5

var errRedirects = errors.New("too many redirects")

func (c *Client) get(ctx context.Context, r *Request, address string, stop func(*url.URL) bool) (Page, error) {
	var resp *colly.Response
	collector := c.collector(ctx, r)
	collector.OnResponse(func(received *colly.Response) { resp = received })
	for range maxRedirects + 1 {
		if err := collector.Visit(address); err != nil {
			return Page{}, err
		}
		if err := c.refusal(resp.Request.URL, resp.StatusCode, *resp.Headers, resp.Body); err != nil {
			return Page{}, err
		}
		target := redirectTarget(resp.Request.URL, resp.StatusCode, *resp.Headers)
		switch {
		case target == nil:
			return Page{URL: resp.Request.URL, Status: resp.StatusCode, Body: inUTF8(resp.Body)}, nil
		case c.contains(target) && isChallengePath(target): // robots.txt may disallow it, which would hide the refusal
			return Page{}, Blocked.Wrap(errChallenge)
		case c.contains(target) && stop != nil && stop(target):
			return Page{URL: target}, nil
		}
		address = target.String()
	}
	return Page{}, errRedirects
}

// collector is built by hand: colly.NewCollector lets COLLY_ environment variables overrule options. The transport
// obeys robots.txt, which colly would parse for every page.
func (c *Client) collector(ctx context.Context, r *Request) *colly.Collector {
	collector := &colly.Collector{}
	collector.Init()
	collector.AllowedDomains = []string{c.Domain(), "www." + c.Domain()}
	collector.AllowURLRevisit = true
	collector.ParseHTTPErrorResponse = true
	collector.MaxBodySize = 0 // the transport fails where colly would cut the body short
	collector.SetRequestTimeout(0)
	collector.WithTransport(&transport{Client: c, ctx: ctx, request: r})
	collector.SetRedirectHandler(func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse })
	return collector
}

func redirectTarget(u *url.URL, status int, header http.Header) *url.URL {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		if location := header.Get("Location"); location != "" {
			target, _ := u.Parse(location) // nil if it cannot be parsed
			return target
		}
	}
	return nil
}

// DropInvisible maps format and control characters, other than white space, to nothing.
func DropInvisible(r rune) rune {
	if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
		return -1
	}
	return r
}

const maxRetryAfter = 7 * 24 * time.Hour

// refusal returns the fault for 403, 429, and 503 with Retry-After or a challenge. Any other 503 means that the
// site is down.
func (c *Client) refusal(u *url.URL, status int, header http.Header, body []byte) error {
	switch status {
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
	default:
		return nil
	}
	after := min(outbound.RetryAfter(header, c.Now()), maxRetryAfter)
	if status == http.StatusServiceUnavailable && after <= 0 && !c.isChallenge(body) {
		return nil
	}
	return Blocked.Wrap(fmt.Errorf("%s: status %d", address(u), status)).After(after)
}

func address(u *url.URL) string { return u.Host + u.EscapedPath() }

func isChallengePath(u *url.URL) bool {
	return strings.Contains(strings.ToLower(u.Path), "/captcha")
}

// maxBody is in bytes after decompression. The largest known page has one megabyte.
const maxBody = 4 << 20

// transport sends the requests for one page, its redirects and robots.txt, with the context of the look-up, which
// colly does not know.
type transport struct {
	*Client
	ctx     context.Context
	request *Request
}

// RoundTrip implements http.RoundTripper. The body of the response is in memory.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.obeyRobots(req.URL); err != nil {
		return nil, err
	}
	return t.send(req, readBody)
}

func (t *transport) checkAddress(u *url.URL) error {
	switch {
	case !t.contains(u):
		return Changed.Wrap(fmt.Errorf("%s://%s is outside %s", u.Scheme, u.Host, t.BaseURL.Host))
	case t.Forbidden != "" && strings.Contains(strings.ToLower(u.Path), t.Forbidden):
		return Changed.Wrap(fmt.Errorf("led to %.40q", u.Path))
	case isChallengePath(u):
		return Blocked.Wrap(errChallenge)
	}
	return nil
}

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
	begin := time.Now()
	resp, err := t.exchange(req, read)
	t.logCall(req, resp, time.Since(begin), err)
	if err != nil {
		if t.ctx.Err() == nil && ctx.Err() != nil { // this request's time is over, not the look-up's
			err = Slow.Wrap(fmt.Errorf("no complete response within %s: %w", t.Timeout, err))
		}
		return nil, err
	}
	return resp, nil
}

func (t *transport) exchange(req *http.Request, read func(*http.Response) error) (*http.Response, error) {
	resp, err := t.Transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	return resp, read(resp)
}

const slowCall = 5 * time.Second

func (t *transport) logCall(req *http.Request, resp *http.Response, took time.Duration, err error) {
	log := t.Gate.Log.With("host", req.URL.Host, "path", req.URL.EscapedPath(), "look-up", t.request.ID,
		"waited_seconds", t.request.waited.Seconds(), "seconds", took.Seconds())
	switch {
	case err != nil:
		log.WarnContext(t.ctx, "call failed", "error", err)
	case resp.StatusCode >= http.StatusBadRequest && resp.StatusCode != http.StatusNotFound:
		log.WarnContext(t.ctx, "call failed", "status", resp.StatusCode)
	case took+t.request.waited >= slowCall:
		log.WarnContext(t.ctx, "call slow", "status", resp.StatusCode)
	default:
		log.DebugContext(t.ctx, "call answered", "status", resp.StatusCode)
	}
}

// readBody makes a body above the limit an error, so that half a page never passes for a page.
func readBody(resp *http.Response) error {
	if resp.ContentLength <= maxBody {
		if err := readStart(resp, maxBody+1); err != nil {
			return err
		}
	}
	if resp.ContentLength > maxBody { // announced, or read
		_ = resp.Body.Close()
		return Changed.Wrap(fmt.Errorf("body exceeds %d bytes", maxBody))
	}
	return nil
}

func readStart(resp *http.Response, limit int64) error {
	defer resp.Body.Close()
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return Changed.Wrap(fmt.Errorf("content encoding %.20q was not requested", encoding))
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

// inUTF8 decodes a body by its meta element. The charset of Content-Type is decoded already.
func inUTF8(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	encoding, name, _ := charset.DetermineEncoding(body, "")
	if name == "windows-1252" { // the guess if nothing names one
		return body
	}
	decoded, err := encoding.NewDecoder().Bytes(body)
	if err != nil {
		return body
	}
	return decoded
}
