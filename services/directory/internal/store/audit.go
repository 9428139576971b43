package store

import (
	"context"
	"time"

	"gorm.io/gorm"

	"backend.example/services/directory/internal/directory"
)

// auditRow is a line of profile_audits. The has_ columns repeat what
// fields_status says, for queries.
type auditRow struct {
	ID                int64
	CompanyID         int64
	AuditDate         time.Time
	CompletenessScore float64
	ScoreCategory     string
	FieldsStatus      map[directory.Field]fieldDocument `gorm:"serializer:json"`
	Recommendations   []recommendationDocument          `gorm:"serializer:json"`
	HasName           bool
	HasAddress        bool
	HasPhone          bool
	HasWebsite        bool
	HasHours          bool
	HasCategories     bool
	HasPhotos         bool
	HasDescription    bool
	HasServices       bool
	HasReviews        bool
	PhotoCount        int
	ReviewCount       int
	AverageRating     *float64
	PlaceID           string
	AuditSource       directory.ProfileSource
	AuditVersion      string
	LogoPresent       bool
	CoverPhotoPresent bool
	TriggeredBy       *int64
	Signals           []directory.Signal `gorm:"serializer:json"`
}

// fieldDocument is a directory.FieldStatus as the column fields_status holds it.
type fieldDocument struct {
	Status         string  `json:"status"`
	Value          *string `json:"value"`
	Score          float64 `json:"score"`
	MaxScore       float64 `json:"max_score"`
	Recommendation string  `json:"recommendation"`
}

// recommendationDocument is the same of a directory.Recommendation.
type recommendationDocument struct {
	Field    directory.Field `json:"field"`
	Priority string          `json:"priority"`
	Points   float64         `json:"points"`
	Text     string          `json:"text"`
}

// TableName implements gorm's schema.Tabler.
func (auditRow) TableName() string { return "profile_audits" }

// SaveAudit adds a and sets its ID. That it was made goes into the outbox with it.
func (s *Store) SaveAudit(ctx context.Context, a *directory.Audit) error {
	row := rowOfAudit(a)
	row.AuditDate = s.At(a.At)
	err := s.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		saved := *a
		saved.ID, saved.At = row.ID, row.AuditDate
		return s.publish(tx, saved.Completed())
	})
	if err != nil {
		return failure("save audit", err, nil)
	}
	a.ID, a.At = row.ID, row.AuditDate
	return nil
}

// LatestAudit returns a company's newest audit, or the fault no_audit.
func (s *Store) LatestAudit(ctx context.Context, companyID int64) (directory.Audit, error) {
	var row auditRow
	if err := s.newestAudits(ctx, companyID).Take(&row).Error; err != nil {
		return directory.Audit{}, failure("read audit", err, directory.CodeNoAudit.Fault())
	}
	return row.audit(), nil
}

// AuditHistory returns up to n of a company's audits, newest first: those before the
// audit with the id before, or the newest if before is 0.
func (s *Store) AuditHistory(ctx context.Context, companyID, before int64, n int) ([]directory.Audit, error) {
	query := s.newestAudits(ctx, companyID).Limit(max(n, 0))
	if before != 0 {
		query = query.Where("id < ?", before)
	}
	var rows []auditRow
	if err := query.Find(&rows).Error; err != nil {
		return nil, failure("list audits", err, nil)
	}
	audits := make([]directory.Audit, 0, len(rows))
	for _, row := range rows {
		audits = append(audits, row.audit())
	}
	return audits, nil
}

// newestAudits leaves out the columns that only queries of others need.
func (s *Store) newestAudits(ctx context.Context, companyID int64) *gorm.DB {
	return s.Read(ctx).Where("company_id = ?", companyID).Order("id DESC").Omit(
		"has_name", "has_address", "has_phone", "has_website", "has_hours", "has_categories", "has_photos",
		"has_description", "has_services", "has_reviews")
}

func rowOfAudit(a *directory.Audit) auditRow {
	row := auditRow{
		CompanyID: a.CompanyID, CompletenessScore: a.Score, ScoreCategory: a.Category,
		HasName: a.Has(directory.FieldName), HasAddress: a.Has(directory.FieldAddress), HasPhone: a.Has(directory.FieldPhone),
		HasWebsite: a.Has(directory.FieldWebsite), HasHours: a.Has(directory.FieldHours),
		HasCategories: a.Has(directory.FieldCategories), HasPhotos: a.Has(directory.FieldPhotos),
		HasDescription: a.Has(directory.FieldDescription), HasServices: a.Has(directory.FieldServices),
		HasReviews: a.Has(directory.FieldReviews), PhotoCount: a.PhotoCount, ReviewCount: a.ReviewCount,
		AverageRating: a.AverageRating, PlaceID: a.PlaceID, AuditSource: a.Source, AuditVersion: a.Version,
		LogoPresent: a.LogoPresent, CoverPhotoPresent: a.CoverPresent, TriggeredBy: a.TriggeredBy, Signals: a.Signals,
	}
	row.FieldsStatus = map[directory.Field]fieldDocument{}
	for field, status := range a.Fields {
		row.FieldsStatus[field] = fieldDocument(status)
	}
	row.Recommendations = []recommendationDocument{}
	for _, r := range a.Recommendations {
		row.Recommendations = append(row.Recommendations, recommendationDocument(r))
	}
	return row
}

func (r *auditRow) audit() directory.Audit {
	a := directory.Audit{
		ID: r.ID, CompanyID: r.CompanyID, At: r.AuditDate.UTC(), Score: r.CompletenessScore, Category: r.ScoreCategory,
		Fields: map[directory.Field]directory.FieldStatus{}, Recommendations: []directory.Recommendation{}, PhotoCount: r.PhotoCount,
		ReviewCount: r.ReviewCount, AverageRating: r.AverageRating, PlaceID: r.PlaceID, Source: r.AuditSource,
		Version: r.AuditVersion, LogoPresent: r.LogoPresent, CoverPresent: r.CoverPhotoPresent, TriggeredBy: r.TriggeredBy,
		Signals: r.Signals,
	}
	for field, status := range r.FieldsStatus {
		a.Fields[field] = directory.FieldStatus(status)
	}
	for _, recommendation := range r.Recommendations {
		a.Recommendations = append(a.Recommendations, directory.Recommendation(recommendation))
	}
	return a
}
