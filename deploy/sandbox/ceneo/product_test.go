package ceneo_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// productPath is a product with 24 shops.
const productPath = "/97024746"

// offer is what a client can read of one li.
type offer struct {
	id, shop, domain string
	price            float64
	outOfStock       bool
}

func readOffer(item *goquery.Selection) offer {
	box := item.Find(".product-offer__container")
	domain := attr(item, "data-shopurl") + attr(box, "data-shopurl")
	raw := attr(box, "data-price")
	if raw == "" {
		markup := box.Find(".product-offer__product__price .value").Text() + box.Find(".product-offer__product__price .penny").Text()
		raw = strings.Replace(regexp.MustCompile(`[^0-9,]`).ReplaceAllString(markup, ""), ",", ".", 1)
	}
	price, _ := strconv.ParseFloat(raw, 64)
	marked := regexp.MustCompile(`outofstock|unavailable`).MatchString(attr(item, "class") + attr(box, "class"))
	return offer{
		id: attr(box, "data-offer"), shop: text(item.Find("a.js_product-offer-link")),
		domain: domain, price: price, outOfStock: marked || strings.Contains(text(item), "Brak w magazynie"),
	}
}

func readOffers(page *goquery.Document, list string) []offer {
	var offers []offer
	page.Find("section.product-offers--" + list + " > ul.product-offers__list > li.product-offers__list__item").
		Each(func(_ int, item *goquery.Selection) { offers = append(offers, readOffer(item)) })
	return offers
}

func TestProductHead(t *testing.T) {
	page := newBrowser(t).page(productPath)
	content := func(property string) string { return attr(page.Find(`meta[property="`+property+`"]`), "content") }
	const name = "AMD Ryzen 7 7800X3D BOX (100-100070215WOF)"
	cases := []struct{ what, got, want string }{
		{"h1", text(page.Find("h1.product-top__product-info__name")), name},
		{"title", page.Find("title").Text(), name + " - Cena, opinie na Ceneo.pl"},
		{"amount", content("product:price:amount"), "1598.49"},
		{"currency", content("product:price:currency"), "PLN"},
		{"URL", content("og:url"), "http://127.0.0.1:9092" + productPath},
		{"tab", text(page.Find("span.page-tab__title").First()), "Oferty (24)"},
		{"trigger", text(page.Find("span.show-remaining-offers__trigger.js_remainingTrigger")), "Pokaż wszystkie oferty"},
	}
	for _, c := range cases {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.what, c.got, c.want)
		}
	}
}

func TestProductJSONLD(t *testing.T) {
	b := newBrowser(t)
	path := b.location("/Dyski;szukaj-Seagate+BarraCuda+2TB")
	page := b.page(path)
	blocks := page.Find(`script[type="application/ld+json"]`)
	if blocks.Length() != 3 || strings.Contains(blocks.First().Text(), "offers") {
		t.Fatalf("%d blocks, the first being %s", blocks.Length(), blocks.First().Text())
	}
	var product struct {
		Name, Sku string
		Offers    struct {
			Type          string `json:"@type"`
			LowPrice      float64
			HighPrice     float64
			OfferCount    int
			PriceCurrency string
		}
	}
	if err := json.Unmarshal([]byte(blocks.Eq(1).Text()), &product); err != nil {
		t.Fatal(err)
	}
	offers := product.Offers
	if !strings.Contains(product.Name, "3,5&#34; SATA") || "/"+product.Sku != path {
		t.Errorf("name %q, sku %q", product.Name, product.Sku)
	}
	if offers.Type != "AggregateOffer" || offers.PriceCurrency != "PLN" || offers.LowPrice <= 0 || offers.HighPrice < offers.LowPrice {
		t.Errorf("offers %+v", offers)
	}
	if want := "Oferty (" + strconv.Itoa(offers.OfferCount) + ")"; text(page.Find(".page-tab__title").First()) != want {
		t.Errorf("the tab is not %q", want)
	}
}

func TestOffersAreCutAtFifteen(t *testing.T) {
	b := newBrowser(t)
	plain, sorted := readOffers(b.page(productPath), "standard"), readOffers(b.page(productPath+";0280-0.htm"), "standard")
	if len(plain) != 15 || len(sorted) != 15 {
		t.Fatalf("%d and %d offers rendered, want 15", len(plain), len(sorted))
	}
	byPrice := func(a, b offer) int { return int(100 * (a.price - b.price)) }
	if !slices.IsSortedFunc(sorted, byPrice) || slices.IsSortedFunc(plain, byPrice) {
		t.Error("only ;0280-0 should be sorted by price")
	}
	cheapest := slices.IndexFunc(sorted, func(o offer) bool { return !o.outOfStock })
	if cheapest < 1 || sorted[cheapest].price != 1598.49 {
		t.Errorf("first in stock is at %d: %+v", cheapest, sorted[cheapest])
	}
}

func TestBiddersStandInBothLists(t *testing.T) {
	page := newBrowser(t).page(productPath + ";0280-0.htm")
	standard, bidding := readOffers(page, "standard"), readOffers(page, "bidding")
	if len(bidding) != 3 {
		t.Fatalf("%d bidding offers, want 3", len(bidding))
	}
	twice := 0
	for _, paid := range bidding {
		if slices.Contains(standard, paid) {
			twice++
		}
	}
	if twice == 0 {
		t.Error("no offer stands in both lists with the same data")
	}
	items := page.Find("section.product-offers--bidding li")
	if attr(items.First(), "data-shopurl") == "" || items.Find("[data-shopurl]").Length() > 0 {
		t.Error("bidding offers should name the shop on the li")
	}
	if page.Find("ul.js_normal-offers").Length() != 1 || page.Find("ul.js_bidding-offers").Length() != 1 {
		t.Error("the hooks of the lists are missing")
	}
}

func TestEveryOfferCanBeRead(t *testing.T) {
	page := newBrowser(t).page(productPath + ";0280-0.htm")
	stocks, domains, attributes := map[bool]int{}, map[bool]int{}, map[bool]int{}
	for _, o := range readOffers(page, "standard") {
		stocks[o.outOfStock]++
		domains[o.domain != ""]++
		if o.id == "" || !strings.HasPrefix(o.shop, "Dane i opinie o ") || o.price < 1000 {
			t.Errorf("offer %+v", o)
		}
	}
	page.Find("section.product-offers--standard li.product-offers__list__item .product-offer__container").Each(func(_ int, box *goquery.Selection) {
		_, has := box.Attr("data-price")
		attributes[has]++
		if !strings.HasPrefix(attr(box, "data-click-url"), "/Click/Offer/?e=") || attr(box, "data-shop") == "" || attr(box, "data-offertype") == "" {
			t.Errorf("hooks missing on %q", text(box))
		}
	})
	for what, seen := range map[string]map[bool]int{"out of stock": stocks, "shop domain": domains, "data-price": attributes} {
		if seen[true] == 0 || seen[false] == 0 {
			t.Errorf("%s: with %d, without %d; want some of both", what, seen[true], seen[false])
		}
	}
}

// What some offers say and others leave open.
func TestOffersSayWhatDeliveryCostsAndWhenItComes(t *testing.T) {
	b, seen := newBrowser(t), map[string]bool{}
	for _, path := range []string{productPath, b.location("/Dyski;szukaj-Seagate+BarraCuda+2TB")} {
		b.page(path).Find("section.product-offers--standard li.product-offers__list__item").Each(func(_ int, item *goquery.Selection) {
			seen[text(item.Find(".product-availability"))] = true
			delivery := text(item.Find(".product-offer__product__delivery-section"))
			seen[strings.TrimRight(delivery, "0123456789, \u00a0zł")] = true
			if !regexp.MustCompile(`^Ocena 4,\d+ / 5$`).MatchString(text(item.Find(".product-offer__rating .screen-reader-text"))) {
				t.Errorf("rating of %q", text(item))
			}
			if item.Find(".product-offer__badges img[alt]").Length() != 2 {
				t.Errorf("badges of %q", text(item))
			}
			seen["logo without text"] = seen["logo without text"] || attr(item.Find(".product-offer__logo img"), "alt") == ""
		})
	}
	for _, want := range []string{"Dostępny", "Dostępny do 3 dni", "Na zamówienie", "Sprawdź w sklepie", "Darmowa wysyłka", "szczegóły dostawy", "Z wysyłką od", "logo without text"} {
		if !seen[want] {
			t.Errorf("no offer with %q: %v", want, slices.Sorted(maps.Keys(seen)))
		}
	}
}

func TestTheHeadingOfAVariantIsItsGroup(t *testing.T) {
	b, groups := newBrowser(t), 0
	b.page("/Karty_graficzne;szukaj-RTX").Find(".cat-prod-row:not(.promoted-offer)").Each(func(_ int, row *goquery.Selection) {
		page := b.page("/" + attr(row, "data-pid"))
		heading, name := text(page.Find("h1")), text(row.Find(".cat-prod-row__name a").First().Find("span").Last())
		isGroup := row.Find(".cat-prod-row__variants").Length() > 0
		if isGroup {
			groups++
		}
		if (heading != name) != isGroup || !strings.HasPrefix(name, heading) || !strings.Contains(page.Find("script").Eq(1).Text(), strings.Fields(name)[0]) {
			t.Errorf("row %q, heading %q", name, heading)
		}
	})
	if groups == 0 {
		t.Error("no groups")
	}
}

func TestTrapsAmongTheOffers(t *testing.T) {
	page := newBrowser(t).page(productPath)
	advert := page.Find("li.product-offers__list__ado-item")
	if advert.Length() != 1 || advert.HasClass("product-offers__list__item") || readOffer(advert).price >= 1598.49 {
		t.Errorf("advert %q", text(advert))
	}
	similar := page.Find("ul.similar-offers li.product-offers__list__item")
	if similar.Length() != 1 || page.Find("ul.similar-offers").HasClass("js_normal-offers") {
		t.Errorf("%d similar offers, want 1", similar.Length())
	}
	onSite := page.Find("section.product-offers--standard button.add-to-basket-no-popup[data-basket-click-url]")
	if onSite.Length() == 0 || onSite.Closest("li").Find("a.go-to-shop, [data-shopurl]").Length() > 0 {
		t.Errorf("%d offers bought on the site, or they show their shop's domain", onSite.Length())
	}
}
