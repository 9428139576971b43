package ceneo

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/prices"
)

func readProduct(t *testing.T, page string) (product, error) {
	t.Helper()
	return parseProduct(strings.NewReader(page), mustParse(t, "https://www.ceneo.pl/155000002;0280-0.htm"), knownMarkup().product)
}

func TestParseProductReadsOffers(t *testing.T) {
	p, err := readProduct(t, fixture(t, "product.html"))
	if err != nil {
		t.Fatal(err)
	}
	if p.name != "MSI GeForce RTX 4070 VENTUS 2X 12G OC (912-V513-264)" {
		t.Errorf("name %q", p.name)
	}
	if p.count != 26 || p.low != 2549 || p.high != 5039.70 || p.shown != 8 {
		t.Errorf("count %d, low %v, high %v, shown %d", p.count, p.low, p.high, p.shown)
	}
	want := []prices.Offer{
		{Store: "media-expert", StoreLabel: "Media Expert", Price: 2549.28, PriceWithDelivery: 2549.28, Stock: prices.OnOrder, URL: "https://www.ceneo.pl/Click/Offer/?e=o2"},
		{Store: "morele.net", StoreLabel: "Morele", Price: 2599, URL: "https://www.ceneo.pl/Click/Offer/?e=o3"},
		{
			Store: "x-kom.pl", StoreLabel: "x-kom.pl", Price: 2649, PriceWithDelivery: 2663.99, Stock: prices.InStock, ShopRating: 4.83,
			URL: "https://www.ceneo.pl/Click/Offer/?e=o1&a=2",
		},
		{Store: "sklep-zolw", StoreLabel: "Sklep Żółw", Price: 2799.5},
		{Store: "neonet.pl", StoreLabel: "neonet.pl", Price: 2899},
	}
	if !slices.Equal(p.offers, want) {
		t.Errorf("offers:\n got %+v\nwant %+v", p.offers, want)
	}
}

// The heading of a group of variants is not the product's name, badges are no shops, two
// shops with one price are two offers, and another variant's price is none of the offer's.
func TestParseProductReadsAGroupOfVariants(t *testing.T) {
	p, err := readProduct(t, fixture(t, "variants.html"))
	want := []prices.Offer{
		{
			Store: "wielki.example", StoreLabel: "Wielki Sklep", Price: 1499, PriceWithDelivery: 1499, Stock: prices.InStock,
			ShopRating: 4.95, URL: "https://www.ceneo.pl/Click/Offer/?e=1",
		},
		{
			Store: "magazynek", StoreLabel: "MAGAZYNEK", Price: 1499, Stock: prices.InStock, ShopRating: 4.27,
			URL: "https://www.ceneo.pl/155200001;41450-0v.htm",
		},
	}
	if err != nil || p.name != "MSI RTX 4060 Ventus 8GB Biały" || p.count != 52 || !slices.Equal(p.offers, want) {
		t.Errorf("%q with %d offers, %v\n got %+v\nwant %+v", p.name, p.count, err, p.offers, want)
	}
}

// What a page says in words that are not known is unknown, and not a guess.
func TestParseProductGuessesNothingAboutAnOffer(t *testing.T) {
	for text, want := range map[string]prices.Offer{
		`<div class="product-availability"><span>Dostępny do 3 dni</span></div>`:               {Stock: prices.InStock},
		`<div class="shipmentday-container"><span>Wysyłka w 1 dzień</span></div>`:              {Stock: prices.InStock},
		`<div class="product-availability">Sprawdź, czy dostępny</div>`:                        {},
		`<div class="product-availability">Przedsprzedaż</div>`:                                {Stock: prices.OnOrder},
		`<div class="product-availability"><span class="instock">Sprawdź w sklepie</span>`:     {},
		`<div class="free-delivery-label">Darmowa wysyłka od 100 zł</div>`:                     {},
		`<span class="product-delivery-info">szczegóły dostawy</span>`:                         {},
		`<span class="product-delivery-info">Z wysyłką od 9,99 zł</span>`:                      {},
		`<span class="product-delivery-info">Z wysyłką od 24,99 zł</span>`:                     {PriceWithDelivery: 24.99},
		`<span class="screen-reader-text">Ocena 4,6 / 5</span>`:                                {ShopRating: 4.6},
		`<span class="screen-reader-text">Ocena 9,1 / 10</span>`:                               {},
		`<span class="screen-reader-text">Ocena 6 / 5</span><span class="screen-reader-text">`: {},
	} {
		p, err := readProduct(t, `<h1 class="product-name">A</h1><ul class="product-offers__list">
			<li class="product-offers__list__item" data-price="10" data-shopurl="a.pl">`+text+`</li></ul>`)
		want.Store, want.StoreLabel, want.Price = "a.pl", "a.pl", 10
		if err != nil || len(p.offers) != 1 || p.offers[0] != want {
			t.Errorf("%s: %+v, %v", text, p.offers, err)
		}
	}
}

func TestParseProductReadsEverySummary(t *testing.T) {
	offer := `<ul class="product-offers__list"><li class="product-offers__list__item" data-price="10" data-shopurl="a.pl"></li></ul>`
	tests := map[string]struct {
		page string
		want product
	}{
		"numbers as strings": {
			`<script type="application/ld+json">{"name":"A &amp; B","offers":{"lowPrice":"2 649,00","highPrice":"5039.70","offerCount":"26"}}</script>` + offer,
			product{name: "A & B", count: 26, low: 2649, high: 5039.70, shown: 1},
		},
		"array of blocks": {
			`<script type="application/ld+json">[{"@type":"WebPage"},{"name":"A","offers":{"lowPrice":5,"offerCount":2}}]</script>` + offer,
			product{name: "A", count: 2, low: 5, shown: 1},
		},
		"graph": {
			`<script type="application/ld+json">{"@graph":[{"name":"A","offers":{"lowPrice":5,"highPrice":6,"offerCount":2}}]}</script>` + offer,
			product{name: "A", count: 2, low: 5, high: 6, shown: 1},
		},
		"single offer": {
			`<script type="application/ld+json">{"name":"A","offers":{"@type":"Offer","price":"7.50"}}</script>` + offer,
			product{name: "A", count: 1, low: 7.5, high: 7.5, shown: 1},
		},
		"list of offers": {
			`<script type="application/ld+json">{"name":"A","offers":[{"price":9},{"price":4},{"x":1}]}</script>` + offer,
			product{name: "A", count: 2, low: 4, high: 9, shown: 1},
		},
		"broken block first": {
			`<script type="application/ld+json">{"name":"A",}</script><script type="application/ld+json">{"name":"B","offers":{"lowPrice":3,"offerCount":1}}</script>` + offer,
			product{name: "B", count: 1, low: 3, shown: 1},
		},
		"tab only": {
			`<h1 class="product-name">Old</h1><span class="page-tab__title">Opinie (9)</span><span class="page-tab__title">Oferty (26)</span>` + offer,
			product{name: "Old", count: 26, shown: 1},
		},
		"offers only": {
			`<div class="product-top__title"><h1>Plain</h1></div>` + offer,
			product{name: "Plain", shown: 1},
		},
		"sold by nobody":    {fixture(t, "product_unsold.html"), product{name: "Palit GTX 970"}},
		"nobody, by tab":    {`<h1 class="product-name">A</h1><span class="page-tab__title">Oferty (0)</span>`, product{name: "A"}},
		"all out of stock":  {strings.Replace(`<h1 class="product-name">A</h1>`+offer, "__item\"", "__item unavailable\"", 1), product{name: "A", shown: 1}},
		"some not readable": {`<h1 class="product-name">A</h1>` + offer + `<ul class="product-offers__list"><li class="product-offers__list__item">?</li></ul>`, product{name: "A", shown: 2}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := readProduct(t, tt.page)
			if err != nil {
				t.Fatal(err)
			}
			offers := len(got.offers)
			if got.offers = nil; got.name != tt.want.name || got.count != tt.want.count || got.low != tt.want.low || got.high != tt.want.high || got.shown != tt.want.shown {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			sold := tt.want.shown > 0 && name != "all out of stock"
			if sold != (offers == 1) {
				t.Errorf("%d offers", offers)
			}
		})
	}
}

func TestParseProductFailsLoudlyOnOtherPages(t *testing.T) {
	pages := map[string]string{
		"changed layout": fixture(t, "changed_product.html"),
		"a search page":  fixture(t, "list.html"),
		"captcha":        fixture(t, "captcha.html"),
		"interstitial":   fixture(t, "interstitial.html"),
		"empty":          "",
		"offers announced, none shown": `<h1 class="product-name">A</h1>
			<script type="application/ld+json">{"name":"A","offers":{"lowPrice":5,"offerCount":26}}</script>`,
		"offers shown, none readable": `<h1 class="product-name">A</h1><span class="page-tab__title">Oferty (1)</span>
			<ul class="product-offers__list"><li class="product-offers__list__item" data-cost="10" data-shopurl="a.pl"></li></ul>`,
		"a badge and no shop": `<h1 class="product-name">A</h1><ul class="product-offers__list">
			<li class="product-offers__list__item" data-price="10"><div class="product-offer__store"><div class="product-offer__logo"><img alt=""></div>
			<div class="product-offer__badges"><img alt="Skuteczny sprzedawca"></div></div></li></ul>`,
		"no name": `<ul class="product-offers__list"><li class="product-offers__list__item" data-price="10" data-shopurl="a.pl"></li></ul>`,
	}
	for name, page := range pages {
		t.Run(name, func(t *testing.T) {
			if p, err := readProduct(t, page); !errors.Is(err, errLayout) {
				t.Errorf("%+v, error %v; want errLayout", p, err)
			}
		})
	}
}

func TestCheapestKeepsTheOrderOfEqualPrices(t *testing.T) {
	var offers []prices.Offer
	for i := range 50 {
		offers = append(offers, prices.Offer{StoreLabel: strconv.Itoa(i), Price: float64(10 - i%2)})
	}
	for i, offer := range cheapest(offers) {
		if want := strconv.Itoa(2*i + 1); offer.StoreLabel != want {
			t.Errorf("offer %d is that of shop %s, want %s", i, offer.StoreLabel, want)
		}
	}
}
