package audit

import (
	"math"
	"slices"
	"time"

	"backend.example/services/directory/internal/google"
	"backend.example/services/internal/kit/fault"
)

// The codes of audits.
var (
	CodeMissingParameters = fault.NewCode(fault.Invalid, "missing_parameters", "Należy podać company_id lub slug.")
	CodeNoProfile         = fault.NewCode(fault.NotFound, "no_profile", "Brak pobranych danych profilu firmy.")
	CodeNoProfileData     = fault.NewCode(fault.Invalid, "no_profile_data", "Brak danych profilu firmy do audytu.", "nothing is known of it; directory company edit adds what it tells of itself")
	CodeNoAudit           = fault.NewCode(fault.NotFound, "no_audit", "Brak audytu dla tej firmy.", "no audit yet; without --last one is run")
	CodeLimit             = fault.NewCode(fault.Limited, "audit_limit", "Wykorzystano limit audytów na godzinę. Spróbuj ponownie później.", "no more audits in this hour")
	CodeUnavailable       = fault.NewCode(fault.Unavailable, "audit_unavailable", "Usługa audytu jest chwilowo niedostępna.")
)

// Version is the version of the rule table.
const Version = "1.0"

// Audit is one dated check of a company's business profile: a row of profile_audits and
// the body of the API.
type Audit struct {
	ID              int64                 `json:"id"`
	CompanyID       int64                 `json:"-"`
	At              time.Time             `json:"audit_date" gorm:"column:audit_date"`
	Score           float64               `json:"completeness_score" gorm:"column:completeness_score"` // 0 to 100
	Category        string                `json:"score_category" gorm:"column:score_category"`         // excellent, good, needs_work or poor
	Fields          map[Field]FieldStatus `json:"fields_status" gorm:"column:fields_status;serializer:json"`
	Recommendations []Recommendation      `json:"recommendations" gorm:"serializer:json"`
	PhotoCount      int                   `json:"photo_count"`
	ReviewCount     int                   `json:"review_count"`
	AverageRating   *float64              `json:"average_rating"`
	Found           `gorm:"embedded"`
	PlaceID         string          `json:"place_id"`
	Source          Source          `json:"audit_source" gorm:"column:audit_source"`
	Version         string          `json:"audit_version" gorm:"column:audit_version"`
	Coverage        float64         `json:"coverage" gorm:"-"`              // see complete
	Signals         []google.Signal `json:"signals" gorm:"serializer:json"` // nil if the source has none to report
	LogoPresent     bool            `json:"-"`
	CoverPresent    bool            `json:"-" gorm:"column:cover_photo_present"`
	TriggeredBy     *int64          `json:"-"` // user id; nil for a scan and for an operator, which the trail names
}

// Values of a field's status.
const (
	StatusComplete = "complete"
	StatusPartial  = "partial"
	StatusMissing  = "missing"
	StatusUnknown  = "unknown" // no source can report the field, so it does not count
)

// FieldStatus is the result of one rule.
type FieldStatus struct {
	Status         string  `json:"status"` // one of the constants above
	Value          *string `json:"value"`
	Score          float64 `json:"score"`
	MaxScore       float64 `json:"max_score"`
	Recommendation string  `json:"recommendation"` // Polish; empty if there is nothing to do
}

// Recommendation is what to do about a field, and the points that it gains.
type Recommendation struct {
	Field    Field   `json:"field"`
	Priority string  `json:"priority"` // high, medium or low
	Points   float64 `json:"points"`
	Text     string  `json:"text"` // Polish
}

// complete sets what follows from the fields. Coverage is the share, of 100, of the
// points that the sources could report. A score is of this part alone, so two scores
// compare only if it is the same.
func (a *Audit) complete() {
	if a.Fields == nil {
		a.Fields = map[Field]FieldStatus{}
	}
	if a.Recommendations == nil {
		a.Recommendations = []Recommendation{}
	}
	var known, all float64
	for _, s := range a.Fields {
		all += s.MaxScore
		if s.Status != StatusUnknown {
			known += s.MaxScore
		}
	}
	if a.Coverage = 0; all > 0 {
		a.Coverage = math.Round(1000*known/all) / 10
	}
	a.Found = a.found()
}

// Compares reports whether the scores of a and b compare: both are by the same rules,
// from the same source, of the same fields. Otherwise a higher score is no progress,
// because a source that is lost takes the fields along that only it could report.
func (a *Audit) Compares(b *Audit) bool {
	if a.Source != b.Source || a.Version != b.Version {
		return false
	}
	return !slices.ContainsFunc(rules(), func(r rule) bool {
		return (a.Fields[r.field].Status == StatusUnknown) != (b.Fields[r.field].Status == StatusUnknown)
	})
}
