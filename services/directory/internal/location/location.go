// Package location lets a company choose its Business Profile location and reads it.
package location

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// The codes of choosing a location.
var (
	CodeNotFound    = fault.NewCode(fault.NotFound, "location_not_found", "Nie znaleziono wybranej lokalizacji.")
	CodeUnavailable = fault.NewCode(fault.Unavailable, "profile_unavailable",
		"Zarządzanie profilem firmy jest niedostępne.")
)

// Service lets companies choose their location. It is safe for concurrent use.
type Service struct {
	connections *connection.Service
	client      *google.Client
}

// New returns a Service.
func New(connections *connection.Service, client *google.Client) *Service {
	return &Service{connections, client}
}

// ForScans returns a copy whose requests wait for those that a person waits for.
func (s *Service) ForScans(connections *connection.Service) *Service {
	return New(connections, s.client.ForScans())
}

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

// Discover lists the locations of every account of the company's search_profile connection.
// The faults are no_company, no_connection, too_much_work and profile_unavailable: the provider
// is not configured, or has not yet admitted the service to the API.
func (s *Service) Discover(ctx context.Context, actor account.Actor) (provider.List[google.Location], error) {
	locations, _, err := s.discover(ctx, actor)
	return locations, err
}

// DiscoverAndChoose is Discover, and chooses the only location of a company that never chose, for clients
// that only discover.
func (s *Service) DiscoverAndChoose(ctx context.Context, actor account.Actor) (provider.List[google.Location], error) {
	locations, c, err := s.discover(ctx, actor)
	if err != nil {
		return locations, err
	}
	isOnlyOne := len(locations.Items) == 1 && locations.Complete
	if !isOnlyOne || !mayBeChosenFor(&c) || actor.MayEdit(c.CompanyID) != nil {
		return locations, nil
	}
	err = s.link(ctx, actor, c, locations.Items[0], false)
	if fault.Is(err, connection.CodeNoConnection) || fault.Is(err, connection.CodeConnectionChanged) {
		err = nil // the next discovery reads with the new grant
	}
	return locations, err
}

func mayBeChosenFor(c *connection.Connection) bool {
	return c.Chosen == connection.ChosenNothing && c.LostChoice == ""
}

func (s *Service) discover(ctx context.Context, actor account.Actor) (locations provider.List[google.Location],
	c connection.Connection, err error) {
	c, err = s.connection(ctx, actor)
	if err != nil {
		return locations, c, err
	}
	if err = s.connections.LimitDiscover(ctx, c.CompanyID, provider.SearchProfile); err != nil {
		return locations, c, err
	}
	locations, err = connection.Use(ctx, s.connections, c,
		func(ctx context.Context, token, _ string) (provider.List[google.Location], error) {
			return s.client.Locations(ctx, token)
		})
	if fault.Is(err, provider.CodeOperator) {
		err = CodeUnavailable.Wrap(err)
	}
	return locations, c, err
}

func (s *Service) connection(ctx context.Context, actor account.Actor) (c connection.Connection, err error) {
	companyID, err := actor.Company()
	if err != nil {
		return c, err
	}
	c, err = s.connections.Active(ctx, companyID, provider.ProfilePair)
	if err != nil {
		return c, err
	}
	if !s.client.Configured() {
		return c, CodeUnavailable.Fault()
	}
	return c, nil
}

// Select chooses the location with that resource name. The faults are not_allowed and
// location_not_found.
func (s *Service) Select(ctx context.Context, actor account.Actor, name string) (location google.Location, err error) {
	companyID, err := actor.Company()
	if err != nil {
		return google.Location{}, err
	}
	if err = actor.MayEdit(companyID); err != nil {
		return google.Location{}, err
	}
	err = connection.RetryChanged(func() error {
		location, err = s.choose(ctx, actor, name)
		return err
	})
	return location, err
}

func (s *Service) choose(ctx context.Context, actor account.Actor, name string) (google.Location, error) {
	listed, err := s.connection(ctx, actor)
	if err != nil {
		return google.Location{}, err
	}
	location, err := connection.Use(ctx, s.connections, listed,
		func(ctx context.Context, token, _ string) (google.Location, error) {
			return s.client.FindLocation(ctx, token, name)
		})
	switch {
	case fault.Is(err, provider.CodeGone), fault.Is(err, provider.CodePermission):
		return google.Location{}, CodeNotFound.Wrap(err)
	case fault.Is(err, provider.CodeOperator):
		return google.Location{}, CodeUnavailable.Wrap(err)
	case err != nil:
		return google.Location{}, err
	}
	return location, s.link(ctx, actor, listed, location, true)
}

// link chooses a location. Unless replace is set, it leaves the choice of a person.
func (s *Service) link(ctx context.Context, actor account.Actor, listed connection.Connection, location google.Location,
	replace bool,
) error {
	held, err := s.connections.HoldListed(ctx, listed)
	if err != nil {
		return err
	}
	defer held.Release()
	if !replace && !mayBeChosenFor(&held.Connection) {
		return nil
	}
	held.Choose(connection.ChosenLocation, provider.Choice{
		ID: location.Name, Name: location.Title, Address: location.Address, PlaceID: location.PlaceID,
	})
	entry := actor.Entry(listed.CompanyID, "select_location", provider.ProfilePair)
	entry.Detail = location.Name
	return held.Save(&entry)
}

// Chosen returns the company's connection with its chosen location. If there is none, the
// fault is no_connection.
func (s *Service) Chosen(ctx context.Context, companyID int64) (connection.Connection, error) {
	return s.connections.Chosen(ctx, companyID, provider.ProfilePair, connection.CodeNoConnection)
}

// Read reads the chosen location of c. If another was chosen meanwhile, the fault is
// connection_changed.
func (s *Service) Read(ctx context.Context, c connection.Connection) (google.Business, error) {
	b, err := connection.Use(ctx, s.connections, c,
		func(ctx context.Context, token, name string) (google.Business, error) {
			if name != c.AccountID {
				return google.Business{}, connection.CodeConnectionChanged.Fault()
			}
			return s.client.ReadLocation(ctx, token, name)
		})
	err = s.connections.NoteDenial(ctx, c, provider.SearchProfile, err)
	if err != nil { // a success is that of the figures
		s.connections.NoteRead(ctx, c, provider.SearchProfile, "", err)
	}
	return b, err
}

// Keep stores what was read about the chosen location of c, unless another was chosen meanwhile.
func (s *Service) Keep(ctx context.Context, c connection.Connection, read provider.Choice) error {
	if c.AccountName == read.Name && c.AccountAddress == read.Address && c.PlaceID == read.PlaceID {
		return nil
	}
	held, err := s.connections.Store.Hold(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return err
	}
	defer held.Release()
	isChosen := held.Chosen == connection.ChosenLocation && held.AccountID == c.AccountID
	if !held.Active || !isChosen {
		return nil
	}
	held.AccountName = read.Name
	held.AccountAddress = read.Address
	held.PlaceID = read.PlaceID
	return held.Save(nil)
}
