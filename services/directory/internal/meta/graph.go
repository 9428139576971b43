package meta

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

	"backend.example/services/directory/internal/provider"
)

// graphID is the form of the identifiers that become part of addresses.
var graphID = regexp.MustCompile(`^[\w-]+$`)

// graphApp is our app at the Graph API.
type graphApp struct {
	client  *http.Client
	baseURL string // with the version, without a final slash
	secret  string // the app's, with which both sides sign
}

// proof shows that the app itself uses the token
// (https://developers.facebook.com/docs/graph-api/guides/secure-requests).
func (a *graphApp) proof(token string) string {
	return hex.EncodeToString(a.mac(token))
}

// mac authenticates a text between the app and the provider.
func (a *graphApp) mac(text string) []byte {
	mac := hmac.New(sha256.New, []byte(a.secret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// withToken returns a client that makes its calls with one token.
func (a *graphApp) withToken(token string) *graphClient { return &graphClient{app: a, token: token} }

// graphClient makes calls with one token, one after the other, and remembers how
// much of the rate limits their answers report as used.
type graphClient struct {
	app         *graphApp
	token       string
	usedPercent float64 // of the fullest limit so far
}

// nearLimitPercent is the share of a rate limit from which on the rest is kept for
// the calls that matter most.
const nearLimitPercent = 95

// nearLimit reports whether calls that can be missed should be left out.
func (c *graphClient) nearLimit() bool { return c.usedPercent >= nearLimitPercent }

// get reads path, which is relative to the version, into out.
func (c *graphClient) get(ctx context.Context, path string, query url.Values, out any) error {
	res, err := c.call(ctx, http.MethodGet, path, query)
	if err != nil {
		return err
	}
	return res.Decode(out)
}

// delete deletes path. The body of a success is not read: it differs from its
// documentation.
func (c *graphClient) delete(ctx context.Context, path string) error {
	_, err := c.call(ctx, http.MethodDelete, path, url.Values{})
	return err
}

func (c *graphClient) call(ctx context.Context, method, path string, query url.Values) (provider.Response, error) {
	query.Set("appsecret_proof", c.app.proof(c.token))
	res, err := provider.Send(ctx, c.app.client, provider.Request{
		Method: method, URL: c.app.baseURL + "/" + path + "?" + query.Encode(), Token: c.token,
	}, func(res provider.Response) error {
		return parseGraphError(res).fault(parseRateLimit(res.Header).retryAfter)
	})
	c.usedPercent = max(c.usedPercent, parseRateLimit(res.Header).usedPercent)
	return res, err
}

// graphTime reads the API's times, for example "2026-11-20T08:00:00+0000". RFC 3339
// does not know an offset without a colon.
type graphTime struct{ time.Time }

// UnmarshalJSON reads a time. An empty text is the zero time.
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
