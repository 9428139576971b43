package httpapi

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
)

// Locations lets a company choose its business-profile location.
type Locations interface {
	Discover(ctx context.Context, actor directory.Actor) ([]directory.Location, error)
	Select(ctx context.Context, actor directory.Actor, name string) (directory.Location, error)
}

type locationsResponse struct {
	Success   bool                 `json:"success"`
	Locations []directory.Location `json:"locations"`
}

type selectLocationResponse struct {
	done
	Location directory.Location `json:"location"`
}

// discoverLocations answers POST /api/oauth/provider_search/discover-locations.
func (a *API) discoverLocations(c echo.Context, actor directory.Actor) error {
	locations, err := a.Locations.Discover(c.Request().Context(), actor)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, locationsResponse{Success: true, Locations: orEmpty(locations)})
}

// selectLocation answers POST /api/oauth/provider_search/select-location.
func (a *API) selectLocation(c echo.Context, actor directory.Actor) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	name, err := body.requiredText("location_name")
	if err != nil {
		return err
	}
	location, err := a.Locations.Select(c.Request().Context(), actor, name)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, selectLocationResponse{
		done: done{Success: true, Message: "Lokalizacja została wybrana."}, Location: location,
	})
}
