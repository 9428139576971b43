// Package httpapi is the HTTP face of the hardware service: the URL map, what is
// read from a request, and how an encoded answer or a fault is written.
//
// What an answer holds is decided by the domain; the contract is
// hardware.openapi.yaml.
package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/hardware"
)

// Rankings answers benchmark queries.
type Rankings interface {
	Get(ctx context.Context, f catalog.Family) (*hardware.Answer, hardware.Via, error)
}

// Prices answers price queries.
type Prices interface {
	Aggregators() []string
	CheckAggregator(name string) error
	Get(ctx context.Context, q catalog.Query) (*hardware.Answer, hardware.Via, error)
}

// API holds what the handlers need.
type API struct {
	Rankings Rankings
	Prices   Prices
	Now      func() time.Time
}

// Register is the whole URL map of the service. HEAD answers like GET without
// the body; other methods get 405 and OPTIONS the allowed ones, by echo. Without
// the last two lines a parameter would take in the rest of the path.
func (a *API) Register(e *echo.Echo) {
	read := []string{http.MethodGet, http.MethodHead}

	e.Match(read, "/api/benchmark/:type", a.benchmark)
	e.Match(read, "/api/prices/:aggregator", a.prices)
	e.RouteNotFound("/api/benchmark/:type/*", echo.NotFoundHandler)
	e.RouteNotFound("/api/prices/:aggregator/*", echo.NotFoundHandler)
}
