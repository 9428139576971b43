package ceneo

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

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

const plainRow = `<div class="cat-prod-row" data-pid="1"><strong class="cat-prod-row__name"><a ` +
	`href="/1">RTX</a></strong></div>`

func TestParseSearchSkipsAdvertsAndBoundsTheRows(t *testing.T) {
	for name, tt := range map[string]struct {
		page string
		rows int
	}{
		"class of the row": {
			plainRow + strings.Replace(plainRow, "cat-prod-row\"", "cat-prod-row promoted-offer\"", 1), 1,
		},
		"class inside the row": {
			plainRow + strings.Replace(plainRow, "<strong", `<i class="js_analytics-promotedItem"></i><strong`, 1), 1,
		},
		"text of the row": {plainRow + strings.Replace(plainRow, "<strong", "<p> Oferta\n specjalna</p><strong", 1), 1},
		"many rows":       {strings.Repeat(plainRow, 250), 200},
		"a row in a row":  {strings.Replace(plainRow, "</div>", plainRow+"</div>", 1), 1},
	} {
		if rows, err := parseSearch(strings.NewReader(tt.page)); err != nil || len(rows) != tt.rows {
			t.Errorf("%s: %d rows, %v", name, len(rows), err)
		}
	}
}

func TestPagesThatSayTheyHaveNoResults(t *testing.T) {
	for page, found := range map[string]bool{
		"<p>Nie znaleźliśmy produktów</p>": true, "<p>Nie znaleziono</p>": true, "<p>BRAK WYNIKÓW</p>": true,
		"<p>Brak produktów w kategorii</p>":      true,
		`<div class="category-list-body"></div>`: true, `<ul class="js_search-results"></ul>`: true,
		`<div class="js_category-list-body"></div>`: true,
		`<div class="js_products-list-main"></div>`: true, `<input id="page-counter">`: true,
		`<div class="category-list-body"><a data-pid="1"></a></div>`:                        false,
		`<div class="category-list-body"><a data-productid="1"></a></div>`:                  false,
		`<div class="category-list-body"><b class="price"><i class="value">1</i></b></div>`: false,
		"<template>Brak wyników</template>":                                                 false,
		"<noscript>Brak wyników</noscript>":                                                 false,
		"<style>brak wyników</style>":                                                       false,
	} {
		if rows, err := parseSearch(strings.NewReader(page)); rows != nil || (err == nil) != found {
			t.Errorf("%s: %+v, %v", page, rows, err)
		}
	}
}

func TestARowWithALinkToItsProductLeadsToNoShop(t *testing.T) {
	const links = `RTX</a><a class="go-to-shop" href="/Click/Offer?e=1"></a>`
	for name, tt := range map[string]struct{ page, link string }{
		"shop only": {strings.Replace(plainRow, ` href="/1">RTX</a>`, ">"+links, 1), "/Click/Offer?e=1"},
		"shop and product": {
			strings.Replace(plainRow, ` href="/1">RTX</a>`, ">"+links+`<a class="go-to-product" href="/1"></a>`, 1), "",
		},
	} {
		page := strings.Replace(tt.page, "<div ", `<div data-productminprice="10" `, 1)
		if rows, err := parseSearch(strings.NewReader(page)); err != nil || len(rows) != 1 ||
			rows[0].shopLink != tt.link {
			t.Errorf("%s: %+v, %v", name, rows, err)
		}
	}
}

func TestParseSearchReadsEveryPartOfARow(t *testing.T) {
	row := func(attributes, content string) string {
		return `<div class="cat-prod-row" ` + attributes + `>` + content + `</div>`
	}
	name := func(attributes string) string {
		return `<strong class="cat-prod-row__name"><a ` + attributes + `>RTX</a></strong>`
	}
	for html, want := range map[string]searchRow{
		row(`data-pid="1" data-productid="2"`, name(`href="/3"`)): {
			id: "1", name: "RTX",
		},
		row(`data-productid="2"`, name(`href="/3"`)): {
			id: "2", name: "RTX",
		},
		row(`data-pid="x"`, name(`href="/3;x"`)): {
			id: "3", name: "RTX",
		},
		row(`data-pid="1" data-productname=" RTX  4070 "`, ""): {
			id: "1", name: "RTX 4070",
		},
		row(`data-pid="1"`, name("")+`<a class="js_wishlist-toggle" data-label=" Karty  graficzne "></a>`): {
			id: "1", name: "RTX", category: "Karty graficzne",
		},
		row(`data-pid="1"`, name("")+`<span class="shop-numb">w 1 sklepie</span>`): {
			id: "1", name: "RTX", shops: 1,
		},
		row(`data-pid="1"`, name("")+`<span class="shop-numb">w 1 000 000 sklepach</span>`): {
			id: "1", name: "RTX", shops: 1_000_000,
		},
		row(`data-pid="1"`, name("")+`<span class="shop-numb">w 1000001 sklepach</span>`): {id: "1", name: "RTX"},
		row(`data-productminprice="0.99"`, name(`href="/Click/Offer?e=1"`)): {
			name: "RTX", minPrice: 0.99, shopLink: "/Click/Offer?e=1",
		},
		row(`data-pid="1" data-productminprice="?"`, name("")+`<div class="cat-prod-row__price"><span `+
			`class="value">1 049</span><span class="penny">,90</span></div>`): {
			id: "1", name: "RTX", minPrice: 1049.90},
		row(`data-pid="1" data-productminprice="10" data-shopurl=" "`, name(`href="/Click/Offer?e=1"`)+
			`<i data-shopurl=" a.pl "></i>`): {
			id: "1", name: "RTX", minPrice: 10, shopLink: "/Click/Offer?e=1", shop: "a.pl"},
		row(`data-pid="1" data-productminprice="10"`, name(`href="/Click/Offer?e=1"`)+
			`<div class="cat-prod-row__shop"><img alt=" Sklep  A "></div>`): {
			id: "1", name: "RTX", minPrice: 10, shopLink: "/Click/Offer?e=1", logo: "Sklep A"},
		row(`data-pid="1"`, name("")+`<div class="free-delivery-label">Darmowa dostawa</div>`): {
			id: "1", name: "RTX", freeDelivery: true,
		},
	} {
		if rows, err := parseSearch(strings.NewReader(html)); err != nil || !slices.Equal(rows, []searchRow{want}) {
			t.Errorf("%s: %+v, %v; want %+v", html, rows, err, want)
		}
	}
}

func TestARowOfOneNamedShopHoldsItsOffer(t *testing.T) {
	single := searchRow{id: "1", shopLink: "/Click/Offer?e=1", shop: "a.pl", minPrice: 10}
	for name, tt := range map[string]struct {
		change func(*searchRow)
		want   bool
	}{
		"one shop":     {func(r *searchRow) { r.shops = 1 }, true},
		"no count":     {func(*searchRow) {}, true},
		"two shops":    {func(r *searchRow) { r.shops = 2 }, false},
		"no link":      {func(r *searchRow) { r.shopLink = "" }, false},
		"no price":     {func(r *searchRow) { r.minPrice = 0 }, false},
		"a low price":  {func(r *searchRow) { r.minPrice = 0.99 }, true},
		"no shop":      {func(r *searchRow) { r.shop = "red" }, false},
		"a logo":       {func(r *searchRow) { r.shop, r.logo = "", "Sklep" }, true},
		"no number":    {func(r *searchRow) { *r = searchRow{} }, true},
		"no shop link": {func(r *searchRow) { r.id, r.shopLink = "", "" }, true},
	} {
		row := single
		if tt.change(&row); row.isSingleShop() != tt.want {
			t.Errorf("%s: want %t", name, tt.want)
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
	search := func(page string) error {
		rows, err := parseSearch(strings.NewReader(page))
		if rows != nil {
			t.Errorf("%d rows", len(rows))
		}
		return err
	}
	product := func(page string) error { _, err := readProduct(page); return err }
	badges := `<div class="product-offer__store"><div class="product-offer__logo"><img alt=""></div>
		<div class="product-offer__badges"><img alt="Skuteczny sprzedawca"></div><div class="product-offer__rating">
		<img alt="Ocena"></div></div>`
	for name, tt := range map[string]struct {
		parse func(string) error
		page  string
	}{
		"changed list":           {search, fixture(t, "changed_list.html")},
		"rows not read":          {search, fixture(t, "unreadable_rows.html")},
		"captcha as search":      {search, fixture(t, "captcha.html")},
		"interstitial as search": {search, fixture(t, "interstitial.html")},
		"a price, no link": {
			search, `<div class="cat-prod-row" data-productminprice="10"><strong ` +
				`class="cat-prod-row__name"><a>RTX</a></strong></div>`,
		},
		"a product page":       {search, fixture(t, "product.html")},
		"no content as search": {search, ""},
		"home page":            {search, `<html><body><form><input id="form-head-search-q"></form></body></html>`},
		"text in script":       {search, `<html><body><script>var t = "Brak wyników"</script></body></html>`},
		"nested too deep":      {search, strings.Repeat("<div>", 5000)},
		"one shop, no price": {
			search, `<div class="cat-prod-row"><strong class="cat-prod-row__name"><a ` +
				`href="/Click/Offer?e=1">RTX</a></strong></div>`,
		},
		"changed product":         {product, fixture(t, "changed_product.html")},
		"a search page":           {product, fixture(t, "list.html")},
		"captcha as product":      {product, fixture(t, "captcha.html")},
		"interstitial as product": {product, fixture(t, "interstitial.html")},
		"no content as product":   {product, ""},
		"an empty list of offers": {product, heading + ld(`{"name":"A","offers":[]}`)},
		"announced, none shown":   {product, heading + ld(`{"name":"A","offers":{"lowPrice":5,"offerCount":1}}`)},
		"product nested too deep": {product, heading + strings.Repeat("<div>", 5000)},
		"shown, none readable": {product, heading + `<span class="page-tab__title">Oferty (1)</span>` +
			list(`data-cost="10" data-shopurl="a.pl"`, "")},
		"badges instead of a shop": {product, heading + list(`data-price="10"`, badges)},
		"no name":                  {product, list(`data-price="10" data-shopurl="a.pl"`, "")},
	} {
		if err := tt.parse(tt.page); !errors.Is(err, errLayout) {
			t.Errorf("%s: error %v, want errLayout", name, err)
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
		if err != nil || p.name != tt.name {
			t.Fatalf("%s: %+v, %v", name, p, err)
		}
		if p.count != tt.count || p.low != tt.lowest {
			t.Fatalf("%s: %+v, %v", name, p, err)
		}
		if p.high != tt.greatest || p.shown != tt.shown {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
		if !slices.Equal(p.offers, tt.offers) {
			t.Errorf("%s: offers\n got %+v\nwant %+v", name, p.offers, tt.offers)
		}
	}
}

// What a page says in words that are not known is unknown, and not a guess.
func TestParseProductGuessesNothingAboutAnOffer(t *testing.T) {
	for text, want := range map[string]prices.Offer{
		`<div class="product-availability"><span>Dostępny do 3 dni</span></div>`: {
			Stock: prices.InStock,
		},
		`<div class="shipmentday-container"><span>Wysyłka w 1 dzień</span></div>`: {
			Stock: prices.InStock,
		},
		`<div class="product-availability">Sprawdź, czy dostępny</div>`: {},
		`<div class="product-availability">Na zamówienie</div>`: {
			Stock: prices.OnOrder,
		},
		`<div class="onrequest">Na zamówienie do 7 dni</div>`: {
			Stock: prices.OnOrder,
		},
		`<div class="instock">W magazynie</div>`: {
			Stock: prices.InStock,
		},
		`<div class="shipmentday-container">Wysyłka do 3 dni</div>`: {
			Stock: prices.InStock,
		},
		`<div class="product-availability">Przedsprzedaż</div>`: {
			Stock: prices.OnOrder,
		},
		`<div class="product-availability"><span class="instock">Sprawdź w sklepie</span>`: {},
		`<div class="free-delivery-label">Darmowa wysyłka od 100 zł</div>`:                 {},
		`<span class="product-delivery-info">szczegóły dostawy</span>`:                     {},
		`<span class="product-delivery-info">Z wysyłką od 9,99 zł</span>`:                  {},
		`<span class="product-delivery-info">Z wysyłką od 24,99 zł</span>`: {
			PriceWithDelivery: 24.99,
		},
		`<span class="screen-reader-text">Ocena 4,6 / 5</span>`:                                {ShopRating: 4.6},
		`<span class="screen-reader-text">Ocena 9,1 / 10</span>`:                               {},
		`<span class="screen-reader-text">Ocena 1 / 5</span>`:                                  {ShopRating: 1},
		`<span class="screen-reader-text">Ocena 0,5 / 5</span>`:                                {ShopRating: 0.5},
		`<span class="screen-reader-text">Ocena 5 / 5</span>`:                                  {ShopRating: 5},
		`<span class="screen-reader-text">Ocena 0 / 5</span>`:                                  {},
		`<span class="screen-reader-text">Ocena -1 / 5</span>`:                                 {},
		`<b class="screen-reader-text">Sklep</b><b class="screen-reader-text">Ocena 3 / 5</b>`: {ShopRating: 3},
		`<span class="screen-reader-text">Ocena 4,837 / 5</span>`: {
			ShopRating: 4.84,
		},
		`<b class="screen-reader-text">Ocena 4 / 5</b><b class="screen-reader-text">Ocena 3 / 5</b>`: {ShopRating: 4},
		`<span class="product-delivery-info">Z wysyłką od 10,00 zł</span>`: {
			PriceWithDelivery: 10,
		},
		`<div class="product-offer__product__offer-details__name"><a title=" A  nowa ">x</a></div>`: {Title: "A nowa"},
		`<i class="short-name__txt">A  nowa </i>`:                                                   {Title: "A nowa"},
		`<i class="short-name__txt">` + strings.Repeat("ż", 200) + `</i>`: {
			Title: strings.Repeat("ż", 200),
		},
		`<i class="short-name__txt">` + strings.Repeat("ż", 201) + `</i>`: {
			Title: strings.Repeat("ż", 200),
		},
		`<a class="go-to-shop" href="ftp://a.pl"></a><a data-basket-click-url="/b"></a>`: {
			URL: "https://www.ceneo.pl/b",
		},
		`<a data-basket-click-url="/b"></a><a class="go-to-shop" href="/a"></a>`: {
			URL: "https://www.ceneo.pl/a",
		},
		`<a class="go-to-shop" href="/a"></a><a data-click-url="/c"></a>`: {
			URL: "https://www.ceneo.pl/c",
		},
		`<span class="screen-reader-text">Ocena 4,6</span>`:                                  {},
		`<div class="product-offer__badges"><i class="screen-reader-text">4,9 / 5</i></div>`: {},
		`<span class="short-name__txt">A ` + strings.Repeat("ż", 197) + ` żż</span>`: {
			Title: "A " + strings.Repeat("ż", 197),
		},
		`<span class="screen-reader-text">Ocena 6 / 5</span><span class="screen-reader-text">`: {},
	} {
		p, err := readProduct(heading + list(`data-price="10" data-shopurl="a.pl"`, text))
		want.Store = "a.pl"
		want.StoreLabel = "a.pl"
		want.Price = 10
		if err != nil || len(p.offers) != 1 || p.offers[0] != want {
			t.Errorf("%s: %+v, %v", text, p.offers, err)
		}
	}
}

// An offer is out of stock if it says so of itself.
func TestOnlyTheOfferItselfCanBeOutOfStock(t *testing.T) {
	state := func(text string) string { return `<div class="product-availability"><span>` + text + `</span></div>` }
	title := func(text string) string { return `<span class="short-name__txt">` + text + `</span>` }
	for text, sold := range map[string]bool{
		state("Niedostępny"):                                      true,
		state("Chwilowo niedostępny"):                             true,
		state("Produkt niedostępny – powiadom mnie"):              true,
		state("Brak w magazynie"):                                 true,
		state("Brak towaru."):                                     true,
		state("Towar tymczasowo niedostępny (dostawa w maju)"):    true,
		`<span>Produkt chwilowo niedostępny</span>`:               true,
		`<p>Uwaga! <b>Oferta jest niedostępna</b></p>`:            true,
		`<div class="product-offer__container out-of-stock">`:     true,
		`<i class="instock unavailable">Powiadom mnie</i>`:        true,
		state("Dostępny, odbiór osobisty niedostępny"):            false,
		state("Odbiór osobisty niedostępny"):                      false,
		state("Niedostępny w salonie, wysyłka w 1 dzień"):         false,
		`<span>odbiór osobisty niedostępny</span>`:                false,
		`<p>Odbiór osobisty: <b>niedostępny</b></p>`:              false,
		`<li>raty 0% niedostępne</li>`:                            false,
		`<span>Brak opinii</span>`:                                false,
		`<i class="pickup-unavailable">Paczkomat</i>`:             false,
		title("Edycja niedostępna w innych sklepach"):             false,
		title("Produkt niedostępny nigdzie indziej"):              false,
		title("Produkt niedostępny") + state("Wysyłka w 1 dzień"): false,
	} {
		p, err := readProduct(heading + list(`data-price="10" data-shopurl="a.pl"`, text))
		if err != nil || (len(p.offers) == 0) != sold {
			t.Errorf("%s: %d offers, %v", text, len(p.offers), err)
		}
	}
}

func TestParseProductReadsEverySummary(t *testing.T) {
	offer := list(`data-price="10" data-shopurl="a.pl"`, "")
	used := list(`data-price="10" data-shopurl="a.pl"`, `<span class="short-name__txt">A używana</span>`)
	for name, tt := range map[string]struct {
		page          string
		want          summary
		shown, offers int
	}{
		"numbers as strings": {
			ld(`{"name":"A &amp; B","offers":{"lowPrice":"2 649,00","highPrice":"5039.70","offerCount":"26"}}`) + offer,
			summary{"A & B", 26, 2649, 5039.70}, 1, 1,
		},
		"array of blocks": {ld(`[{"@type":"WebPage"},{"name":"A","offers":{"lowPrice":5,"offerCount":2}}]`) +
			offer, summary{"A", 2, 5, 0}, 1, 1},
		"graph": {ld(`{"@graph":[{"name":"A","offers":{"lowPrice":5,"highPrice":6,"offerCount":2}}]}`) +
			offer, summary{"A", 2, 5, 6}, 1, 1},
		"single offer": {ld(`{"name":"A","offers":{"@type":"Offer","price":"7.50"}}`) + offer,
			summary{"A", 1, 7.5, 7.5}, 1, 1},
		"list of offers": {ld(`{"name":"A","offers":[{"x":1},{"price":9},{"price":0.5},{"price":4}]}`) + offer,
			summary{"A", 3, 0.5, 9}, 1, 1},
		"a price below one": {ld(`{"name":"A","offers":{"lowPrice":0.5}}`) + offer, summary{"A", 0, 0.5, 0}, 1, 1},
		"a count below zero": {ld(`{"name":"A","offers":[{"price":8},{"lowPrice":9,"offerCount":-1}]}`) + offer,
			summary{"A", 1, 8, 8}, 1, 1},
		"broken block first": {ld(`{"name":"A",}`) + ld(`{"name":"B","offers":{"lowPrice":3,"offerCount":1}}`) +
			offer, summary{"B", 1, 3, 0}, 1, 1},
		"tab only": {
			heading +
				`<span class="page-tab__title">Opinie (9)</span><span class="page-tab__title">Oferty (26)</span>` +
				offer, summary{name: "A", count: 26}, 1, 1,
		},
		"tab without a number": {
			heading + `<span class="page-tab__title">Oferty</span><span class="page-tab__title">Oferty (26)</span>` +
				offer, summary{name: "A", count: 26}, 1, 1,
		},
		"offers only": {`<div class="product-top__title"><h1>Plain</h1></div>` + offer, summary{name: "Plain"},
			1, 1},
		"not sold":         {fixture(t, "product_unsold.html"), summary{name: "Palit GTX 970"}, 0, 0},
		"not sold, by tab": {heading + `<span class="page-tab__title">Oferty (0)</span>`, summary{name: "A"}, 0, 0},
		"all out of stock": {strings.Replace(heading+offer, "__item\"", "__item unavailable\"", 1),
			summary{name: "A"}, 1, 0},
		"out of stock, price": {ld(`{"name":"A","offers":{"lowPrice":10,"highPrice":12,"offerCount":1}}`) +
			strings.Replace(offer, "__item\"", "__item unavailable\"", 1), summary{"A", 1, 0, 0}, 1, 0},
		"in euros": {ld(`{"name":"A","offers":{"lowPrice":10,"offerCount":1,"priceCurrency":"EUR"}}`) +
			offer, summary{"A", 1, 0, 0}, 1, 1},
		"counts in a list": {
			ld(`{"name":"A","offers":[{"price":9},{"lowPrice":8,"highPrice":11,"offerCount":2},{"offerCount":3}]}`) +
				offer, summary{"A", 6, 8, 11}, 1, 1,
		},
		"count above all": {ld(`{"name":"A","offers":{"lowPrice":5,"offerCount":1000001}}`) + offer,
			summary{"A", 0, 5, 0}, 1, 1},
		"a high price alone": {ld(`{"name":"A","offers":[{"price":9},{"highPrice":99}]}`) + offer,
			summary{"A", 1, 9, 9}, 1, 1},
		"greatest count": {ld(`{"name":"A","offers":[{"price":1,"offerCount":1000000},{"price":1}]}`) + offer,
			summary{"A", 1_000_000, 1, 1}, 1, 1},
		"one of two is used": {ld(`{"name":"A","offers":{"lowPrice":10,"highPrice":15,"offerCount":2}}`) + used +
			list(`data-price="15" data-shopurl="b.pl"`, ""), summary{"A", 2, 15, 15}, 2, 1},
		"an offer in an offer": {
			heading + list(`data-price="10" data-shopurl="a.pl"`, list(`data-price="9" data-shopurl="b.pl"`, "")),
			summary{name: "A"}, 1, 1,
		},
		"first tab of two": {
			heading +
				`<span class="page-tab__title">Oferty (26)</span><span class="page-tab__title">Oferty (3)</span>` +
				offer, summary{name: "A", count: 26}, 1, 1,
		},
		"only a used one": {ld(`{"name":"A","offers":{"lowPrice":10,"highPrice":12,"offerCount":1}}`) + used,
			summary{name: "A", count: 1}, 1, 0},
		"cheapest is used": {ld(`{"name":"A","offers":{"lowPrice":10,"highPrice":12,"offerCount":2}}`) + used +
			list(`data-price="15" data-shopurl="b.pl"`, ""), summary{"A", 2, 15, 0}, 2, 1},
		"cheapest is new": {ld(`{"name":"A","offers":{"lowPrice":12,"highPrice":15,"offerCount":2}}`) + offer +
			strings.ReplaceAll(used, `"10"`, `"15"`), summary{"A", 2, 12, 15}, 2, 1},
		"cheapest is hidden": {ld(`{"name":"A","offers":{"lowPrice":5,"highPrice":15,"offerCount":3}}`) + used +
			list(`data-price="15" data-shopurl="b.pl"`, ""), summary{"A", 3, 5, 15}, 2, 1},
		"a range and a price": {ld(`{"name":"A","offers":{"lowPrice":5,"highPrice":9,"price":7,"offerCount":2}}`) +
			offer, summary{"A", 2, 5, 9}, 1, 1},
		"one in both lists": {heading + list(`data-price="10" data-shopurl="a.pl" data-offerid="7"`, "") +
			list(`data-offerid="7"`, "?"), summary{name: "A"}, 1, 1},
		"some not readable": {heading + offer + list("", "?"), summary{name: "A"}, 2, 1},
	} {
		p, err := readProduct(tt.page)
		if err != nil || p.summary != tt.want {
			t.Fatalf("%s: %+v, %v", name, p, err)
		}
		if p.shown != tt.shown || len(p.offers) != tt.offers {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

func TestParseProductReadsShownPricesAndLogos(t *testing.T) {
	const price = `<div class="product-offer__product__price"><span class="value">1 049</span><span ` +
		`class="penny">,90</span></div>`
	const logo = `<div class="product-offer__logo"><span class="product-offer__badges"><img alt="Skuteczny ` +
		`sprzedawca"></span><img alt=""><img alt=" Sklep  A "></div>`
	for html, want := range map[string]prices.Offer{
		list("", `<i class="value">14</i>`+logo+price): {
			Store: "sklep-a", StoreLabel: "Sklep A", Price: 1049.90,
		},
		list(`data-price="x" data-shopurl=" "`, `<i data-shopurl=" b.pl "></i>`+price): {
			Store: "b.pl", StoreLabel: "b.pl", Price: 1049.90,
		},
		list("", `<b data-price=" 7.5 "></b><a class="js_product-offer-link">Dane i opinie o Sklep  B</a>`+logo): {
			Store: "sklep-b", StoreLabel: "Sklep B", Price: 7.5,
		},
	} {
		if p, err := readProduct(heading + html); err != nil || !slices.Equal(p.offers, []prices.Offer{want}) {
			t.Errorf("%s: %+v, %v; want %+v", html, p.offers, err, want)
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

// TestTheCurrentPriceIsRead has boxes with a second price.
func TestTheCurrentPriceIsRead(t *testing.T) {
	format := func(class, value, penny, currency string) string {
		return `<span class="price-format ` + class + `"><span class="price"><span class="value">` + value +
			`</span><span class="penny">` + penny + `</span></span> ` + currency + `</span>`
	}
	for name, tt := range map[string]struct {
		box  string
		want float64
	}{
		"one price":          {format("", "29", ",99", "zł"), 29.99},
		"former price first": {format("price-format--old", "39", ",99", "zł") + format("", "29", ",99", "zł"), 29.99},
		"crossed out behind": {format("", "29", ",99", "zł") + "<del>" + format("", "39", ",99", "zł") + "</del>",
			29.99},
		"with a coupon":    {format("coupon-price", "19", ",99", "zł") + format("", "29", ",99", "zł"), 29.99},
		"by instalments":   {format("installment", "2", ",99", "zł") + format("", "29", ",99", "zł"), 29.99},
		"without groszy":   {format("", "29", "", "zł") + format("", "39", ",99", "zł"), 29},
		"another currency": {format("", "29", ",99", "EUR"), 0},
		"in euros":         {format("", "29", ",99", "€"), 0},
	} {
		doc, err := goquery.NewDocumentFromReader(strings.NewReader("<div>" + tt.box + "</div>"))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := readPrice(doc.Find("div")); got != tt.want {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
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
