package provider

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"golang.org/x/oauth2"
)

// maxBodyBytes is the longest answer that is read.
const maxBodyBytes = 4 << 20

// accountID is what the log does not name: the number of an account, a person or a page.
var accountID = regexp.MustCompile(`[0-9]{4,}(_[0-9]+)?`)

var (
	errBodyTooLong = errors.New("answer is too long")
	errTimeout     = errors.New("timed out")
)

// NewClient returns the HTTP client of one adapter. An exchange takes at most
// timeout, the answer's body included. Redirects are not followed: no API used here
// answers with one, and it could carry a secret to another host.
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

// bufferedBody reads each answer to its end before it returns. So a body that is
// cut or endless fails the exchange, also for package oauth2.
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

// exchange makes one request. An answer of any status is no error; the errors are those
// of exchangeFault.
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

// exchangeFault translates an error of an exchange, made by exchange or by package oauth2.
// It returns the error of ctx when that has ended, Temporary when the connection
// failed, and Unreadable when an answer came that could not be used.
func exchangeFault(ctx context.Context, endpoint string, err error) error {
	var exchange *url.Error
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		return Temporary(fmt.Errorf("%s: %w", endpoint, errTimeout))
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

// OAuthFault translates an error of package oauth2. toFault translates an error answer
// of the token endpoint.
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
