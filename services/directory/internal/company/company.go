// Package company owns the businesses of the directory: what a company says about
// itself, and how companies are found. Who may edit which company is account's to
// decide.
package company

import (
	"regexp"
	"slices"
	"time"

	"backend.example/services/internal/kit/fault"
)

// The codes of this package. CodeNotFound is also that of a company that is not shown.
var (
	CodeNotFound    = fault.NewCode(fault.NotFound, "company_not_found", "Nie znaleziono firmy.", "there is no such company; directory company list has them")
	CodeSlugTaken   = fault.NewCode(fault.Invalid, "slug_taken", "Ten identyfikator firmy jest już zajęty.", "taken already")
	CodeInvalidSlug = fault.NewCode(fault.Invalid, "invalid_slug", "Nieprawidłowy identyfikator firmy w adresie.", "a-z, 0-9 and single hyphens, at most 100, and neither health nor history")
)

// The statuses. Any other status than StatusActive hides a company from the audit routes.
const (
	StatusActive   = "active"
	StatusArchived = "archived" // keeps its data
)

// Company is a business of the directory. The fields from Address on are what the
// company says about itself; the audit reads them if no external profile has more.
type Company struct {
	ID            int64
	Name          string
	Slug          string // unique, see CheckSlug
	Status        string // StatusActive, or anything else
	Address       string
	Phone         string
	Website       string
	Hours         string
	Description   string
	Categories    []string `gorm:"serializer:json"` // never nil in the database
	Services      []string `gorm:"serializer:json"` // the same
	LogoURL       string
	CoverPhotoURL string
	PlaceID       string // external place identifier, if known
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Active reports whether the audit routes can see the company.
func (c *Company) Active() bool { return c.Status == StatusActive }

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// reservedSlugs are words that appear in addresses where a slug may.
var reservedSlugs = []string{"health", "history"}

// CheckSlug returns CodeInvalidSlug for a slug that cannot be part of an address.
func CheckSlug(slug string) error {
	if !slugForm.MatchString(slug) || len(slug) > 100 || slices.Contains(reservedSlugs, slug) {
		return CodeInvalidSlug.Fault()
	}
	return nil
}
