package directory

import (
	"slices"
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
	Source        ProfileSource `json:"source"`
	Tells         []Field       `json:"tells"`              // fields the source can tell at all; the others are unknown, not missing
	Location      string        `json:"location,omitempty"` // resource name, of a kept business profile alone
	PlaceID       string        `json:"place_id"`
	Name          string        `json:"name"`
	Address       string        `json:"address"`
	Phone         string        `json:"phone"`
	Website       string        `json:"website"`
	Hours         []string      `json:"hours"` // one readable line for each day with hours
	Categories    []string      `json:"categories"`
	Description   string        `json:"description"`
	Services      []string      `json:"services"`
	PhotoCount    int           `json:"photo_count"` // Places shows at most 10
	ReviewCount   int           `json:"review_count"`
	AverageRating float64       `json:"average_rating"` // 1.0 to 5.0; zero without reviews
	LogoPresent   bool          `json:"logo_present"`
	CoverPresent  bool          `json:"cover_photo_present"`
	FetchedAt     time.Time     `json:"fetched_at"`
}

// Knows reports whether the source can tell f.
func (p *Profile) Knows(f Field) bool { return slices.Contains(p.Tells, f) }
