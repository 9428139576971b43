package ceneo

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/match"
	"backend.example/services/hardware/internal/prices"
)

// capture returns a file as the site served it, from ../shared/data next to the project.
// testdata/captures holds what such pages say, read by hand, one row or offer a line, with
// "-" for what they do not say.
func capture(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("../../../../../shared/data/aggregator", name))
	if os.IsNotExist(err) {
		t.Skip("no files of the site")
	} else if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// truth returns what the capture says, as lines of fields.
func truth(t *testing.T, page string) [][]string {
	t.Helper()
	var lines [][]string
	for line := range strings.Lines(fixture(t, page+".tsv")) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
		}
	}
	return lines
}

// The facts in the columns of testdata/captures.
var (
	rowFacts = []string{"product number", "name", "category", "price", "shops", "store", "link", "delivery",
		"label kept out of the name"}
	offerFacts = []string{"", "store", "store's name", "price", "delivery", "available", "shop rating", "link", "title"}
)

func factsOfRow(r searchRow, label string) []string {
	link, delivery := "product", "no"
	if r.shopLink != "" {
		link = "shop"
	}
	if r.freeDelivery {
		delivery = "yes"
	}
	if strings.Contains(r.name, label) {
		label = ""
	}
	shop := shopOffer(r.shop, r.logo, r.minPrice).Store
	return []string{r.id, r.name, r.category, amount(r.minPrice), strings.TrimPrefix(strconv.Itoa(r.shops), "0"), shop,
		link, delivery, label}
}

func factsOfOffer(o prices.Offer) []string {
	available := map[prices.Stock]string{prices.InStock: "yes", prices.OnOrder: "no"}[o.Stock]
	link := strings.TrimPrefix(o.URL, "https://www.ceneo.pl/")
	return []string{"", o.Store, o.StoreLabel, amount(o.Price), amount(o.PriceWithDelivery), available,
		amount(o.ShopRating), link[:min(20, len(link))], o.Title}
}

func amount(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// compare reports the facts that were read from a page otherwise than it says.
func compare(t *testing.T, page string, read, want [][]string) {
	t.Helper()
	for _, facts := range read {
		for i := range facts {
			if facts[i] == "" {
				facts[i] = "-"
			}
		}
	}
	if diff := cmp.Diff(want, read); diff != "" {
		t.Errorf("%s (-page +read):\n%s", page, diff)
	}
}

// TestCapturedPagesAreReadRightAndWhole reads every row and every offer of the captured pages.
func TestCapturedPagesAreReadRightAndWhole(t *testing.T) {
	for _, page := range []string{"kbulka_kamera", "kbulka_klawiatura", "keycrm_list", "category_radar_trimmed",
		"zaqper_list"} {
		html, want := capture(t, page+".html"), truth(t, "captures/"+page)
		if page == "zaqper_list" { // the inside of a row
			html = `<div class="cat-prod-row">` + html + `</div>`
		}
		rows, err := parseSearch(strings.NewReader(html))
		if err != nil || len(rows) != len(want) {
			t.Fatalf("%s: %d rows read, the page has %d, %v", page, len(rows), len(want), err)
		}
		var facts [][]string
		for i, row := range rows {
			facts = append(facts, factsOfRow(row, want[i][len(rowFacts)-1]))
		}
		compare(t, page, facts, want)
	}
	offers := capturedOffers(t, capture(t, "pablodbm_product.html"))
	want := truth(t, "captures/pablodbm_product")
	for _, offer := range want {
		offer[0] = "-" // its number
	}
	compare(t, "offers", offers, want)
}

// capturedOffers returns the facts about the offers of a product.
func capturedOffers(t *testing.T, html string) (offers [][]string) {
	t.Helper()
	p, err := readProduct(html)
	if err != nil {
		t.Fatal(err)
	}
	if want := (summary{"Apple iPhone 15 128GB Czarny", 52, 3567, 5648.30}); p.summary != want || p.shown != 15 {
		t.Errorf("%+v, %d shown; want %+v, 15 shown", p.summary, p.shown, want)
	}
	var cheapest []string
	for _, offer := range p.offers {
		cheapest = append(cheapest, offer.Store)
	}
	want := []string{"abfoto.pl", "empik.com", "mobile-city.pl", "deluxury.pl", "gsm24.pl"}
	if diff := cmp.Diff(want, cheapest); diff != "" {
		t.Errorf("the cheapest (-want +got):\n%s", diff)
	}
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		t.Fatal(err)
	}
	all, _, _ := readOffers(doc, productURL)
	for _, offer := range all {
		if !match.IsPlain(p.name, offer.Title) {
			t.Errorf("%q is taken for another thing", offer.Title)
		}
		offers = append(offers, factsOfOffer(offer))
	}
	return offers
}

// The rules of the captured robots.txt are those of the fixture, in any order.
func TestTheRulesAreThoseOfTheSite(t *testing.T) {
	rules := func(file string) []string {
		_, group, _ := strings.Cut(file, "User-agent: *\n")
		group, _, _ = strings.Cut(group, "User-")
		return slices.Sorted(strings.FieldsSeq(strings.ReplaceAll(group, ": ", ":")))
	}
	want := rules(capture(t, "robots.txt"))
	if got := rules(fixture(t, "robots.txt")); len(got) < 50 || !slices.Equal(got, want) {
		t.Errorf("%d rules, the site has %d:\n got %q\nwant %q", len(got), len(want), got, want)
	}
}
