package directory

import "time"

// AuditVersion is the version of the rule table.
const AuditVersion = "1.0"

// Values of a field's status.
const (
	StatusComplete = "complete"
	StatusPartial  = "partial"
	StatusMissing  = "missing"
	StatusUnknown  = "unknown" // the source cannot tell; left out of the score
)

// FieldStatus is the result of one rule.
type FieldStatus struct {
	Status         string // one of the constants above
	Value          *string
	Score          float64
	MaxScore       float64
	Recommendation string // Polish; empty when nothing is to be done
}

// Recommendation says what to do about a field, and what it gains.
type Recommendation struct {
	Field    Field
	Priority string // high, medium or low
	Points   float64
	Text     string // Polish
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
	return s == StatusComplete || s == StatusPartial
}
