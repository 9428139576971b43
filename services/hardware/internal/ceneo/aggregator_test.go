package ceneo

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

func TestFindSearchesThenReadsTheOffers(t *testing.T) {
	s, a, pacer := openStub(t)
	f := mustFind(t, a, query("RTX 4070"))
	if f.ProductName != "MSI GeForce RTX 4070 VENTUS 2X 12G OC (912-V513-264)" || f.ProductURL != s.URL+plainPath {
		t.Errorf("%q at %q", f.ProductName, f.ProductURL)
	}
	if f.OfferCount != 26 || f.PriceLow != 2549 || f.PriceHigh != 5039.70 || f.Partial {
		t.Errorf("%+v", f)
	}
	if len(f.Offers) != prices.MaxOffers || f.Offers[0].Store != "media-expert" || f.Offers[0].URL != s.URL+"/Click/Offer/?e=o2" {
		t.Errorf("offers %+v", f.Offers)
	}
	if want := []string{robotsPath, searchPath, sortedPath}; !slices.Equal(s.asked, want) {
		t.Errorf("asked %q, want %q", s.asked, want)
	}
	begun, sent := pacer.turns()
	if !slices.Equal(begun, []bool{false, true, false}) || sent != 3 {
		t.Errorf("turns %v, %d sent", begun, sent)
	}
	for _, h := range s.headers {
		if h.Get("User-Agent") != agent || h.Get("Accept-Encoding") != "gzip" || h.Get("Accept-Language") != "pl" {
			t.Errorf("headers %v", h)
		}
	}
	if a.Domain() != "127.0.0.1" {
		t.Errorf("%q", a.Domain())
	}
}

func TestFindFollowsAnExactMatchStraightToTheOffers(t *testing.T) {
	s, a, pacer := openStub(t)
	s.on(searchPath, redirect(plainPath+"##;02514#tag=x"))
	f := mustFind(t, a, query("RTX 4070"))
	if f.OfferCount != 26 || f.ProductURL != s.URL+plainPath {
		t.Errorf("%+v", f)
	}
	if want := []string{searchPath, sortedPath}; !slices.Equal(s.pages(), want) {
		t.Errorf("asked %q, want %q", s.pages(), want)
	}
	if begun, sent := pacer.turns(); len(begun) != 3 || sent != 3 {
		t.Errorf("turns %v, %d sent", begun, sent)
	}
}

// Only the page tells the name of the product to which the site itself redirects.
func TestSearchDoesNotNameAnExactMatch(t *testing.T) {
	s, a, _ := openStub(t)
	s.on("/Karty_graficzne;szukaj-RTX+4070+Ti", redirect(plainPath))
	number, told, err := a.Search(t.Context(), &lookup.Request{}, query("RTX 4070 Ti"))
	if err != nil || number != plainPath[1:] || told.ProductName != "" || told.ProductURL != s.URL+"/;szukaj-RTX+4070+Ti" {
		t.Errorf("%q, %+v, %v", number, told, err)
	}
}

func TestSearchTellsWhatTheRowSays(t *testing.T) {
	s, a, _ := openStub(t)
	number, told, err := a.Search(t.Context(), &lookup.Request{}, query("RTX 4070"))
	if err != nil || number != "155000002" || !strings.Contains(told.ProductName, "RTX 4070") || told.ProductURL != s.URL+plainPath ||
		told.OfferCount != 1026 || told.PriceLow == 0 || told.Offers != nil || len(s.pages()) != 1 {
		t.Errorf("%q, %+v, %v", number, told, err)
	}
}

// The site's robots.txt closes the search over everything, so a question without a
// category is asked in the one that its words name, or in the computer department.
// The department, too, answers with a redirect when it has nothing.
func TestFindSaysWhenNothingMatches(t *testing.T) {
	s, a, _ := openStub(t)
	s.on("/Karty_graficzne;szukaj-RTX+4080", text(200, fixture(t, "list.html")))
	s.on("/Komputery;szukaj-qwertyuiop", text(200, fixture(t, "empty.html")))
	for _, q := range []string{"RTX 4080", "qwertyuiop"} {
		f := mustFind(t, a, query(q))
		if f.ProductName != "" || f.OfferCount != 0 || f.Offers != nil || f.ProductURL != a.SearchURL(q) {
			t.Errorf("%s: %+v", q, f)
		}
	}
}

// The site answers a search for less than a word with 500, as if it were down.
func TestFindGivesTheOneOfferOfASingleShopRow(t *testing.T) {
	s, a, _ := openStub(t)
	s.on("/Karty_graficzne;szukaj-Palit+RTX+4070", text(200, fixture(t, "list.html")))
	s.on("/Komputery;szukaj-Modecom+Volcano", text(200, fixture(t, "box.html")))
	f := mustFind(t, a, query("Palit RTX 4070"))
	want := prices.Offer{Store: "komputronik.pl", StoreLabel: "komputronik.pl", Price: 2199.99, URL: s.URL + "/Click/Offer/?e=single1&a=2"}
	if f.ProductName != "Karta graficzna Palit RTX 4070 Dual 12GB" || f.OfferCount != 1 || f.PriceLow != 2199.99 ||
		f.PriceHigh != 2199.99 || !slices.Equal(f.Offers, []prices.Offer{want}) || f.ProductURL != s.URL+"/155000004" {
		t.Errorf("%+v", f)
	}
	if f := mustFind(t, a, query("Modecom Volcano")); f.Offers[0].Store != "sklep-lodz" || f.Offers[0].StoreLabel != "Sklep Łódź" {
		t.Errorf("%+v", f)
	}
	if len(s.pages()) != 2 {
		t.Errorf("asked %q", s.pages())
	}
}

func TestFindNamesTheAggregatorForARowWithoutShopAndNumber(t *testing.T) {
	s, a, _ := openStub(t)
	page := fixture(t, "shop_rows.html")
	s.on("/Karty_graficzne;szukaj-Zotac+RTX+4070", text(200, strings.Replace(page, `data-pid="155000007"`, "", 1)))
	f := mustFind(t, a, query("Zotac RTX 4070"))
	if f.ProductURL != a.SearchURL("Zotac RTX 4070") || len(f.Offers) != 1 || f.Offers[0].Store != a.Domain() || f.Offers[0].StoreLabel != a.Domain() {
		t.Errorf("%+v", f)
	}
}

// Rows that lead to a shop have a product page too. It tells the offers where the row
// names no shop, no price or several shops.
func TestFindOpensTheProductOfAShopRow(t *testing.T) {
	tests := map[string]struct {
		q, product string
		opened     bool
	}{
		"several shops": {"MSI RTX 4070", "/155000002", true},
		"no shop named": {"Zotac RTX 4070", "/155000007", true},
		"no price":      {"Gainward RTX 4070", "/155000009", true},
		"one shop":      {"Palit RTX 4070", "/155000008", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, a, _ := openStub(t)
			search := "/Karty_graficzne;szukaj-" + strings.ReplaceAll(tt.q, " ", "+")
			s.on(search, text(200, fixture(t, "shop_rows.html")))
			s.on(tt.product+";0280-0.htm", text(200, fixture(t, "product.html")))
			f, want := mustFind(t, a, query(tt.q)), []string{search}
			if tt.opened {
				want = append(want, tt.product+";0280-0.htm")
			}
			if f.ProductURL != s.URL+tt.product || !slices.Equal(s.pages(), want) || (f.OfferCount == 26) != tt.opened {
				t.Errorf("%+v after asking %q, want %q", f, s.pages(), want)
			}
			if !tt.opened && (f.Offers[0].Store != "tani.pl" || f.Offers[0].Price != 2299 || f.Offers[0].PriceWithDelivery != 2299) {
				t.Errorf("offers %+v", f.Offers)
			}
		})
	}
}

func TestFindFallsBackToThePlainOrder(t *testing.T) {
	full := fixture(t, "product.html")
	few := strings.ReplaceAll(full, `"offerCount":26`, `"offerCount":8`)
	tests := map[string]struct {
		sorted  http.HandlerFunc
		robots  string
		plain   http.HandlerFunc
		partial bool
		product string // path of the product that is found
	}{
		"refused as unknown":      {text(404, ""), "", text(200, full), true, plainPath},
		"refused as bad":          {text(400, ""), "", text(200, full), true, plainPath},
		"sent to the plain page":  {redirect(plainPath), "", text(200, full), true, plainPath},
		"plain page shows them":   {text(404, ""), "", text(200, few), false, plainPath},
		"forbidden by robots.txt": {text(200, full), "User-agent: *\nDisallow: /*;0280\n", text(200, full), true, plainPath},
		"sorted page is served":   {text(200, full), "", nil, false, plainPath},
		"sorted at another page":  {redirect("/155000099;0280-0.htm"), "", nil, false, "/155000099"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, a, _ := openStub(t)
			s.on(robotsPath, text(200, tt.robots))
			s.on(sortedPath, tt.sorted)
			s.on("/155000099;0280-0.htm", text(200, full))
			s.on(plainPath, tt.plain)
			f := mustFind(t, a, query("RTX 4070"))
			if f.Partial != tt.partial || len(f.Offers) != prices.MaxOffers {
				t.Errorf("partial %v, %d offers", f.Partial, len(f.Offers))
			}
			if f.ProductURL != s.URL+tt.product {
				t.Errorf("product at %q, want %q", f.ProductURL, tt.product)
			}
		})
	}
}

func TestFindTakesTheCountOfTheListWhenThePageHasNone(t *testing.T) {
	s, a, _ := openStub(t)
	s.on(sortedPath, text(200, `<h1 class="product-name">MSI GeForce RTX 4070</h1>
		<ul class="product-offers__list"><li class="product-offers__list__item" data-price="10" data-shopurl="a.pl"></li></ul>`))
	if f := mustFind(t, a, query("RTX 4070")); f.OfferCount != 1026 || f.PriceLow != 0 || len(f.Offers) != 1 {
		t.Errorf("%+v", f)
	}
}

func TestFindPassesThePacersRefusalOn(t *testing.T) {
	s, a, pacer := openStub(t)
	full := fault.New(fault.Unavailable, "throttle_queue_full", "Kolejka jest pełna.").After(7 * time.Second)
	pacer.refuse = full
	_, err := find(t.Context(), a, query("RTX 4070"))
	var got *fault.Error
	if !errors.As(err, &got) || got != full {
		t.Errorf("error %v", err)
	}
	if len(s.asked) != 0 {
		t.Errorf("asked %q", s.asked)
	}
	pacer.refuse = nil
	mustFind(t, a, query("RTX 4070"))
}

func TestFindEndsWithItsContext(t *testing.T) {
	s, a, _ := openStub(t)
	ctx, cancel := context.WithCancel(t.Context())
	released := make(chan struct{})
	s.on(searchPath, func(http.ResponseWriter, *http.Request) { cancel(); <-released })
	_, err := find(ctx, a, query("RTX 4070"))
	close(released)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestSearchTextIsSafeInAPath(t *testing.T) {
	o, _ := options(t, "https://www.ceneo.pl")
	a := NewAggregator(o)
	tests := map[string]string{
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
	}
	for in, want := range tests {
		if got := a.SearchURL(in); got != "https://www.ceneo.pl/;szukaj-"+want {
			t.Errorf("SearchURL(%q) = %q", in, got)
		}
	}
}
