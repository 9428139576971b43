package ceneo

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

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
	for line := range strings.Lines(fixture(t, "captures/"+page+".tsv")) {
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

// tally counts the facts that were read from the pages, compared with what these say.
type tally struct{ right, wrong, none int }

// compare adds the facts that were read from a page.
func (c *tally) compare(t *testing.T, page string, names []string, read, want [][]string) {
	t.Helper()
	if len(read) != len(want) {
		t.Fatalf("%s: %d read, the page has %d", page, len(read), len(want))
	}
	for i := range want {
		for column, fact := range names {
			switch got := cmp.Or(read[i][column], "-"); {
			case fact == "":
			case got != want[i][column]:
				c.wrong++
				t.Errorf("%s, %s, %s: read %q, the page says %q", page, want[i][0], fact, got, want[i][column])
			case got == "-":
				c.none++
			default:
				c.right++
			}
		}
	}
}

// TestCapturedPagesAreReadRightAndWhole reads every row and every offer of the captured
// pages, and compares the figures in the service's README with the result.
func TestCapturedPagesAreReadRightAndWhole(t *testing.T) {
	var sum tally
	for _, page := range []string{"kbulka_kamera", "kbulka_klawiatura", "keycrm_list", "category_radar_trimmed",
		"zaqper_list"} {
		html, want := capture(t, page+".html"), truth(t, page)
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
		sum.compare(t, page, rowFacts, facts, want)
	}
	product, offers := capturedProduct(t, capture(t, "pablodbm_product.html"))
	sum.compare(t, "product", []string{"name", "shops"}, product, [][]string{{"Apple iPhone 15 128GB Czarny", "52"}})
	sum.compare(t, "offers", offerFacts, offers, truth(t, "pablodbm_product"))
	readme, err := os.ReadFile("../../README.md")
	line := fmt.Sprintf("%d facts right, %d wrong, %d not on the page", sum.right, sum.wrong, sum.none)
	if err != nil || !strings.Contains(string(readme), line) {
		t.Errorf("the README lacks %q, %v", line, err)
	}
}

// capturedProduct returns the facts about a product and its offers.
func capturedProduct(t *testing.T, html string) (product, offers [][]string) {
	t.Helper()
	p, err := readProduct(html)
	if err != nil || p.low != 3567 {
		t.Fatalf("offers for %v to %v, %d shown, %v", p.low, p.high, p.shown, err)
	}
	if p.high != 5648.30 || p.shown != 15 {
		t.Errorf("offers for %v to %v, %d shown, %v", p.low, p.high, p.shown, err)
	}
	var cheapest []string
	for _, offer := range p.offers {
		cheapest = append(cheapest, offer.Store)
	}
	if want := []string{"abfoto.pl", "empik.com", "mobile-city.pl", "deluxury.pl", "gsm24.pl"}; !slices.Equal(
		cheapest, want,
	) {
		t.Errorf("the cheapest are %q, want %q", cheapest, want)
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
	return [][]string{{p.name, strconv.Itoa(p.count)}}, offers
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
