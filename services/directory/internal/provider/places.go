package provider

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// The address of the Places API (New)
// (https://developers.google.com/maps/documentation/places/web-service).
const placesAddr = "https://places.googleapis.com/v1/places"

// placeFields are the fields that an audit reads. The dearest of them decides the
// price of a request: editorialSummary makes it Enterprise + Atmosphere.
var placeFields = []string{
	"id", "displayName", "formattedAddress", "postalAddress", "nationalPhoneNumber", "internationalPhoneNumber",
	"websiteUri", "regularOpeningHours", "types", "primaryType", "primaryTypeDisplayName", "photos",
	"editorialSummary", "rating", "userRatingCount", "businessStatus", "pureServiceAreaBusiness",
	"movedPlace", "movedPlaceId",
}

// PlacesOptions configure a [Places].
type PlacesOptions struct {
	APIKey    string            // empty: not configured
	BaseURL   *url.URL          // replaces scheme and host of every address; nil: the real host
	Transport http.RoundTripper // nil: http.DefaultTransport
	Timeout   time.Duration     // of one exchange; zero: none but that of the context
	Now       func() time.Time
}

// Places is the adapter of the public places, read with the service's own key. It
// is safe for concurrent use.
type Places struct {
	options PlacesOptions
	client  *http.Client
}

var _ directory.FindPlace = (*Places)(nil).FindPlace

// NewPlaces returns a Places.
func NewPlaces(options PlacesOptions) *Places {
	return &Places{options: options, client: newClient(options.Transport, options.Timeout)}
}

// Configured reports whether there is a key.
func (p *Places) Configured() bool { return p.options.APIKey != "" }

// FindPlace reads the place with the company's PlaceID, or the one that it moved
// to. Where there is no id, or it is not good any more (unknown, outdated), it
// searches by name and address and takes a result only when [sameCompany] holds.
// No such place is the fault Gone.
func (p *Places) FindPlace(ctx context.Context, c directory.Company) (directory.Profile, error) {
	if !p.Configured() {
		return directory.Profile{}, directory.NotSetUp(errors.New("no key for places"))
	}
	var found place
	err := error(directory.Gone(errors.New("no place id")))
	if c.PlaceID != "" {
		found, err = p.current(ctx, c.PlaceID)
	}
	if fault.Is(err, directory.CodeGone) {
		found, err = p.search(ctx, c)
	}
	if err != nil {
		return directory.Profile{}, err
	}
	profile := found.profile()
	profile.FetchedAt = p.options.Now()
	return profile, nil
}

// current reads a place by its id, or the place that this one moved to; one that
// moved to nowhere, or moved once more, is Gone.
func (p *Places) current(ctx context.Context, id string) (place, error) {
	found, err := p.details(ctx, id)
	if err == nil && found.MovedPlaceID != "" {
		found, err = p.details(ctx, found.MovedPlaceID)
	}
	if err == nil && found.moved() {
		err = directory.Gone(errors.New("place has moved"))
	}
	return found, err
}

// details reads a place by its id; an id that is not good any more is Gone.
func (p *Places) details(ctx context.Context, id string) (place, error) {
	query := url.Values{"languageCode": {"pl"}, "regionCode": {"PL"}}
	var found place
	err := p.call(ctx, request{
		method: http.MethodGet, addr: placesAddr + "/" + url.PathEscape(id) + "?" + query.Encode(),
	}, strings.Join(placeFields, ","), &found)
	switch {
	case errors.Is(err, errInvalidArgument): // not the form of an id
		return place{}, directory.Gone(err)
	case err != nil:
		return place{}, err
	case found.ID == "":
		return place{}, unnamed("place")
	}
	return found, nil
}

// search finds the company among the first results for its name and address.
func (p *Places) search(ctx context.Context, c directory.Company) (place, error) {
	text := strings.TrimSpace(c.Name + " " + c.Address)
	if text == "" {
		return place{}, directory.Gone(errors.New("nothing to search a place by"))
	}
	var results struct {
		Places []place `json:"places"`
	}
	err := p.call(ctx, request{
		method: http.MethodPost, addr: placesAddr + ":searchText",
		json: map[string]any{"textQuery": text, "languageCode": "pl", "regionCode": "PL", "pageSize": 5},
	}, "places."+strings.Join(placeFields, ",places."), &results)
	if err != nil {
		return place{}, err
	}
	found, ok := pick(c, results.Places)
	if !ok {
		return place{}, directory.Gone(errors.New("no result is the company"))
	}
	return found, nil
}

// call sends r with the key, and reads those fields of the answer that mask names.
func (p *Places) call(ctx context.Context, r request, mask string, out any) error {
	r.addr = rebase(r.addr, p.options.BaseURL)
	r.header = http.Header{}
	r.header.Set("X-Goog-Api-Key", p.options.APIKey)
	r.header.Set("X-Goog-FieldMask", mask)
	a, err := ask(ctx, p.client, r, func(a answer) error { return placesFault(a, p.options.Now()) })
	if err != nil {
		return err
	}
	return a.decode(out)
}

// placesFault is googleFault for a call without a user: what would be the user's
// to mend is the operator's.
func placesFault(a answer, now time.Time) error {
	err := googleFault(a, now)
	if fault.Is(err, directory.CodeReconnect) || fault.Is(err, directory.CodePermission) {
		return directory.NotSetUp(errors.Unwrap(err))
	}
	return err
}
