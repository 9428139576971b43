package web

import "testing"

func TestOutcomesSayWhatHappened(t *testing.T) {
	for outcome, shown := range outcomes {
		if shown.Text == "" || shown.Level == "" {
			t.Errorf("%s: %+v", outcome, shown)
		}
	}
}
