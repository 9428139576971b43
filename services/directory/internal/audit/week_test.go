package audit

import (
	"testing"
	"time"
)

// TestWeeksOfCompanies checks that the weeks of companies begin on all days alike, and that
// each lasts for seven days.
func TestWeeksOfCompanies(t *testing.T) {
	const companies = 7000
	now := time.Date(2026, time.November, 23, 12, 0, 0, 0, time.UTC)
	var days [7]int
	for id := range int64(companies) {
		begin := weekOf(id, now)
		age := now.Sub(begin)
		if age < 0 || age >= week {
			t.Fatalf("week of company %d begins at %s", id, begin)
		}
		if !weekOf(id, begin).Equal(begin) || !weekOf(id, begin.Add(week)).Equal(begin.Add(week)) {
			t.Fatalf("week of company %d begins at %s", id, begin)
		}
		if !weekOf(id, begin.Add(week-1)).Equal(begin) {
			t.Fatalf("week of company %d begins at %s", id, begin)
		}
		days[age/(24*time.Hour)]++
	}
	// All versions of the service have to agree.
	if got, want := weekOf(12, now), time.Date(2026, time.November, 23, 9, 47, 29, 0, time.UTC); !got.Equal(want) {
		t.Errorf("week of company 12 begins at %s, want %s", got, want)
	}
	for day, n := range days {
		if n < companies/7*9/10 || n > companies/7*11/10 {
			t.Errorf("%d of %d weeks begin on day %d", n, companies, day)
		}
	}
}
