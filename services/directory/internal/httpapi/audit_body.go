package httpapi

import (
	"time"

	"backend.example/services/directory/internal/directory"
)

// ofCompany begins every answer about a company.
type ofCompany struct {
	Success     bool   `json:"success"` // true
	CompanyID   int64  `json:"company_id"`
	CompanyName string `json:"company_name"`
	CompanySlug string `json:"company_slug"`
}

func describeCompany(c directory.Company) ofCompany {
	return ofCompany{Success: true, CompanyID: c.ID, CompanyName: c.Name, CompanySlug: c.Slug}
}

type auditResponse struct {
	ofCompany
	Audit auditBody `json:"audit"`
}

type shortAuditResponse struct {
	ofCompany
	Audit shortAuditBody `json:"audit"`
}

type auditRunResponse struct {
	ofCompany
	Message      string       `json:"message"`
	AuditVersion string       `json:"audit_version"`
	TriggeredBy  string       `json:"triggered_by"` // e-mail address
	TriggeredAt  time.Time    `json:"triggered_at"`
	Saved        bool         `json:"saved"`
	Audit        auditRunBody `json:"audit"`
	Fetch        *fetchBody   `json:"google_fetch,omitempty"` // absent when there was no refresh
}

// dated says which audit it is.
type dated struct {
	ID   int64      `json:"id"`
	Date *time.Time `json:"audit_date"`
}

// verdict is the result of every rule.
type verdict struct {
	Score           float64                       `json:"completeness_score"`
	Category        string                        `json:"score_category"`
	Fields          map[directory.Field]fieldBody `json:"fields_status"`
	Recommendations []recommendationBody          `json:"recommendations"`
}

// fieldBody is a directory.FieldStatus.
type fieldBody struct {
	Status         string  `json:"status"`
	Value          *string `json:"value"`
	Score          float64 `json:"score"`
	MaxScore       float64 `json:"max_score"`
	Recommendation string  `json:"recommendation"`
}

// recommendationBody is a directory.Recommendation.
type recommendationBody struct {
	Field    directory.Field `json:"field"`
	Priority string          `json:"priority"`
	Points   float64         `json:"points"`
	Text     string          `json:"text"`
}

// figures are what an audit counted.
type figures struct {
	PhotoCount    int      `json:"photo_count"`
	ReviewCount   int      `json:"review_count"`
	AverageRating *float64 `json:"average_rating"`
}

type shortAuditBody struct {
	dated
	verdict
	figures
}

type auditBody struct {
	shortAuditBody
	HasName        bool                    `json:"has_name"`
	HasAddress     bool                    `json:"has_address"`
	HasPhone       bool                    `json:"has_phone"`
	HasWebsite     bool                    `json:"has_website"`
	HasHours       bool                    `json:"has_hours"`
	HasCategories  bool                    `json:"has_categories"`
	HasPhotos      bool                    `json:"has_photos"`
	HasDescription bool                    `json:"has_description"`
	HasServices    bool                    `json:"has_services"`
	HasReviews     bool                    `json:"has_reviews"`
	PlaceID        string                  `json:"place_id"`
	Source         directory.ProfileSource `json:"audit_source"`
	Version        string                  `json:"audit_version"`
	told
}

// told is what the sources could tell, and what they say beside the fields.
type told struct {
	Coverage float64            `json:"coverage"`
	Signals  []directory.Signal `json:"signals"` // null: the source cannot tell
}

func toldOf(a directory.Audit) told { return told{Coverage: a.Coverage(), Signals: a.Signals} }

type auditRunBody struct {
	verdict
	figures
	LogoPresent  bool   `json:"logo_present"`
	CoverPresent bool   `json:"cover_photo_present"`
	PlaceID      string `json:"place_id"`
	told
}

func datedOf(a directory.Audit) dated {
	if a.At.IsZero() {
		return dated{ID: a.ID}
	}
	return dated{ID: a.ID, Date: &a.At}
}

func verdictOf(a directory.Audit) verdict {
	v := verdict{Score: a.Score, Category: a.Category, Fields: map[directory.Field]fieldBody{}, Recommendations: []recommendationBody{}}
	for field, status := range a.Fields {
		v.Fields[field] = fieldBody(status)
	}
	for _, r := range a.Recommendations {
		v.Recommendations = append(v.Recommendations, recommendationBody(r))
	}
	return v
}

func figuresOf(a directory.Audit) figures {
	return figures{PhotoCount: a.PhotoCount, ReviewCount: a.ReviewCount, AverageRating: a.AverageRating}
}

func shortAudit(a directory.Audit) shortAuditBody {
	return shortAuditBody{dated: datedOf(a), verdict: verdictOf(a), figures: figuresOf(a)}
}

func fullAudit(a directory.Audit) auditBody {
	return auditBody{
		shortAuditBody: shortAudit(a),
		HasName:        a.Has(directory.FieldName), HasAddress: a.Has(directory.FieldAddress), HasPhone: a.Has(directory.FieldPhone),
		HasWebsite: a.Has(directory.FieldWebsite), HasHours: a.Has(directory.FieldHours),
		HasCategories: a.Has(directory.FieldCategories), HasPhotos: a.Has(directory.FieldPhotos),
		HasDescription: a.Has(directory.FieldDescription), HasServices: a.Has(directory.FieldServices),
		HasReviews: a.Has(directory.FieldReviews),
		PlaceID:    a.PlaceID, Source: a.Source, Version: a.Version, told: toldOf(a),
	}
}

func auditRunOf(a directory.Audit) auditRunBody {
	return auditRunBody{
		verdict: verdictOf(a), figures: figuresOf(a),
		LogoPresent: a.LogoPresent, CoverPresent: a.CoverPresent, PlaceID: a.PlaceID, told: toldOf(a),
	}
}
