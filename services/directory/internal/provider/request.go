package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// request is one call of a JSON API. Secrets belong into token, header and form:
// errors show the path of url, though not its query.
type Request struct {
	Method string
	URL    string
	Token  string      // sent as "Authorization: Bearer", unless empty
	Header http.Header // further headers
	Form   url.Values  // body as a form, unless nil
	JSON   any         // body as JSON, unless nil
}

// build makes the request of net/http.
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

// response is an answer of a provider, of whatever status.
type Response struct {
	Endpoint string // method, host and path of the request, for errors
	Status   int
	Header   http.Header
	Body     []byte
}

func (r Response) OK() bool { return r.Status >= 200 && r.Status <= 299 }

// decode reads the body as JSON into out. A body of another form is the fault
// Unreadable.
func (r Response) Decode(out any) error {
	if err := json.Unmarshal(r.Body, out); err != nil {
		return Unreadable(fmt.Errorf("%s: %w", r.Endpoint, err))
	}
	return nil
}

// WithHost returns address with scheme and host of base. A nil base changes nothing.
func WithHost(address string, base *url.URL) string {
	u, err := url.Parse(address)
	if base == nil || err != nil {
		return address
	}
	u.Scheme, u.Host = base.Scheme, base.Host
	return u.String()
}
