package places

import (
	"fmt"
	"strings"
	"time"

	"backend.example/deploy/sandbox/internal/demo"
	"backend.example/deploy/sandbox/internal/seeded"
)

// The most that the API shows of a place's photos and reviews
// (https://developers.google.com/maps/documentation/places/web-service/data-fields).
const (
	maxPhotos  = 10
	maxReviews = 5
)

// place is a place as the API shows it; the tag "sku" is the class of its price,
// see sku.go. A value that is not there is left out. The fields without a type of
// their own are known to the API, and to no place here
// (https://developers.google.com/maps/documentation/places/web-service/reference/rest/v1/places).
type place struct {
	Name   string  `json:"name" sku:"ids"` // "places/ChIJ…"
	ID     string  `json:"id" sku:"ids"`
	Photos []photo `json:"photos,omitempty" sku:"ids"`

	Types                 []string       `json:"types" sku:"essentials"`
	FormattedAddress      string         `json:"formattedAddress,omitempty" sku:"essentials"`
	ShortFormattedAddress string         `json:"shortFormattedAddress,omitempty" sku:"essentials"`
	PostalAddress         *postalAddress `json:"postalAddress,omitempty" sku:"essentials"`
	Location              *latlng        `json:"location,omitempty" sku:"essentials"`

	DisplayName            text   `json:"displayName" sku:"pro"`
	PrimaryType            string `json:"primaryType" sku:"pro"`
	PrimaryTypeDisplayName text   `json:"primaryTypeDisplayName" sku:"pro"`
	BusinessStatus         string `json:"businessStatus" sku:"pro"`
	GoogleMapsURI          string `json:"googleMapsUri" sku:"pro"`
	PureServiceArea        bool   `json:"pureServiceAreaBusiness,omitempty" sku:"pro"`

	NationalPhone      string        `json:"nationalPhoneNumber,omitempty" sku:"enterprise"`
	InternationalPhone string        `json:"internationalPhoneNumber,omitempty" sku:"enterprise"`
	WebsiteURI         string        `json:"websiteUri,omitempty" sku:"enterprise"`
	RegularHours       *openingHours `json:"regularOpeningHours,omitempty" sku:"enterprise"`
	Rating             float64       `json:"rating,omitempty" sku:"enterprise"`
	UserRatingCount    int           `json:"userRatingCount,omitempty" sku:"enterprise"`

	EditorialSummary *text    `json:"editorialSummary,omitempty" sku:"atmosphere"`
	Reviews          []review `json:"reviews,omitempty" sku:"atmosphere"`

	Attributions        any `json:"attributions,omitempty" sku:"ids"`
	MovedPlace          any `json:"movedPlace,omitempty" sku:"ids"`
	MovedPlaceID        any `json:"movedPlaceId,omitempty" sku:"ids"`
	AddressComponents   any `json:"addressComponents,omitempty" sku:"essentials"`
	PlusCode            any `json:"plusCode,omitempty" sku:"essentials"`
	Viewport            any `json:"viewport,omitempty" sku:"essentials"`
	UTCOffsetMinutes    any `json:"utcOffsetMinutes,omitempty" sku:"pro"`
	IconMaskBaseURI     any `json:"iconMaskBaseUri,omitempty" sku:"pro"`
	CurrentOpeningHours any `json:"currentOpeningHours,omitempty" sku:"enterprise"`
	PriceLevel          any `json:"priceLevel,omitempty" sku:"enterprise"`
	GenerativeSummary   any `json:"generativeSummary,omitempty" sku:"atmosphere"`
	Delivery            any `json:"delivery,omitempty" sku:"atmosphere"`
	Takeout             any `json:"takeout,omitempty" sku:"atmosphere"`
	DineIn              any `json:"dineIn,omitempty" sku:"atmosphere"`
	Reservable          any `json:"reservable,omitempty" sku:"atmosphere"`
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

type latlng struct {
	Latitude  float64 `json:"latitude"`
	Longitude float64 `json:"longitude"`
}

type photo struct {
	Name         string        `json:"name"` // "places/ChIJ…/photos/…"
	WidthPx      int           `json:"widthPx"`
	HeightPx     int           `json:"heightPx"`
	Attributions []attribution `json:"authorAttributions"`
}

type attribution struct {
	DisplayName string `json:"displayName"`
}

// newPlace is the place of a business under an id, at a time.
func newPlace(b demo.Business, id string, now time.Time) place {
	p := place{
		Name: "places/" + id, ID: id, Photos: newPhotos(b, id), Types: newTypes(b),
		DisplayName: polishText(b.Name), PrimaryType: b.Categories[0].PlaceType, PrimaryTypeDisplayName: polishText(b.Categories[0].Name),
		BusinessStatus: "OPERATIONAL", GoogleMapsURI: "https://maps.google.com/?cid=" + fmt.Sprint(seeded.Rand("cid", b.Slug).Uint64()), PureServiceArea: b.ComesToYou,
		InternationalPhone: b.Phone, NationalPhone: strings.TrimPrefix(b.Phone, "+48 "), WebsiteURI: b.Website,
		RegularHours: newHours(b.Hours), Rating: b.Rating, UserRatingCount: b.ReviewCount,
		EditorialSummary: summary(b), Reviews: newReviews(b, id, now),
	}
	if b.Status != demo.Open {
		p.BusinessStatus = string(b.Status)
	}
	if !b.ComesToYou {
		line := strings.TrimPrefix(b.Street, "ul. ") // as maps write streets
		p.ShortFormattedAddress = line + ", " + b.City
		p.FormattedAddress = line + ", " + b.PostalCode + " " + b.City + ", Polska"
		p.PostalAddress = &postalAddress{"PL", "pl", b.PostalCode, b.Voivodeship, b.City, []string{line}}
		p.Location = &latlng{b.Latitude, b.Longitude}
	}
	return p
}

// newTypes ends with the two types that fit every business.
func newTypes(b demo.Business) []string {
	var types []string
	for _, c := range b.Categories {
		types = append(types, c.PlaceType)
	}
	return append(types, "point_of_interest", "establishment")
}

// newPhotos lists photos that cannot be fetched: nothing here serves pictures.
func newPhotos(b demo.Business, id string) []photo {
	var photos []photo
	for i := range min(b.Photos, maxPhotos) {
		random := seeded.Rand("photo", b.Slug, fmt.Sprint(i))
		photos = append(photos, photo{
			Name: fmt.Sprintf("places/%s/photos/demo%016x", id, random.Uint64()), WidthPx: 4032, HeightPx: 3024,
			Attributions: []attribution{{b.Name}},
		})
	}
	return photos
}

// summary is what the provider itself wrote of a place; it does so for few.
func summary(b demo.Business) *text {
	if b.Slug != "piekarnia-kowalski" {
		return nil
	}
	s := polishText("Swojska piekarnia z chlebem na zakwasie, drożdżówkami i ciastami oraz małą kawiarnią z ogródkiem.")
	return &s
}
