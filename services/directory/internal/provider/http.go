package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"backend.example/services/directory/internal/directory"
)

// maxBody is the longest answer that is read, in bytes.
const maxBody = 4 << 20

var errTooLong = errors.New("answer is too long")

// newClient returns the client of one adapter. A whole exchange, the answer's
// body included, takes at most timeout and maxBody. Redirects are not followed:
// no API used here answers with one, and it could carry a secret elsewhere.
func newClient(transport http.RoundTripper, timeout time.Duration) *http.Client {
	if transport == nil {
		transport = http.DefaultTransport
	}
	return &http.Client{
		Transport:     wholeBody{transport},
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// wholeBody reads each answer to its end before handing it on, so that a cut or
// endless body is an error of the exchange for every user of the client.
type wholeBody struct{ next http.RoundTripper }

func (w wholeBody) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	original := res.Body
	defer func() { _ = original.Close() }() // what matters has been read
	body, err := io.ReadAll(io.LimitReader(original, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, errTooLong
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// request is one call of a JSON API. Secrets belong into token, header and form;
// the path of addr appears in errors, its query does not.
type request struct {
	method string
	addr   string
	token  string      // sent as "Authorization: Bearer", unless empty
	header http.Header // further headers
	form   url.Values  // body as a form, unless nil
	json   any         // body as JSON, unless nil
}

// answer is what a provider answered, of whatever status.
type answer struct {
	what   string // method, host and path of the request, for errors
	status int
	header http.Header
	body   []byte
}

func (a answer) ok() bool { return a.status >= 200 && a.status <= 299 }

// decode reads the body as JSON into out; the fault is Unreadable.
func (a answer) decode(out any) error {
	if err := json.Unmarshal(a.body, out); err != nil {
		return directory.Unreadable(fmt.Errorf("%s: %w", a.what, err))
	}
	return nil
}

// send makes the call. Its errors are those of failure: an answer of any status
// is not one.
func send(ctx context.Context, client *http.Client, r request) (answer, error) {
	req, err := r.build(ctx)
	if err != nil {
		return answer{}, err
	}
	what := r.method + " " + req.URL.Host + req.URL.Path
	res, err := client.Do(req)
	if err != nil {
		return answer{}, failure(ctx, what, err)
	}
	defer func() { _ = res.Body.Close() }() // ends the client's timer
	body, _ := io.ReadAll(res.Body)         // cannot fail, see wholeBody
	return answer{what: what, status: res.StatusCode, header: res.Header, body: body}, nil
}

func (r request) build(ctx context.Context) (*http.Request, error) {
	var body io.Reader
	header := r.header.Clone()
	if header == nil {
		header = http.Header{}
	}
	switch {
	case r.form != nil:
		body = strings.NewReader(r.form.Encode())
		header.Set("Content-Type", "application/x-www-form-urlencoded")
	case r.json != nil:
		text, err := json.Marshal(r.json)
		if err != nil {
			return nil, fmt.Errorf("%s: body not encoded: %w", r.method, err)
		}
		body = bytes.NewReader(text)
		header.Set("Content-Type", "application/json")
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.addr, body)
	if err != nil {
		return nil, fmt.Errorf("%s: address not understood: %w", r.method, bare(err))
	}
	header.Set("Accept", "application/json")
	if r.token != "" {
		header.Set("Authorization", "Bearer "+r.token)
	}
	req.Header = header
	return req, nil
}

// failure translates an error of an exchange, made by send or by package oauth2:
// that of ctx when it has ended, Temporary when the exchange broke off, and
// Unreadable when an answer came but could not be used.
func failure(ctx context.Context, what string, err error) error {
	var exchange *url.Error
	switch {
	case errors.Is(context.Cause(ctx), errSlow):
		return directory.Temporary(fmt.Errorf("%s: %w", what, errSlow))
	case ctx.Err() != nil:
		return fmt.Errorf("%s: %w", what, ctx.Err())
	case errors.Is(err, errTooLong):
		return directory.Unreadable(fmt.Errorf("%s: %w", what, errTooLong))
	case errors.As(err, &exchange) && exchange.Timeout():
		return directory.Temporary(fmt.Errorf("%s: %w", what, errSlow))
	case errors.As(err, &exchange):
		return directory.Temporary(fmt.Errorf("%s: %w", what, bare(err)))
	default:
		return directory.Unreadable(fmt.Errorf("%s: no usable answer", what))
	}
}

// bare takes the address, whose query may hold secrets, out of an error.
func bare(err error) error {
	var exchange *url.Error
	if errors.As(err, &exchange) {
		return exchange.Err
	}
	return err
}

// rebase returns addr with scheme and host of base; a nil base leaves it.
func rebase(addr string, base *url.URL) string {
	u, err := url.Parse(addr)
	if base == nil || err != nil {
		return addr
	}
	u.Scheme, u.Host = base.Scheme, base.Host
	return u.String()
}
