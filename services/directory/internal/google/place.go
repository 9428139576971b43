package google

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// placesURL is the address of the Places API (New)
// (https://developers.google.com/maps/documentation/places/web-service).
const placesURL = "https://places.googleapis.com/v1/places"

// placeFields are what an audit reads. The most expensive one sets the price of a request:
// editorialSummary makes it Enterprise + Atmosphere.
var placeFields = []string{
	"id", "displayName", "formattedAddress", "postalAddress", "nationalPhoneNumber", "internationalPhoneNumber",
	"websiteUri", "regularOpeningHours", "primaryTypeDisplayName", "photos",
	"editorialSummary", "rating", "userRatingCount", "businessStatus", "pureServiceAreaBusiness",
	"movedPlace", "movedPlaceId",
}

// PlaceQuery describes the company whose place is sought.
type PlaceQuery struct {
	PlaceID string // empty if it is not known
	Name    string
	Address string
	Phone   string
	Website string
}

// Places reads public places with the service's own key. It is safe for concurrent use.
type Places struct{ client *Client }

// NewPlaces returns a Places whose requests a person waits for.
func NewPlaces(options Options) *Places { return &Places{New(options)} }

// ForScans returns a copy whose requests wait for those of people, or nil if p is nil.
func (p *Places) ForScans() *Places {
	if p == nil {
		return nil
	}
	return &Places{p.client.ForScans()}
}

// FindPlace reads the place with that PlaceID, or to which it moved, or searches by name and address for
// one of which [sameCompany] holds. If there is none, the fault is provider_gone.
func (p *Places) FindPlace(ctx context.Context, c PlaceQuery) (Business, error) {
	found, err := p.find(ctx, c)
	p.client.options.Metrics.Call("places", "place", err)
	if err != nil {
		return Business{}, err
	}
	return found.business(), nil
}

func (p *Places) find(ctx context.Context, c PlaceQuery) (place, error) {
	if p.client.options.APIKey == "" {
		return place{}, provider.NotSetUp(errors.New("no key for places"))
	}
	if c.PlaceID == "" {
		return p.search(ctx, c)
	}
	found, err := p.current(ctx, c.PlaceID)
	if fault.Is(err, provider.CodeGone) {
		return p.search(ctx, c)
	}
	return found, err
}

func (p *Places) current(ctx context.Context, id string) (place, error) {
	found, err := p.details(ctx, id)
	if err != nil || !found.moved() {
		return found, err
	}
	if found.MovedPlaceID != "" {
		found, err = p.details(ctx, found.MovedPlaceID)
	}
	if err != nil || !found.moved() {
		return found, err
	}
	return found, provider.Gone(errors.New("place has moved"))
}

func (p *Places) details(ctx context.Context, id string) (place, error) {
	query := url.Values{"languageCode": {"pl"}, "regionCode": {"PL"}}
	var found place
	err := p.call(ctx, provider.Request{
		Method: http.MethodGet, URL: placesURL + "/" + url.PathEscape(id) + "?" + query.Encode(),
	}, strings.Join(placeFields, ","), &found)
	switch {
	case errors.Is(err, errInvalidArgument): // the id has no valid form
		return place{}, provider.Gone(err)
	case err != nil:
		return place{}, err
	case found.ID == "":
		return place{}, missingName("place")
	}
	return found, nil
}

func (p *Places) search(ctx context.Context, c PlaceQuery) (place, error) {
	text := strings.TrimSpace(c.Name + " " + c.Address)
	if text == "" {
		return place{}, provider.Gone(errors.New("nothing to search a place by"))
	}
	var results struct {
		Places []place `json:"places"`
	}
	err := p.call(ctx, provider.Request{
		Method: http.MethodPost, URL: placesURL + ":searchText",
		JSON: map[string]any{"textQuery": text, "languageCode": "pl", "regionCode": "PL", "pageSize": 5},
	}, "places."+strings.Join(placeFields, ",places."), &results)
	if err != nil {
		return place{}, err
	}
	found, ok := bestMatch(c, results.Places)
	if !ok {
		return place{}, provider.Gone(errors.New("no result is the company"))
	}
	return found, nil
}

// call sends r with the key. What a user would have to repair is the operator's task here.
func (p *Places) call(ctx context.Context, r provider.Request, mask string, out any) error {
	r.Header = http.Header{}
	r.Header.Set("X-Goog-Api-Key", p.client.options.APIKey)
	r.Header.Set("X-Goog-FieldMask", mask)
	err := p.client.call(ctx, r, out)
	if fault.Is(err, provider.CodeReconnect) || fault.Is(err, provider.CodePermission) {
		return provider.NotSetUp(errors.Unwrap(err))
	}
	return err
}

// place is a place of the Places API
// (https://developers.google.com/maps/documentation/places/web-service/data-fields).
type place struct {
	ID                  string        `json:"id"`
	DisplayName         localizedText `json:"displayName"`
	FormattedAddress    string        `json:"formattedAddress"`
	PostalAddress       postalAddress `json:"postalAddress"`
	NationalPhone       string        `json:"nationalPhoneNumber"`
	InternationalPhone  string        `json:"internationalPhoneNumber"`
	WebsiteURI          string        `json:"websiteUri"`
	RegularOpeningHours struct {
		Periods []placePeriod `json:"periods"`
	} `json:"regularOpeningHours"`
	PrimaryTypeName  localizedText `json:"primaryTypeDisplayName"`
	Photos           []struct{}    `json:"photos"` // at most 10
	EditorialSummary localizedText `json:"editorialSummary"`
	Rating           float64       `json:"rating"`
	UserRatingCount  int           `json:"userRatingCount"`
	// OPERATIONAL, CLOSED_TEMPORARILY, CLOSED_PERMANENTLY or FUTURE_OPENING
	BusinessStatus          string `json:"businessStatus"`
	PureServiceAreaBusiness bool   `json:"pureServiceAreaBusiness"`
	MovedPlace              string `json:"movedPlace"`
	MovedPlaceID            string `json:"movedPlaceId"`
}

type localizedText struct {
	Text string `json:"text"`
}

func (p *place) moved() bool { return p.MovedPlace != "" || p.MovedPlaceID != "" }

func (p *place) closed() bool { return p.BusinessStatus == "CLOSED_PERMANENTLY" }

func (p *place) business() Business {
	b := Business{
		PlaceID: p.ID, Name: p.DisplayName.Text, Address: p.FormattedAddress, Website: p.WebsiteURI,
		Phone:       cmp.Or(p.InternationalPhone, p.NationalPhone),
		Description: strings.TrimSpace(p.EditorialSummary.Text),
		PhotoCount:  len(p.Photos), NoHours: p.closed(),
	}
	if len(p.PostalAddress.AddressLines) > 0 {
		b.Address = p.PostalAddress.line()
	}
	// The other types are identifiers, such as "store" and "food", and not the categories that
	// the owner chose (https://developers.google.com/maps/documentation/places/web-service/place-types).
	if p.PrimaryTypeName.Text != "" {
		b.Categories = []string{p.PrimaryTypeName.Text}
	}
	if p.Rating > 0 { // without an average the number of ratings says nothing of the reviews
		b.ReviewCount, b.AverageRating = p.UserRatingCount, p.Rating
	}
	if !b.NoHours {
		b.Hours = weekLines(placeOpenings(p.RegularOpeningHours.Periods))
	}
	b.NoAddress = p.PureServiceAreaBusiness && b.Address == ""
	return b
}
