package directory

import (
	"cmp"
	"math"
	"slices"
)

// Assess applies the rule table to a profile. The same profile gives the same
// audit; company, time and user are left to the caller. A profile that holds
// nothing to judge is the fault no_profile_data; a company's own record has to
// hold more than the name.
func Assess(p *Profile) (Audit, error) {
	p = p.normal()
	a := Audit{
		Fields: map[Field]FieldStatus{}, Recommendations: []Recommendation{}, PhotoCount: p.PhotoCount, ReviewCount: p.ReviewCount,
		PlaceID: p.PlaceID, Source: p.Source, Version: AuditVersion, LogoPresent: p.LogoPresent, CoverPresent: p.CoverPresent,
		Signals: p.signals(),
	}
	if p.ReviewCount > 0 {
		a.AverageRating = &p.AverageRating
	}
	var points, known float64
	for _, r := range rules() {
		status := r.apply(p)
		a.Fields[r.field] = status
		a.recommend(r.field, status)
		if status.Status != StatusUnknown {
			points, known = points+status.Score, known+r.points
		}
	}
	if points == 0 || p.Source == FromCompanyRecord && a.bare() {
		return Audit{}, CodeNoProfileData.Fault()
	}
	a.Score = math.Round(1000*points/known) / 10
	a.Category = gradeOf(scoreGrades, a.Score)
	slices.SortStableFunc(a.Recommendations, func(a, b Recommendation) int { return cmp.Compare(b.Points, a.Points) })
	return a, nil
}

// apply is the result of one rule.
func (r *rule) apply(p *Profile) FieldStatus {
	s := FieldStatus{MaxScore: r.points}
	if !p.Knows(r.field) {
		s.Status, s.Recommendation = StatusUnknown, r.unknown
		return s
	}
	value := r.value(p)
	if value == "" {
		s.Status, s.Recommendation = StatusMissing, r.missing
		return s
	}
	s.Value = &value
	for _, t := range r.tiers {
		if t.holds(p) {
			s.Score, s.Recommendation = t.points, t.advice
			break
		}
	}
	s.Status = StatusPartial
	if s.Score == s.MaxScore {
		s.Status = StatusComplete
	}
	return s
}

// bare reports whether nothing was found but a name.
func (a *Audit) bare() bool {
	for f := range a.Fields {
		if f != FieldName && a.Has(f) {
			return false
		}
	}
	return true
}

// recommend adds what to do about a field. Making an unknown field known gains no
// points by itself.
func (a *Audit) recommend(f Field, s FieldStatus) {
	if s.Recommendation == "" {
		return
	}
	r := Recommendation{Field: f, Points: s.MaxScore - s.Score, Text: s.Recommendation}
	if s.Status == StatusUnknown {
		r.Points = 0
	}
	r.Priority = gradeOf(priorityGrades, r.Points)
	a.Recommendations = append(a.Recommendations, r)
}

// grade is a name for all figures from a least one on.
type grade struct {
	from float64
	name string
}

// scoreGrades are the categories of a score, priorityGrades the priorities of a
// recommendation by its points.
var (
	scoreGrades    = []grade{{90, "excellent"}, {70, "good"}, {50, "needs_work"}, {0, "poor"}}
	priorityGrades = []grade{{8, "high"}, {4, "medium"}, {0, "low"}}
)

// gradeOf names a figure that is not negative.
func gradeOf(grades []grade, figure float64) string {
	i := slices.IndexFunc(grades, func(g grade) bool { return figure >= g.from })
	return grades[i].name
}
