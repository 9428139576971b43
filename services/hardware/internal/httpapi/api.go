// Package httpapi serves the API for programs, proto-free-contracts/hardware.openapi.yaml. What a response
// contains is decided by packages rankings and prices.
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
	bodies   *lookup.Local // encoded responses
}

// New returns the API. clientIP respects trusted proxies.
func New(
	r *rankings.Rankings, p *prices.Prices, q *prices.Quotes, clientIP echo.IPExtractor, bodies *lookup.Local,
) *API {
	return &API{rankings: r, prices: p, quotes: q, clientIP: clientIP, bodies: bodies}
}

// Register is the URL map. The last line keeps :type from matching the rest of a path.
func (a *API) Register(e *echo.Echo) {
	read := []string{http.MethodGet, http.MethodHead}

	e.Match(read, "/api/benchmark/:type", a.getRanking)
	e.Match(read, "/api/prices/:aggregator", a.getPrice)
	e.Match(read, "/api/prices/:aggregator/popular", a.getPopular)
	e.POST("/api/prices/:aggregator/quotes", a.postQuotes)
	e.RouteNotFound("/api/benchmark/:type/*", echo.NotFoundHandler)
}
