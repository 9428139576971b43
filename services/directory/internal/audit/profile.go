package audit

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
)

// Source is where the data of a profile come from.
type Source string

// The sources, best first.
const (
	FromLocation Source = "business_profile"
	FromPlace    Source = "places"
	FromRecord   Source = "company_record"
)

// Field is a checked field of an audit.
type Field string

// The checked fields in the order in which pages show them.
const (
	FieldName        Field = "name"
	FieldAddress     Field = "address"
	FieldPhone       Field = "phone"
	FieldWebsite     Field = "website"
	FieldHours       Field = "hours"
	FieldCategories  Field = "categories"
	FieldPhotos      Field = "photos"
	FieldDescription Field = "description"
	FieldServices    Field = "services"
	FieldReviews     Field = "reviews"
)

// Profile is the data that an audit scores. Its JSON is that of the API.
type Profile struct {
	Source  Source  `json:"source"`
	Reports []Field `json:"tells"` // fields that the source can report; the others are unknown, not missing
	google.Business
	LogoPresent  bool      `json:"logo_present"` // no external source has these two
	CoverPresent bool      `json:"cover_photo_present"`
	FetchedAt    time.Time `json:"fetched_at"`
	Location     string    `json:"-"`

	keyless bool // places cannot be read at all
}

var common = []Field{FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldCategories}

func fromLocation(name string, b google.Business, now time.Time) *Profile {
	p := newProfile(FromLocation, b, now, FieldDescription, FieldServices)
	p.Location = name
	return p
}

// fromPlace reports a description only if there is one: Google writes summaries itself, for few places.
func fromPlace(b google.Business, now time.Time) *Profile {
	more := []Field{FieldPhotos, FieldReviews}
	if b.Description != "" {
		more = append(more, FieldDescription)
	}
	return newProfile(FromPlace, b, now, more...)
}

func fromRecord(c company.Company, now time.Time) *Profile {
	return newProfile(FromRecord, google.Business{
		PlaceID: c.PlaceID, Name: c.Name, Address: c.Address, Phone: c.Phone, Website: c.Website,
		Categories:  c.Categories,
		Hours:       strings.FieldsFunc(c.Hours, func(r rune) bool { return r == '\n' || r == ';' }),
		Description: c.Description, Services: c.Services,
	}, now, FieldDescription, FieldServices)
}

func newProfile(source Source, b google.Business, now time.Time, more ...Field) *Profile {
	tidy(&b)
	reports := slices.DeleteFunc(append(slices.Clone(common), more...), func(f Field) bool {
		switch f {
		case FieldAddress:
			return b.NoAddress
		case FieldHours:
			return b.NoHours
		case FieldCategories:
			return source == FromPlace && len(b.Categories) == 0
		}
		return false
	})
	return &Profile{Source: source, Reports: reports, Business: b, FetchedAt: now}
}

// tidy removes blanks around values, blank and repeated list entries, and nil lists.
func tidy(b *google.Business) {
	for _, s := range []*string{&b.Name, &b.Address, &b.Phone, &b.Website, &b.Description} {
		*s = strings.TrimSpace(*s)
	}
	for _, list := range []*[]string{&b.Hours, &b.Categories, &b.Services} {
		*list = distinct(*list)
	}
}

func distinct(list []string) []string {
	kept := []string{}
	for _, s := range list {
		s = strings.TrimSpace(s)
		if s != "" && !slices.ContainsFunc(kept, func(k string) bool { return strings.EqualFold(k, s) }) {
			kept = append(kept, s)
		}
	}
	return kept
}

// fill adds from a place what a location cannot report: photos and reviews, and an address
// or hours that do not apply to it.
func (p *Profile) fill(place *Profile) {
	for _, field := range place.Reports {
		if slices.Contains(p.Reports, field) {
			continue
		}
		p.Reports = append(p.Reports, field)
		switch field {
		case FieldAddress:
			p.Address = place.Address
		case FieldHours:
			p.Hours = place.Hours
		case FieldPhotos:
			p.PhotoCount = place.PhotoCount
		case FieldReviews:
			p.ReviewCount, p.AverageRating = place.ReviewCount, place.AverageRating
		}
	}
	p.PlaceID = cmp.Or(p.PlaceID, place.PlaceID)
}
