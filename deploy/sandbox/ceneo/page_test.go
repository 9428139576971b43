package ceneo_test

import (
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"backend.example/deploy/sandbox/ceneo"
	"backend.example/deploy/sandbox/fake"
)

const (
	processor = "/97024746" // a product with 24 shops
	disk      = "/Dyski;szukaj-Seagate+BarraCuda+2TB"
)

func do(f *fake.Fake, method, target string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, target, nil)
	request.Host = "127.0.0.1:9092"
	recorder := httptest.NewRecorder()
	f.ServeHTTP(recorder, request)
	return recorder
}

// open returns a page, after a redirect if there is one.
func open(t *testing.T, f *fake.Fake, target string) *goquery.Document {
	t.Helper()
	answer := do(f, "GET", target)
	if answer.Code == 302 {
		answer = do(f, "GET", answer.Header().Get("Location"))
	}
	document, err := goquery.NewDocumentFromReader(answer.Body)
	if err != nil || answer.Code != 200 {
		t.Fatalf("%s: %d, %v", target, answer.Code, err)
	}
	return document
}

// text returns the text of a selection with its white space collapsed.
func text(s *goquery.Selection) string { return strings.Join(strings.Fields(s.Text()), " ") }

func attr(s *goquery.Selection, name string) string { return s.AttrOr(name, "") }

// price reads a price as a client has to: from the attribute, else from the markup.
func price(s *goquery.Selection, attribute, markup string) float64 {
	raw := attr(s, attribute)
	if raw == "" {
		raw = s.Find(markup+" .value").First().Text() + s.Find(markup+" .penny").First().Text()
		raw = strings.Replace(regexp.MustCompile(`[^0-9,]`).ReplaceAllString(raw, ""), ",", ".", 1)
	}
	number, _ := strconv.ParseFloat(raw, 64)
	return number
}

// wantCounts checks how many of the items are or contain what each selector matches. A
// count of -1 stands for some of them, but not all.
func wantCounts(t *testing.T, items *goquery.Selection, counts map[string]int) {
	t.Helper()
	for selector, want := range counts {
		got := items.FilterFunction(
			func(_ int, s *goquery.Selection) bool { return s.Is(selector) || s.Find(selector).Length() > 0 },
		).Length()
		if some := got > 0 && got < items.Length(); want < 0 && some {
			continue
		}
		if got != want {
			t.Errorf("%s: on %d of %d, want %d", selector, got, items.Length(), want)
		}
	}
}

func TestResponses(t *testing.T) {
	f := ceneo.New()
	for _, c := range []struct {
		method, target string
		status         int
		want           string // the location, or a part of the body
	}{
		{"GET", "/;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"HEAD", "/;szukaj-RTX+4070", 200, ""},
		{"GET", "/Karty_graficzne;szukaj-RTX+4070", 200, `<meta name="robots" content="noindex,follow">`},
		{"GET", "/Komputery;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"GET", "/Obudowy;szukaj-obudowa", 200, `data-pagecount="1"`},
		{"GET", "/Karty_graficzne;szukaj-RTX", 200, `data-pagecount="3"`}, // of 70 products
		{"GET", "/Dyski;szukaj-dysk", 200, `data-pagecount="3"`},          // of 90
		{"GET", "/Procesory;szukaj-RTX+4070", 302, "/;szukaj-RTX+4070"},
		{"GET", "/;szukaj-brakwyniku", 200, "nie znaleźliśmy produktów dla zapytania „brakwyniku”"},
		{"GET", "/;szukaj-", 301, "/"},
		{"GET", "/Dyski;szukaj-", 301, "/Dyski"},
		{"GET", "/;szukaj-x", 500, "Wystąpił błąd"},
		{"GET", "/;szukaj-%C5%BC", 500, "Wystąpił błąd"}, // one letter of two bytes
		{"GET", "/Smartfony;szukaj-RTX+4070", 404, "Nie ma takiej kategorii"},
		{"GET", "/;szukaj-amd%20RYZEN++7%207800x3d", 302, processor},
		{"GET", "/Procesory;szukaj-AMD+Ryzen+7+7800X3D", 302, processor},
		{"GET", "/12345678", 404, "Nie ma takiego produktu"},
		{"GET", "/123456789", 404, "Nie ma takiego produktu"},
		{"GET", "/1234567890", 404, "Nie ma takiej strony"},
		{"GET", "/12345", 404, "Nie ma takiego produktu"},
		{"GET", "/1234", 404, "Nie ma takiej strony"},
		{"GET", processor + ";0282-1;02516.htm", 200, "AMD Ryzen 7 7800X3D"},
		{"GET", "/Captcha/Add", 200, "cf-turnstile"},
		{"GET", "/Click/Offer/?e=abc&a=2", 200, "Tu otworzyłby się sklep"},
		{"GET", "/robots.txt", 200, "\nDisallow: /;szukaj\n"},
		{"POST", "/Captcha/Add", 405, "Tej strony nie można tak użyć"},
	} {
		answer := do(f, c.method, c.target)
		body := answer.Body.String()
		if answer.Code != c.status {
			t.Errorf("%s %s: got status %d, want %d", c.method, c.target, answer.Code, c.status)
		}
		if location := answer.Header().Get("Location"); location != "" && location != c.want {
			t.Errorf("%s %s: redirects to %q, want %q", c.method, c.target, location, c.want)
		} else if location == "" && !strings.Contains(body, c.want) {
			t.Errorf("%s %s: got %.300q, want %q in it", c.method, c.target, body, c.want)
		}
		blocked := regexp.MustCompile(`fdetection|js_f-container|Just a moment|cf-turnstile`).MatchString(body)
		if isCaptcha := strings.HasPrefix(strings.ToLower(c.target), "/captcha") &&
			c.method == "GET"; blocked != isCaptcha {
			t.Errorf("%s: looks blocked %t", c.target, blocked)
		}
		if strings.HasPrefix(body, "<!DOCTYPE") && !strings.Contains(body, "Ta strona jest chroniona przez reCAPTCHA") {
			t.Errorf("%s lacks the branding footer", c.target)
		}
	}
	f.SetFault(fake.Fault{Kind: "captcha"})
	if got := do(f, "GET", "/;szukaj-RTX+4070").Header().
		Get("Location"); got != "/Captcha/Add?returnUrl=%2F%3Bszukaj-RTX%2B4070" {
		t.Errorf("the captcha redirects to %q", got)
	}
	if got := do(f, "GET", "/Captcha/Add").Code; got != 200 {
		t.Errorf("the captcha page itself: status %d", got)
	}
}

func TestRows(t *testing.T) {
	f := ceneo.New()
	const all = "div.cat-prod-row.js_category-list-item[data-pid]"
	rows := open(t, f, "/;szukaj-RTX").Find(all).AddSelection(open(t, f, "/Komputery;szukaj-akcesoria").Find(all)).
		Not(".promoted-offer")
	wantCounts(t, rows, map[string]int{
		"[data-productminprice]": -1, ".cat-prod-row__name .recommended-label": -1,
		".cat-prod-row__name .new-label": -1, "span.font-bold": -1,
		".cat-prod-row__foto .cat-prod-row__variants": -1, "del.old-price": -1, ".free-delivery-label": -1,
		".cat-prod-row__name a.go-to-shop": -1, `[data-shopurl="red"]`: -1, ".cat-prod-row__category a": rows.Length(),
	})
	classes := map[string]bool{}
	rows.Each(func(_ int, row *goquery.Selection) {
		classes[attr(row, "class")] = true
		link := row.Find(".cat-prod-row__name a").First()
		number := attr(row, "data-pid")
		cut := attr(row, "data-productname")
		name := text(link.Find("span").Last())
		shops := text(row.Find(".shop-numb"))
		shop := attr(row, "data-shopurl")
		if want := string([]rune(name)[:min(len([]rune(name)), 50)]); cut != want {
			t.Errorf("row %q is cut to %q, want %q", text(row), cut, want)
		}
		if attr(row, "data-productid") != number {
			t.Errorf("row %q: data-productid is not %s", text(row), number)
		}
		if got := price(row, "data-productminprice", ".cat-prod-row__price"); got < 20 {
			t.Errorf("row %q costs %g", text(row), got)
		}
		if category := attr(row.Find(".js_wishlist-toggle"), "data-label"); category == "" ||
			text(row.Find(".cat-prod-row__category a")) != category {
			t.Errorf("%s: of category %q", name, category)
		}
		way, product := "/"+number, attr(row.Find("a.cat-prod-row__product-link"), "href")
		switch {
		case shop == "red":
			way = "https://redirect.example/offers/" + number
		case shop != "":
			way = "/Click/Offer/?e="
		}
		toShop := link.HasClass("go-to-shop")
		counted := regexp.MustCompile(`^w (1 sklepie|\d+ sklepach)$`).MatchString(shops)
		if !strings.HasPrefix(attr(link, "href"), way) {
			t.Errorf("%s leads to %s, want %s", name, attr(link, "href"), way)
		}
		got := []bool{toShop, !link.HasClass("go-to-product"), product == "/"+number}
		if want := shop != ""; !slices.Equal(got, []bool{want, want, want}) {
			t.Errorf("%s of shop %q: to the shop, not to the product, with an own address: %v", name, shop, got)
		}
		if want := !toShop || shop == "red"; counted != want {
			t.Errorf("%s of shop %q: shops %q", name, shop, shops)
		}
	})
	if len(classes) < 3 {
		t.Errorf("only %d class attributes", len(classes))
	}
	page := open(t, f, "/Karty_graficzne;szukaj-RTX") // in one category only a hidden button names it
	wantCounts(t, page.Find(".cat-prod-row"),
		map[string]int{".cat-prod-row__category": 0, `.js_wishlist-toggle[data-label="Karty graficzne"]`: 32})
	for _, target := range []string{"/Obudowy;szukaj-obudowa", "/Chlodzenie_komputerowe;szukaj-noctua"} {
		page := open(t, f, target)
		boxes := page.Find("div.cat-prod-box[data-pid]")
		if boxes.Length() < 5 || page.Find(".cat-prod-row").Length() > 0 {
			t.Errorf("%s: %d boxes", target, boxes.Length())
		}
		boxes.Each(func(_ int, box *goquery.Selection) {
			if text(box.Find(".cat-prod-box__name a")) == "" ||
				price(box, "data-productminprice", ".cat-prod-box__price") == 0 {
				t.Errorf("%s: box %q", target, text(box))
			}
		})
	}
}

func TestOffers(t *testing.T) {
	f := ceneo.New()
	const list = "section.product-offers--standard > ul.js_normal-offers > li.product-offers__list__item"
	plain, page := open(t, f, processor), open(t, f, processor+";0280-0.htm")
	offers, paid := page.Find(list),
		page.Find("section.product-offers--bidding > ul.js_bidding-offers > li.product-offers__list__item")
	prices := func(offers *goquery.Selection) (prices []float64) {
		offers.Each(func(_ int, offer *goquery.Selection) {
			prices = append(
				prices, price(offer.Find(".product-offer__container"), "data-price", ".product-offer__product__price"),
			)
		})
		return prices
	}
	if got := prices(offers); len(got) != 15 || !slices.IsSorted(got) {
		t.Errorf("by price: %v, want 15 in order", got)
	}
	if got := prices(plain.Find(list)); len(got) != 15 || slices.IsSorted(got) {
		t.Errorf("by the site's choice: %v, want 15 in another order", got)
	}
	missing := offers.FilterFunction(func(_ int, offer *goquery.Selection) bool {
		return regexp.MustCompile(`outofstock|unavailable|Brak w magazynie`).
			MatchString(attr(offer, "class") + attr(offer.Find(".product-offer__container"), "class") + text(offer))
	})
	if first := offers.NotSelection(missing).First(); missing.Length() == 0 || prices(first)[0] != 1598.49 ||
		first.Index() == 0 {
		t.Errorf("%d out of stock, the cheapest in stock costs %v", missing.Length(), prices(first))
	}
	all := offers.AddSelection(open(t, f, disk).Find(list))
	wantCounts(t, all, map[string]int{
		"[data-shopurl]": -1, ".product-offer__container[data-price]": -1, `.product-offer__logo img[alt=""]`: -1,
		"button.add-to-basket-no-popup[data-basket-click-url]": -1, ".free-delivery-label": -1,
		".js_deliveryInfo:contains('szczegóły')":    -1,
		".js_deliveryInfo:contains('Z wysyłką od')": -1, ".instock": -1,
		".product-availability:contains('do 3 dni')": -1,
		`.product-offer__container[data-click-url^="/Click/Offer/?e="][data-shop]` +
			"[data-offer][data-offertype]": all.Length(),
		".product-offer__badges img[alt]":                                 all.Length(),
		"a.js_product-offer-link:contains('Dane i opinie o')":             all.Length(),
		".product-offer__rating .screen-reader-text:contains('Ocena 4,')": all.Length(),
		"a[title] .short-name__txt":                                       all.Length(),
		"button.add-to-basket-no-popup ~ a.go-to-shop":                    0,
	})
	wantCounts(t, paid, map[string]int{"li[data-shopurl]": paid.Length(), ".product-offer__container[data-shopurl]": 0,
		`[data-offertype="CPC_Bid"]`: 3})
	for product, hidden := range map[string]int{"/198753037": 0, "/183322619": 1} { // 15 and 16 offers
		if got := open(t, f, product).Find("span.js_remainingTrigger").Length(); got != hidden {
			t.Errorf("%s: %d buttons for the other offers, want %d", product, got, hidden)
		}
	}
	advert, similar := page.Find("li.product-offers__list__ado-item"),
		page.Find("ul.similar-offers li.product-offers__list__item")
	if advert.Length() != 1 || advert.HasClass("product-offers__list__item") {
		t.Errorf("advert %q is missing or an offer", text(advert))
	}
	if got := prices(advert)[0]; got >= 1598.49 {
		t.Errorf("the advert costs %g, want less than the cheapest offer", got)
	}
	if similar.Length() != 1 {
		t.Errorf("%d similar offers, want 1", similar.Length())
	}
}
