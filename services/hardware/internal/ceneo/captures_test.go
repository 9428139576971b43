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

	"backend.example/services/hardware/internal/prices"
)

// capture is a page of the aggregator as the site served it. testdata/captures holds what
// such pages say, read off by hand, one row or offer a line, with "-" for what they do
// not say.
func capture(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile(realFiles(t, filepath.Join("aggregator", name))[0])
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// truth is what the capture says, as lines of fields.
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

// tally counts what was read from one page about one fact.
type tally struct{ right, wrong, none int }

func (c *tally) count(t *testing.T, what, got, want string) {
	switch {
	case got != want:
		c.wrong++
		t.Errorf("%s: read %q, the page says %q", what, got, want)
	case want == "-":
		c.none++
	default:
		c.right++
	}
}

// The facts in the columns of testdata/captures.
var (
	rowFacts   = []string{"product number", "name", "category", "price", "shops", "store", "link", "delivery", "label kept out of the name"}
	offerFacts = []string{"", "store", "store's name", "price", "delivery", "available", "shop rating", "link"}
)

func factsOfRow(r searchRow) []string {
	link, delivery := "product", "no"
	if r.shopLink != "" {
		link = "shop"
	}
	if r.freeDelivery {
		delivery = "yes"
	}
	shop := shopOffer(r.shop, r.logo, r.minPrice).Store
	return []string{r.id, r.name, r.department, amount(r.minPrice), digits(r.shops), shop, link, delivery, ""}
}

func factsOfOffer(o prices.Offer) []string {
	available := map[prices.Stock]string{prices.InStock: "yes", prices.OnOrder: "no"}[o.Stock]
	link := strings.TrimPrefix(o.URL, "https://www.ceneo.pl/")
	return []string{"", o.Store, o.StoreLabel, amount(o.Price), amount(o.PriceWithDelivery), available, amount(o.ShopRating), link[:min(20, len(link))]}
}

func amount(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func digits(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") }

// compare counts the facts that were read from a page against those it says.
func compare(t *testing.T, counts map[string]*tally, names []string, read, want [][]string) {
	t.Helper()
	if len(read) != len(want) {
		t.Fatalf("%d read, the page has %d", len(read), len(want))
	}
	for i := range want {
		for column, fact := range names {
			if fact == "" {
				continue
			}
			if counts[fact] == nil {
				counts[fact] = &tally{}
			}
			counts[fact].count(t, want[i][0]+", "+fact, cmp.Or(read[i][column], "-"), want[i][column])
		}
	}
}

// TestCapturedPagesAreReadRightAndWhole reads every row and every offer of the captured
// pages, and holds the table in the service's README to what came out.
func TestCapturedPagesAreReadRightAndWhole(t *testing.T) {
	pages := []string{"kbulka_kamera", "kbulka_klawiatura", "keycrm_list", "category_radar_trimmed", "zaqper_list", "pablodbm_product"}
	counts := map[string]map[string]*tally{}
	for _, page := range pages {
		counts[page] = map[string]*tally{}
		if page == "pablodbm_product" {
			product, offers := capturedProduct(t, page)
			compare(t, counts[page], []string{"name", "shops"}, product, [][]string{{"Apple iPhone 15 128GB Czarny", "52"}})
			compare(t, counts[page], offerFacts, offers, truth(t, page))
		} else {
			compare(t, counts[page], rowFacts, capturedRows(t, page), truth(t, page))
		}
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, fact := range append(rowFacts, offerFacts[2], offerFacts[5], offerFacts[6]) {
		line := "| " + fact + " |"
		for _, page := range pages {
			cell := "–"
			if c := counts[page][fact]; c != nil {
				cell = fmt.Sprintf("%d/%d/%d", c.right, c.wrong, c.none)
			}
			line += " " + cell + " |"
		}
		if t.Log(line); !strings.Contains(string(readme), line+"\n") {
			t.Errorf("the README lacks %q", line)
		}
	}
}

func capturedRows(t *testing.T, page string) [][]string {
	t.Helper()
	html := capture(t, page+".html")
	if page == "zaqper_list" { // the inside of a row
		html = `<div class="cat-prod-row">` + html + `</div>`
	}
	rows, err := parseSearch(strings.NewReader(html), knownMarkup().search)
	if err != nil {
		t.Fatal(err)
	}
	var facts [][]string
	all := labels(t, page)
	if len(rows) != len(all) {
		t.Fatalf("%d rows read, the page has %d", len(rows), len(all))
	}
	for i, label := range all {
		row := factsOfRow(rows[i])
		if !strings.Contains(rows[i].name, label) {
			row[len(row)-1] = label
		}
		facts = append(facts, row)
	}
	return facts
}

// labels are those of the rows of a page, "-" for a row that has none.
func labels(t *testing.T, page string) []string {
	t.Helper()
	var all []string
	for _, row := range truth(t, page) {
		all = append(all, row[len(row)-1])
	}
	return all
}

func capturedProduct(t *testing.T, page string) (product, offers [][]string) {
	t.Helper()
	html, base := capture(t, page+".html"), mustParse(t, "https://www.ceneo.pl/138536500;0280-0.htm")
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(html))
	if err != nil {
		t.Fatal(err)
	}
	for _, offer := range knownMarkup().product.readOffers(doc, base).offers {
		offers = append(offers, factsOfOffer(offer))
	}
	p, err := parseProduct(strings.NewReader(html), base, knownMarkup().product)
	if err != nil || p.low != 3567 || p.high != 5648.30 || p.shown != 15 {
		t.Errorf("offers for %v to %v, %d shown, %v", p.low, p.high, p.shown, err)
	}
	var cheapest []string
	for _, offer := range p.offers {
		cheapest = append(cheapest, offer.Store)
	}
	if want := []string{"abfoto.pl", "empik.com", "mobile-city.pl", "deluxury.pl", "gsm24.pl"}; !slices.Equal(cheapest, want) {
		t.Errorf("the cheapest are %q, want %q", cheapest, want)
	}
	return [][]string{{p.name, digits(p.count)}}, offers
}
