package store

import (
	"context"

	"backend.example/services/directory/internal/company"
)

// Companies returns the companies in the database.
func (s *Store) Companies() *company.Companies { return company.New(s.DB) }

// Company is company.ByID.
func (s *Store) Company(ctx context.Context, id int64) (company.Company, error) {
	return s.Companies().ByID(ctx, id)
}

// CompanyBySlug is company.BySlug.
func (s *Store) CompanyBySlug(ctx context.Context, slug string) (company.Company, error) {
	return s.Companies().BySlug(ctx, slug)
}

// SetPlaceID is company.SetPlaceID.
func (s *Store) SetPlaceID(ctx context.Context, id int64, placeID string) error {
	return s.Companies().SetPlaceID(ctx, id, placeID)
}
