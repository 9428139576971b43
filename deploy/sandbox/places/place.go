package places

import (
	"fmt"
	"strings"

	"backend.example/deploy/sandbox/internal/fixtures"
)

// maxPhotos is the most that the API shows of a place's photos
// (https://developers.google.com/maps/documentation/places/web-service/data-fields).
const maxPhotos = 10

// place is a place as the API shows it. A value that is not there is left out. The
// fields without a type of their own are known to the API, and to no place here
// (https://developers.google.com/maps/documentation/places/web-service/reference/rest/v1/places).
type place struct {
	Name                   string         `json:"name"` // "places/ChIJ…"
	ID                     string         `json:"id"`
	Photos                 []photo        `json:"photos,omitempty"`
	Types                  []string       `json:"types"`
	FormattedAddress       string         `json:"formattedAddress,omitempty"`
	PostalAddress          *postalAddress `json:"postalAddress,omitempty"`
	DisplayName            text           `json:"displayName"`
	PrimaryType            string         `json:"primaryType"`
	PrimaryTypeDisplayName text           `json:"primaryTypeDisplayName"`
	BusinessStatus         string         `json:"businessStatus"`
	PureServiceArea        bool           `json:"pureServiceAreaBusiness,omitempty"`
	NationalPhone          string         `json:"nationalPhoneNumber,omitempty"`
	InternationalPhone     string         `json:"internationalPhoneNumber,omitempty"`
	WebsiteURI             string         `json:"websiteUri,omitempty"`
	RegularHours           *openingHours  `json:"regularOpeningHours,omitempty"`
	Rating                 float64        `json:"rating,omitempty"`
	UserRatingCount        int            `json:"userRatingCount,omitempty"`
	EditorialSummary       *text          `json:"editorialSummary,omitempty"`
	Location               any            `json:"location,omitempty"`
	GoogleMapsURI          any            `json:"googleMapsUri,omitempty"`
	Reviews                any            `json:"reviews,omitempty"`
	CurrentOpeningHours    any            `json:"currentOpeningHours,omitempty"`
	MovedPlace             any            `json:"movedPlace,omitempty"`
	MovedPlaceID           any            `json:"movedPlaceId,omitempty"`
}

type text struct {
	Text         string `json:"text"`
	LanguageCode string `json:"languageCode"`
}

func polishText(s string) text { return text{s, "pl"} }

type postalAddress struct {
	RegionCode         string   `json:"regionCode"`
	LanguageCode       string   `json:"languageCode"`
	PostalCode         string   `json:"postalCode"`
	AdministrativeArea string   `json:"administrativeArea"`
	Locality           string   `json:"locality"`
	AddressLines       []string `json:"addressLines"`
}

type photo struct {
	Name     string `json:"name"` // "places/ChIJ…/photos/…"
	WidthPx  int    `json:"widthPx"`
	HeightPx int    `json:"heightPx"`
}

// newPlace is the place of a business under an id.
func newPlace(b fixtures.Business, id string) place {
	p := place{
		Name: "places/" + id, ID: id, DisplayName: polishText(b.Name), BusinessStatus: "OPERATIONAL", PureServiceArea: b.ComesToYou,
		PrimaryType: b.Categories[0].PlaceType, PrimaryTypeDisplayName: polishText(b.Categories[0].Name),
		InternationalPhone: b.Phone, NationalPhone: strings.TrimPrefix(b.Phone, "+48 "), WebsiteURI: b.Website,
		RegularHours: newHours(b.Hours), Rating: b.Rating, UserRatingCount: b.ReviewCount,
	}
	for _, c := range b.Categories {
		p.Types = append(p.Types, c.PlaceType)
	}
	p.Types = append(p.Types, "point_of_interest", "establishment") // these fit every business
	for i := range min(b.Photos, maxPhotos) {
		p.Photos = append(p.Photos, photo{Name: fmt.Sprintf("places/%s/photos/demo%d", id, i), WidthPx: 4032, HeightPx: 3024})
	}
	if b.Status != fixtures.Open {
		p.BusinessStatus = string(b.Status)
	}
	if b.Summary != "" {
		summary := polishText(b.Summary)
		p.EditorialSummary = &summary
	}
	if !b.ComesToYou {
		line := strings.TrimPrefix(b.Street, "ul. ") // as maps write streets
		p.FormattedAddress = line + ", " + b.PostalCode + " " + b.City + ", Polska"
		p.PostalAddress = &postalAddress{"PL", "pl", b.PostalCode, b.Voivodeship, b.City, []string{line}}
	}
	return p
}
