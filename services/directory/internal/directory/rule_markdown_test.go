package directory

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeHoldsTheRules fails when the table that people read and the one that
// counts part.
func TestReadmeHoldsTheRules(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, begins := strings.Cut(string(readme), "<!-- audit rules: begin -->\n")
	published, _, ends := strings.Cut(after, "<!-- audit rules: end -->\n")
	if !begins || !ends {
		t.Fatal("services/directory/README.md lacks the marks around the rule table")
	}
	if want := "\n" + RulesMarkdown() + "\n"; published != want {
		t.Errorf("services/directory/README.md holds between its marks\n%s\nwant\n%s", published, want)
	}
}

func TestRulesMarkdown(t *testing.T) {
	table := RulesMarkdown()
	for _, part := range []string{
		"| photos | 15 | 10 or more | 10: 5 to 9; 5: 1 to 4 |\n",
		"`excellent` from 90, `good` from 70, `needs_work` from 50, `poor` from 0.\n", "`high` from 8, `medium` from 4, `low` from 0.\n",
	} {
		if !strings.Contains(table, part) {
			t.Errorf("%q is missing in\n%s", part, table)
		}
	}
	for _, r := range rules() {
		for _, tier := range r.tiers {
			if !strings.Contains(table, tier.when) {
				t.Errorf("%s: %q is missing", r.field, tier.when)
			}
		}
	}
}
