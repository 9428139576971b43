package source

import (
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
)

func fixture(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestParseSearchReadsBothLayouts(t *testing.T) {
	tests := map[string][]searchRow{
		"list.html": {
			{id: "155000001", name: "Gigabyte GeForce RTX 4070 SUPER WINDFORCE OC 12GB (GV-N407SWF3OC-12GD)", minPrice: 2799, shops: 31},
			{id: "155000002", name: "MSI GeForce RTX 4070 VENTUS 2X 12G OC (912-V513-264)", minPrice: 2549.90, shops: 1026},
			{id: "155000003", name: "ASUS RTX 4070 Ti SUPER TUF", minPrice: 3499.50},
			{name: "Karta graficzna Palit RTX 4070 Dual 12GB", minPrice: 2199.99, shopLink: "/Click/Offer/?e=single1&a=2", shop: "www.komputronik.pl"},
		},
		"box.html": {
			{id: "155100001", name: "be quiet! Pure Power 12 M 750W (BN343)", minPrice: 389, shops: 1},
			{id: "155100003", name: "Zasilacz Corsair RM750e 750W", minPrice: 1429.05},
			{name: "Zasilacz Modecom Volcano 750W", minPrice: 299.99, shopLink: "/click/Offer/?e=single2", logo: "Sklep Łódź"},
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
			if len(got) != len(want) {
				t.Fatalf("%d rows, want %d: %+v", len(got), len(want), got)
			}
			for i := range want {
				if got[i] != want[i] {
					t.Errorf("row %d:\n got %+v\nwant %+v", i, got[i], want[i])
				}
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

func TestParseSearchBoundsTheRows(t *testing.T) {
	row := `<div class="cat-prod-row" data-pid="1"><strong class="cat-prod-row__name"><a href="/1">RTX</a></strong></div>`
	rows, err := parseSearch(strings.NewReader(strings.Repeat(row, maxRows+50)), knownMarkup().search)
	if err != nil || len(rows) != maxRows {
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

func TestPricesInEverySpelling(t *testing.T) {
	shown := map[string]float64{
		"2 892,28": 2892.28, "2\u00a0892,28 zł": 2892.28, "2\u202f892,28zł": 2892.28, "2\u2009892,28": 2892.28,
		"1.049,99": 1049.99, "1 049": 1049, "449": 449, "449,-": 449, "449,5": 449.5, "12.345.678": 0, "1.049": 1049,
		"": 0, "zł": 0, "0,00": 0, "-5": 0, "1e5": 0, "12abc": 0, "NaN": 0, "Inf": 0, ",": 0, "99999999999": 0,
	}
	for s, want := range shown {
		if got, ok := parseShownPrice(s); got != want || ok != (want != 0) {
			t.Errorf("parseShownPrice(%q) = %v, %v; want %v", s, got, ok, want)
		}
	}
	attributes := map[string]float64{
		"2892.28": 2892.28, "449": 449, "664.990": 664.99, "1049.0000": 1049, "2892,28": 2892.28, "0.1": 0.1,
		"": 0, "abc": 0, ".": 0, "-1": 0,
	}
	for s, want := range attributes {
		if got, ok := parseAttrPrice(s); got != want || ok != (want != 0) {
			t.Errorf("parseAttrPrice(%q) = %v, %v; want %v", s, got, ok, want)
		}
	}
}

func TestShopsAreNamedByDomainElseBySlug(t *testing.T) {
	tests := []struct{ address, label, store, shown string }{
		{"x-kom.pl", "", "x-kom.pl", "x-kom.pl"},
		{"https://www.Morele.net/sklep?x=1", "Morele", "morele.net", "Morele"},
		{"//neonet.pl/", "", "neonet.pl", "neonet.pl"},
		{"", "Media Expert", "media-expert", "Media Expert"},
		{"", "Sklep „Żółw” Łódź", "sklep-zolw-lodz", "Sklep „Żółw” Łódź"},
		{"", "komputronik.pl", "komputronik.pl", "komputronik.pl"},
		{"", "", "", ""},
	}
	for _, tt := range tests {
		got := shopOffer(tt.address, tt.label, 1)
		if got.Store != tt.store || got.StoreLabel != tt.shown {
			t.Errorf("shopOffer(%q, %q) = %q, %q", tt.address, tt.label, got.Store, got.StoreLabel)
		}
	}
}

func TestDefaultSlugsCoverEveryCategory(t *testing.T) {
	slugs := DefaultSlugs()
	if len(slugs) != 8 || slugs["gpu"] != "Karty_graficzne" {
		t.Errorf("%v", slugs)
	}
	if !reflect.DeepEqual(slugs, DefaultSlugs()) {
		t.Error("two calls differ")
	}
}
