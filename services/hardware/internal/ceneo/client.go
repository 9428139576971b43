package ceneo

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"backend.example/services/hardware/internal/lookup"
)

// Pacer hands out the turns in which an aggregator is asked, over all replicas.
type Pacer interface {
	// Turn blocks until the next request may be sent. The first request of a look-up
	// may be refused with the fault throttle_queue_full (503). Those that follow are not:
	// a look-up that has begun is not broken off because the queue
	// has become long.
	//
	// sent must be called once, when the request has been written or has failed.
	Turn(ctx context.Context, r *lookup.Request) (sent func(), err error)
	// KeepApart tells that the site's robots.txt asks for at least d between two
	// requests, zero when it does not.
	KeepApart(d time.Duration)
}

// siteClient is what all look-ups at one site share.
type siteClient struct {
	baseURL   baseURL
	addresses addressMarkup
	challenge challengeMarkup
	userAgent string
	timeout   time.Duration // of one request, counted from its turn
	maxBody   int64
	transport http.RoundTripper
	pacer     Pacer
	robots    *robotsCache
	now       func() time.Time
}

// isChallenge reports whether u is the site's challenge page.
func (c *siteClient) isChallenge(u *url.URL) bool {
	path := strings.TrimPrefix(strings.ToLower(u.Path), strings.ToLower(c.baseURL.root()))
	return c.baseURL.contains(u) && c.addresses.isChallengePath(path)
}
