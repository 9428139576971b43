// Package httpapi is the HTTP face of the hardware service: the URL map, what is
// read from a request, and how a value or a fault is encoded, compressed and written.
//
// What an answer holds is decided by packages rankings and prices; the contract is
// hardware.openapi.yaml.
package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

// API holds what the handlers need.
type API struct {
	Ranking func(ctx context.Context, f catalog.Family) (*rankings.Answer, lookup.Via, error)
	Price   func(ctx context.Context, c lookup.Caller, q catalog.Query) (*prices.Answer, lookup.Via, error)
	// Quotes returns what is known about several queries, and looks up what is not.
	Quotes     func(ctx context.Context, c lookup.Caller, queries []catalog.Query) []prices.Quote
	Caller     func(r *http.Request) lookup.Caller // for whom a request makes look-ups
	Bodies     *lookup.Local                       // keeps encoded responses
	Aggregator string                              // the one that Price asks
	Now        func() time.Time
}

// Register is the whole URL map of the service. HEAD answers like GET without
// the body; other methods get 405 and OPTIONS the allowed ones, by echo. Without
// the last line the type would take in the rest of the path.
func (a *API) Register(e *echo.Echo) {
	read := []string{http.MethodGet, http.MethodHead}

	e.Match(read, "/api/benchmark/:type", a.ranking)
	e.Match(read, "/api/prices/:aggregator", a.price)
	e.POST("/api/prices/:aggregator/quotes", a.quotes)
	e.RouteNotFound("/api/benchmark/:type/*", echo.NotFoundHandler)
}
