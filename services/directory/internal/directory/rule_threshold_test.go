package directory

import (
	"math"
	"strings"
	"testing"
)

// TestThresholds holds each rule at and below each of its thresholds.
func TestThresholds(t *testing.T) {
	list := func(n int) []string { return strings.Fields(strings.Repeat("a ", n))[:n] }
	distinctList := func(n int) []string {
		l := list(n)
		for i := range l {
			l[i] = strings.Repeat("x", i+1)
		}
		return l
	}
	name := func(s string) func(*Profile) { return func(p *Profile) { p.Name = s } }
	address := func(s string) func(*Profile) { return func(p *Profile) { p.Address = s } }
	phone := func(s string) func(*Profile) { return func(p *Profile) { p.Phone = s } }
	website := func(s string) func(*Profile) { return func(p *Profile) { p.Website = s } }
	days := func(n int) func(*Profile) {
		return func(p *Profile) {
			p.Hours = []string{"poniedziałek: 1", "wtorek: 1", "środa: 1", "czwartek: 1", "piątek: 1", "sobota: 1", "niedziela: 1"}[:n]
		}
	}
	hours := func(s string) func(*Profile) { return func(p *Profile) { p.Hours = []string{s} } }
	cats := func(n int) func(*Profile) { return func(p *Profile) { p.Categories = distinctList(n) } }
	photos := func(n int) func(*Profile) { return func(p *Profile) { p.PhotoCount = n } }
	text := func(n int) func(*Profile) { return func(p *Profile) { p.Description = strings.Repeat("ą", n) } }
	services := func(n int) func(*Profile) { return func(p *Profile) { p.Services = distinctList(n) } }
	reviews := func(n int, average float64) func(*Profile) {
		return func(p *Profile) { p.ReviewCount, p.AverageRating = n, average }
	}
	tests := []struct {
		field  Field
		title  string
		change func(*Profile)
		want   float64
	}{
		{FieldName, "none", name(""), 0},
		{FieldName, "blank", name(" \t"), 0},
		{FieldName, "1 character", name("X"), 5},
		{FieldName, "2 characters", name("4F"), 10},
		{FieldName, "no letter", name("123"), 5},
		{FieldName, "80 characters", name(strings.Repeat("ż", 80)), 10},
		{FieldName, "81 characters", name(strings.Repeat("ż", 81)), 5},
		{FieldAddress, "none", address(""), 0},
		{FieldAddress, "all", address("ul. Floriańska 12, 31-021 Kraków"), 10},
		{FieldAddress, "no number", address("ul. Floriańska, 31-021 Kraków"), 6},
		{FieldAddress, "no code", address("ul. Floriańska 12, Kraków"), 6},
		{FieldAddress, "no town", address("ul. Floriańska 12, 31-021"), 6},
		{FieldAddress, "town", address("Gdańsk"), 3},
		{FieldAddress, "neither", address("ul. Floriańska"), 3},
		{FieldPhone, "none", phone(""), 0},
		{FieldPhone, "good", phone("12 421 00 12"), 8},
		{FieldPhone, "short", phone("421 00 12"), 4},
		{FieldWebsite, "none", website(""), 0},
		{FieldWebsite, "https", website("https://firma.example"), 8},
		{FieldWebsite, "http", website("http://firma.example"), 5},
		{FieldWebsite, "bare", website("firma.example/kontakt"), 5},
		{FieldWebsite, "text", website("mamy stronę"), 2},
		{FieldHours, "0 days", days(0), 0},
		{FieldHours, "1 day", days(1), 4},
		{FieldHours, "2 days", days(2), 4},
		{FieldHours, "3 days", days(3), 7},
		{FieldHours, "4 days", days(4), 7},
		{FieldHours, "5 days", days(5), 10},
		{FieldHours, "7 days", days(7), 10},
		{FieldHours, "unreadable", hours("jak zwykle"), 4},
		{FieldHours, "a range", hours("pn–pt 8–16"), 10},
		{FieldCategories, "0", cats(0), 0},
		{FieldCategories, "1", cats(1), 4},
		{FieldCategories, "2", cats(2), 7},
		{FieldCategories, "3", cats(3), 10},
		{FieldCategories, "1 said three times", func(p *Profile) { p.Categories = []string{"Bar", " bar", "", "BAR "} }, 4},
		{FieldPhotos, "0", photos(0), 0},
		{FieldPhotos, "1", photos(1), 5},
		{FieldPhotos, "4", photos(4), 5},
		{FieldPhotos, "5", photos(5), 10},
		{FieldPhotos, "9", photos(9), 10},
		{FieldPhotos, "10", photos(10), 15},
		{FieldPhotos, "31", photos(31), 15},
		{FieldDescription, "0", text(0), 0},
		{FieldDescription, "1", text(1), 4},
		{FieldDescription, "99", text(99), 4},
		{FieldDescription, "100", text(100), 8},
		{FieldDescription, "249", text(249), 8},
		{FieldDescription, "250", text(250), 12},
		{FieldDescription, "summary of a place", func(p *Profile) { p.Source, p.Description = FromPlaces, "Dobra piekarnia." }, 12},
		{FieldServices, "0", services(0), 0},
		{FieldServices, "1", services(1), 3},
		{FieldServices, "2", services(2), 5},
		{FieldServices, "4", services(4), 5},
		{FieldServices, "5", services(5), 7},
		{FieldReviews, "none", reviews(0, 0), 0},
		{FieldReviews, "1", reviews(1, 5), 4},
		{FieldReviews, "4", reviews(4, 5), 4},
		{FieldReviews, "5 at 3.4", reviews(5, 3.4), 4},
		{FieldReviews, "5 at 3.5", reviews(5, 3.5), 7},
		{FieldReviews, "9 at 5", reviews(9, 5), 7},
		{FieldReviews, "10 at 3.9", reviews(10, 3.9), 7},
		{FieldReviews, "10 at 4", reviews(10, 4), 10},
		{FieldReviews, "500 at 2", reviews(500, 2), 4},
	}
	for _, test := range tests {
		t.Run(string(test.field)+"/"+test.title, func(t *testing.T) {
			p := FullProfile()
			test.change(&p)
			a, err := Assess(&p)
			if err != nil {
				t.Fatal(err)
			}
			got := a.Fields[test.field]
			status := StatusPartial
			switch test.want {
			case 0:
				status = StatusMissing
			case got.MaxScore:
				status = StatusComplete
			}
			if got.Score != test.want || got.Status != status {
				t.Errorf("%g points, %s, want %g, %s", got.Score, got.Status, test.want, status)
			}
			if (got.Value == nil) != (status == StatusMissing) || (got.Recommendation == "") != (status == StatusComplete) {
				t.Errorf("value %v, recommendation %q do not fit %s", got.Value, got.Recommendation, status)
			}
			if want := math.Round(10*(100-got.MaxScore+test.want)) / 10; a.Score != want {
				t.Errorf("score = %g, want %g: the other fields are complete", a.Score, want)
			}
			if a.Has(test.field) != (status != StatusMissing) {
				t.Errorf("Has = %t for %s", a.Has(test.field), status)
			}
		})
	}
}
