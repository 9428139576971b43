package ceneo

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/prices"
)

// pageOf is a page of results with these rows, each a name and a category.
func pageOf(rows ...[2]string) string {
	var page strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&page, `<div class="cat-prod-row" data-pid="%d" data-productminprice="%d"><strong class="cat-prod-row__name">
			<a href="/%[1]d">%[3]s</a></strong><div class="cat-prod-row__category"><a href="/x">%[4]s</a></div>
			<span class="shop-numb">w %[5]d sklepach</span></div>`, 155000001+i, 100+i, row[0], row[1], i)
	}
	return page.String()
}

func TestFindGivesTheOtherRowsAsAlternatives(t *testing.T) {
	const cards, computers = "Karty graficzne", "Komputery"
	found := pageOf(
		[2]string{"MSI RTX 4070 Ti", cards}, [2]string{"Gigabyte RTX 4070 12GB", cards}, [2]string{"PC z RTX 4070", computers},
		[2]string{"RTX 4080", cards}, [2]string{"RTX 4070 SUPER", cards},
	)
	long := pageOf(slices.Repeat([][2]string{{"RTX 4060", cards}}, 9)...)
	for name, tt := range map[string]struct {
		page string
		want []int // their places on the page
	}{
		"besides the chosen one, of its category": {found, []int{0, 3, 4}},
		"nothing matched":                         {pageOf([2]string{"RTX 4080", cards}, [2]string{"PC", computers}), []int{0, 1}},
		"no more than five":                       {long, []int{0, 1, 2, 3, 4}},
	} {
		s, a, _ := openStub(t)
		s.on(searchPath, text(200, tt.page))
		s.on("/155000002;0280-0.htm", text(200, fixture(t, "product.html")))
		var places []int
		for _, alternative := range mustFind(t, a, query("RTX 4070")).Alternatives {
			place := int(alternative.PriceLow) - 100
			want := prices.Alternative{ProductName: alternative.ProductName, ProductURL: fmt.Sprintf("%s/%d", s.URL, 155000001+place), PriceLow: float64(100 + place), OfferCount: place}
			if alternative != want {
				t.Errorf("%s: %+v, want %+v", name, alternative, want)
			}
			places = append(places, place)
		}
		if !slices.Equal(places, tt.want) {
			t.Errorf("%s: rows %v, want %v", name, places, tt.want)
		}
	}
}

func TestFindTakesNoRowOfAnotherCategory(t *testing.T) {
	s, a, _ := openStub(t)
	s.on(searchPath, text(200, pageOf([2]string{"RTX 4070", "Komputery do gier"}, [2]string{"Gigabyte RTX 4070 12GB", "Karty graficzne"})))
	s.on("/155000002;0280-0.htm", text(200, fixture(t, "product.html")))
	if f := mustFind(t, a, query("RTX 4070")); f.ProductURL != s.URL+"/155000002" {
		t.Errorf("found %q", f.ProductURL)
	}
}
