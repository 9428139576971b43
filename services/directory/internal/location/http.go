package location

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/httpapi"
)

type locationsResponse struct {
	Success   bool              `json:"success"`
	Locations []google.Location `json:"locations"`

	Complete       bool     `json:"complete"`
	UnreadAccounts []string `json:"unread_accounts"`
}

// DiscoverLocations handles POST /api/oauth/provider_search/discover-locations.
func (s *Service) DiscoverLocations(c echo.Context, actor account.Actor) error {
	found, err := s.DiscoverAndChoose(c.Request().Context(), actor)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, locationsResponse{
		Success: true, Locations: httpapi.OrEmpty(found.Items), Complete: found.Complete,
		UnreadAccounts: httpapi.OrEmpty(found.Unread),
	})
}

type selectResponse struct {
	httpapi.Done
	Location google.Location `json:"location"`
}

// SelectLocation handles POST /api/oauth/provider_search/select-location.
func (s *Service) SelectLocation(c echo.Context, actor account.Actor) error {
	request, err := httpapi.BindJSON(c, struct {
		Name string `body:"location_name,required"`
	}{})
	if err != nil {
		return err
	}
	location, err := s.Select(c.Request().Context(), actor, request.Name)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, selectResponse{
		Done: httpapi.Done{Success: true, Message: "Lokalizacja została wybrana."}, Location: location,
	})
}
