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

	"backend.example/services/directory/internal/directory"
)

// request is one call of a JSON API. Secrets belong into token, header and form:
// errors show the path of url, though not its query.
type request struct {
	method string
	url    string
	token  string      // sent as "Authorization: Bearer", unless empty
	header http.Header // further headers
	form   url.Values  // body as a form, unless nil
	json   any         // body as JSON, unless nil
}

// build makes the request of net/http.
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
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, body)
	if err != nil {
		return nil, fmt.Errorf("%s: address not understood: %w", r.method, withoutURL(err))
	}
	header.Set("Accept", "application/json")
	if r.token != "" {
		header.Set("Authorization", "Bearer "+r.token)
	}
	req.Header = header
	return req, nil
}

// response is an answer of a provider, of whatever status.
type response struct {
	endpoint string // method, host and path of the request, for errors
	status   int
	header   http.Header
	body     []byte
}

func (r response) ok() bool { return r.status >= 200 && r.status <= 299 }

// decode reads the body as JSON into out. A body of another form is the fault
// Unreadable.
func (r response) decode(out any) error {
	if err := json.Unmarshal(r.body, out); err != nil {
		return directory.Unreadable(fmt.Errorf("%s: %w", r.endpoint, err))
	}
	return nil
}

// withHost returns address with scheme and host of base. A nil base changes nothing.
func withHost(address string, base *url.URL) string {
	u, err := url.Parse(address)
	if base == nil || err != nil {
		return address
	}
	u.Scheme, u.Host = base.Scheme, base.Host
	return u.String()
}
