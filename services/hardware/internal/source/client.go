package source

import (
	"context"
	"net/http"
	"time"
)

// Pacer hands out the turns in which an aggregator is asked, over all replicas.
type Pacer interface {
	// Turn blocks until the next request may be sent. admitted is false for the
	// first request of a look-up, which may be refused with the fault
	// throttle_queue_full (503). It is true for the requests that follow: a look-up
	// that has begun is not broken off because the queue has become long.
	//
	// sent must be called once, when the request has been written or has failed.
	Turn(ctx context.Context, admitted bool) (sent func(), err error)
}

// siteClient is what all look-ups at one site share.
type siteClient struct {
	baseURL   baseURL
	addresses addressMarkup
	userAgent string
	timeout   time.Duration // of one request, counted from its turn
	maxBody   int64
	transport http.RoundTripper
	pacer     Pacer
	robots    *robotsCache
	now       func() time.Time
}
