package provider

import (
	"slices"
	"strings"

	"backend.example/services/directory/internal/directory"
)

// placeTells are the fields that a place can tell. Its services are not listed
// anywhere; a description is told only where there is one, see [place.profile].
var placeTells = []directory.Field{
	directory.FieldName, directory.FieldAddress, directory.FieldPhone, directory.FieldWebsite, directory.FieldHours,
	directory.FieldCategories, directory.FieldPhotos, directory.FieldReviews,
}

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

// profile is the place as an audit reads it. A description is told only when the
// place has an editorial summary: the provider writes those itself, for few
// places, so that none says nothing of what the owner wrote. Address and hours
// are not told where they do not apply, as with a location.
func (p *place) profile() directory.Profile {
	profile := directory.Profile{
		Source: directory.FromPlaces, PlaceID: p.ID, Name: p.DisplayName.Text, Address: p.address(), Phone: p.phone(),
		Website: p.WebsiteURI, Categories: p.categories(), Description: strings.TrimSpace(p.EditorialSummary.Text),
		PhotoCount: len(p.Photos), ReviewCount: p.UserRatingCount, AverageRating: p.Rating,
	}
	if !p.closed() {
		profile.Hours = weekLines(placeOpenings(p.RegularOpeningHours.Periods))
	}
	noAddress := p.PureServiceAreaBusiness && profile.Address == ""
	profile.Tells = telling(placeTells, !noAddress, !p.closed())
	if profile.Description != "" {
		profile.Tells = append(profile.Tells, directory.FieldDescription)
	}
	return profile
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

// broadTypes fit every business and say nothing of one.
var broadTypes = []string{"point_of_interest", "establishment"}

// categories begins with the main type by its name; the others have none, only
// identifiers ("car_repair").
func (p *place) categories() []string {
	var names []string
	if p.PrimaryTypeName.Text != "" {
		names = append(names, p.PrimaryTypeName.Text)
	}
	for _, t := range p.Types {
		if p.PrimaryTypeName.Text != "" && t == p.PrimaryType || slices.Contains(broadTypes, t) {
			continue
		}
		names = append(names, strings.ReplaceAll(t, "_", " "))
	}
	return names
}
