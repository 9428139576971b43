package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
)

type locationsResponse struct {
	Success   bool           `json:"success"`
	Locations []locationBody `json:"locations"`

	Complete       bool     `json:"complete"`
	UnreadAccounts []string `json:"unread_accounts"`
}

type selectLocationRequest struct {
	Name string `body:"location_name,required"`
}

type selectLocationResponse struct {
	Done
	Location locationBody `json:"location"`
}

// locationBody is a directory.Location.
type locationBody struct {
	Name        string `json:"name"`
	Title       string `json:"title"`
	AccountName string `json:"account_name"`
	AccountType string `json:"account_type"`
	StoreCode   string `json:"store_code"`
	Address     string `json:"address"`
	Phone       string `json:"phone"`
	Website     string `json:"website"`
	Category    string `json:"category"`
	PlaceID     string `json:"place_id"`
	MapsURL     string `json:"maps_url"`
}

// DiscoverLocations answers POST /api/oauth/provider_search/discover-locations.
func (a *API) DiscoverLocations(c echo.Context, actor directory.Actor) error {
	found, err := a.Locations.Discover(c.Request().Context(), actor)
	if err != nil {
		return err
	}
	answer := locationsResponse{
		Success: true, Locations: []locationBody{}, Complete: found.Complete, UnreadAccounts: OrEmpty(found.Unread),
	}
	for _, location := range found.Items {
		answer.Locations = append(answer.Locations, locationBody(location))
	}
	return c.JSON(http.StatusOK, answer)
}

// SelectLocation answers POST /api/oauth/provider_search/select-location.
func (a *API) SelectLocation(c echo.Context, actor directory.Actor) error {
	request, err := BindJSON(c, selectLocationRequest{})
	if err != nil {
		return err
	}
	location, err := a.Locations.Select(c.Request().Context(), actor, request.Name)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, selectLocationResponse{
		Done: Done{Success: true, Message: "Lokalizacja została wybrana."}, Location: locationBody(location),
	})
}
