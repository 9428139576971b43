package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"backend.example/services/internal/kit/fault"
)

const maxBodyBytes = 4 << 20 // of a response

// accountID is a number of an account, a person or a page, which no log contains.
var accountID = regexp.MustCompile(`[0-9]{4,}(_[0-9]+)?`)

var (
	errBodyTooLong = errors.New("answer is too long")
	errTimeout     = errors.New("timed out")
)

// NewClient returns the HTTP client of one adapter. timeout includes the body. Redirects are not
// followed: one could carry a secret to another host.
func NewClient(transport http.RoundTripper, timeout time.Duration) *http.Client {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &http.Client{
		Transport:     bufferedBody{transport},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// bufferedBody reads each body to its end, so that one that is cut or endless fails the exchange.
type bufferedBody struct{ next http.RoundTripper }

func (b bufferedBody) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := b.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	original := res.Body
	defer func() { _ = original.Close() }() // everything that matters has been read
	body, err := io.ReadAll(io.LimitReader(original, maxBodyBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBodyBytes {
		return nil, errBodyTooLong
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// exchange sends a request once, whatever the status of the response.
func exchange(ctx context.Context, client *http.Client, r Request) (Response, error) {
	req, err := r.build(ctx)
	if err != nil {
		return Response{}, err
	}
	endpoint := r.Method + " " + req.URL.Host + accountID.ReplaceAllString(req.URL.Path, "{id}")
	res, err := client.Do(req)
	if err != nil {
		return Response{}, exchangeFault(ctx, endpoint, err)
	}
	defer func() { _ = res.Body.Close() }() // stops the client's timer
	body, _ := io.ReadAll(res.Body)         // cannot fail, see bufferedBody
	return Response{Endpoint: endpoint, Status: res.StatusCode, Header: res.Header, Body: body}, nil
}

// exchangeFault translates an error of an exchange, also one of package oauth2. A deadline of the
// caller that passes meanwhile is a temporary failure, too: the provider did not respond in time.
func exchangeFault(ctx context.Context, endpoint string, err error) error {
	var exchange *url.Error
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		return Temporary(fmt.Errorf("%s: %w", endpoint, errTimeout))
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return Temporary(fmt.Errorf("%s: %w", endpoint, ctx.Err()))
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", endpoint, ctx.Err())
	case errors.Is(err, errBodyTooLong):
		return Unreadable(fmt.Errorf("%s: %w", endpoint, errBodyTooLong))
	case errors.As(err, &exchange) && exchange.Timeout():
		return Temporary(fmt.Errorf("%s: %w", endpoint, errTimeout))
	case errors.As(err, &exchange):
		return Temporary(fmt.Errorf("%s: %w", endpoint, withoutURL(err)))
	default:
		return Unreadable(fmt.Errorf("%s: no usable answer", endpoint))
	}
}

// OAuthFault translates an error of package oauth2; toFault one of the token endpoint.
func OAuthFault(ctx context.Context, endpoint string, err error, toFault func(Response) error) error {
	var refused *oauth2.RetrieveError
	if !errors.As(err, &refused) {
		return exchangeFault(ctx, endpoint, err)
	}
	return toFault(Response{
		Endpoint: endpoint, Status: refused.Response.StatusCode, Header: refused.Response.Header, Body: refused.Body,
	})
}

// withoutURL removes the address from an error: its query may hold secrets.
func withoutURL(err error) error {
	var exchange *url.Error
	if errors.As(err, &exchange) {
		return exchange.Err
	}
	return err
}

// Request is one call of a JSON API. No secret belongs into the path of the URL, which errors show.
type Request struct {
	Method string
	URL    string
	Token  string // bearer token, unless empty
	Header http.Header
	Form   url.Values // body as a form, unless nil
	JSON   any        // body as JSON, unless nil

	Turn func(context.Context) error // waits until the request may be sent; nil: at once
}

func (r Request) build(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	header := r.Header.Clone()
	if header == nil {
		header = http.Header{}
	}
	switch {
	case r.Form != nil:
		body = strings.NewReader(r.Form.Encode())
		header.Set("Content-Type", "application/x-www-form-urlencoded")
	case r.JSON != nil:
		text, err := json.Marshal(r.JSON)
		if err != nil {
			return nil, fmt.Errorf("%s: body not encoded: %w", r.Method, err)
		}
		body = bytes.NewReader(text)
		header.Set("Content-Type", "application/json")
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, r.URL, body)
	if err != nil {
		return nil, fmt.Errorf("%s: address not understood: %w", r.Method, withoutURL(err))
	}
	header.Set("Accept", "application/json")
	if r.Token != "" {
		header.Set("Authorization", "Bearer "+r.Token)
	}
	req.Header = header
	return req, nil
}

func (r Request) wait(ctx context.Context) error {
	if r.Turn == nil {
		return nil
	}
	return r.Turn(ctx)
}

// Response is an answer of a provider, of whatever status.
type Response struct {
	Endpoint string // method, host and path of the request, for errors
	Status   int
	Header   http.Header
	Body     []byte
}

// OK reports whether the request succeeded.
func (r Response) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// Decode reads the body as JSON into out. The fault is provider_changed.
func (r Response) Decode(out any) error {
	if err := json.Unmarshal(r.Body, out); err != nil {
		return Unreadable(fmt.Errorf("%s: %w", r.Endpoint, err))
	}
	return nil
}

// WithHost returns address with scheme and host of base, if that is not nil.
func WithHost(address string, base *url.URL) string {
	u, err := url.Parse(address)
	if base == nil || err != nil {
		return address
	}
	u.Scheme, u.Host = base.Scheme, base.Host
	return u.String()
}

const (
	maxTries   = 3
	firstPause = 500 * time.Millisecond // it doubles with each try
)

// WithRetries repeats call while its fault is provider_temporary, up to maxTries times in all and no
// earlier than the provider asks for. All together takes at most limit, unless that is zero.
func WithRetries(ctx context.Context, limit time.Duration, call func(context.Context) error) error {
	if limit <= 0 {
		return retry(ctx, call)
	}
	end := time.Now().Add(limit)
	ctx, cancel := context.WithDeadlineCause(ctx, end, errTimeout)
	defer cancel()
	err := retry(ctx, call)
	if err != nil && StoodStill(end) {
		return fmt.Errorf("%w: %w", ErrStoodStill, err)
	}
	return err
}

// retry returns at once if a pause would exceed the deadline of ctx. The pauses are random.
func retry(ctx context.Context, call func(context.Context) error) error {
	longest := firstPause
	for try := 1; ; try++ {
		err := call(ctx)
		if err == nil || try == maxTries || !fault.Is(err, CodeTemporary) {
			return err
		}
		pause := max(longest/2+rand.N(longest/2), fault.From(err).RetryAfter) // #nosec G404 -- spreads load
		if !sleep(ctx, pause) {
			return err
		}
		longest *= 2
	}
}

// sleep reports whether it slept for d. It does not begin if ctx ends before.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// ErrStoodStill is the cause of a failed call during which the process did not run for a while.
var ErrStoodStill = errors.New("the process stood still")

// standstill is how long after a deadline a process that runs has noticed it.
const standstill = 5 * time.Second

// StoodStill reports whether a deadline that has just been noticed passed so long ago that the process
// must have stood still.
func StoodStill(deadline time.Time) bool { return time.Since(deadline) > standstill }

// Send makes one request with the retries of WithRetries, each in its turn. The wait for the first one
// is not part of the client's timeout. toFault translates a response that is not a success.
func Send(ctx context.Context, client *http.Client, r Request, toFault func(Response) error) (res Response, err error) {
	if err := r.wait(ctx); err != nil {
		return res, err
	}
	tries := 0
	err = WithRetries(ctx, client.Timeout, func(ctx context.Context) error {
		if tries++; tries > 1 {
			if err := r.wait(ctx); err != nil {
				return err
			}
		}
		if res, err = exchange(ctx, client, r); err != nil || res.OK() {
			return err
		}
		return toFault(res)
	})
	return res, err
}

// EachPage calls read for the pages of a list, each with the cursor that the page before returned. It
// ends after limit pages, or if there is no cursor or one that was returned before. complete reports
// that there are no more pages.
func EachPage(limit int, read func(cursor string) (next string, err error)) (complete bool, err error) {
	cursor, seen := "", map[string]bool{}
	for range limit {
		next, err := read(cursor)
		if err != nil {
			return false, err
		}
		if next == "" {
			return true, nil
		}
		if seen[next] {
			return false, nil
		}
		cursor, seen[next] = next, true
	}
	return false, nil
}

// atOnce is how many lists of one caller are read at the same time.
const atOnce = 5

// EachAtOnce calls read for each of n lists, atOnce of them at a time.
func EachAtOnce(n int, read func(i int)) {
	var group sync.WaitGroup
	turns := make(chan struct{}, atOnce)
	for i := range n {
		turns <- struct{}{}
		group.Go(func() {
			defer func() { <-turns }()
			read(i)
		})
	}
	group.Wait()
}
