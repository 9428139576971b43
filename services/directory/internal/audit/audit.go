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
	Subject         Subject         `json:"subject" gorm:"-"` // see complete
	Location        string          `json:"-"`                // resource name of the chosen location; empty if there was none
	PlaceID         string          `json:"place_id"`
	Source          Source          `json:"audit_source" gorm:"column:audit_source"`
	Version         string          `json:"audit_version" gorm:"column:audit_version"`
	Sources         []Step          `json:"sources" gorm:"serializer:json"` // how each was read; empty for audits before that was stored
	Coverage        float64         `json:"coverage" gorm:"-"`              // see complete
	Signals         []google.Signal `json:"signals" gorm:"serializer:json"` // nil if the source has none to report
	LogoPresent     bool            `json:"-"`
	CoverPresent    bool            `json:"-" gorm:"column:cover_photo_present"`
	TriggeredBy     *int64          `json:"-"` // user id; nil for a scan and for an operator, which the trail names
}

// Subject is the business that was audited, as its source names it.
type Subject struct {
	Name    string `json:"name"`
	Address string `json:"address"` // on one line; empty if the source has none
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
	if a.Sources == nil {
		a.Sources = []Step{}
	}
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
	a.Found = a.found()
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
	return a.Source == FromRecord || b.Source == FromRecord || a.PlaceID == "" || b.PlaceID == "" || a.PlaceID == b.PlaceID
}

// Compares reports whether the scores of a and b compare: both are of the same subject, by
// the same rules, from the same source, of the same fields. Otherwise a higher score is no progress,
// because a source that is lost takes the fields along that only it could report.
func (a *Audit) Compares(b *Audit) bool {
	if a.Source != b.Source || a.Version != b.Version || !a.SameSubject(b) {
		return false
	}
	return !slices.ContainsFunc(rules(), func(r rule) bool {
		return (a.Fields[r.field].Status == StatusUnknown) != (b.Fields[r.field].Status == StatusUnknown)
	})
}

// SignalNoSpecialHours means that a public holiday is near, on a day on which the business
// is usually open, and that the profile has no hours for it.
const SignalNoSpecialHours google.Signal = "special_hours_missing"

// signalMeanings are all signals and what they mean, for the published table.
var signalMeanings = []struct {
	signal  google.Signal
	meaning string
}{
	{google.SignalUnderReview, "Google still reviews the profile of a verified owner"},
	{google.SignalDuplicate, "another profile of the same place has an owner"},
	{google.SignalSuspended, "Google hides the profile until it keeps the guidelines"},
	{google.SignalNotVerified, "nobody has shown that the profile is theirs"},
	{google.SignalEditsPending, "Google has yet to look at what the owner changed"},
	{google.SignalChanged, "Google shows something else than the owner wrote"},
	{SignalNoSpecialHours, "a Polish public holiday within 30 days falls on a day with hours, and has none of its own"},
}

// holidaysAhead is how early a holiday without hours of its own is signalled.
const holidaysAhead = 30 * 24 * time.Hour

// signals returns those of p's source and the one that follows from the hours, or nil if
// the source reports none at all.
func (p *Profile) signals() []google.Signal {
	if p.Signals == nil {
		return nil
	}
	found := slices.Clone(p.Signals)
	if p.lacksSpecialHours() {
		found = append(found, SignalNoSpecialHours)
	}
	return found
}

// lacksSpecialHours looks ahead from the day on which p was read. Polish holidays count
// if the address has a Polish postal code.
func (p *Profile) lacksSpecialHours() bool {
	if !postalCode.MatchString(p.Address) {
		return false
	}
	open := openWeekdays(p.Hours)
	first := dateOf(p.FetchedAt)
	for day := first; day.Before(first.Add(holidaysAhead)); day = day.AddDate(0, 0, 1) {
		if open[(day.Weekday()+6)%7] && holiday(day) && !slices.ContainsFunc(p.SpecialDays, day.Equal) {
			return true
		}
	}
	return false
}

// dateOf is the midnight, in UTC, at which t's day begins.
func dateOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// fixedHolidays are the public holidays of Poland with a date (the act of 18 January
// 1951 as amended; 24 December since 2025), as month and day.
var fixedHolidays = []string{"01-01", "01-06", "05-01", "05-03", "08-15", "11-01", "11-11", "12-24", "12-25", "12-26"}

// holiday reports whether a day is a public holiday in Poland. Besides those with a
// date these are Easter with the Monday after, Pentecost and Corpus Christi.
func holiday(day time.Time) bool {
	return slices.Contains(fixedHolidays, day.Format("01-02")) ||
		slices.Contains([]int{0, 1, 49, 60}, day.YearDay()-easter(day.Year()).YearDay())
}

// easter is Easter Sunday of the Gregorian calendar, by the rule of Meeus, Jones and
// Butcher.
func easter(year int) time.Time {
	golden, century, rest := year%19, year/100, year%100
	leap := (century - (century+8)/25 + 1) / 3
	epact := (19*golden + century - century/4 - leap + 15) % 30
	weekday := (32 + 2*(century%4) + 2*(rest/4) - epact - rest%4) % 7
	late := (golden + 11*epact + 22*weekday) / 451
	n := epact + weekday - 7*late + 114
	return time.Date(year, time.Month(n/31), n%31+1, 0, 0, 0, 0, time.UTC)
}
