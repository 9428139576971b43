package ceneo_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/fake"
	"github.com/PuerkitoBio/goquery"
)

func TestAnswers(t *testing.T) {
	b := newBrowser(t)
	cases := []struct {
		method, target string
		status         int
		location       string // or a part of the body
	}{
		{"GET", "/;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"HEAD", "/;szukaj-RTX+4070", 200, ""},
		{"GET", "/Karty_graficzne;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"GET", "/Podzespoly_komputerowe;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"GET", "/Komputery;szukaj-RTX+4070", 200, "cat-prod-row"},
		{"GET", "/Komputery;szukaj-lod%C3%B3wka", 200, "cat-prod-row"},
		{"GET", "/Komputery;szukaj-brakwyniku", 302, "/;szukaj-brakwyniku"},
		{"GET", "/Karty_graficzne;szukaj-lod%C3%B3wka", 302, "/;szukaj-lod%C3%B3wka"},
		{"GET", "/Procesory;szukaj-RTX+4070", 302, "/;szukaj-RTX+4070"},
		{"GET", "/Procesory;szukaj-brakwyniku", 302, "/;szukaj-brakwyniku"},
		{"GET", "/;szukaj-brakwyniku", 200, "nie znaleźliśmy produktów dla zapytania „brakwyniku”"},
		{"GET", "/;szukaj-", 301, "/"},
		{"GET", "/;szukaj-++", 301, "/"},
		{"GET", "/Dyski;szukaj-", 301, "/Dyski"},
		{"GET", "/;szukaj-x", 500, "Wystąpił błąd"},
		{"GET", "/Smartfony;szukaj-RTX+4070", 404, "Nie ma takiej kategorii"},
		{"GET", "/Smartfony", 404, "Nie ma takiej strony"},
		{"GET", "/12345678", 404, "Nie ma takiego produktu"},
		{"GET", "/Captcha/Add", 200, "cf-turnstile"},
		{"GET", "/captcha/add?ReturnUrl=x", 200, "cf-turnstile"},
		{"GET", "/Click/Offer/?e=abc&a=2", 200, "Tu otworzyłby się sklep"},
		{"GET", "/robots.txt", 200, "\nDisallow: /;szukaj\n"},
		{"POST", "/Captcha/Add", 405, "Tej strony nie można tak użyć"},
	}
	for _, c := range cases {
		t.Run(c.method+" "+c.target, func(t *testing.T) {
			answer := b.do(c.method, c.target)
			got := answer.Header().Get("Location")
			if answer.Code/100 != 3 {
				got = answer.Body.String()
			}
			if answer.Code != c.status || !strings.Contains(got, c.location) {
				t.Errorf("got %d %.200q, want %d %q", answer.Code, got, c.status, c.location)
			}
			if answer.Code/100 == 3 && got != c.location {
				t.Errorf("got location %q, want %q", got, c.location)
			}
		})
	}
}

func TestAnExactMatchRedirectsToTheProduct(t *testing.T) {
	b := newBrowser(t)
	for _, target := range []string{"/;szukaj-AMD+Ryzen+7+7800X3D", "/Procesory;szukaj-amd%20ryzen%207%207800x3d"} {
		product := b.location(target)
		if name := text(b.page(product).Find("h1.product-top__product-info__name")); !strings.HasPrefix(name, "AMD Ryzen 7 7800X3D BOX") {
			t.Errorf("%s leads to %s, %q", target, product, name)
		}
	}
}

func TestNoContentPageLooksBlocked(t *testing.T) {
	b := newBrowser(t)
	for _, target := range []string{"/;szukaj-RTX+4070", "/;szukaj-brakwyniku", b.location("/;szukaj-Samsung+990+PRO+2TB")} {
		body := b.do(http.MethodGet, target).Body.String()
		for _, marker := range []string{"fdetection", "js_f-container", "Just a moment", "cf-turnstile"} {
			if strings.Contains(body, marker) {
				t.Errorf("%s holds %q", target, marker)
			}
		}
		if !strings.Contains(body, "Ta strona jest chroniona przez reCAPTCHA") {
			t.Errorf("%s lacks the branding footer", target)
		}
	}
}

func TestCaptchaFault(t *testing.T) {
	b := newBrowser(t)
	b.SetFault(fake.Fault{Kind: "captcha"})
	if got := b.location("/;szukaj-RTX+4070"); got != "/Captcha/Add?returnUrl=%2F%3Bszukaj-RTX%2B4070" {
		t.Errorf("redirects to %q", got)
	}
	if got := b.do(http.MethodGet, "/Captcha/Add").Code; got != http.StatusOK {
		t.Errorf("the captcha page itself: status %d", got)
	}
}

// rowPrice reads a row as a client has to: the attribute, else the mark-up.
func rowPrice(row *goquery.Selection, prefix string) string {
	if price := attr(row, "data-productminprice"); price != "" {
		return price
	}
	digits := regexp.MustCompile(`[^0-9,]`).ReplaceAllString(row.Find(prefix+" .value").Text()+row.Find(prefix+" .penny").Text(), "")
	return strings.Replace(digits, ",", ".", 1)
}

// marks are what some rows have and others lack.
var marks = map[string]string{
	"lowest price": "[data-productminprice]", "recommended": ".cat-prod-row__name .recommended-label", "new": ".cat-prod-row__name .new-label",
	"bold name": "span.font-bold", "variants": ".cat-prod-row__foto .cat-prod-row__variants", "old price": "del.old-price",
	"free delivery": ".free-delivery-label", "leads to a shop": ".cat-prod-row__name a.go-to-shop", "two shops": `[data-shopurl="red"]`,
}

func TestRows(t *testing.T) {
	page := newBrowser(t).page("/;szukaj-RTX")
	rows := page.Find("div.cat-prod-row[data-pid]").Not(".promoted-offer").AddSelection(
		newBrowser(t).page("/Komputery;szukaj-akcesoria").Find("div.cat-prod-row[data-pid]").Not(".promoted-offer"))
	seen, classes := map[string]int{}, map[string]bool{}
	rows.Each(func(_ int, row *goquery.Selection) {
		classes[attr(row, "class")] = true
		for mark, selector := range marks {
			if row.Is(selector) || row.Find(selector).Length() > 0 {
				seen[mark]++
			}
		}
		requireRow(t, row)
	})
	for mark := range marks {
		if n := seen[mark]; n == 0 || n == rows.Length() {
			t.Errorf("%s: on %d of %d rows", mark, n, rows.Length())
		}
	}
	if len(classes) < 3 {
		t.Errorf("only %d class attributes", len(classes))
	}
	if attr(page.Find(`meta[name="robots"]`), "content") != "noindex,follow" {
		t.Error("a list may be indexed")
	}
}

// requireRow holds a row to what every row has.
func requireRow(t *testing.T, row *goquery.Selection) {
	t.Helper()
	link, number := row.Find(".cat-prod-row__name a").First(), attr(row, "data-pid")
	name, cut := text(link.Find("span").Last()), attr(row, "data-productname")
	if !strings.HasPrefix(name, cut) || len([]rune(cut)) > 50 || len([]rune(name)) > 50 && len([]rune(cut)) != 50 {
		t.Errorf("name %q, data-productname %q", name, cut)
	}
	if price, err := strconv.ParseFloat(rowPrice(row, ".cat-prod-row__price"), 64); err != nil || price < 20 {
		t.Errorf("%s: price %v, %v", name, price, err)
	}
	if attr(row, "data-productid") != number || !row.HasClass("js_category-list-item") {
		t.Errorf("%s: hooks missing", name)
	}
	category := attr(row.Find(".js_wishlist-toggle"), "data-label")
	if category == "" || text(row.Find(".cat-prod-row__category a")) != category {
		t.Errorf("%s: of category %q and %q", name, category, text(row.Find(".cat-prod-row__category a")))
	}
	shops, shop := text(row.Find(".shop-numb")), attr(row, "data-shopurl")
	if !link.HasClass("go-to-shop") {
		if attr(link, "href") != "/"+number || !regexp.MustCompile(`^w (1 sklepie|\d+ sklepach)$`).MatchString(shops) {
			t.Errorf("%s: link %s, shops %q", name, attr(link, "href"), shops)
		}
		return
	}
	way := map[bool]string{true: "https://redirect.example/offers/" + number, false: "/Click/Offer/?e="}[shop == "red"]
	if !strings.HasPrefix(attr(link, "href"), way) || shop == "" || (shops == "w 2 sklepach") != (shop == "red") {
		t.Errorf("%s: leads to %s of %q, %q", name, attr(link, "href"), shop, shops)
	}
	if page := attr(row.Find("a.cat-prod-row__product-link"), "href"); page != "/"+number {
		t.Errorf("%s: product page %q", name, page)
	}
}

// In one category the rows do not say which; only a hidden button does.
func TestRowsOfACategoryDoNotNameIt(t *testing.T) {
	page := newBrowser(t).page("/Karty_graficzne;szukaj-RTX")
	if n := page.Find(".cat-prod-row__category").Length(); n > 0 || attr(page.Find(".js_wishlist-toggle"), "data-label") != "Karty graficzne" {
		t.Errorf("%d rows name their category", n)
	}
}

func TestAdverts(t *testing.T) {
	b := newBrowser(t)
	page := b.page("/;szukaj-RTX")
	if got := page.Find(".cat-prod-row").Length(); got != 32 {
		t.Errorf("%d rows on the first page, want 30 and 2 adverts", got)
	}
	if got := b.page("/Procesory;szukaj-7800X3D").Find(".promoted-offer").Length(); got != 0 {
		t.Errorf("%d adverts in a short list", got)
	}
	if above := page.Find(".highlighted-offers a.box.js_analytics-promotedItem[data-pid]"); above.Length() != 2 {
		t.Errorf("%d adverts above the list", above.Length())
	}
	adverts := page.Find(".cat-prod-row.promoted-offer.js_analytics-promotedItem")
	if adverts.Length() != 2 {
		t.Fatalf("%d adverts, want 2", adverts.Length())
	}
	adverts.Each(func(_ int, advert *goquery.Selection) {
		if !strings.HasPrefix(text(advert), "OFERTA SPECJALNA") || !strings.HasPrefix(attr(advert.Find(".cat-prod-row__name a"), "href"), "/Click/Offer/?e=") {
			t.Errorf("advert %q", text(advert))
		}
		if b.do("GET", "/"+attr(advert, "data-pid")).Code != 404 {
			t.Error("the advert's number has a page")
		}
		advert.Find("a[href]").Each(func(_ int, link *goquery.Selection) {
			if href := attr(link, "href"); !strings.HasPrefix(href, "/Click/") && !strings.HasPrefix(href, "/Karty") {
				t.Errorf("advert links to %s", href)
			}
		})
	})
}

func TestBoxes(t *testing.T) {
	for _, target := range []string{"/Obudowy;szukaj-obudowa", "/Chlodzenie_komputerowe;szukaj-noctua"} {
		page := newBrowser(t).page(target)
		boxes := page.Find("div.cat-prod-box[data-pid]")
		if boxes.Length() < 5 || page.Find(".cat-prod-row").Length() > 0 {
			t.Errorf("%s: %d boxes", target, boxes.Length())
		}
		boxes.Each(func(_ int, box *goquery.Selection) {
			if text(box.Find(".cat-prod-box__name a")) == "" || rowPrice(box, ".cat-prod-box__price") == "" {
				t.Errorf("%s: box %q", target, text(box))
			}
		})
	}
}
