package directory

import (
	"fmt"
	"strings"
)

// RulesMarkdown renders the rule table for the documentation.
func RulesMarkdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Version %s. Score = 100 × points ÷ the points of all fields that the sources can tell, rounded to one decimal. ", AuditVersion)
	b.WriteString("A field is `complete`, `partial`, `missing` (no points), or `unknown`: no source can tell, so it does not count.\n\n")
	b.WriteString("| field | points | complete | partial |\n|---|---|---|---|\n")
	for _, r := range rules() {
		var partial []string
		for _, t := range r.tiers[1:] {
			partial = append(partial, fmt.Sprintf("%g: %s", t.points, t.when))
		}
		fmt.Fprintf(&b, "| %s | %g | %s | %s |\n", r.field, r.points, r.tiers[0].when, strings.Join(partial, "; "))
	}
	fmt.Fprintf(&b, "\nCategory by score: %s.\n", gradeText(scoreGrades))
	fmt.Fprintf(&b, "Priority of a recommendation by the points that it gains: %s.\n", gradeText(priorityGrades))
	b.WriteString("\nCoverage is the share, of 100, of the points that the sources could tell; a score is of this part alone. " +
		"Two audits compare when version, source and the fields that are known are the same.\n\n")
	b.WriteString("Signals have no points. Only a Business Profile tells them.\n\n| signal | meaning |\n|---|---|\n")
	for _, s := range signalMeanings() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", s.Signal, s.Meaning)
	}
	return b.String()
}

func gradeText(grades []grade) string {
	var texts []string
	for _, g := range grades {
		texts = append(texts, fmt.Sprintf("`%s` from %g", g.name, g.from))
	}
	return strings.Join(texts, ", ")
}
