package directory

import (
	"slices"
	"strings"
	"time"
)

// ProfileSource is where profile data come from; it is an audit's audit_source.
type ProfileSource string

// The sources, best first.
const (
	FromBusinessProfile ProfileSource = "business_profile"
	FromPlaces          ProfileSource = "places"
	FromCompanyRecord   ProfileSource = "company_record"
)

// Field is a checked field of an audit.
type Field string

// The checked fields in the order in which people see them.
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

// Profile is what one source knows of a company's business profile.
type Profile struct {
	Source        ProfileSource
	Tells         []Field // fields the source can tell at all; the others are unknown, not missing
	Location      string  // resource name, of a kept business profile alone
	PlaceID       string
	Name          string
	Address       string
	Phone         string
	Website       string
	Hours         []string // one readable line for each day with hours
	Categories    []string
	Description   string
	Services      []string
	PhotoCount    int // Places shows at most 10
	ReviewCount   int
	AverageRating float64 // 1.0 to 5.0; zero without reviews
	LogoPresent   bool
	CoverPresent  bool
	FetchedAt     time.Time
	Signals       []Signal    // nil: the source does not tell
	SpecialDays   []time.Time // that have hours of their own, each as its midnight in UTC
}

// Knows reports whether the source can tell f.
func (p *Profile) Knows(f Field) bool { return slices.Contains(p.Tells, f) }

// recordTells are the fields that a company's record has a place for.
var recordTells = []Field{
	FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldCategories, FieldDescription, FieldServices,
}

// recordProfile is the company's record as an audit reads it.
func recordProfile(c *Company, now time.Time) *Profile {
	return &Profile{
		Source: FromCompanyRecord, Tells: recordTells, PlaceID: c.PlaceID, Name: c.Name, Address: c.Address, Phone: c.Phone,
		Website: c.Website, Hours: strings.FieldsFunc(c.Hours, func(r rune) bool { return r == '\n' || r == ';' }),
		Categories: c.Categories, Description: c.Description, Services: c.Services,
		LogoPresent: c.LogoURL != "", CoverPresent: c.CoverPhotoURL != "", FetchedAt: now,
	}
}

// normal is a copy of p without blanks around values, blank or repeated list
// entries, and nil lists.
func (p Profile) normal() *Profile {
	for _, s := range []*string{&p.Name, &p.Address, &p.Phone, &p.Website, &p.Description} {
		*s = strings.TrimSpace(*s)
	}
	for _, list := range []*[]string{&p.Hours, &p.Categories, &p.Services} {
		*list = distinct(*list)
	}
	p.Tells = slices.Clone(p.Tells)
	return &p
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

// complete takes from q the fields that p does not tell.
func (p *Profile) complete(q *Profile) {
	take := map[Field]func(){
		FieldName:        func() { p.Name = q.Name },
		FieldAddress:     func() { p.Address = q.Address },
		FieldPhone:       func() { p.Phone = q.Phone },
		FieldWebsite:     func() { p.Website = q.Website },
		FieldHours:       func() { p.Hours = q.Hours },
		FieldCategories:  func() { p.Categories = q.Categories },
		FieldPhotos:      func() { p.PhotoCount = q.PhotoCount },
		FieldDescription: func() { p.Description = q.Description },
		FieldServices:    func() { p.Services = q.Services },
		FieldReviews:     func() { p.ReviewCount, p.AverageRating = q.ReviewCount, q.AverageRating },
	}
	p.Tells = slices.Clone(p.Tells) // adapters share theirs
	for _, field := range q.Tells {
		if !p.Knows(field) {
			take[field]()
			p.Tells = append(p.Tells, field)
		}
	}
	if p.PlaceID == "" {
		p.PlaceID = q.PlaceID
	}
	p.LogoPresent, p.CoverPresent = p.LogoPresent || q.LogoPresent, p.CoverPresent || q.CoverPresent
}
