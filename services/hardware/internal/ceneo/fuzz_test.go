package ceneo

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"backend.example/services/hardware/internal/prices"
)

// seedPages gives f every page of testdata.
func seedPages(f *testing.F) {
	for _, name := range []string{"list", "box", "empty", "product", "product_unsold", "captcha", "unreadable_rows"} {
		f.Add([]byte(fixture(f, name+".html")))
	}
}

func seed(f *testing.F, texts ...string) {
	for _, text := range texts {
		f.Add(text)
	}
}

// isPrice reports whether v is zero or a price in whole groszy.
func isPrice(v float64) bool { return v >= 0 && v <= maxPrice && math.Round(v*100)/100 == v }

// isClean reports whether a text of a page is what collapseSpace leaves.
func isClean(s string) bool { return utf8.ValidString(s) && collapseSpace(s) == s }

// FuzzPriceText: the result is a price, and reads the same as the site and as people
// write it.
func FuzzPriceText(f *testing.F) {
	seed(f, "2 892,28 zł", "1.049,99", "449,-", "2892.28", "0,00 zł", "1e9", "-5", "٣", "9999999.999", ".", "12.345",
		"1,2,3")
	f.Fuzz(func(t *testing.T, s string) {
		for name, read := range map[string]func(string) (float64, bool){
			"text": parseShownPrice, "attribute": parseAttrPrice,
		} {
			v, ok := read(s)
			if ok != (v > 0) || !isPrice(v) {
				t.Fatalf("%s %q: %v, %t", name, s, v, ok)
			}
			if !ok {
				continue
			}
			plain := strconv.FormatFloat(v, 'f', 2, 64)
			shown := strings.Replace(plain, ".", ",", 1) + " zł"
			a, _ := parseAttrPrice(plain)
			b, _ := parseShownPrice(shown)
			if a != v || b != v {
				t.Errorf("%s %q is %v, %q is %v and %q is %v", name, s, v, plain, a, shown, b)
			}
		}
	})
}

// FuzzSearchPage: every row that is read can be shown and followed.
func FuzzSearchPage(f *testing.F) {
	seedPages(f)
	f.Fuzz(func(t *testing.T, page []byte) {
		rows, err := parseSearch(bytes.NewReader(page))
		if err != nil && (!errors.Is(err, errLayout) || rows != nil) {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		if len(rows) > maxRows {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, r := range rows {
			switch {
			case r.name == "" || !isClean(r.name) || !isClean(r.logo):
				t.Errorf("names %q, %q", r.name, r.logo)
			case leadingDigits(r.id) != r.id || r.id == "" && (r.shopLink == "" || r.minPrice == 0):
				t.Errorf("row leads nowhere: %+v", r)
			case !isPrice(r.minPrice) || r.shops < 0 || r.shops > maxCount:
				t.Errorf("figures %v, %d", r.minPrice, r.shops)
			}
		}
	})
}

// FuzzProductPage: the figures of any page agree, and its offers are sorted and complete.
func FuzzProductPage(f *testing.F) {
	seedPages(f)
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
		p, err := parseProduct(bytes.NewReader(page), productURL)
		if err != nil {
			if !errors.Is(err, errLayout) || !reflect.DeepEqual(p, product{}) {
				t.Fatalf("%+v, %v", p, err)
			}
			return
		}
		s := p.summary
		if !isClean(s.name) || s.count < 0 {
			t.Fatalf("summary %+v", s)
		}
		if s.count > maxCount || !isPrice(s.low) {
			t.Fatalf("summary %+v", s)
		}
		if !isPrice(s.high) {
			t.Fatalf("summary %+v", s)
		}
		if s.high > 0 && s.low > s.high {
			t.Errorf("summary %+v", s)
		}
		sorted := slices.IsSortedFunc(p.offers, func(a, b prices.Offer) int { return cmp.Compare(a.Price, b.Price) })
		if len(p.offers) > prices.MaxOffers || !sorted {
			t.Errorf("offers %+v", p.offers)
		}
		for _, o := range p.offers {
			if o.Store == "" || o.StoreLabel == "" {
				t.Fatalf("offer %+v", o)
			}
			if !isPrice(o.Price) || o.Price == 0 {
				t.Fatalf("offer %+v", o)
			}
			if !isWebAddress(o.URL) && o.URL != "" {
				t.Errorf("offer %+v", o)
			}
			if !isPrice(o.PriceWithDelivery) {
				t.Fatalf("more about an offer %+v", o)
			}
			if o.PriceWithDelivery != 0 && o.PriceWithDelivery < o.Price {
				t.Fatalf("more about an offer %+v", o)
			}
			if !(o.ShopRating >= 0 && o.ShopRating <= prices.MaxShopRating) {
				t.Errorf("more about an offer %+v", o)
			}
		}
	})
}

// FuzzSearchAddress: no query leads anywhere but to the search.
func FuzzSearchAddress(f *testing.F) {
	seed(f, "RTX 4070", "../../Click/Offer", "a//b\\c", "x;0280-0.htm#?q=1", "80+ Gold", "%2e%2e%2f", "żółć",
		"\x00\xff")
	s := newStub(f, nil)
	s.BaseURL.Path = "/pl/"
	f.Fuzz(func(t *testing.T, q string) {
		u, err := url.Parse(s.SearchURL(q))
		if err != nil {
			t.Fatal(err)
		}
		text, found := strings.CutPrefix(u.EscapedPath(), "/pl/;szukaj-")
		if u.Host != "www.ceneo.pl" || !found {
			t.Fatalf("%q is searched at %s", q, u)
		}
		if strings.ContainsAny(text, "/\\;") || u.RawQuery != "" {
			t.Fatalf("%q is searched at %s", q, u)
		}
		if u.Fragment != "" || u.User != nil {
			t.Errorf("%q is searched at %s", q, u)
		}
	})
}

// FuzzLink: a link of a page becomes a web address or nothing.
func FuzzLink(f *testing.F) {
	seed(f, "/Click/Offer/?e=1", "javascript:alert(1)", "//evil.example/x", "https:///x", " http://a b/",
		"data:text/html,x",
		"ftp://evil.example/x", "https://user@evil.example/", "#top", "\x00", "http://[::1")
	f.Fuzz(func(t *testing.T, href string) {
		if got := absolute(productURL, href); got != "" && !isWebAddress(got) {
			t.Errorf("%q becomes %q", href, got)
		}
	})
}

func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && utf8.ValidString(address) &&
		!strings.ContainsAny(address, "\r\n\t\x00<>\"")
}
