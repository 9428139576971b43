package directory

import "time"

// AuditVersion is the version of the rule table.
const AuditVersion = "1.0"

// FieldStatus is the result of one rule.
type FieldStatus struct {
	Status         string  `json:"status"` // complete, partial, missing or unknown
	Value          *string `json:"value"`
	Score          float64 `json:"score"`
	MaxScore       float64 `json:"max_score"`
	Recommendation string  `json:"recommendation"` // Polish; empty when nothing is to be done
}

// Recommendation says what to do about a field, and what it gains.
type Recommendation struct {
	Field    Field   `json:"field"`
	Priority string  `json:"priority"` // high, medium or low
	Points   float64 `json:"points"`
	Text     string  `json:"text"` // Polish
}

// Audit is one dated check of a company's business profile.
type Audit struct {
	ID              int64
	CompanyID       int64
	At              time.Time
	Score           float64 // 0 to 100
	Category        string  // excellent, good, needs_work or poor
	Fields          map[Field]FieldStatus
	Recommendations []Recommendation
	PhotoCount      int
	ReviewCount     int
	AverageRating   *float64
	PlaceID         string
	Source          ProfileSource
	Version         string
	LogoPresent     bool
	CoverPresent    bool
	TriggeredBy     *int64 // user id; nil: the scan
}

// Has reports whether the field was found, in full or in part.
func (a *Audit) Has(f Field) bool {
	s := a.Fields[f].Status
	return s == "complete" || s == "partial"
}
