package google

import (
	"slices"
	"strings"
)

// place is a place of the Places API
// (https://developers.google.com/maps/documentation/places/web-service/data-fields).
// The API leaves empty values out.
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
	Types                   []string      `json:"types"`
	PrimaryType             string        `json:"primaryType"`
	PrimaryTypeName         localizedText `json:"primaryTypeDisplayName"`
	Photos                  []struct{}    `json:"photos"` // at most 10
	EditorialSummary        localizedText `json:"editorialSummary"`
	Rating                  float64       `json:"rating"`
	UserRatingCount         int           `json:"userRatingCount"`
	BusinessStatus          string        `json:"businessStatus"` // OPERATIONAL, CLOSED_TEMPORARILY, CLOSED_PERMANENTLY or FUTURE_OPENING
	PureServiceAreaBusiness bool          `json:"pureServiceAreaBusiness"`
	MovedPlace              string        `json:"movedPlace"`
	MovedPlaceID            string        `json:"movedPlaceId"`
}

type localizedText struct {
	Text string `json:"text"`
}

func (p *place) moved() bool { return p.MovedPlace != "" || p.MovedPlaceID != "" }

func (p *place) closed() bool { return p.BusinessStatus == "CLOSED_PERMANENTLY" }

// business maps the place to the common form of Google's profiles.
func (p *place) business() Business {
	b := Business{
		PlaceID: p.ID, Name: p.DisplayName.Text, Address: p.address(), Phone: p.phone(), Website: p.WebsiteURI,
		Categories: p.categories(), Description: strings.TrimSpace(p.EditorialSummary.Text),
		PhotoCount: len(p.Photos), ReviewCount: p.UserRatingCount, AverageRating: p.Rating, NoHours: p.closed(),
	}
	if !b.NoHours {
		b.Hours = weekLines(placeOpenings(p.RegularOpeningHours.Periods))
	}
	b.NoAddress = p.PureServiceAreaBusiness && b.Address == ""
	return b
}

func (p *place) address() string {
	if len(p.PostalAddress.AddressLines) > 0 {
		return p.PostalAddress.line()
	}
	return p.FormattedAddress
}

func (p *place) phone() string {
	if p.InternationalPhone != "" {
		return p.InternationalPhone
	}
	return p.NationalPhone
}

// genericTypes fit every business.
var genericTypes = []string{"point_of_interest", "establishment"}

// categories lists the primary type by its name, then the other types by their
// identifiers ("car_repair"), because they have no names.
func (p *place) categories() []string {
	var names []string
	if p.PrimaryTypeName.Text != "" {
		names = append(names, p.PrimaryTypeName.Text)
	}
	for _, t := range p.Types {
		if p.PrimaryTypeName.Text != "" && t == p.PrimaryType || slices.Contains(genericTypes, t) {
			continue
		}
		names = append(names, strings.ReplaceAll(t, "_", " "))
	}
	return names
}
