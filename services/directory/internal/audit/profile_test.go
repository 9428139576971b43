package audit

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/google"
)

// TestReports checks which fields a source can report. An address or hours that do not
// apply are not missing.
func TestReports(t *testing.T) {
	with := func(more ...Field) []Field { return append(slices.Clone(common), more...) }
	bakery := []string{"Piekarnia"}
	for name, test := range map[string]struct {
		profile *Profile
		want    []Field
	}{
		"location": {fromLocation("locations/1", google.Business{}, now), with(FieldDescription, FieldServices)},
		"record":   {fromRecord(company.Company{}, now), with(FieldDescription, FieldServices)},
		"place":    {fromPlace(google.Business{Categories: bakery}, now), with(FieldPhotos, FieldReviews)},
		"place with a summary": {
			fromPlace(google.Business{Description: "Opis.", Categories: bakery}, now),
			with(FieldPhotos, FieldReviews, FieldDescription),
		},
		"location without address and hours": {
			fromLocation("l", google.Business{NoAddress: true, NoHours: true}, now),
			[]Field{FieldName, FieldPhone, FieldWebsite, FieldCategories, FieldDescription, FieldServices},
		},
		"place without a category": {
			fromPlace(google.Business{}, now),
			[]Field{FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldPhotos, FieldReviews},
		},
	} {
		if diff := cmp.Diff(test.want, test.profile.Reports); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
