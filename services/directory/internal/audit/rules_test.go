package audit

import (
	"context"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/fault/faulttest"
)

func TestRulesAreWellFormed(t *testing.T) {
	for _, r := range rules() {
		t.Run(string(r.field), func(t *testing.T) {
			if r.tiers[0].points != r.points || r.tiers[0].advice != "" {
				t.Errorf("first tier = %g with advice %q, want all %g points and nothing to do", r.tiers[0].points, r.tiers[0].advice, r.points)
			}
			for i, lower := range r.tiers[1:] {
				if lower.points <= 0 || lower.points >= r.tiers[i].points {
					t.Errorf("tier %d has %g points after %g", i+1, lower.points, r.tiers[i].points)
				}
				sentence(t, lower.advice)
			}
			sentence(t, r.missing)
			sentence(t, r.unknown)
			for _, tier := range r.tiers {
				if tier.when == "" || strings.Contains(tier.when, "|") {
					t.Errorf("when = %q cannot stand in a table", tier.when)
				}
			}
		})
	}
}

func sentence(t *testing.T, text string) {
	t.Helper()
	if len(text) < 10 || !unicode.IsUpper([]rune(text)[0]) || !strings.HasSuffix(text, ".") {
		t.Errorf("%q is not a sentence", text)
	}
}

func TestFullProfileIsExcellent(t *testing.T) {
	p := FullProfile()
	p.LogoPresent = true
	a, err := Assess(p)
	if err != nil {
		t.Fatal(err)
	}
	if a.Score != 100 || a.Category != "excellent" || len(a.Recommendations) != 0 || a.Recommendations == nil {
		t.Errorf("score %g, %s, %v, want 100, excellent, an empty list", a.Score, a.Category, a.Recommendations)
	}
	want := Audit{
		Score: 100, Category: "excellent", Fields: a.Fields, Recommendations: []Recommendation{}, Sources: []Step{}, Version: "1.0", Source: FromLocation,
		PlaceID: "place-1", Location: "locations/5", PhotoCount: 10, ReviewCount: 128, AverageRating: new(4.6), Coverage: 100, LogoPresent: true,
		Subject: Subject{Name: "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków"},
		Found:   Found{true, true, true, true, true, true, true, true, true, true},
	}
	if len(a.Fields) != 10 || !reflect.DeepEqual(a, want) {
		t.Errorf("audit = %+v, want %+v", a, want)
	}
	if photos, reviews := *a.Fields[FieldPhotos].Value, *a.Fields[FieldReviews].Value; photos != "10 lub więcej" || reviews != "128 (średnia ocena 4,6)" {
		t.Errorf("values = %q, %q", photos, reviews)
	}
}

func TestUnknownLeavesTheDenominator(t *testing.T) {
	for _, r := range rules() {
		t.Run(string(r.field), func(t *testing.T) {
			p := FullProfile()
			p.Reports = slices.DeleteFunc(p.Reports, func(f Field) bool { return f == r.field })
			a, err := Assess(p)
			if err != nil {
				t.Fatal(err)
			}
			want := FieldStatus{Status: StatusUnknown, MaxScore: r.points, Recommendation: r.unknown}
			if a.Fields[r.field] != want || a.Score != 100 || a.has(r.field) {
				t.Errorf("%+v, score %g", a.Fields[r.field], a.Score)
			}
			todo := []Recommendation{{Field: r.field, Priority: "low", Text: r.unknown}}
			if !slices.Equal(a.Recommendations, todo) {
				t.Errorf("recommendations = %v, want %v", a.Recommendations, todo)
			}
		})
	}
}

func TestScoreIsRounded(t *testing.T) {
	// 10 of 10 and 4 of 10 and 0 of 12 points: 14/32 = 43.75 %.
	p := &Profile{
		Reports: []Field{FieldName, FieldCategories, FieldDescription}, Business: google.Business{Name: "Bar", Categories: []string{"Bar"}},
	}
	for range 3 {
		a, err := Assess(p)
		if err != nil || a.Score != 43.8 || a.Category != "poor" {
			t.Fatalf("score = %g, %s, %v, want 43.8, poor", a.Score, a.Category, err)
		}
	}
}

func TestGrades(t *testing.T) {
	for figure, want := range map[float64]string{
		100: "excellent", 90: "excellent", 89.9: "good", 70: "good", 69.9: "needs_work", 50: "needs_work", 49.9: "poor", 0: "poor",
	} {
		if got := gradeOf(scoreGrades, figure); got != want {
			t.Errorf("category of %g = %s, want %s", figure, got, want)
		}
	}
	for figure, want := range map[float64]string{15: "high", 8: "high", 7: "medium", 4: "medium", 3: "low", 0: "low"} {
		if got := gradeOf(priorityGrades, figure); got != want {
			t.Errorf("priority of %g = %s, want %s", figure, got, want)
		}
	}
}

func TestRecommendationsAreOrdered(t *testing.T) {
	p := FullProfile()
	p.Hours, p.Address, p.Services, p.PhotoCount, p.Website = nil, "", []string{"Chleb"}, 5, "http://p.example"
	p.Reports = slices.DeleteFunc(p.Reports, func(f Field) bool { return f == FieldReviews })
	a, err := Assess(p)
	if err != nil {
		t.Fatal(err)
	}
	want := []Recommendation{
		{Field: FieldAddress, Priority: "high", Points: 10},
		{Field: FieldHours, Priority: "high", Points: 10},
		{Field: FieldPhotos, Priority: "medium", Points: 5},
		{Field: FieldServices, Priority: "medium", Points: 4},
		{Field: FieldWebsite, Priority: "low", Points: 3},
		{Field: FieldReviews, Priority: "low", Points: 0},
	}
	for i := range want {
		want[i].Text = a.Fields[want[i].Field].Recommendation
	}
	if !slices.Equal(a.Recommendations, want) {
		t.Errorf("recommendations = %+v\nwant %+v", a.Recommendations, want)
	}
}

func TestAssessWithoutData(t *testing.T) {
	bar := google.Business{Name: "Bar"}
	for name, p := range map[string]*Profile{
		"no field reported": {Business: bar},
		"all empty":         newProfile(FromPlace, google.Business{Name: " ", Hours: []string{""}}, now),
		"name of record":    fromRecord(company.Company{Name: "Bar"}, now),
	} {
		_, err := Assess(p)
		if !fault.Is(err, "no_profile_data") || fault.From(err).Kind != fault.Invalid {
			t.Errorf("%s: %v, want no_profile_data", name, err)
		}
	}
	if a, err := Assess(fromLocation("locations/1", bar, now)); err != nil || a.Score != 13.3 {
		t.Errorf("the name of a location alone: score = %g, %v, want 13.3: 10 of 75", a.Score, err)
	}
}

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
		{FieldAddress, "town of two letters", address("ul. Floriańska 12, 31-021 Bo"), 10},
		{FieldAddress, "one letter", address("ul. Floriańska 12, 31-021 B"), 6},
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
		{FieldCategories, "primary category of a place", func(p *Profile) { p.Source, p.Categories = FromPlace, []string{"Piekarnia"} }, 10},
		{FieldDescription, "summary of a place", func(p *Profile) { p.Source, p.Description = FromPlace, "Dobra piekarnia." }, 12},
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
			test.change(p)
			tidy(&p.Business)
			a, err := Assess(p)
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
			if (a.AverageRating != nil) != (p.ReviewCount > 0) {
				t.Errorf("average of %d reviews: %v", p.ReviewCount, a.AverageRating)
			}
			if a.has(test.field) != (status != StatusMissing) {
				t.Errorf("Has = %t for %s", a.has(test.field), status)
			}
		})
	}
}

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

var now = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// FullProfile is complete in every field.
func FullProfile() *Profile {
	p := fromLocation("locations/5", FullLocation(), now)
	p.fill(fromPlace(FullPlace(), now))
	return p
}

// FullLocation is complete in all fields that a location can report.
func FullLocation() google.Business {
	return google.Business{
		PlaceID: "place-1", Name: "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków", Phone: "+48 12 421 00 12",
		Website: "https://piekarnia-kowalski.example/", Description: strings.Repeat("ż", 250),
		Hours:      []string{"poniedziałek: 06:00–18:00", "wtorek: 06:00–18:00", "środa: 06:00–18:00", "czwartek: 06:00–18:00", "piątek: 06:00–18:00"},
		Categories: []string{"Piekarnia", "Cukiernia", "Kawiarnia"},
		Services:   []string{"Chleb", "Bułki", "Torty", "Ciasta", "Kawa"},
	}
}

// FullPlace is complete in all fields that a place can report.
func FullPlace() google.Business {
	b := FullLocation()
	b.PhotoCount, b.ReviewCount, b.AverageRating, b.Description, b.Services = 10, 128, 4.6, "", nil
	return b
}

// LocationProfile and PlaceProfile are the profiles of what Google published.
func LocationProfile(b google.Business) *Profile { return fromLocation("locations/5", b, now) }

func PlaceProfile(b google.Business) *Profile { return fromPlace(b, now) }

// StoredProfile is what an audit reads.
func (s *Service) StoredProfile(ctx context.Context, companyID int64) (Profile, error) {
	return s.profile(ctx, companyID)
}

func TestCodes(t *testing.T) {
	faulttest.Published(t, CodeMissingParameters, fault.Invalid, "missing_parameters")
	faulttest.Published(t, CodeNoProfile, fault.NotFound, "no_profile")
	faulttest.Published(t, CodeNoProfileData, fault.Invalid, "no_profile_data")
	faulttest.Published(t, CodeNoAudit, fault.NotFound, "no_audit")
	faulttest.Published(t, CodeLimit, fault.Limited, "audit_limit")
	faulttest.Published(t, CodeUnavailable, fault.Unavailable, "audit_unavailable")
}
