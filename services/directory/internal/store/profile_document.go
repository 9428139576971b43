package store

import (
	"time"

	"backend.example/services/directory/internal/directory"
)

// profileDocument is a directory.Profile as the column data holds it. Its fields
// are those of the domain's type, so that one converts into the other.
type profileDocument struct {
	Source        directory.ProfileSource `json:"source"`
	Tells         []directory.Field       `json:"tells"`
	Location      string                  `json:"location,omitempty"`
	PlaceID       string                  `json:"place_id"`
	Name          string                  `json:"name"`
	Address       string                  `json:"address"`
	Phone         string                  `json:"phone"`
	Website       string                  `json:"website"`
	Hours         []string                `json:"hours"`
	Categories    []string                `json:"categories"`
	Description   string                  `json:"description"`
	Services      []string                `json:"services"`
	PhotoCount    int                     `json:"photo_count"`
	ReviewCount   int                     `json:"review_count"`
	AverageRating float64                 `json:"average_rating"`
	LogoPresent   bool                    `json:"logo_present"`
	CoverPresent  bool                    `json:"cover_photo_present"`
	FetchedAt     time.Time               `json:"fetched_at"`
	Signals       []directory.Signal      `json:"signals"`
	SpecialDays   []time.Time             `json:"special_days"`
}
