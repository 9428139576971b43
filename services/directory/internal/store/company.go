package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/directory"
)

type companyRow struct {
	ID            int64
	Name          string
	Slug          string
	Status        string
	Address       string
	Phone         string
	Website       string
	Hours         string
	Description   string
	Categories    []string `gorm:"serializer:json"`
	Services      []string `gorm:"serializer:json"`
	LogoURL       string
	CoverPhotoURL string
	PlaceID       string
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// TableName implements gorm's schema.Tabler.
func (companyRow) TableName() string { return "companies" }

// CreateCompany adds c and sets its ID and times. A slug that another company has
// is the fault slug_taken.
func (s *Store) CreateCompany(ctx context.Context, c *directory.Company) error {
	now := s.At(time.Time{})
	row := companyRow{
		Name: c.Name, Slug: c.Slug, Status: c.Status, Address: c.Address, Phone: c.Phone, Website: c.Website, Hours: c.Hours,
		Description: c.Description, Categories: list(c.Categories), Services: list(c.Services), LogoURL: c.LogoURL,
		CoverPhotoURL: c.CoverPhotoURL, PlaceID: c.PlaceID, CreatedAt: now, UpdatedAt: now,
	}
	if err := s.Write(ctx).Create(&row).Error; err != nil {
		return failureUnique("create company", err, directory.CodeSlugTaken)
	}
	c.ID, c.CreatedAt, c.UpdatedAt = row.ID, now, now
	return nil
}

// list is never JSON's null.
func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// Companies lists all companies in the order in which they were added.
func (s *Store) Companies(ctx context.Context) ([]directory.Company, error) {
	var rows []companyRow
	if err := s.Read(ctx).Order("id").Find(&rows).Error; err != nil {
		return nil, failure("list companies", err, nil)
	}
	companies := make([]directory.Company, 0, len(rows))
	for _, row := range rows {
		companies = append(companies, row.company())
	}
	return companies, nil
}

// Company returns the company with that id, or the fault company_not_found.
func (s *Store) Company(ctx context.Context, id int64) (directory.Company, error) {
	return s.company(s.Read(ctx).Where("id = ?", id))
}

// CompanyBySlug returns the company with that slug, or the fault company_not_found.
func (s *Store) CompanyBySlug(ctx context.Context, slug string) (directory.Company, error) {
	return s.company(s.Read(ctx).Where("slug = ?", slug))
}

func (s *Store) company(query *gorm.DB) (directory.Company, error) {
	var row companyRow
	if err := query.Take(&row).Error; err != nil {
		return directory.Company{}, failure("read company", err, directory.CodeCompanyNotFound.Fault())
	}
	return row.company(), nil
}

// SetPlaceID keeps the external place identifier of a company. The fault is
// company_not_found.
func (s *Store) SetPlaceID(ctx context.Context, companyID int64, placeID string) error {
	result := s.Write(ctx).Model(&companyRow{}).Where("id = ?", companyID).
		Updates(map[string]any{"place_id": placeID, "updated_at": s.At(time.Time{})})
	return changedOne("set place", result, directory.CodeCompanyNotFound.Fault())
}

// SaveCompany replaces all that a company tells of itself, with a line in the audit
// trail. The fault is company_not_found.
func (s *Store) SaveCompany(ctx context.Context, c directory.Company, e directory.Entry) error {
	row := companyRow{
		ID: c.ID, Name: c.Name, Status: c.Status, Address: c.Address, Phone: c.Phone, Website: c.Website, Hours: c.Hours,
		Description: c.Description, Categories: list(c.Categories), Services: list(c.Services), LogoURL: c.LogoURL,
		CoverPhotoURL: c.CoverPhotoURL, PlaceID: c.PlaceID, UpdatedAt: s.At(time.Time{}),
	}
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		result := tx.Model(&row).Select("*").Omit("id", "slug", "created_at").Updates(&row)
		if err := changedOne("save company", result, directory.CodeCompanyNotFound.Fault()); err != nil {
			return err
		}
		return s.record(tx, e)
	})
	return failure("save company", err, nil)
}

func (r *companyRow) company() directory.Company {
	return directory.Company{
		ID: r.ID, Name: r.Name, Slug: r.Slug, Status: r.Status, Address: r.Address, Phone: r.Phone, Website: r.Website,
		Hours: r.Hours, Description: r.Description, Categories: r.Categories, Services: r.Services,
		LogoURL: r.LogoURL, CoverPhotoURL: r.CoverPhotoURL, PlaceID: r.PlaceID,
		CreatedAt: r.CreatedAt.UTC(), UpdatedAt: r.UpdatedAt.UTC(),
	}
}
