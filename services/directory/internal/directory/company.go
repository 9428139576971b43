package directory

import (
	"regexp"
	"slices"
	"time"
)

// CompanyStatusActive is the status of a company that the audit routes can see.
const CompanyStatusActive = "active"

// Company is a business of the directory. The fields from Address on are what
// the company itself told the directory; the audit reads them when no external
// profile does better.
type Company struct {
	ID            int64
	Name          string
	Slug          string // URL-safe, unique
	Status        string // CompanyStatusActive, or anything else
	Address       string
	Phone         string
	Website       string
	Hours         string
	Description   string
	Categories    []string
	Services      []string
	LogoURL       string
	CoverPhotoURL string
	PlaceID       string // external place identifier, when it is known
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Active reports whether the audit routes can see the company.
func (c *Company) Active() bool { return c.Status == CompanyStatusActive }

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// reservedSlugs are words that stand where a slug may stand in an address.
var reservedSlugs = []string{"health", "history"}

// CheckSlug answers a slug that cannot stand in an address with the fault
// invalid_slug.
func CheckSlug(slug string) error {
	if !slugForm.MatchString(slug) || len(slug) > 100 || slices.Contains(reservedSlugs, slug) {
		return CodeInvalidSlug.Fault()
	}
	return nil
}
