package ceneo

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseSearchReadsBothLayouts(t *testing.T) {
	tests := map[string][]searchRow{
		"list.html": {
			{id: "155000001", name: "Gigabyte GeForce RTX 4070 SUPER WINDFORCE OC 12GB (GV-N407SWF3OC-12GD)", department: "Karty graficzne", minPrice: 2799, shops: 31},
			{id: "155000002", name: "MSI GeForce RTX 4070 VENTUS 2X 12G OC (912-V513-264)", department: "Karty graficzne", minPrice: 2549.90, shops: 1026},
			{id: "155000003", name: "ASUS RTX 4070 Ti SUPER TUF", minPrice: 3499.50},
			{id: "155000004", name: "Karta graficzna Palit RTX 4070 Dual 12GB", minPrice: 2199.99, shopLink: "/Click/Offer/?e=single1&a=2", shop: "www.komputronik.pl"},
		},
		"box.html": {
			{id: "155100001", name: "be quiet! Pure Power 12 M 750W (BN343)", minPrice: 389, shops: 1},
			{id: "155100003", name: "Zasilacz Corsair RM750e 750W", minPrice: 1429.05},
			{id: "155100004", name: "Zasilacz Modecom Volcano 750W", minPrice: 299.99, shopLink: "/click/Offer/?e=single2", logo: "Sklep Łódź"},
		},
		// Adverts above the list, groups of variants, an earlier price and every kind of label.
		"rows.html": {
			{id: "155200001", name: "MSI RTX 4060 Ventus", department: "Karty graficzne", minPrice: 1349.99, shops: 1, freeDelivery: true},
			{
				id: "155200002", name: "Kabel do RTX 4060", department: "Kable i przejściówki", minPrice: 67.99,
				shopLink: "/Click/Offer/?e=1", shop: "tani.example",
			},
		},
		"empty.html":      nil,
		"empty_list.html": nil,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := parseSearch(strings.NewReader(fixture(t, name)), knownMarkup().search)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("rows %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestParseSearchFailsLoudlyOnOtherPages(t *testing.T) {
	pages := map[string]string{
		"changed layout":   fixture(t, "changed_list.html"),
		"rows not read":    fixture(t, "unreadable_rows.html"),
		"captcha":          fixture(t, "captcha.html"),
		"interstitial":     fixture(t, "interstitial.html"),
		"a product page":   fixture(t, "product.html"),
		"empty":            "",
		"home page":        `<html><body><form><input id="form-head-search-q"></form></body></html>`,
		"text in script":   `<html><body><script>var t = "Brak wyników"</script></body></html>`,
		"nested too deep":  strings.Repeat("<div>", 5000),
		"single, no price": `<div class="cat-prod-row"><strong class="cat-prod-row__name"><a href="/Click/Offer?e=1">RTX</a></strong></div>`,
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			if rows, err := parseSearch(strings.NewReader(page), knownMarkup().search); !errors.Is(err, errLayout) || rows != nil {
				t.Errorf("%d rows, error %v; want errLayout", len(rows), err)
			}
		})
	}
}

const plainRow = `<div class="cat-prod-row" data-pid="1"><strong class="cat-prod-row__name"><a href="/1">RTX</a></strong></div>`

func TestParseSearchLeavesOutAdverts(t *testing.T) {
	adverts := map[string]string{
		"class of the row":     strings.Replace(plainRow, "cat-prod-row\"", "cat-prod-row promoted-offer\"", 1),
		"class inside the row": strings.Replace(plainRow, "<strong", `<i class="js_analytics-promotedItem"></i><strong`, 1),
		"text of the row":      strings.Replace(plainRow, "<strong", "<p> Oferta\n specjalna</p><strong", 1),
	}
	for name, advert := range adverts {
		rows, err := parseSearch(strings.NewReader(advert+plainRow), knownMarkup().search)
		if err != nil || len(rows) != 1 {
			t.Errorf("%s: %d rows, error %v; want 1", name, len(rows), err)
		}
	}
}

func TestParseSearchBoundsTheRows(t *testing.T) {
	rows, err := parseSearch(strings.NewReader(strings.Repeat(plainRow, 250)), knownMarkup().search)
	if err != nil || len(rows) != 200 {
		t.Errorf("%d rows, error %v", len(rows), err)
	}
}

func TestProductNumber(t *testing.T) {
	tests := map[string]string{
		"/155000002": "155000002", "/174999951###tab=reviews_scroll": "174999951",
		"/102723109##;02514#tag=x": "102723109", "/155000002;0280-0.htm": "155000002",
		"/Karty_graficzne": "", "/;szukaj-4070": "", "/155x": "", "/155/opinie": "", "": "", "155": "",
		"/Click/Offer/?e=1": "", "/": "",
	}
	for path, want := range tests {
		if got := productNumber(path); got != want {
			t.Errorf("productNumber(%q) = %q, want %q", path, got, want)
		}
	}
}
