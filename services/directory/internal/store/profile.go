package store

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/directory"
)

// profileRow is a company's external profile as it was last fetched.
type profileRow struct {
	CompanyID int64 `gorm:"primaryKey;autoIncrement:false"`
	Source    directory.ProfileSource
	PlaceID   string
	Data      profileDocument `gorm:"serializer:json"`
	FetchedAt time.Time
}

// TableName implements gorm's schema.Tabler.
func (profileRow) TableName() string { return "company_profiles" }

// SaveProfile replaces a company's external profile.
func (s *Store) SaveProfile(ctx context.Context, companyID int64, p directory.Profile) error {
	p.FetchedAt = s.At(p.FetchedAt)
	row := profileRow{
		CompanyID: companyID, Source: p.Source, PlaceID: p.PlaceID, Data: profileDocument(p), FetchedAt: p.FetchedAt,
	}
	err := s.Write(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"source", "place_id", "data", "fetched_at"}),
	}).Create(&row).Error
	return failure("save profile", err, nil)
}

// Profile returns a company's external profile, or the fault no_profile.
func (s *Store) Profile(ctx context.Context, companyID int64) (directory.Profile, error) {
	var row profileRow
	if err := s.Read(ctx).Where("company_id = ?", companyID).Take(&row).Error; err != nil {
		return directory.Profile{}, failure("read profile", err, directory.CodeNoProfile.Fault())
	}
	return directory.Profile(row.Data), nil
}
