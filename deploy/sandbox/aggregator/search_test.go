package aggregator_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// rowPrice reads a row as a client has to: the attribute, else the mark-up.
func rowPrice(row *goquery.Selection, prefix string) string {
	if price := attr(row, "data-productminprice"); price != "" {
		return price
	}
	digits := regexp.MustCompile(`[^0-9,]`).ReplaceAllString(row.Find(prefix+" .value").Text()+row.Find(prefix+" .penny").Text(), "")
	return strings.Replace(digits, ",", ".", 1)
}

func TestRows(t *testing.T) {
	page := newBrowser(t).page("/;szukaj-RTX")
	withPrice, withoutPrice, single, recommended, bold, classes := 0, 0, 0, 0, 0, map[string]bool{}
	page.Find("div.cat-prod-row[data-pid]").Each(func(_ int, row *goquery.Selection) {
		classes[attr(row, "class")] = true
		link := row.Find(".cat-prod-row__name a")
		if row.HasClass("promoted-offer") {
			return
		}
		if attr(row, "data-productminprice") == "" {
			withoutPrice++
		} else {
			withPrice++
		}
		recommended += link.Find(".recommended-label").Length()
		bold += link.Find("span.font-bold").Length()
		name := strings.TrimSpace(strings.TrimPrefix(text(link), "Polecany"))
		cut := attr(row, "data-productname")
		if !strings.HasPrefix(name, cut) || len([]rune(cut)) > 50 || len([]rune(name)) > 50 && len([]rune(cut)) != 50 {
			t.Errorf("name %q, data-productname %q", name, cut)
		}
		if price, err := strconv.ParseFloat(rowPrice(row, ".cat-prod-row__price"), 64); err != nil || price < 20 {
			t.Errorf("%s: price %v, %v", name, price, err)
		}
		if attr(row, "data-productid") != attr(row, "data-pid") || !row.HasClass("js_category-list-item") {
			t.Errorf("%s: hooks missing", name)
		}
		if row.Find("a.go-to-shop").Length() > 0 {
			single++
			if !strings.HasPrefix(attr(link, "href"), "/Click/Offer/?e=") || row.Find(".shop-numb").Length() > 0 || attr(row, "data-shopurl") == "" {
				t.Errorf("%s: a single-shop row with the marks of a product", name)
			}
			if page := attr(row.Find("a.cat-prod-row__product-link"), "href"); page != "/"+attr(row, "data-pid") {
				t.Errorf("%s: product page %q", name, page)
			}
			return
		}
		if attr(link, "href") != "/"+attr(row, "data-pid") || !regexp.MustCompile(`^w (1 sklepie|\d+ sklepach)$`).MatchString(text(row.Find(".shop-numb"))) {
			t.Errorf("%s: link %s, shops %q", name, attr(link, "href"), text(row.Find(".shop-numb")))
		}
	})
	for what, n := range map[string]int{"price attributes": withPrice, "rows without": withoutPrice, "recommended": recommended, "bold names": bold, "single shops": single} {
		if n == 0 {
			t.Errorf("no %s", what)
		}
	}
	if len(classes) < 4 {
		t.Errorf("only %d class attributes", len(classes))
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
