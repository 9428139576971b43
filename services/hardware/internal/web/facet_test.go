package web

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/fits"
)

func TestABrandIsOneInEverySpelling(t *testing.T) {
	var parts []listedPart
	for _, name := range []string{"be quiet! Pure Power 12", "Zasilacz Be Quiet System Power 10", "be quiet SFX L",
		"ASUS Prime", "Asus ROG Strix", "Cooler Master V850", "COOLER MASTER MWE"} {
		parts = append(parts, listedPart{traits: traitsOf(fits.Part{Category: "psu"}, name)})
	}
	brand := facetsOf(kind{Key: "psu"}, parts, url.Values{"marka": {"be quiet!"}})[0]
	if diff := cmp.Diff([]string{"ASUS", "be quiet!", "Cooler Master"}, brand.Options); diff != "" {
		t.Errorf("brands (-want +got):\n%s", diff)
	}
	for i, want := range []bool{true, true, true, false} {
		if got := brand.accepts(parts[i].traits["marka"]); got != want {
			t.Errorf("%v: %t", parts[i].traits, got)
		}
	}
}
