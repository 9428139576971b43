package audit

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
)

func TestFromRecord(t *testing.T) {
	p := fromRecord(company.Company{
		Name: " Piekarnia ", Address: "Rynek 1", Phone: "1", Website: "a.pl", Hours: "pn 8–16; wt 8–16\nśr 8–16;;", Description: "Opis",
		Categories: []string{"Piekarnia", "piekarnia "}, Services: []string{"Chleb"}, CoverPhotoURL: "https://a.pl/c.png", PlaceID: "place-1",
	}, now)
	if p.Name != "Piekarnia" || p.Address != "Rynek 1" || strings.Join(p.Hours, "|") != "pn 8–16|wt 8–16|śr 8–16" || len(p.Categories) != 1 || p.LogoPresent ||
		!p.CoverPresent || p.PlaceID != "place-1" || p.Source != FromRecord || !p.FetchedAt.Equal(now) {
		t.Errorf("profile = %+v", p)
	}
	if a, err := Assess(p); err != nil || a.LogoPresent || !a.CoverPresent {
		t.Errorf("audit = %+v, %v", a, err)
	}
}

// TestFoundNamesItsField checks that each flag is of the field that it names.
func TestFoundNamesItsField(t *testing.T) {
	for _, field := range Fields() {
		for status, want := range map[string]bool{StatusComplete: true, StatusPartial: true, StatusMissing: false, StatusUnknown: false} {
			a := Audit{Fields: map[Field]FieldStatus{field: {Status: status}}}
			a.complete()
			content, err := json.Marshal(a.Found)
			if err != nil {
				t.Fatal(err)
			}
			var flags map[string]bool
			if err := json.Unmarshal(content, &flags); err != nil || len(flags) != len(Fields()) {
				t.Fatalf("%s, %v", content, err)
			}
			for name, found := range flags {
				if found != (want && name == "has_"+string(field)) {
					t.Errorf("%s is %s: %s is %t", field, status, name, found)
				}
			}
		}
	}
}

func TestFillTakesEachField(t *testing.T) {
	whole := google.Business{
		Name: "Piekarnia", Address: "Rynek 1", Phone: "1", Website: "a.pl", Hours: []string{"pn 8–16"}, Categories: []string{"Piekarnia"}, PhotoCount: 4,
		Description: "Opis", Services: []string{"Chleb"}, ReviewCount: 7, AverageRating: 4.5,
	}
	reports := append(slices.Clone(common), FieldPhotos, FieldDescription, FieldServices, FieldReviews)
	var p Profile
	p.fill(&Profile{Reports: reports, Business: whole})
	if !reflect.DeepEqual(p, Profile{Reports: reports, Business: whole}) {
		t.Errorf("%+v, want %+v", p.Business, whole)
	}
	p.fill(&Profile{Reports: reports})
	if !reflect.DeepEqual(p.Business, whole) {
		t.Errorf("a second source left %+v", p.Business)
	}
}

// TestReports checks which fields a source can report. An address or hours that do not
// apply are not missing.
func TestReports(t *testing.T) {
	withText := func(list ...Field) string { return strings.Join(texts(list), " ") }
	with := func(more ...Field) string { return withText(append(slices.Clone(common), more...)...) }
	bakery := []string{"Piekarnia"}
	for name, test := range map[string]struct {
		profile *Profile
		want    string
	}{
		"location":                  {fromLocation("locations/1", google.Business{}, now), with(FieldDescription, FieldServices)},
		"record":                    {fromRecord(company.Company{}, now), with(FieldDescription, FieldServices)},
		"place":                     {fromPlace(google.Business{Categories: bakery}, now), with(FieldPhotos, FieldReviews)},
		"place without a category":  {fromPlace(google.Business{}, now), withText(FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldPhotos, FieldReviews)},
		"place with a summary":      {fromPlace(google.Business{Description: "Opis.", Categories: bakery}, now), with(FieldPhotos, FieldReviews, FieldDescription)},
		"location without either":   {fromLocation("l", google.Business{NoAddress: true, NoHours: true}, now), withText(FieldName, FieldPhone, FieldWebsite, FieldCategories, FieldDescription, FieldServices)},
		"place without its address": {fromPlace(google.Business{NoAddress: true, Categories: bakery}, now), withText(FieldName, FieldPhone, FieldWebsite, FieldHours, FieldCategories, FieldPhotos, FieldReviews)},
	} {
		if got := withText(test.profile.Reports...); got != test.want {
			t.Errorf("%s reports %s, want %s", name, got, test.want)
		}
	}
}

func texts(fields []Field) (texts []string) {
	for _, f := range fields {
		texts = append(texts, string(f))
	}
	return texts
}
