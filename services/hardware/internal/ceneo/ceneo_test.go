package ceneo

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/match"
	"backend.example/services/hardware/internal/metrics"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

func TestSearchThenProductFindTheOffers(t *testing.T) {
	s := newStub(t, nil)
	const name = "MSI GeForce RTX 4070 VENTUS 2X 12G OC (912-V513-264)"
	number, found, err := s.Search(t.Context(), &fetch.Request{}, catalog.Query{Text: "RTX 4070"})
	if err != nil {
		t.Fatal(err)
	}
	if number != "155000002" {
		t.Errorf("Search found the product %q, want 155000002", number)
	}
	found.Alternatives = nil // TestAlternativesAreOtherRowsOfTheCategory compares them
	ofRow := prices.Finding{ProductName: name, ProductURL: home + plainPath, OfferCount: 1026, PriceLow: 2549.90}
	testkit.Equal(t, "Search", found, ofRow)
	f, err := s.Product(t.Context(), &fetch.Request{}, number, found.OfferCount)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Equal(t, "number of offers", len(f.Offers), prices.MaxOffers)
	f.Offers = nil // TestParseProductReadsOffers compares them
	ofPage := prices.Finding{ProductName: name, ProductURL: home + plainPath, OfferCount: 26, PriceLow: 2549,
		PriceHigh: 5039.70}
	testkit.Equal(t, "Product", f, ofPage)
	s.wantPaths(t, cardsPath, sortedPath)
	want := slices.Repeat([]string{"text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"}, 3) // with robots.txt
	testkit.Equal(t, "Accept headers", s.accepted, want)
}

func TestSearchUsesTheSectionIfTheSiteKnowsIt(t *testing.T) {
	const cards = "/Karty_graficzne"
	list, elsewhere := text(200, fixture(t, "list.html")), redirect(barePath)
	for name, tt := range map[string]struct {
		section, department http.HandlerFunc
		paths               []string
		offers              int
	}{
		"known":               {list, list, []string{cardsPath, sortedPath}, 26},
		"unknown":             {text(404, "no such page"), list, []string{cardsPath, allPath, sortedPath}, 26},
		"ended elsewhere":     {redirect("/"), list, []string{cardsPath, "/", allPath, sortedPath}, 26},
		"a section of it":     {redirect(cards), nil, []string{cardsPath, cards, sortedPath}, 26},
		"section dropped":     {elsewhere, list, []string{cardsPath, allPath, sortedPath}, 26},
		"exact match":         {redirect(plainPath + "##;02514#tag=x"), nil, []string{cardsPath, sortedPath}, 26},
		"nothing in it":       {text(200, fixture(t, "empty.html")), list, []string{cardsPath}, 0},
		"nowhere":             {elsewhere, elsewhere, []string{cardsPath, allPath}, 0},
		"unknown and nowhere": {text(404, ""), elsewhere, []string{cardsPath, allPath}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t, nil)
			s.handlers[cardsPath], s.handlers[allPath] = tt.section, tt.department
			s.handlers[cards], s.handlers["/"] = list, text(200, "<html><title>Ceneo.pl</title></html>")
			f := s.mustFind(t, "RTX 4070")
			if f.OfferCount != tt.offers {
				t.Errorf("%d offers, want %d", f.OfferCount, tt.offers)
			}
			if found := f.ProductName != ""; found != (tt.offers > 0) {
				t.Errorf("product %q with %d offers", f.ProductName, f.OfferCount)
			}
			s.wantPaths(t, tt.paths...)
		})
	}
}

func TestSearchNeverSearchesTheWholeSite(t *testing.T) {
	for q, want := range map[string]string{ // the only page requested
		"RTX 4080":               "/Karty_graficzne;szukaj-RTX+4080",
		"dysk Samsung 990":       "/Dyski;szukaj-dysk+Samsung+990",
		"Ryzen 7 7800X3D":        "/Podzespoly_komputerowe;szukaj-Ryzen+7+7800X3D",
		"Kingston Fury DDR5":     "/Podzespoly_komputerowe;szukaj-Kingston+Fury+DDR5",
		"MSI B650 Tomahawk":      "/Podzespoly_komputerowe;szukaj-MSI+B650+Tomahawk",
		"Noctua NH-D15":          "/Podzespoly_komputerowe;szukaj-Noctua+NH-D15",
		"Logitech MX Keys":       "/Komputery;szukaj-Logitech+MX+Keys",
		"komputer Ryzen 7 5700X": "/Komputery;szukaj-komputer+Ryzen+7+5700X",
		"qwertyuiop":             "/Komputery;szukaj-qwertyuiop",
	} {
		for _, page := range []string{"list.html", "empty.html"} { // rows that do not match, no rows
			s := newStub(t, nil)
			s.handlers[want] = text(200, fixture(t, page))
			s.wantNothing(t, q)
			s.wantPaths(t, want)
		}
	}
}

func TestTheDepartmentIsSearchedOnce(t *testing.T) {
	const keys = "/Komputery;szukaj-Logitech+MX+Keys"
	s := newStub(t, nil)
	s.handlers[keys] = redirect("/;szukaj-Logitech+MX+Keys")
	s.wantNothing(t, "Logitech MX Keys")
	s.wantPaths(t, keys)
}

func TestAnUnknownSectionIsNotTriedForADay(t *testing.T) {
	for name, tt := range map[string]struct {
		section   http.HandlerFunc
		tried     []string // before the department is searched
		everyHour bool
	}{
		"not found":               {text(404, ""), []string{cardsPath}, false},
		"moved to the front page": {redirect("/"), []string{cardsPath, "/"}, false},
		"known, without results":  {redirect(barePath), []string{cardsPath}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t, nil)
			s.handlers[cardsPath], s.handlers["/"] = tt.section, text(200, "<html><title>Ceneo.pl</title></html>")
			start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
			for _, hours := range []time.Duration{0, 1, 23, 24} {
				s.Now = func() time.Time { return start.Add(hours * time.Hour) }
				s.paths = nil
				s.mustFind(t, "RTX 4070")
				want := []string{allPath, sortedPath}
				if tt.everyHour || hours == 0 || hours == 24 {
					want = slices.Concat(tt.tried, want)
				}
				s.wantPaths(t, want...)
			}
		})
	}
}

func TestAnEmptySectionIsTheDepartment(t *testing.T) {
	s := newStub(t, map[catalog.Category]string{"gpu": ""})
	s.mustFind(t, "RTX 4070")
	s.wantPaths(t, allPath, sortedPath)
}

func TestSearchRequestsNothingForATextThatIsTooShort(t *testing.T) {
	s := newStub(t, nil)
	for _, q := range []string{"a//", "//ab//", `"5"`, "[x]", "#~ż~#"} {
		s.wantNothing(t, q)
	}
	s.wantPaths(t)
	s.handlers["/Komputery;szukaj-a+b"] = text(200, fixture(t, "empty.html"))
	s.mustFind(t, "a/b")
	s.wantPaths(t, "/Komputery;szukaj-a+b")
}

func TestSearchReturnsTheOfferOfASingleShopRow(t *testing.T) {
	withoutNumber := strings.Replace(fixture(t, "shop_rows.html"), `data-pid="155000007"`, "", 1)
	for name, tt := range map[string]struct {
		q, page, product string // product is the address of an answer without a second request
		opened           string
		offer            prices.Offer
	}{
		"several shops": {q: "MSI RTX 4070", opened: "/155000002"},
		"no shop named": {q: "Zotac RTX 4070", opened: "/155000007"},
		"no price":      {q: "Gainward RTX 4070", opened: "/155000009"},
		"free delivery": {q: "Palit RTX 4070", product: "/155000008",
			offer: prices.Offer{Store: "tani.pl", StoreLabel: "tani.pl", Price: 2299, PriceWithDelivery: 2299,
				URL: home + "/Click/Offer/?e=3&a=2"}},
		"an address": {q: "Palit RTX 4070", page: fixture(t, "list.html"), product: "/155000004",
			offer: prices.Offer{Store: "komputronik.pl", StoreLabel: "komputronik.pl", Price: 2199.99, URL: home +
				"/Click/Offer/?e=single1&a=2"}},
		"a name": {q: "Modecom Volcano", page: fixture(t, "box.html"), product: "/155100004",
			offer: prices.Offer{Store: "sklep-lodz", StoreLabel: "Sklep Łódź", Price: 299.99, URL: home +
				"/click/Offer/?e=single2"}},
		"no number": {q: "Zotac RTX 4070", page: withoutNumber, product: "/;szukaj-Zotac+RTX+4070",
			offer: prices.Offer{Store: "ceneo.pl", StoreLabel: "ceneo.pl", Price: 2199,
				URL: "https://redirect.example/offers/155000007/20136?e=2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStub(t, nil)
			section := s.section(match.Category(catalog.Query{Text: tt.q}))
			search := "/" + section + searchPath + strings.ReplaceAll(tt.q, " ", "+")
			s.handlers[search] = text(200, fixture(t, "shop_rows.html"))
			if tt.page != "" {
				s.handlers[search] = text(200, tt.page)
			}
			s.handlers[tt.opened+productTail] = text(200, fixture(t, "product.html"))
			f := s.mustFind(t, tt.q)
			if maker := strings.Fields(tt.q)[0]; tt.opened == "" && !strings.Contains(f.ProductName, maker) {
				t.Errorf("product %q, want one of %s", f.ProductName, maker)
			}
			if tt.opened != "" {
				s.wantPaths(t, search, tt.opened+productTail)
				if want := home + tt.opened; f.ProductURL != want {
					t.Errorf("opened %s, want %s", f.ProductURL, want)
				}
				return
			}
			s.wantPaths(t, search)
			price := tt.offer.Price
			want := prices.Finding{ProductName: f.ProductName, ProductURL: home + tt.product, OfferCount: 1,
				PriceLow: price, PriceHigh: price, Offers: []prices.Offer{tt.offer}, Alternatives: f.Alternatives}
			if diff := cmp.Diff(want, f); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestProductCountsTheOffersOfTheRowIfThePageDoesNot(t *testing.T) {
	s := newStub(t, nil)
	s.handlers[sortedPath] = text(200, heading+list(`data-price="10" data-shopurl="a.pl"`, ""))
	if f := s.mustFind(t, "RTX 4070"); f.OfferCount != 1026 {
		t.Errorf("%d offers, want the 1026 of the row", f.OfferCount)
	}
	two := list(`data-price="10" data-shopurl="a.pl"`, "") + list(`data-price="11" data-shopurl="b.pl"`, "")
	s.handlers[sortedPath] = text(200, ld(`{"name":"A","offers":{"offerCount":1}}`)+two)
	f := s.mustFind(t, "RTX 4070")
	if f.OfferCount != 2 {
		t.Errorf("%d offers, want the 2 that are shown where 1 is announced", f.OfferCount)
	}
	if f.Partial {
		t.Error("a page that shows more offers than it announces counts as partial")
	}
}

func TestSearchTextIsSafeInAPath(t *testing.T) {
	s := newStub(t, nil)
	for in, want := range map[string]string{
		"RTX 4070":                "RTX+4070",
		"słuchawki sony":          "s%C5%82uchawki+sony",
		"80+ Gold":                "80%2B+Gold",
		"a/b;c?d#e%f":             "a+b+c+d+e+f",
		`2.5" dysk <x> {y}|[z]`:   "2.5+dysk+x+y+z",
		"../../Click/Offer":       "..+..+Click+Offer",
		"rock & roll*^~`:'\\koń":  "rock+roll+ko%C5%84",
		"  M.2  NVMe ":            "M.2+NVMe",
		strings.Repeat("ż", 200):  strings.Repeat("%C5%BC", 200),
		"be quiet! Pure Power 12": "be+quiet%21+Pure+Power+12",
	} {
		if got := s.SearchURL(in); got != home+"/;szukaj-"+want {
			t.Errorf("SearchURL(%q) = %q", in, got)
		}
	}
}

// resultsOf returns a page of results with rows of a name and a category.
func resultsOf(rows ...[2]string) string {
	var page strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&page,
			`<div class="cat-prod-row" data-pid="%d" data-productminprice="%d"><strong class="cat-prod-row__name">
			<a href="/%[1]d">%[3]s</a></strong><div class="cat-prod-row__category"><a href="/x">%[4]s</a></div>
			<span class="shop-numb">w %[5]d sklepach</span></div>`, 155000001+i, 100+i, row[0], row[1], i)
	}
	return page.String()
}

func TestAlternativesAreOtherRowsOfTheCategory(t *testing.T) {
	const cards, computers = "Karty graficzne", "Komputery do gier"
	noNumber := strings.NewReplacer(` data-pid="155000001"`, "", `"/155000001"`, `"/Click/Offer/?e=1"`).
		Replace(resultsOf([2]string{"RTX 4090", cards}))
	for name, tt := range map[string]struct {
		rows   [][2]string
		chosen int   // its place on the page, -1 for none
		want   []int // the places of the alternatives
	}{
		"of its category": {[][2]string{
			{"MSI RTX 4070 Ti", cards}, {"Gigabyte RTX 4070 12GB", cards}, {"PC z RTX 4070", computers},
			{"RTX 4080", cards}, {"RTX 4070 SUPER", cards},
		}, 1, []int{0, 3, 4}},
		"no row of another one":  {[][2]string{{"RTX 4070", computers}, {"Gigabyte RTX 4070 12GB", cards}}, 1, nil},
		"nothing matched":        {[][2]string{{"RTX 4080", cards}, {"PC", computers}}, -1, []int{0, 1}},
		"no more than the limit": {slices.Repeat([][2]string{{"RTX 4060", cards}}, 9), -1, []int{0, 1, 2, 3, 4}},
	} {
		s := newStub(t, nil)
		s.handlers[cardsPath] = text(200, noNumber+resultsOf(tt.rows...))
		f := s.mustFind(t, "RTX 4070")
		chosen := s.SearchURL("RTX 4070")
		if tt.chosen >= 0 {
			chosen = fmt.Sprint(home, "/", 155000001+tt.chosen)
		}
		testkit.Equal(t, name+": found", f.ProductURL, chosen)
		var want []prices.Alternative
		for _, i := range tt.want {
			address := fmt.Sprint(home, "/", 155000001+i)
			want = append(want, prices.Alternative{
				ProductName: tt.rows[i][0], ProductURL: address, PriceLow: float64(100 + i), OfferCount: i,
			})
		}
		testkit.Equal(t, name+": alternatives", f.Alternatives, want)
	}
}

func TestDisksOfDifferentTechnologyAreNotGuessed(t *testing.T) {
	const disk, ssd, other = `WD Blue 1TB 3,5" (WD10EZEX)`, "WD Blue SN580 1TB M.2 NVMe", "WD Red Plus 4TB"
	s := newStub(t, nil)
	s.handlers["/Dyski;szukaj-WD+Blue+1TB"] = text(
		200, resultsOf([2]string{other, "Dyski"}, [2]string{disk, "Dyski"}, [2]string{ssd, "Dyski SSD"}),
	)
	f := s.mustFind(t, "WD Blue 1TB")
	var names []string
	for _, a := range f.Alternatives {
		names = append(names, a.ProductName)
	}
	if f.ProductName != "" {
		t.Errorf("chose %q, want none", f.ProductName)
	}
	if !f.Ambiguous {
		t.Error("the finding is not marked as ambiguous")
	}
	testkit.Equal(t, "alternatives", names, []string{disk, ssd})
}

func TestAPageThatIsCutIsAFailure(t *testing.T) {
	cut := func(page string) http.HandlerFunc {
		end := strings.LastIndex(strings.TrimSpace(strings.ReplaceAll(page, "</html>", "")), ">") + 1
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, page[:end]) }
	}
	for name, path := range map[string]string{"search": cardsPath, "product": sortedPath} {
		s := newStub(t, nil)
		recorded := httptest.NewRecorder()
		s.handlers[path](recorded, httptest.NewRequest(http.MethodGet, "/", nil))
		s.handlers[path] = cut(recorded.Body.String())
		if f, err := s.find(t.Context(), catalog.Query{Text: "RTX 4070"}); !fault.Is(err, fetch.Changed) {
			t.Errorf("%s: found %q, error %v, want %s", name, f.ProductName, err, fetch.Changed.Name)
		}
	}
}

func TestFailuresBecomeFaults(t *testing.T) {
	blocked, changed, down := fetch.Blocked, fetch.Changed, fetch.Unreachable
	for name, tt := range map[string]struct {
		search, product http.HandlerFunc
		code            fault.Code
		failing         bool
	}{
		"product refused":     {nil, text(403, ""), blocked, false},
		"captcha as search":   {text(200, fixture(t, "captcha.html")), nil, blocked, false},
		"interstitial":        {text(200, fixture(t, "interstitial.html")), nil, blocked, false},
		"changed list":        {text(200, fixture(t, "changed_list.html")), nil, changed, false},
		"front page":          {redirect("/"), nil, changed, false},
		"redirect to a click": {redirect("/Click/Offer/?e=1"), nil, fetch.Disallowed, false},
		"server error":        {text(500, ""), nil, down, true},
		"product failed":      {nil, text(500, ""), down, true},
		"no such search":      {text(404, ""), nil, down, false},
		"no such product":     {nil, text(410, ""), down, false},
	} {
		s := newStub(t, nil)
		s.handlers["/"] = text(200, "<html><title>Ceneo.pl</title></html>")
		if tt.search != nil {
			s.handlers[cardsPath], s.handlers[allPath] = tt.search, tt.search
		}
		if tt.product != nil {
			s.handlers[sortedPath] = tt.product
		}
		f, err := s.find(t.Context(), catalog.Query{Text: "RTX 4070"})
		if !fault.Is(err, tt.code) {
			t.Errorf("%s: error %v, want %s", name, err, tt.code.Name)
		}
		testkit.Equal(t, name+": counts against the site", fetch.IsFailing(err), tt.failing)
		if f.Offers != nil {
			t.Errorf("%s: offers %+v with an error", name, f.Offers)
		}
	}
}

func TestEveryMarkOfAChallengeIsRecognised(t *testing.T) {
	for _, page := range []string{
		`<div class="js_f-container">`, `<script src="/fdetection.js">`, "<a>Przejdź do Ceneo</a>",
		`<form action="/Captcha/Add">`, `<div class="cf-turnstile">`,
	} {
		s := newStub(t, nil)
		s.handlers[cardsPath] = text(200, page)
		if _, err := s.find(t.Context(), catalog.Query{Text: "RTX 4070"}); !fault.Is(err, fetch.Blocked) {
			t.Errorf("%s: error %v, want %s", page, err, fetch.Blocked.Name)
		}
	}
}

func TestPaidClicksAreNeverRequested(t *testing.T) {
	s := newStub(t, nil)
	s.handlers["/robots.txt"], s.handlers[cardsPath] = text(404, ""), redirect("/Click/Offer/?e=1")
	if _, err := s.find(t.Context(), catalog.Query{Text: "RTX 4070"}); !fault.Is(err, fetch.Changed) {
		t.Errorf("error %v, want %s", err, fetch.Changed.Name)
	}
	s.wantPaths(t, cardsPath)
}

func TestTheRulesOfTheSiteAreObeyed(t *testing.T) {
	for address, open := range map[string]bool{
		"/Karty_graficzne;szukaj-rtx+4070":        true,
		"/155000002;0280-0.htm":                   true,
		"/;szukaj-rtx+4070":                       false,
		"/;0201-30-0-0-1.htm":                     false,
		"/Komputery;szukaj-dysk+u-sl":             false,
		"/Komputery;szukaj-dysk+u-slim":           true,
		"/Komputery;szukaj-x-basket":              false,
		"/Komputery/Lokalizacja:Krakow;m5;n9.htm": false,
		"/Komputery?e=1":                          false,
		"/search-x":                               false,
		"/Product/155000002":                      false,
		"/porownanie/a-p1-vs-b-p2":                true,
	} {
		_, err := newStub(t, nil).Get(t.Context(), &fetch.Request{}, home+address, nil)
		if got := !fault.Is(err, fetch.Disallowed); got != open {
			t.Errorf("%s: allowed %t, want %t (error %v)", address, got, open, err)
		}
	}
}

func TestProductFallsBackToThePlainOrder(t *testing.T) {
	full := fixture(t, "product.html")
	few := strings.ReplaceAll(full, `"offerCount":26`, `"offerCount":8`)
	for name, tt := range map[string]struct {
		sorted, plain http.HandlerFunc
		robots        string
		partial       bool
		product       string
	}{
		"refused as unknown":      {text(404, ""), text(200, full), "", true, plainPath},
		"refused as bad":          {text(400, ""), text(200, full), "", true, plainPath},
		"redirected to the plain": {redirect(plainPath), text(200, full), "", true, plainPath},
		"plain page shows all":    {text(404, ""), text(200, few), "", false, plainPath},
		"disallowed by robots.txt": {text(200, full), text(200, full), "User-agent: *\nDisallow: /*;0280\n", true,
			plainPath},
		"sorted page is served":  {text(200, full), nil, "", false, plainPath},
		"sorted at another page": {redirect("/155000099;0280-0.htm"), nil, "", false, "/155000099"},
	} {
		s := newStub(t, nil)
		s.handlers["/robots.txt"] = text(200, tt.robots)
		s.handlers[sortedPath], s.handlers[plainPath] = tt.sorted, tt.plain
		s.handlers["/155000099;0280-0.htm"] = text(200, full)
		f := s.mustFind(t, "RTX 4070")
		testkit.Equal(t, name+": partial", f.Partial, tt.partial)
		testkit.Equal(t, name+": number of offers", len(f.Offers), prices.MaxOffers)
		if want := home + tt.product; f.ProductURL != want {
			t.Errorf("%s: product %s, want %s", name, f.ProductURL, want)
		}
	}
}

// stub is the aggregator: a handler per path, and the paths that were requested.
type stub struct {
	*Site
	handlers map[string]http.HandlerFunc
	paths    []string // without robots.txt
	accepted []string // the Accept header of each request
}

const (
	home       = "https://www.ceneo.pl"
	cardsPath  = "/Karty_graficzne;szukaj-RTX+4070"
	allPath    = "/Komputery;szukaj-RTX+4070" // of the whole computer department
	barePath   = "/;szukaj-RTX+4070"          // of the whole site
	sortedPath = "/155000002;0280-0.htm"
	plainPath  = "/155000002"
)

// newStub has the search for an RTX 4070 and the page of the product that it leads to.
func newStub(t testing.TB, sections map[catalog.Category]string) *stub {
	t.Helper()
	s := &stub{}
	base, _ := url.Parse(home)
	gate := &fetch.Gate{Store: &fetch.MemoryStore{}, Failures: 100, Metrics: metrics.New(prometheus.NewRegistry()),
		Log: slog.New(slog.DiscardHandler)}
	s.Site = New(fetch.Options{
		BaseURL: base, UserAgent: "test", Timeout: time.Second, Transport: s, Now: time.Now, Gate: gate,
	}, sections, nil)
	s.handlers = map[string]http.HandlerFunc{
		"/robots.txt": text(200, fixture(t, "robots.txt")), cardsPath: text(200, fixture(t, "list.html")),
		allPath: text(200, fixture(t, "list.html")), sortedPath: text(200, fixture(t, "product.html")),
	}
	return s
}

// RoundTrip implements http.RoundTripper.
func (s *stub) RoundTrip(req *http.Request) (*http.Response, error) {
	path := req.URL.EscapedPath()
	s.accepted = append(s.accepted, req.Header.Get("Accept"))
	if path != "/robots.txt" {
		s.paths = append(s.paths, path)
	}
	handler := s.handlers[path]
	if handler == nil {
		handler = http.NotFound
	}
	recorder := httptest.NewRecorder()
	handler(recorder, req)
	resp := recorder.Result()
	resp.Request = req
	return resp, nil
}

// find takes both steps of a look-up.
func (s *stub) find(ctx context.Context, q catalog.Query) (prices.Finding, error) {
	number, found, err := s.Search(ctx, &fetch.Request{}, q)
	if err != nil || number == "" {
		return found, err
	}
	f, err := s.Product(ctx, &fetch.Request{}, number, found.OfferCount)
	f.Alternatives = found.Alternatives
	return f, err
}

func (s *stub) mustFind(t *testing.T, text string) prices.Finding {
	t.Helper()
	f, err := s.find(t.Context(), catalog.Query{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// wantNothing fails unless a query finds nothing but the address of its search.
func (s *stub) wantNothing(t *testing.T, text string) {
	t.Helper()
	want := prices.Finding{ProductURL: s.SearchURL(text)}
	got := s.mustFind(t, text)
	got.Alternatives = nil
	testkit.Equal(t, text, got, want)
}

func (s *stub) wantPaths(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(s.paths, want) {
		t.Errorf("requested %q, want %q", s.paths, want)
	}
}

// text is a whole page or another file.
func text(status int, body string) http.HandlerFunc {
	if strings.Contains(body, "<") && !strings.Contains(body, "</html>") {
		body += "</html>"
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

func fixture(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
