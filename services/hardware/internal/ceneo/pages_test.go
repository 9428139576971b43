package ceneo

import (
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"backend.example/services/hardware/internal/match"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/testkit"
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
		got, err := parseSearch([]byte(fixture(t, name)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(searchRow{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
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
	return parseProduct([]byte(page), productURL)
}

func TestParsersRefuseOtherPages(t *testing.T) {
	deep := heading + strings.Repeat("<div>", 5000)
	search := []string{deep}
	for _, name := range []string{"changed_list", "unreadable_rows", "captcha", "interstitial", "product"} {
		search = append(search, fixture(t, name+".html"))
	}
	for _, page := range search {
		if rows, err := parseSearch([]byte(page)); !errors.Is(err, errLayout) {
			t.Errorf("%d rows of results, error %v, want %v, in %.200s", len(rows), err, errLayout, page)
		}
	}
	product := []string{deep}
	for _, name := range []string{"changed_product", "list", "captcha", "interstitial"} {
		product = append(product, fixture(t, name+".html"))
	}
	for _, page := range product {
		if p, err := readProduct(page); !errors.Is(err, errLayout) {
			t.Errorf("product %+v, error %v, want %v, in %.200s", p, err, errLayout, page)
		}
	}
}

func TestParseProductReadsOffers(t *testing.T) {
	for name, tt := range map[string]struct {
		page    string
		summary summary
		shown   int
		offers  []prices.Offer
	}{
		"by price": {
			fixture(t, "product.html"),
			summary{"MSI GeForce RTX 4070 VENTUS 2X 12G OC (912-V513-264)", 26, 2549, 5039.70}, 8,
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
			fixture(t, "conditions.html"),
			summary{"ASUS Dual GeForce RTX 4060 8GB (DUAL-RTX4060-O8G)", 14, 1234, 1899}, 9,
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
			fixture(t, "variants.html"),
			summary{"MSI RTX 4060 Ventus 8GB Biały", 52, 1349, 1648.30}, 2,
			[]prices.Offer{
				{Store: "wielki.example", StoreLabel: "Wielki Sklep", Price: 1499, PriceWithDelivery: 1499,
					Stock: prices.InStock, ShopRating: 4.95, URL: "https://www.ceneo.pl/Click/Offer/?e=1"},
				{Store: "magazynek", StoreLabel: "MAGAZYNEK", Price: 1499, Stock: prices.InStock, ShopRating: 4.27,
					URL: "https://www.ceneo.pl/155200001;41450-0v.htm"},
			},
		},
	} {
		p, err := readProduct(tt.page)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if p.summary != tt.summary {
			t.Errorf("%s: summary %+v, want %+v", name, p.summary, tt.summary)
		}
		if p.shown != tt.shown {
			t.Errorf("%s: %d offers shown, want %d", name, p.shown, tt.shown)
		}
		testkit.Equal(t, name+": offers", p.offers, tt.offers)
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
		testkit.Equal(t, "productNumber("+path+") =", productNumber(path), want)
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
			t.Errorf("parseShownPrice(%q) = %v, %t; want %v", s, got, ok, want)
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
		testkit.Equal(t, "absolute("+href+") =", absolute(productURL, href), want)
	}
}

func offerOf(shop, price, content string) string {
	return list(`data-price="`+price+`" data-shopurl="`+shop+`.pl"`, content)
}

func TestPagesSayWhatTheirPartsSay(t *testing.T) {
	pageParts := strings.NewReplacer("<a>", heading, "<ld>", `<script type="application/ld+json">`, "</ld>",
		"</script>", "<tab>", `<span class="page-tab__title">`, "</tab>", "</span>", "<offer>", offerOf("a", "10", ""),
		"<used>", offerOf("a", "10", `<i class="short-name__txt">A używana</i>`),
		"<offer of b for 15>", offerOf("b", "15", ""))
	said := func(names, facts []string, usual ...string) string {
		var said []string
		for i, fact := range facts {
			if fact != "" && !slices.Contains(usual, fact) {
				said = append(said, strings.TrimSpace(names[i]+" "+fact))
			}
		}
		return strings.Join(said, ", ")
	}
	rowNames := slices.Concat([]string{""}, rowFacts[1:])
	for file, read := range map[string]func(html string) (string, error){
		"search": func(html string) (string, error) {
			rows, err := parseSearch([]byte(html))
			read := []string{}
			for _, row := range rows {
				read = append(read, said(rowNames, factsOfRow(row, ""), "product", "no"))
			}
			if rows == nil {
				read = []string{"nothing found"}
			}
			return strings.Join(read, "; "), err
		},
		"offer": func(html string) (string, error) {
			if !strings.HasPrefix(html, "<ul") {
				html = offerOf("a", "10", html)
			}
			p, err := readProduct(heading + html)
			if len(p.offers) == 0 {
				return "sold out", err
			}
			return said(offerFacts, factsOfOffer(p.offers[0]), "a.pl", "10.00"), err
		},
		"product": func(html string) (string, error) {
			p, err := readProduct(pageParts.Replace(html))
			return fmt.Sprintf("%s: %d for %v to %v, %d shown, %d read", p.name, p.count, p.low, p.high, p.shown,
				len(p.offers)), err
		},
	} {
		for _, line := range truth(t, "facts/"+file) {
			got, err := read(line[1])
			if errors.Is(err, errLayout) {
				got = "unknown layout"
			}
			if got != line[0] {
				t.Errorf("%s: %s: %q, want %q", file, line[1], got, line[0])
			}
		}
	}
}

func TestRowsAndTitlesAreBounded(t *testing.T) {
	row := `<div class="cat-prod-row" data-pid="1"><p class="cat-prod-row__name"><a href="/1">RTX</a></p></div>`
	rows, err := parseSearch([]byte(strings.Repeat(row, maxRows+50)))
	if err != nil || len(rows) != maxRows {
		t.Errorf("%d rows are read, want %d (error %v)", len(rows), maxRows, err)
	}
	for title, want := range map[string]string{
		strings.Repeat("ż", maxTitle+1):                strings.Repeat("ż", maxTitle),
		"A " + strings.Repeat("ż", maxTitle-3) + " żż": "A " + strings.Repeat("ż", maxTitle-3), // no space at the end
	} {
		p, err := readProduct(heading + offerOf("a", "10", `<i class="short-name__txt">`+title+`</i>`))
		if err != nil || len(p.offers) != 1 {
			t.Fatalf("%d offers, want 1 (error %v)", len(p.offers), err)
		}
		testkit.Equal(t, "title", p.offers[0].Title, want)
	}
}

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

// wantFacts compares what was read from a captured page with what the page says.
func wantFacts(t *testing.T, page string, read, want [][]string) {
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

func TestCapturedSearchesAreReadWhole(t *testing.T) {
	for _, page := range []string{"kbulka_kamera", "kbulka_klawiatura", "keycrm_list", "category_radar_trimmed",
		"zaqper_list"} {
		html, want := capture(t, page+".html"), truth(t, "captures/"+page)
		if page == "zaqper_list" { // the inside of a row
			html = `<div class="cat-prod-row">` + html + `</div>`
		}
		rows, err := parseSearch([]byte(html))
		if err != nil || len(rows) != len(want) {
			t.Errorf("%s: %d rows read, the page has %d (error %v)", page, len(rows), len(want), err)
			continue
		}
		var facts [][]string
		for i, row := range rows {
			facts = append(facts, factsOfRow(row, want[i][len(rowFacts)-1]))
		}
		wantFacts(t, page, facts, want)
	}
}

func TestCapturedProductIsReadWhole(t *testing.T) {
	page := capture(t, "pablodbm_product.html")
	p, err := readProduct(page)
	if err != nil {
		t.Fatal(err)
	}
	if want := (summary{"Apple iPhone 15 128GB Czarny", 52, 3567, 5648.30}); p.summary != want {
		t.Errorf("summary %+v, want %+v", p.summary, want)
	}
	if p.shown != 15 {
		t.Errorf("%d offers shown, want 15", p.shown)
	}
	var cheapest []string
	for _, offer := range p.offers {
		cheapest = append(cheapest, offer.Store)
	}
	first := []string{"abfoto.pl", "empik.com", "mobile-city.pl", "deluxury.pl", "gsm24.pl"}
	testkit.Equal(t, "the cheapest", cheapest, first)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var offers [][]string
	all, _, _ := readOffers(doc, productURL)
	for _, offer := range all {
		if !match.IsPlain(p.name, offer.Title) {
			t.Errorf("%q is taken for another thing", offer.Title)
		}
		offers = append(offers, factsOfOffer(offer))
	}
	want := truth(t, "captures/pablodbm_product")
	for _, offer := range want {
		offer[0] = "-" // its number
	}
	wantFacts(t, "offers", offers, want)
}

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

// FuzzProductPage: the figures of any page agree, and its offers are sorted and complete.
func FuzzProductPage(f *testing.F) {
	isPrice := func(v float64) bool { return v >= 0 && v <= maxPrice && math.Round(v*100)/100 == v }
	isWebAddress := func(address string) bool {
		u, err := url.Parse(address)
		return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && utf8.ValidString(address) &&
			!strings.ContainsAny(address, "\r\n\t\x00<>\"")
	}
	for _, name := range []string{"product", "product_unsold", "list", "captcha"} {
		f.Add([]byte(fixture(f, name+".html")))
	}
	for _, json := range []string{
		`{"name":"RTX &amp; ` +
			`co","offers":{"@type":"AggregateOffer","offerCount":"26","lowPrice":"2649","highPrice":5039.7}}`,
		`[{"offers":[{"price":1},{"price":"2,50 zł"},{"offerCount":3}]}]`,
		`{"@graph":[{"@graph":{"offers":{"price":1e300}}}]}`,
		`{"offers":{"offerCount":"99999999999999999999","lowPrice":-1}}`, `{"offers":{"lowPrice":9,"highPrice":3}}`,
		`null`, `{"offers":[]}`,
		`{"offers":[{"offerCount":999999},{"offerCount":999999}]}`,
	} {
		f.Add([]byte(heading + list(`data-price="10" data-shopurl="a.pl"`, "") + ld(json)))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		p, err := parseProduct(page, productURL)
		if err != nil {
			if !errors.Is(err, errLayout) {
				t.Errorf("error %v, want %v", err, errLayout)
			}
			if !reflect.DeepEqual(p, product{}) {
				t.Errorf("product %+v with an error", p)
			}
			return
		}
		s := p.summary
		switch {
		case s.count < 0, s.count > maxCount, !isPrice(s.low), !isPrice(s.high), s.high > 0 && s.low > s.high:
			t.Errorf("figures that cannot be true: %+v", s)
		}
		if len(p.offers) > prices.MaxOffers {
			t.Errorf("%d offers, want at most %d", len(p.offers), prices.MaxOffers)
		}
		if !slices.IsSortedFunc(p.offers, comparePrices) {
			t.Errorf("offers are not sorted by price: %+v", p.offers)
		}
		for _, o := range p.offers {
			isDelivered := o.PriceWithDelivery == 0 || o.PriceWithDelivery >= o.Price
			isRated := o.ShopRating >= 0 && o.ShopRating <= prices.MaxShopRating
			switch {
			case o.Store == "", o.StoreLabel == "", !isPrice(o.Price), o.Price == 0, !isPrice(o.PriceWithDelivery),
				!isDelivered, !isRated, o.URL != "" && !isWebAddress(o.URL):
				t.Errorf("an offer that is incomplete or cannot be true: %+v", o)
			}
		}
	})
}
