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
	CodeBadProfile        = fault.NewCode(fault.Invalid, "bad_profile",
		"Zapisanych danych profilu firmy nie można odczytać. Pobierz je na nowo.",
		"the stored profile cannot be decoded; --refresh replaces it")
	CodeNoAudit = fault.NewCode(fault.NotFound, "no_audit",
		"Brak audytu dla tej firmy.", "no audit yet; without --last one is run")
	CodeLimit = fault.NewCode(fault.Limited, "audit_limit",
		"Wykorzystano limit audytów na godzinę. Spróbuj ponownie później.", "no more audits in this hour")
	CodeUnavailable = fault.NewCode(fault.Unavailable, "audit_unavailable",
		"Usługa audytu jest chwilowo niedostępna.")
)

// Version is the version of the rule table.
const Version = "1.0"

// Audit is one dated check of a company's business profile: a row of profile_audits and
// the body of the API.
type Audit struct {
	ID              int64     `json:"id"`
	CompanyID       int64     `json:"-"`
	At              time.Time `json:"audit_date" gorm:"column:audit_date"`
	DataAt          time.Time `json:"data_at"`
	Outcome         `gorm:"embedded"`
	Fields          map[Field]FieldStatus `json:"fields_status" gorm:"column:fields_status;serializer:json"`
	Recommendations []Recommendation      `json:"recommendations" gorm:"serializer:json"`
	Found           `gorm:"embedded"`
	Subject         Subject `json:"subject" gorm:"-"` // see complete
	Location        string  `json:"-"`
	PlaceID         string  `json:"place_id"`
	Source          Source  `json:"audit_source" gorm:"column:audit_source"`
	Version         string  `json:"audit_version" gorm:"column:audit_version"`
	Sources         []Step  `json:"sources" gorm:"serializer:json"`
	Coverage        float64 `json:"coverage" gorm:"-"` // see complete
	// Signals is nil if the source has none to report. Holidays are what SignalNoSpecialHours
	// is about, as 2006-01-02.
	Signals      []google.Signal `json:"signals" gorm:"serializer:json"`
	Holidays     []string        `json:"holidays_without_hours" gorm:"column:holidays;serializer:json"`
	LogoPresent  bool            `json:"-"`
	CoverPresent bool            `json:"-" gorm:"column:cover_photo_present"`
	TriggeredBy  *int64          `json:"-"` // user id; nil for a scan and for an operator, which the trail names
}

// Outcome is the part of an audit that every form of it in the API has.
type Outcome struct {
	Score         float64  `json:"completeness_score" gorm:"column:completeness_score"` // 0 to 100
	Category      string   `json:"score_category" gorm:"column:score_category"`         // see scoreGrades
	PhotoCount    int      `json:"photo_count"`
	ReviewCount   int      `json:"review_count"`
	AverageRating *float64 `json:"average_rating"`
}

// Found repeats for queries which fields an audit found, in full or in part.
type Found struct {
	HasName        bool `json:"has_name"`
	HasAddress     bool `json:"has_address"`
	HasPhone       bool `json:"has_phone"`
	HasWebsite     bool `json:"has_website"`
	HasHours       bool `json:"has_hours"`
	HasCategories  bool `json:"has_categories"`
	HasPhotos      bool `json:"has_photos"`
	HasDescription bool `json:"has_description"`
	HasServices    bool `json:"has_services"`
	HasReviews     bool `json:"has_reviews"`
}

// Subject is the business that was audited, as its source names it.
type Subject struct {
	Name    string `json:"name"`
	Address string `json:"address"`
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
	Status         string  `json:"status"`
	Value          *string `json:"value"`
	Score          float64 `json:"score"`
	MaxScore       float64 `json:"max_score"`
	Recommendation string  `json:"recommendation"` // Polish; empty if there is nothing to do
}

// Recommendation is what to do about a field, and the points that it gains.
type Recommendation struct {
	Field    Field   `json:"field"`
	Priority string  `json:"priority"` // high, medium or low
	Points   float64 `json:"points"`   // of the score
	Text     string  `json:"text"`
}

// complete sets what follows from the fields. Coverage is the share, of 100, of the points
// that the sources could report.
func (a *Audit) complete() {
	if a.Fields == nil {
		a.Fields = map[Field]FieldStatus{}
	}
	a.Recommendations = append([]Recommendation{}, a.Recommendations...)
	a.Sources = append([]Step{}, a.Sources...)
	a.Holidays = append([]string{}, a.Holidays...)
	a.Subject = Subject{Name: a.value(FieldName), Address: a.value(FieldAddress)}
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
	a.Found = Found{
		HasName: a.has(FieldName), HasAddress: a.has(FieldAddress), HasPhone: a.has(FieldPhone),
		HasWebsite: a.has(FieldWebsite), HasHours: a.has(FieldHours),
		HasCategories: a.has(FieldCategories), HasPhotos: a.has(FieldPhotos),
		HasDescription: a.has(FieldDescription), HasServices: a.has(FieldServices), HasReviews: a.has(FieldReviews),
	}
}

func (a *Audit) has(f Field) bool {
	status := a.Fields[f].Status
	return status == StatusComplete || status == StatusPartial
}

func (a *Audit) value(f Field) string {
	if v := a.Fields[f].Value; v != nil {
		return *v
	}
	return ""
}

// SameSubject reports whether a and b are about the same business, as far as that is known.
func (a *Audit) SameSubject(b *Audit) bool {
	if a.Location != "" && b.Location != "" {
		return a.Location == b.Location
	}
	if a.Source == FromRecord || b.Source == FromRecord {
		return true
	}
	return a.PlaceID == "" || b.PlaceID == "" || a.PlaceID == b.PlaceID
}

// Compares reports whether a higher score is progress: both are of the same subject, by the
// same rules, from the same source, of the same fields.
func (a *Audit) Compares(b *Audit) bool {
	if a.Source != b.Source || a.Version != b.Version || !a.SameSubject(b) {
		return false
	}
	return !slices.ContainsFunc(rules, func(r rule) bool {
		return (a.Fields[r.field].Status == StatusUnknown) != (b.Fields[r.field].Status == StatusUnknown)
	})
}

// SignalNoSpecialHours means that a public holiday is near on which the business is usually
// open, and that the profile has no hours for it.
const SignalNoSpecialHours google.Signal = "special_hours_missing"
