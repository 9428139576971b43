// Package company owns the businesses of the directory: what a company says about itself, and how
// companies are found. Package account decides who may edit which.
package company

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/internal/kit/fault"
)

// The codes of this package. CodeNotFound is also that of a company that is not shown.
var (
	CodeNotFound = fault.NewCode(fault.NotFound, "company_not_found", "Nie znaleziono firmy.",
		"there is no such company; directory company list has them")
	CodeNoName    = fault.NewCode(fault.Invalid, "no_name", "Podaj nazwę firmy.", "a company needs a name")
	CodeSlugTaken = fault.NewCode(fault.Invalid, "slug_taken", "Ten identyfikator firmy jest już zajęty.",
		"taken already")
	CodeInvalidSlug = fault.NewCode(fault.Invalid, "invalid_slug", "Nieprawidłowy identyfikator firmy w adresie.",
		"a-z, 0-9 and single hyphens, at most 100, and neither health nor history")
)

// The statuses. Any other status than StatusActive hides a company from the audit routes.
const (
	StatusActive   = "active"
	StatusArchived = "archived" // keeps its data
)

// Company is a business of the directory. From Address on it is what the company says about itself.
type Company struct {
	ID            int64     `json:"id"`
	Name          string    `json:"name"`
	Slug          string    `json:"slug"`   // unique, see CheckSlug
	Status        string    `json:"status"` // StatusActive, or anything else
	Address       string    `json:"address"`
	Phone         string    `json:"phone"`
	Website       string    `json:"website"`
	Hours         string    `json:"hours"`
	Description   string    `json:"description"`
	Categories    []string  `json:"categories" gorm:"serializer:json"` // never nil in the database
	Services      []string  `json:"services" gorm:"serializer:json"`   // the same
	LogoURL       string    `json:"logo_url"`
	CoverPhotoURL string    `json:"cover_photo_url"`
	PlaceID       string    `json:"place_id"` // external place identifier, if known
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// Active reports whether the audit routes can see the company.
func (c Company) Active() bool { return c.Status == StatusActive }

var slugForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

var reservedSlugs = []string{"health", "history"}

// CheckSlug returns CodeInvalidSlug for a slug that cannot be part of an address.
func CheckSlug(slug string) error {
	if !slugForm.MatchString(slug) || len(slug) > 100 || slices.Contains(reservedSlugs, slug) {
		return CodeInvalidSlug.Fault()
	}
	return nil
}

// Change is what an edit sets. A nil field stays as it is.
type Change struct {
	Name          *string   `body:"name"`
	Status        *string   `body:"status"`
	Address       *string   `body:"address"`
	Phone         *string   `body:"phone"`
	Website       *string   `body:"website"`
	Hours         *string   `body:"hours"`
	Description   *string   `body:"description"`
	LogoURL       *string   `body:"logo_url"`
	CoverPhotoURL *string   `body:"cover_photo_url"`
	PlaceID       *string   `body:"place_id"`
	Categories    *[]string `body:"categories"`
	Services      *[]string `body:"services"`
}

// Limits of what a company says about itself, in characters and in entries.
const (
	maxName    = 200
	maxText    = 5000
	maxEntries = 50
)

// apply copies the change into c, and returns the columns that it sets. The faults are
// httpapi.CodeInvalidField and CodeNoName.
func (change Change) apply(c *Company) (columns []string, err error) {
	texts := []struct {
		column string
		value  *string
		into   *string
		max    int
	}{
		{"name", change.Name, &c.Name, maxName},
		{"status", change.Status, &c.Status, maxName},
		{"address", change.Address, &c.Address, maxText},
		{"phone", change.Phone, &c.Phone, maxText},
		{"website", change.Website, &c.Website, maxText},
		{"hours", change.Hours, &c.Hours, maxText},
		{"description", change.Description, &c.Description, maxText},
		{"logo_url", change.LogoURL, &c.LogoURL, maxText},
		{"cover_photo_url", change.CoverPhotoURL, &c.CoverPhotoURL, maxText},
		{"place_id", change.PlaceID, &c.PlaceID, maxText},
	}
	for _, text := range texts {
		if text.value == nil {
			continue
		}
		*text.into = strings.TrimSpace(*text.value)
		if utf8.RuneCountInString(*text.into) > text.max {
			return nil, httpapi.CodeInvalidField.Of(text.column)
		}
		columns = append(columns, text.column)
	}
	lists := []struct {
		column string
		value  *[]string
		into   *[]string
	}{{"categories", change.Categories, &c.Categories}, {"services", change.Services, &c.Services}}
	for _, list := range lists {
		if list.value == nil {
			continue
		}
		*list.into = *list.value
		tooLong := func(entry string) bool { return utf8.RuneCountInString(entry) > maxName }
		if len(*list.value) > maxEntries || slices.ContainsFunc(*list.value, tooLong) {
			return nil, httpapi.CodeInvalidField.Of(list.column)
		}
		columns = append(columns, list.column)
	}
	switch {
	case change.Name != nil && c.Name == "":
		return nil, CodeNoName.Fault()
	case change.Status != nil && c.Status != StatusActive && c.Status != StatusArchived:
		return nil, httpapi.CodeInvalidField.Of("status")
	}
	return columns, nil
}
