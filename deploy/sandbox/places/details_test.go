package places_test

import (
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/internal/fixtures"
)

// idOf is the id of the business with that slug.
func idOf(t *testing.T, slug string) string {
	t.Helper()
	businesses := fixtures.Businesses()
	i := slices.IndexFunc(businesses, func(b fixtures.Business) bool { return b.Slug == slug })
	if i < 0 {
		t.Fatalf("no business %s", slug)
	}
	return businesses[i].PlaceID()
}

func TestOnlyMaskedFieldsAreShown(t *testing.T) {
	bakery := idOf(t, "piekarnia-kowalski")
	for mask, want := range map[string]string{
		"id":                        `{"id":"` + bakery + `"}`,
		"name":                      `{"name":"places/` + bakery + `"}`,
		"displayName":               `{"displayName":{"languageCode":"pl","text":"Piekarnia Kowalski"}}`,
		"rating,userRatingCount":    `{"rating":4.7,"userRatingCount":218}`,
		"formattedAddress":          `{"formattedAddress":"Floriańska 12, 31-021 Kraków, Polska"}`,
		"nationalPhoneNumber":       `{"nationalPhoneNumber":"12 000 10 01"}`,
		"internationalPhoneNumber":  `{"internationalPhoneNumber":"+48 12 000 10 01"}`,
		"types":                     `{"types":["bakery","cake_shop","cafe","point_of_interest","establishment"]}`,
		"primaryTypeDisplayName":    `{"primaryTypeDisplayName":{"languageCode":"pl","text":"Piekarnia"}}`,
		"businessStatus,websiteUri": `{"businessStatus":"OPERATIONAL","websiteUri":"https://piekarnia-kowalski.example/"}`,
		"movedPlace,movedPlaceId":   `{}`,
	} {
		if got := compact(t, newClient(t).send("GET", "/v1/places/"+bakery+"?languageCode=pl&regionCode=PL", mask, "")); got != want {
			t.Errorf("%s: got %s, want %s", mask, got, want)
		}
	}
}

func TestWhatAPlaceLacksIsAbsent(t *testing.T) {
	cases := map[string]struct{ mask, want string }{
		"studio-wisniewska": {"rating,userRatingCount,websiteUri,nationalPhoneNumber,regularOpeningHours,photos,reviews,editorialSummary", `{}`},
		"hydraulik-wojcik":  {"formattedAddress,postalAddress,location,pureServiceAreaBusiness", `{"pureServiceAreaBusiness":true}`},
		"szewc-lis":         {"businessStatus", `{"businessStatus":"CLOSED_PERMANENTLY"}`},
		"pensjonat-mewa":    {"businessStatus,regularOpeningHours", `{"businessStatus":"CLOSED_TEMPORARILY"}`},
		"dawna-ksiegarnia":  {"businessStatus", `{"businessStatus":"CLOSED_PERMANENTLY"}`},
	}
	for slug, c := range cases {
		if got := compact(t, newClient(t).send("GET", "/v1/places/"+idOf(t, slug), c.mask, "")); got != c.want {
			t.Errorf("%s: got %s, want %s", slug, got, c.want)
		}
	}
}

func TestNeverMoreThanTenPhotos(t *testing.T) {
	for slug, want := range map[string]int{"piekarnia-kowalski": 10, "warsztat-nowak": 3} {
		got := read[struct{ Photos []struct{ Name string } }](t, newClient(t).send("GET", "/v1/places/"+idOf(t, slug), "photos", ""))
		if len(got.Photos) != want {
			t.Errorf("%s: %d photos, want %d", slug, len(got.Photos), want)
		}
	}
}

func TestRenewedIDs(t *testing.T) {
	c := newClient(t)
	c.SetToggle("renewed_ids", true)
	id := idOf(t, "piekarnia-kowalski")
	if got := c.send("GET", "/v1/places/"+id, "id", ""); got.Code != 404 || !strings.Contains(got.Body.String(), "no longer valid") {
		t.Errorf("the old id: %d %s", got.Code, got.Body)
	}
	found := read[struct{ Places []struct{ ID string } }](t, c.send("POST", "/v1/places:searchText", "places.id", `{"textQuery":"Piekarnia Kowalski Floriańska 12"}`))
	if len(found.Places) == 0 || found.Places[0].ID == id {
		t.Fatalf("found %v", found)
	}
	if got := compact(t, c.send("GET", "/v1/places/"+found.Places[0].ID, "displayName", "")); !strings.Contains(got, "Piekarnia Kowalski") {
		t.Errorf("the new id: %s", got)
	}
}
