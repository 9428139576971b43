package directory

import (
	"strings"
	"testing"
)

func TestCompanyRecordAsAProfile(t *testing.T) {
	c := Company{
		Name: " Piekarnia ", Address: "Rynek 1", Phone: "1", Website: "a.pl", Hours: "pn 8–16; wt 8–16\nśr 8–16;;", Description: "Opis",
		Categories: []string{"Piekarnia", "piekarnia "}, Services: []string{"Chleb"}, CoverPhotoURL: "https://a.pl/c.png", PlaceID: "place-1",
	}
	p := recordProfile(&c, auditNow).normal()
	if p.Name != "Piekarnia" || strings.Join(p.Hours, "|") != "pn 8–16|wt 8–16|śr 8–16" || len(p.Categories) != 1 || p.LogoPresent ||
		!p.CoverPresent || p.PlaceID != "place-1" || p.Source != FromCompanyRecord || !p.FetchedAt.Equal(auditNow) {
		t.Errorf("profile = %+v", p)
	}
	for _, f := range []Field{FieldPhotos, FieldReviews} {
		if p.Knows(f) {
			t.Errorf("a company's record tells %s", f)
		}
	}
}
