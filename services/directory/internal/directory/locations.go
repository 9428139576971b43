package directory

import (
	"context"
	"time"

	"backend.example/services/internal/kit/fault"
)

// Locations lets a company choose its business-profile location.
type Locations struct {
	oauth *OAuth
	now   func() time.Time
}

// NewLocations returns a Locations.
func NewLocations(oauth *OAuth, now func() time.Time) *Locations {
	return &Locations{oauth: oauth, now: now}
}

var profilePair = Pair{ProviderSearch, SearchProfile}

// Discover lists the locations of every account of the actor's company's
// search_profile connection. The faults are no_company, no_connection and
// profile_unavailable: the provider is not configured, or has not yet admitted
// the service to the API.
func (l *Locations) Discover(ctx context.Context, actor Actor) ([]Location, error) {
	_, locations, err := l.list(ctx, actor)
	return locations, err
}

func (l *Locations) list(ctx context.Context, actor Actor) (Connection, []Location, error) {
	companyID, err := actor.company()
	if err != nil {
		return Connection{}, nil, err
	}
	c, err := l.oauth.Active(ctx, companyID, profilePair)
	if err != nil {
		return Connection{}, nil, err
	}
	search := l.oauth.providers[ProviderSearch]
	if !search.Configured || search.Locations == nil {
		return Connection{}, nil, unavailable(nil)
	}
	var locations []Location
	err = l.oauth.Use(ctx, c, func(ctx context.Context, c Connection) (err error) {
		locations, err = search.Locations(ctx, c.AccessToken)
		return err
	})
	if fault.Is(err, CodeOperator) {
		err = unavailable(err)
	}
	return c, locations, err
}

func unavailable(err error) error {
	return fault.Wrap(err, fault.Unavailable, "profile_unavailable", "Zarządzanie profilem firmy jest niedostępne.")
}

// Select chooses the location with that resource name for the actor's company,
// so that audits read it. A name that Discover does not list is the fault
// location_not_found.
func (l *Locations) Select(ctx context.Context, actor Actor, name string) (Location, error) {
	c, locations, err := l.list(ctx, actor)
	if err != nil {
		return Location{}, err
	}
	for _, location := range locations {
		if location.Name == name {
			return location, l.choose(ctx, actor, c, location)
		}
	}
	return Location{}, fault.New(fault.NotFound, "location_not_found", "Nie znaleziono wybranej lokalizacji.")
}

func (l *Locations) choose(ctx context.Context, actor Actor, c Connection, location Location) error {
	_, err := l.oauth.store.LockConnection(ctx, c.CompanyID, c.Pair, func(_ context.Context, c *Connection) (*Entry, error) {
		if !c.Active {
			return nil, noConnection()
		}
		c.Chosen, c.AccountID, c.AccountName = ChosenLocation, location.Name, location.Title
		entry := actor.entry(c.CompanyID, "select_location", profilePair, l.now())
		entry.Detail = location.Name
		return &entry, nil
	})
	return err
}

// ReadChosen reads the company's chosen location as an audit needs it. The fault
// no_connection says that there is none.
func (l *Locations) ReadChosen(ctx context.Context, companyID int64) (Profile, error) {
	c, err := l.oauth.Active(ctx, companyID, profilePair)
	if err != nil {
		return Profile{}, err
	}
	read := l.oauth.providers[ProviderSearch].ReadLocation
	if read == nil || c.Chosen != ChosenLocation {
		return Profile{}, noConnection()
	}
	var profile Profile
	err = l.oauth.Use(ctx, c, func(ctx context.Context, c Connection) (err error) {
		profile, err = read(ctx, c.AccessToken, c.AccountID)
		return err
	})
	profile.Location = c.AccountID
	return profile, err
}
