package directory

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"backend.example/services/internal/kit/fault"
)

func TestRulesArePublishedPoints(t *testing.T) {
	want := []struct {
		field  Field
		points float64
	}{
		{FieldName, 10}, {FieldAddress, 10}, {FieldPhone, 8}, {FieldWebsite, 8}, {FieldHours, 10},
		{FieldCategories, 10}, {FieldPhotos, 15}, {FieldDescription, 12}, {FieldServices, 7}, {FieldReviews, 10},
	}
	var sum float64
	got := rules()
	if len(got) != len(want) {
		t.Fatalf("%d rules, want %d", len(got), len(want))
	}
	for i, r := range got {
		if r.field != want[i].field || r.points != want[i].points {
			t.Errorf("rule %d = %s %g, want %s %g", i, r.field, r.points, want[i].field, want[i].points)
		}
		sum += r.points
	}
	if sum != 100 {
		t.Errorf("sum = %g, want 100", sum)
	}
}

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
	a, err := Assess(&p)
	if err != nil {
		t.Fatal(err)
	}
	if a.Score != 100 || a.Category != "excellent" || len(a.Recommendations) != 0 || a.Recommendations == nil {
		t.Errorf("score %g, %s, %v, want 100, excellent, an empty list", a.Score, a.Category, a.Recommendations)
	}
	if len(a.Fields) != 10 || a.Version != "1.0" || a.Source != FromBusinessProfile || a.PlaceID != "place-1" ||
		a.PhotoCount != 10 || a.ReviewCount != 128 || a.AverageRating == nil || *a.AverageRating != 4.6 {
		t.Errorf("audit = %+v", a)
	}
	if photos, reviews := *a.Fields[FieldPhotos].Value, *a.Fields[FieldReviews].Value; photos != "10 lub więcej" || reviews != "128 (średnia ocena 4,6)" {
		t.Errorf("values = %q, %q", photos, reviews)
	}
}

func TestUnknownLeavesTheDenominator(t *testing.T) {
	for _, r := range rules() {
		t.Run(string(r.field), func(t *testing.T) {
			p := FullProfile()
			p.Tells = slices.DeleteFunc(p.Tells, func(f Field) bool { return f == r.field })
			a, err := Assess(&p)
			if err != nil {
				t.Fatal(err)
			}
			want := FieldStatus{Status: StatusUnknown, MaxScore: r.points, Recommendation: r.unknown}
			if a.Fields[r.field] != want || a.Score != 100 || a.Has(r.field) {
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
	p := Profile{Tells: []Field{FieldName, FieldCategories, FieldDescription}, Name: "Bar", Categories: []string{"Bar"}}
	for range 3 {
		a, err := Assess(&p)
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
	p.Tells = slices.DeleteFunc(p.Tells, func(f Field) bool { return f == FieldReviews })
	a, err := Assess(&p)
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

func TestNothingKnownIsAValueError(t *testing.T) {
	for name, p := range map[string]Profile{
		"tells nothing":  {Name: "Bar"},
		"all empty":      {Tells: recordTells, Name: " ", Hours: []string{""}},
		"name of record": {Source: FromCompanyRecord, Tells: recordTells, Name: "Bar"},
	} {
		_, err := Assess(&p)
		if !fault.Is(err, "no_profile_data") || fault.From(err).Kind != fault.Invalid {
			t.Errorf("%s: %v, want no_profile_data", name, err)
		}
	}
}

func TestNameOfAnExternalProfileIsEnough(t *testing.T) {
	p := Profile{Source: FromPlaces, Tells: recordTells, Name: "Bar"}
	if a, err := Assess(&p); err != nil || a.Score != 13.3 {
		t.Errorf("score = %g, %v, want 13.3: 10 of 75", a.Score, err)
	}
}

func TestAssessLeavesItsInput(t *testing.T) {
	p := Profile{Tells: []Field{FieldName, FieldServices}, Name: " Bar ", Services: []string{" a", "a", "b"}}
	if _, err := Assess(&p); err != nil {
		t.Fatal(err)
	}
	if p.Name != " Bar " || !slices.Equal(p.Services, []string{" a", "a", "b"}) {
		t.Errorf("profile became %+v", p)
	}
}
