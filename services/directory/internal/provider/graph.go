package provider

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"time"
)

// graphID is the form of the identifiers that become part of addresses.
var graphID = regexp.MustCompile(`^[\w-]+$`)

// graph calls the Graph API for one app.
type graph struct {
	client *http.Client
	base   string // with the version, without a final slash
	secret string // the app's; signs every token
}

// proof shows that the app itself uses the token
// (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
func (g *graph) proof(token string) string {
	mac := hmac.New(sha256.New, []byte(g.secret))
	mac.Write([]byte(token))
	return hex.EncodeToString(mac.Sum(nil))
}

// with begins a series of calls with one token.
func (g *graph) with(token string) *caller { return &caller{graph: g, token: token} }

// caller makes one series of calls, one after the other, and keeps an eye on the
// limits that the answers report.
type caller struct {
	graph *graph
	token string
	used  float64 // the fullest limit so far, in percent
}

// scarce is the share of a limit, in percent, from which on what is left of it
// belongs to the calls that matter most.
const scarce = 95

// saving reports whether calls that can be missed should be left out.
func (c *caller) saving() bool { return c.used >= scarce }

// get reads path, relative to the version, into out.
func (c *caller) get(ctx context.Context, path string, query url.Values, out any) error {
	a, err := c.call(ctx, http.MethodGet, path, query)
	if err != nil {
		return err
	}
	return a.decode(out)
}

// remove deletes path. Whatever a success says is a success.
func (c *caller) remove(ctx context.Context, path string) error {
	_, err := c.call(ctx, http.MethodDelete, path, url.Values{})
	return err
}

func (c *caller) call(ctx context.Context, method, path string, query url.Values) (answer, error) {
	query.Set("appsecret_proof", c.graph.proof(c.token))
	a, err := ask(ctx, c.graph.client, request{
		method: method, addr: c.graph.base + "/" + path + "?" + query.Encode(), token: c.token,
	}, func(a answer) error { return readGraphError(a).fault(readUsage(a.header).regain) })
	c.used = max(c.used, readUsage(a.header).percent)
	return a, err
}

// graphTime reads the API's times, e.g. "2026-11-20T08:00:00+0000": an offset
// without a colon, which RFC 3339 does not know.
type graphTime struct{ time.Time }

// UnmarshalJSON reads a time; an empty one is the zero time.
func (t *graphTime) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil || s == "" {
		return err
	}
	at, err := time.Parse("2006-01-02T15:04:05-0700", s)
	if err != nil {
		return errors.New("a text that is no time") // err would quote it
	}
	t.Time = at.UTC()
	return nil
}
