package store

import (
	"context"
	"time"

	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/fault"
)

// profileRow is a company's external profile as it was last fetched.
type profileRow struct {
	CompanyID int64 `gorm:"primaryKey;autoIncrement:false"`
	Source    directory.ProfileSource
	PlaceID   string
	Data      document[directory.Profile]
	FetchedAt time.Time
}

// TableName implements gorm's schema.Tabler.
func (profileRow) TableName() string { return "company_profiles" }

func noProfile() *fault.Error { return absent("no_profile", "Brak pobranych danych profilu firmy.") }

// SaveProfile replaces a company's external profile.
func (s *Store) SaveProfile(ctx context.Context, companyID int64, p directory.Profile) error {
	p.FetchedAt = s.at(p.FetchedAt)
	row := profileRow{
		CompanyID: companyID, Source: p.Source, PlaceID: p.PlaceID, Data: document[directory.Profile]{p}, FetchedAt: p.FetchedAt,
	}
	err := s.write.WithContext(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"source", "place_id", "data", "fetched_at"}),
	}).Create(&row).Error
	return failure("save profile", err, nil)
}

// Profile returns a company's external profile, or the fault no_profile.
func (s *Store) Profile(ctx context.Context, companyID int64) (directory.Profile, error) {
	var row profileRow
	if err := s.read.WithContext(ctx).Where("company_id = ?", companyID).Take(&row).Error; err != nil {
		return directory.Profile{}, failure("read profile", err, noProfile())
	}
	return row.Data.value, nil
}
