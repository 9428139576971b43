package ceneo

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/prices"
)

func TestParseSearchReadsBothLayouts(t *testing.T) {
	for name, want := range map[string][]searchRow{
		"list.html": {
			{id: "155000001", name: "Gigabyte GeForce RTX 4070 SUPER WINDFORCE OC 12GB (GV-N407SWF3OC-12GD)",
				category: "Karty graficzne", minPrice: 2799, shops: 31},
			{id: "155000002", name: "MSI GeForce RTX 4070 VENTUS 2X 12G OC (912-V513-264)", category: "Karty graficzne",
				minPrice: 2549.90, shops: 1026},
			{id: "155000003", name: "ASUS RTX 4070 Ti SUPER TUF", minPrice: 3499.50},
			{id: "155000004", name: "Karta graficzna Palit RTX 4070 Dual 12GB", minPrice: 2199.99,
				shopLink: "/Click/Offer/?e=single1&a=2", shop: "www.komputronik.pl"},
		},
		"box.html": {
			{id: "155100001", name: "be quiet! Pure Power 12 M 750W (BN343)", minPrice: 389, shops: 1},
			{id: "155100003", name: "Zasilacz Corsair RM750e 750W", minPrice: 1429.05},
			{id: "155100004", name: "Zasilacz Modecom Volcano 750W", minPrice: 299.99,
				shopLink: "/click/Offer/?e=single2", logo: "Sklep Łódź"},
		},
		// Adverts above the list, groups of variants, an earlier price and every kind of label.
		"rows.html": {
			{id: "155200001", name: "MSI RTX 4060 Ventus", category: "Karty graficzne", minPrice: 1349.99, shops: 1,
				freeDelivery: true},
			{id: "155200002", name: "Kabel do RTX 4060", category: "Kable i przejściówki", minPrice: 67.99,
				shopLink: "/Click/Offer/?e=1", shop: "tani.example"},
		},
		"empty.html":      nil,
		"empty_list.html": nil,
	} {
		got, err := parseSearch(strings.NewReader(fixture(t, name)))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, rows %+v\nwant %+v", name, err, got, want)
		}
	}
}

// heading and list are parts of a product page.
const heading = `<h1 class="product-name">A</h1>`

func list(attributes, content string) string {
	return `<ul class="product-offers__list"><li class="product-offers__list__item" ` + attributes + `>` + content +
		`</li></ul>`
}

func ld(json string) string { return `<script type="application/ld+json">` + json + `</script>` }

var productURL = &url.URL{Scheme: "https", Host: "www.ceneo.pl", Path: "/155000002;0280-0.htm"}

func readProduct(page string) (product, error) {
	return parseProduct(strings.NewReader(page), productURL)
}

func TestParsersRefuseOtherPages(t *testing.T) {
	deep := heading + strings.Repeat("<div>", 5000)
	search := []string{deep}
	for _, name := range []string{"changed_list", "unreadable_rows", "captcha", "interstitial", "product"} {
		search = append(search, fixture(t, name+".html"))
	}
	for _, page := range search {
		if rows, err := parseSearch(strings.NewReader(page)); rows != nil || !errors.Is(err, errLayout) {
			t.Errorf("%.200s: %d rows, %v", page, len(rows), err)
		}
	}
	product := []string{deep}
	for _, name := range []string{"changed_product", "list", "captcha", "interstitial"} {
		product = append(product, fixture(t, name+".html"))
	}
	for _, page := range product {
		if p, err := readProduct(page); !errors.Is(err, errLayout) {
			t.Errorf("%.200s: %+v, %v", page, p, err)
		}
	}
}

func TestParseProductReadsOffers(t *testing.T) {
	for name, tt := range map[string]struct {
		page, name       string
		count, shown     int
		lowest, greatest float64
		offers           []prices.Offer
	}{
		"by price": {
			fixture(t, "product.html"), "MSI GeForce RTX 4070 VENTUS 2X 12G OC (912-V513-264)", 26, 8, 2549, 5039.70,
			[]prices.Offer{
				{Store: "media-expert", StoreLabel: "Media Expert", Price: 2549.28, PriceWithDelivery: 2549.28,
					Stock: prices.OnOrder, URL: "https://www.ceneo.pl/Click/Offer/?e=o2"},
				{Store: "morele.net", StoreLabel: "Morele", Price: 2599, URL: "https://www.ceneo.pl/Click/Offer/?e=o3"},
				{Store: "x-kom.pl", StoreLabel: "x-kom.pl", Price: 2649, PriceWithDelivery: 2663.99,
					Stock: prices.InStock, ShopRating: 4.83, URL: "https://www.ceneo.pl/Click/Offer/?e=o1&a=2"},
				{Store: "sklep-zolw", StoreLabel: "Sklep Żółw", Price: 2799.5},
				{Store: "neonet.pl", StoreLabel: "neonet.pl", Price: 2899},
			},
		},
		// Shops sell used goods, sets and accessories under the product's name, and several things
		// at once. Only new ones count, for the lowest price too.
		"conditions": {
			fixture(t, "conditions.html"), "ASUS Dual GeForce RTX 4060 8GB (DUAL-RTX4060-O8G)", 14, 9, 1234, 1899,
			[]prices.Offer{
				{Store: "oba.example", StoreLabel: "oba.example",
					Title: "ASUS Dual RTX 4060 8GB, darmowy zwrot do 30 dni", Price: 1234},
				{Store: "nowy.example", StoreLabel: "nowy.example",
					Title: "Karta graficzna ASUS GeForce RTX 4060 Dual OC 8GB DO GIER", Price: 1299},
				{Store: "atrybut.example", StoreLabel: "atrybut.example", Title: "ASUS RTX4060 Dual 8GB", Price: 1349},
				{Store: "bez-tytulu.example", StoreLabel: "bez-tytulu.example", Price: 1399},
			},
		},
		// The heading of a group of variants is not the product's name, badges are no shops, two
		// shops with one price are two offers, and another variant's price is none of the offer's.
		"variants": {
			fixture(t, "variants.html"), "MSI RTX 4060 Ventus 8GB Biały", 52, 2, 1349, 1648.30,
			[]prices.Offer{
				{Store: "wielki.example", StoreLabel: "Wielki Sklep", Price: 1499, PriceWithDelivery: 1499,
					Stock: prices.InStock, ShopRating: 4.95, URL: "https://www.ceneo.pl/Click/Offer/?e=1"},
				{Store: "magazynek", StoreLabel: "MAGAZYNEK", Price: 1499, Stock: prices.InStock, ShopRating: 4.27,
					URL: "https://www.ceneo.pl/155200001;41450-0v.htm"},
			},
		},
	} {
		p, err := readProduct(tt.page)
		want := summary{tt.name, tt.count, tt.lowest, tt.greatest}
		if err != nil || p.summary != want || p.shown != tt.shown {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		if !slices.Equal(p.offers, tt.offers) {
			t.Errorf("%s: offers\n got %+v\nwant %+v", name, p.offers, tt.offers)
		}
	}
}

func TestOffersAreOrderedByPriceThenWithDelivery(t *testing.T) {
	offer := func(store string, price, delivered float64) prices.Offer {
		return prices.Offer{Store: store, Price: price, PriceWithDelivery: delivered}
	}
	for name, tt := range map[string]struct {
		offers []prices.Offer
		want   []string
	}{
		"by price":                  {[]prices.Offer{offer("b", 11, 0), offer("a", 10, 0)}, []string{"a", "b"}},
		"free delivery first":       {[]prices.Offer{offer("b", 10, 19.99), offer("a", 10, 10)}, []string{"a", "b"}},
		"unknown delivery last":     {[]prices.Offer{offer("b", 10, 0), offer("a", 10, 25)}, []string{"a", "b"}},
		"equal ones as on the page": {[]prices.Offer{offer("b", 10, 0), offer("a", 10, 0)}, []string{"b", "a"}},
		"placeholder":               {[]prices.Offer{offer("b", 1, 1), offer("a", 10.01, 0)}, []string{"a"}},
		"a tenth is a price":        {[]prices.Offer{offer("b", 1, 1), offer("a", 10, 0)}, []string{"b", "a"}},
	} {
		var stores []string
		for _, o := range withoutPlaceholders(tt.offers) {
			stores = append(stores, o.Store)
		}
		if !slices.Equal(stores, tt.want) {
			t.Errorf("%s: %v, want %v", name, stores, tt.want)
		}
	}
}

func TestProductNumber(t *testing.T) {
	for path, want := range map[string]string{
		"/155000002": "155000002", "/174999951###tab=reviews_scroll": "174999951",
		"/102723109##;02514#tag=x": "102723109", "/155000002;0280-0.htm": "155000002",
		"/Karty_graficzne": "", "/;szukaj-4070": "", "/155x": "", "/155/opinie": "", "": "", "155": "",
		"/Click/Offer/?e=1": "", "/": "",
	} {
		if got := productNumber(path); got != want {
			t.Errorf("productNumber(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestPricesInEverySpelling(t *testing.T) {
	for s, want := range map[string]float64{
		"2 892,28": 2892.28, "2\u00a0892,28 zł": 2892.28, "2\u202f892,28zł": 2892.28, "2\u2009892,28": 2892.28,
		"1.049,99": 1049.99, "1 049": 1049, "449": 449, "449,-": 449, "449,5": 449.5, "12.345.678": 0, "1.049": 1049,
		"1,049.99": 1049.99, ",50": 0.5, "449 PLN": 449, "449.-": 449, "10000000": 10_000_000, "10 000 000,01": 0,
		"0,01": 0.01,
		"":     0, "zł": 0, "0,00": 0, "-5": 0, "+5": 0, "1e5": 0, "12abc": 0, "NaN": 0, "Inf": 0, ",": 0,
		"99999999999": 0,
	} {
		if got, ok := parseShownPrice(s); got != want || ok != (want != 0) {
			t.Errorf("parseShownPrice(%q) = %v, %v; want %v", s, got, ok, want)
		}
	}
	for s, want := range map[string]float64{
		"2892.28": 2892.28, "449": 449, "664.990": 664.99, "1049.0000": 1049, "2892,28": 2892.28, "0.1": 0.1,
		" 449 ": 449, "1.049.99": 1049.99, "0.005": 0.01, "0.004": 0,
		"": 0, "abc": 0, ".": 0, "-1": 0,
	} {
		if got, ok := parseAttrPrice(s); got != want || ok != (want != 0) {
			t.Errorf("parseAttrPrice(%q) = %v, %v; want %v", s, got, ok, want)
		}
	}
}

func TestShopsAreNamedByDomainElseBySlug(t *testing.T) {
	for _, tt := range []struct{ address, label, store, shown string }{
		{"x-kom.pl", "", "x-kom.pl", "x-kom.pl"},
		{"https://www.Morele.net/sklep?x=1", "Morele", "morele.net", "Morele"},
		{"//neonet.pl/", "", "neonet.pl", "neonet.pl"},
		{" neonet.pl?x=a/b ", "", "neonet.pl", "neonet.pl"},
		{"", "Media Expert", "media-expert", "Media Expert"},
		{"", "-Sklep sp. z o.o.", "sklep-sp.-z-o.o", "-Sklep sp. z o.o."},
		{"", "Sklep „Żółw” Łódź", "sklep-zolw-lodz", "Sklep „Żółw” Łódź"},
		{"", "komputronik.pl", "komputronik.pl", "komputronik.pl"},
		{"red", "", "", ""}, // through the aggregator
		{"red", "Sklep", "sklep", "Sklep"},
		{"Sklep nr. 1", "Sklep nr. 1", "sklep-nr.-1", "Sklep nr. 1"}, // the text of a logo
		{"", "", "", ""},
	} {
		got := shopOffer(tt.address, tt.label, 1)
		if got.Store != tt.store || got.StoreLabel != tt.shown {
			t.Errorf("shopOffer(%q, %q) = %q, %q", tt.address, tt.label, got.Store, got.StoreLabel)
		}
	}
}

func TestLinksBecomeWebAddresses(t *testing.T) {
	for href, want := range map[string]string{
		" /Click/Offer/?e=1&a=2 ":   "https://www.ceneo.pl/Click/Offer/?e=1&a=2",
		"//shop.example/x":          "https://shop.example/x",
		"http://shop.example/":      "http://shop.example/",
		"/x?q=a b\"<ą":              "https://www.ceneo.pl/x?q=a%20b%22%3C%C4%85",
		"/~a?q=~b":                  "https://www.ceneo.pl/~a?q=~b",
		"https://shop~a.example/":   "https://shop~a.example/",
		"":                          "",
		"#top":                      "",
		"javascript:alert(1)":       "",
		"ftp://shop.example/":       "",
		"https:///x":                "",
		"https://user@shop.example": "",
		"https://u:p@shop.example":  "",
		"https://shop<.example/":    "",
		"//0::0":                    "",
	} {
		if got := absolute(productURL, href); got != want {
			t.Errorf("absolute(%q) = %q, want %q", href, got, want)
		}
	}
}
