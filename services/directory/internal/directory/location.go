package directory

import (
	"context"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Location is a business-profile location that a company may choose.
type Location struct {
	Name        string // resource name, "locations/123"
	Title       string
	AccountName string // resource name of the account it was found under, "accounts/123"
	AccountType string
	StoreCode   string
	Address     string
	Phone       string
	Website     string
	Category    string
	PlaceID     string
	MapsURL     string
}

// Locations lets a company choose its business-profile location.
type Locations struct{ oauth *OAuth }

// NewLocations returns a Locations.
func NewLocations(oauth *OAuth) *Locations {
	l := &Locations{oauth}
	oauth.OnReplace(profilePair, l.reselect)
	return l
}

// reselect reads the chosen location with the grant of c.
func (l *Locations) reselect(ctx context.Context, c Connection, name string) (Choice, error) {
	location, err := l.oauth.providers[ProviderSearch].ReadLocation(ctx, c.AccessToken, name)
	return Choice{ID: name, Name: location.Name}, err
}

var profilePair = provider.ProfilePair

// Discover lists the locations of every account of the actor's company's
// search_profile connection. The faults are no_company, no_connection and
// profile_unavailable: the provider is not configured, or has not yet admitted
// the service to the API; and too_much_work.
func (l *Locations) Discover(ctx context.Context, actor Actor) (List[Location], error) {
	_, locations, err := l.discover(ctx, actor, l.oauth.LimitDiscover)
	return locations, err
}

// discover asks may right before it asks the provider, and returns the connection
// with which it did.
func (l *Locations) discover(ctx context.Context, actor Actor, may func(context.Context, int64, Service) error) (c Connection, locations List[Location], err error) {
	companyID, err := actor.Company()
	if err != nil {
		return c, locations, err
	}
	c, err = l.oauth.Active(ctx, companyID, profilePair)
	if err != nil {
		return c, locations, err
	}
	search := l.oauth.providers[ProviderSearch]
	if !search.Configured || search.Locations == nil {
		return c, locations, CodeProfileUnavailable.Fault()
	}
	if err := may(ctx, companyID, SearchProfile); err != nil {
		return c, locations, err
	}
	locations, err = Use(ctx, l.oauth, c, func(ctx context.Context, token, _ string) (List[Location], error) {
		return search.Locations(ctx, token)
	})
	if fault.Is(err, CodeOperator) {
		err = CodeProfileUnavailable.Wrap(err)
	}
	return c, locations, err
}

// Select chooses the location with that resource name for the actor's company,
// so that audits read it. An actor who may not edit the company is the fault
// not_allowed; a name that Discover does not list, location_not_found.
func (l *Locations) Select(ctx context.Context, actor Actor, name string) (Location, error) {
	companyID, err := actor.Company()
	if err == nil {
		err = actor.MayEdit(companyID)
	}
	if err != nil {
		return Location{}, err
	}
	var location Location
	err = RetryChanged(func() (err error) {
		location, err = l.choose(ctx, actor, name)
		return err
	})
	return location, err
}

// choose lists the locations and chooses one, if the connection is still that of the
// list.
func (l *Locations) choose(ctx context.Context, actor Actor, name string) (Location, error) {
	listed, locations, err := l.discover(ctx, actor, func(context.Context, int64, Service) error { return nil })
	if err != nil {
		return Location{}, err
	}
	location, err := locations.Find(func(location Location) bool { return location.Name == name }, CodeLocationNotFound)
	if err != nil {
		return Location{}, err
	}
	_, err = l.oauth.store.LockConnection(ctx, listed.CompanyID, profilePair, func(_ context.Context, c *Connection) (*Entry, error) {
		if err := c.CheckSameGrant(&listed); err != nil {
			return nil, err
		}
		c.Choose(ChosenLocation, Choice{ID: name, Name: location.Title})
		entry := actor.Entry(c.CompanyID, "select_location", profilePair, l.oauth.now())
		entry.Detail = name
		return &entry, nil
	})
	return location, err
}

// ReadChosen reads the company's chosen location and returns it with its resource name.
// If there is none, the fault is no_connection.
func (l *Locations) ReadChosen(ctx context.Context, companyID int64) (name string, b Business, err error) {
	c, err := l.oauth.Active(ctx, companyID, profilePair)
	if err != nil {
		return "", Business{}, err
	}
	read := l.oauth.providers[ProviderSearch].ReadLocation
	if read == nil || c.Chosen != ChosenLocation {
		return "", Business{}, CodeNoConnection.Fault()
	}
	b, err = Use(ctx, l.oauth, c, read)
	l.oauth.NoteDenial(ctx, c, SearchProfile, err)
	return c.AccountID, b, err
}

// IsChosen reports whether the location with that name is still the chosen one.
func (l *Locations) IsChosen(ctx context.Context, companyID int64, name string) bool {
	c, err := l.oauth.Active(ctx, companyID, profilePair)
	return err == nil && c.Chosen == ChosenLocation && c.AccountID == name
}
