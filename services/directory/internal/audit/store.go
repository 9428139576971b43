package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/webhook"
)

// TableName implements gorm's schema.Tabler.
func (Audit) TableName() string { return "profile_audits" }

// AfterFind implements gorm's callback.
func (a *Audit) AfterFind(*gorm.DB) error {
	a.At, a.DataAt = a.At.UTC(), a.DataAt.UTC()
	a.complete()
	return nil
}

// EventCompleted is the type of the event about a stored audit.
const EventCompleted = "audit.completed"

// completed is the data of EventCompleted.
type completed struct {
	CompanyID int64   `json:"company_id"`
	AuditID   int64   `json:"audit_id"`
	Score     float64 `json:"completeness_score"`
	Category  string  `json:"score_category"`
	Coverage  float64 `json:"coverage"`
	Source    Source  `json:"audit_source"`
	Version   string  `json:"audit_version"`
}

// Save adds a, sets its ID, and publishes audit.completed in the same transaction.
func (s *Service) Save(ctx context.Context, a *Audit) error {
	_, err := s.save(ctx, a, time.Time{})
	return err
}

// save is Save. It reports
// false, and adds nothing, if the company has an audit since a time that is not zero: another
// worker has finished the same weekly audit meanwhile.
func (s *Service) save(ctx context.Context, a *Audit, since time.Time) (added bool, err error) {
	saved := *a
	saved.At, saved.DataAt = s.db.At(a.At), s.db.At(a.DataAt)
	saved.complete()
	err = s.db.Transaction(ctx, func(tx *gorm.DB) error {
		if !since.IsZero() {
			newer, err := s.auditedSince(tx, a.CompanyID, since)
			if err != nil || newer {
				return err
			}
		}
		if err := tx.Create(&saved).Error; err != nil {
			return err
		}
		added = true
		return webhook.Publish(s.db, tx, EventCompleted, saved.CompanyID, completed{
			saved.CompanyID, saved.ID, saved.Score, saved.Category, saved.Coverage, saved.Source, saved.Version,
		})
	})
	if err != nil {
		return false, fmt.Errorf("save audit: %w", err)
	}
	if added {
		*a = saved
	}
	return added, nil
}

// auditedSince reports whether a company has an audit since a time. Until tx ends it is the
// only one that asks.
func (s *Service) auditedSince(tx *gorm.DB, companyID int64, since time.Time) (found bool, err error) {
	if err := s.db.Queue(tx, "weekly audit "+strconv.FormatInt(companyID, 10)); err != nil {
		return false, err
	}
	var n int64
	err = tx.Model(&Audit{}).Where("company_id = ? AND audit_date >= ?", companyID, database.Instant(since)).
		Count(&n).Error
	return n > 0, err
}

// columns are those of an Audit but the ones that AfterFind derives from the fields.
var columns = []string{
	"id", "company_id", "audit_date", "data_at", "completeness_score", "score_category", "fields_status",
	"recommendations", "photo_count", "review_count", "average_rating", "location", "place_id", "audit_source",
	"audit_version", "sources", "signals", "holidays", "logo_present", "cover_photo_present", "triggered_by",
}

// latest returns the newest audit of a company, or the fault no_audit.
func (s *Service) latest(ctx context.Context, companyID int64) (a Audit, err error) {
	err = s.db.Read(ctx).Select(columns).Where("company_id = ?", companyID).Order("id DESC").Take(&a).Error
	return a, database.NotFound(err, CodeNoAudit)
}

// Newest returns the date, score and category of the newest audit of each company that has
// one.
func (s *Service) Newest(ctx context.Context, companyIDs []int64) (map[int64]Audit, error) {
	var audits []Audit
	err := s.db.Read(ctx).Select("id, company_id, audit_date, completeness_score, score_category").
		Where("id IN (SELECT MAX(id) FROM profile_audits WHERE company_id IN ? GROUP BY company_id)", companyIDs).
		Find(&audits).Error
	newest := make(map[int64]Audit, len(audits))
	for _, a := range audits {
		newest[a.CompanyID] = a
	}
	return newest, err
}

// Audited lists the slugs of the active companies that have an audit.
func (s *Service) Audited(ctx context.Context) (slugs []string, err error) {
	var ids []int64
	if err := s.db.Read(ctx).Model(&Audit{}).Distinct("company_id").Pluck("company_id", &ids).Error; err != nil {
		return nil, err
	}
	for part := range slices.Chunk(ids, 500) {
		found, err := s.companies.Numbered(ctx, part)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			if c.Active() {
				slugs = append(slugs, c.Slug)
			}
		}
	}
	return slugs, nil
}

func (s *Service) history(ctx context.Context, companyID, before int64, n int) (audits []Audit, err error) {
	query := s.db.Read(ctx).Select(columns).Where("company_id = ?", companyID).Order("id DESC").Limit(n)
	if before != 0 {
		query = query.Where("id < ?", before)
	}
	err = query.Find(&audits).Error
	return audits, err
}

// profileRow is the external profile of a company as it was last fetched.
type profileRow struct {
	CompanyID int64 `gorm:"primaryKey;autoIncrement:false"`
	Source    Source
	PlaceID   string
	Data      storedProfile `gorm:"serializer:json"`
	FetchedAt time.Time
}

// storedProfile is a Profile with what the API does not return.
type storedProfile struct {
	Profile
	Location    string          `json:"location,omitempty"`
	Signals     []google.Signal `json:"signals"`
	SpecialDays []time.Time     `json:"special_days"`
}

// TableName implements gorm's schema.Tabler.
func (profileRow) TableName() string { return "company_profiles" }

// SaveProfile replaces the external profile of a company.
func (s *Service) SaveProfile(ctx context.Context, companyID int64, p *Profile) error {
	p.FetchedAt = s.db.At(p.FetchedAt)
	row := profileRow{
		CompanyID: companyID, Source: p.Source, PlaceID: p.PlaceID, FetchedAt: p.FetchedAt,
		Data: storedProfile{Profile: *p, Location: p.Location, Signals: p.Signals, SpecialDays: p.SpecialDays},
	}
	return s.db.Write(ctx).Clauses(clause.OnConflict{
		Columns:   []clause.Column{{Name: "company_id"}},
		DoUpdates: clause.AssignmentColumns([]string{"source", "place_id", "data", "fetched_at"}),
	}).Create(&row).Error
}

// profile returns the external profile of a company, or the fault no_profile, or
// bad_profile if it cannot be decoded.
func (s *Service) profile(ctx context.Context, companyID int64) (Profile, error) {
	var row profileRow
	err := s.db.Read(ctx).Where("company_id = ?", companyID).Take(&row).Error
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &kind) {
		return Profile{}, CodeBadProfile.Wrap(err)
	}
	p := row.Data.Profile
	p.Location = row.Data.Location
	p.Signals = row.Data.Signals
	p.SpecialDays = row.Data.SpecialDays
	return p, database.NotFound(err, CodeNoProfile)
}
