// Package httpapi is the HTTP face of the hardware service: the URL map, what is
// read from a request, and how a value or a fault is encoded, compressed and written.
//
// What an answer holds is decided by packages rankings and prices; the contract is
// hardware.openapi.yaml.
package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

// API has the handlers of all endpoints.
type API struct {
	rankings *rankings.Rankings
	prices   *prices.Prices
	quotes   *prices.Quotes
	clientIP echo.IPExtractor
	bodies   *lookup.Local // keeps encoded responses
}

// New returns the API. clientIP returns the address of a client, as trusted proxies report it.
func New(
	r *rankings.Rankings, p *prices.Prices, q *prices.Quotes, clientIP echo.IPExtractor, bodies *lookup.Local,
) *API {
	return &API{rankings: r, prices: p, quotes: q, clientIP: clientIP, bodies: bodies}
}

// Register is the whole URL map of the service. HEAD answers like GET without
// the body; other methods get 405 and OPTIONS the allowed ones, by echo. Without
// the last line the type would take in the rest of the path.
func (a *API) Register(e *echo.Echo) {
	read := []string{http.MethodGet, http.MethodHead}

	e.Match(read, "/api/benchmark/:type", a.getRanking)
	e.Match(read, "/api/prices/:aggregator", a.getPrice)
	e.Match(read, "/api/prices/:aggregator/popular", a.getPopular)
	e.POST("/api/prices/:aggregator/quotes", a.postQuotes)
	e.RouteNotFound("/api/benchmark/:type/*", echo.NotFoundHandler)
}
