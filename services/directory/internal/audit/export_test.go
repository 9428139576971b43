package audit

import (
	"context"
	"strings"
	"time"

	"backend.example/services/directory/internal/google"
)

var now = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// FullProfile is complete in every field.
func FullProfile() *Profile {
	p := fromLocation("locations/5", FullLocation(), now)
	p.fill(fromPlace(FullPlace(), now))
	return p
}

// FullLocation is complete in all fields that a location can report.
func FullLocation() google.Business {
	return google.Business{
		PlaceID: "place-1", Name: "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków", Phone: "+48 12 421 00 12",
		Website: "https://piekarnia-kowalski.example/", Description: strings.Repeat("ż", 250),
		Hours:      []string{"poniedziałek: 06:00–18:00", "wtorek: 06:00–18:00", "środa: 06:00–18:00", "czwartek: 06:00–18:00", "piątek: 06:00–18:00"},
		Categories: []string{"Piekarnia", "Cukiernia", "Kawiarnia"},
		Services:   []string{"Chleb", "Bułki", "Torty", "Ciasta", "Kawa"},
	}
}

// FullPlace is complete in all fields that a place can report.
func FullPlace() google.Business {
	b := FullLocation()
	b.PhotoCount, b.ReviewCount, b.AverageRating, b.Description, b.Services = 10, 128, 4.6, "", nil
	return b
}

// LocationProfile and PlaceProfile are the profiles of what Google published.
func LocationProfile(b google.Business) *Profile { return fromLocation("locations/5", b, now) }

func PlaceProfile(b google.Business) *Profile { return fromPlace(b, now) }

// StoredProfile is what an audit reads.
func (s *Service) StoredProfile(ctx context.Context, companyID int64) (Profile, error) {
	return s.profile(ctx, companyID)
}
