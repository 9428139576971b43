package directory

import (
	"math"
	"time"
)

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
	TriggeredBy     *int64   // user id; nil: the scan, or an operator, whom the trail names
	Signals         []Signal // nil: the source does not tell
}

// Coverage is the share, of 100, of the points that the sources could tell. A score is
// of this part alone, so two scores compare only where it is the same.
func (a *Audit) Coverage() float64 {
	var known, all float64
	for _, s := range a.Fields {
		all += s.MaxScore
		if s.Status != StatusUnknown {
			known += s.MaxScore
		}
	}
	if all == 0 {
		return 0
	}
	return math.Round(1000*known/all) / 10
}

// Compares reports whether the scores of a and b tell the same thing: both are by the
// same rules, from the same source, of the same fields. Else a higher score is no
// progress: a source that is lost takes the fields along that only it could tell.
func (a *Audit) Compares(b *Audit) bool {
	if a.Source != b.Source || a.Version != b.Version {
		return false
	}
	for _, r := range rules() {
		if (a.Fields[r.field].Status == StatusUnknown) != (b.Fields[r.field].Status == StatusUnknown) {
			return false
		}
	}
	return true
}

// Has reports whether the field was found, in full or in part.
func (a *Audit) Has(f Field) bool {
	s := a.Fields[f].Status
	return s == StatusComplete || s == StatusPartial
}
