package ceneo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/PuerkitoBio/goquery"

	"backend.example/services/hardware/internal/httpapi"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

// seedPages gives f every page of testdata.
func seedPages(f *testing.F) {
	for _, name := range []string{"list", "box", "empty", "product", "product_unsold", "captcha", "unreadable_rows"} {
		f.Add([]byte(fixture(f, name+".html")))
	}
}

// isPrice reports whether v is zero or a price in whole groszy.
func isPrice(v float64) bool {
	return v >= 0 && v <= maxPrice && math.Round(v*100)/100 == v
}

// isClean reports whether a text of a page is what collapseSpace leaves.
func isClean(s string) bool { return utf8.ValidString(s) && collapseSpace(s) == s }

// FuzzPriceText: what is read is a price, and reads the same as the site and as
// people write it.
func FuzzPriceText(f *testing.F) {
	for _, seed := range []string{"2 892,28 zł", "1.049,99", "449,-", "2892.28", "0,00 zł", "1e9", "-5", "٣", "9999999.999", ".", "12.345", "1,2,3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, read := range map[string]func(string) (float64, bool){"text": parseShownPrice, "attribute": parseAttrPrice} {
			v, ok := read(s)
			if ok != (v > 0) || !isPrice(v) {
				t.Fatalf("%s %q: %v, %t", name, s, v, ok)
			}
			if !ok {
				continue
			}
			plain := strconv.FormatFloat(v, 'f', 2, 64)
			shown := strings.Replace(plain, ".", ",", 1) + " zł"
			if a, _ := parseAttrPrice(plain); a != v {
				t.Errorf("%s %q is %v, and %q is %v", name, s, v, plain, a)
			}
			if b, _ := parseShownPrice(shown); b != v {
				t.Errorf("%s %q is %v, and %q is %v", name, s, v, shown, b)
			}
		}
	})
}

// FuzzSearchPage: every row that is read can be shown and followed.
func FuzzSearchPage(f *testing.F) {
	seedPages(f)
	f.Fuzz(func(t *testing.T, page []byte) {
		rows, err := parseSearch(bytes.NewReader(page), knownMarkup().search)
		if err != nil && (!errors.Is(err, errLayout) || rows != nil) || len(rows) > maxRows {
			t.Fatalf("%d rows, %v", len(rows), err)
		}
		for _, r := range rows {
			switch {
			case r.name == "" || !isClean(r.name) || !isClean(r.logo):
				t.Errorf("names %q, %q", r.name, r.logo)
			case r.id != "" && !isNumber(r.id) || r.id == "" && (r.shopLink == "" || r.minPrice == 0):
				t.Errorf("row leads nowhere: %+v", r)
			case !isPrice(r.minPrice) || r.shops < 0 || r.shops > maxCount:
				t.Errorf("figures %v, %d", r.minPrice, r.shops)
			}
		}
	})
}

// FuzzProductPage: what is read becomes an answer, whatever the page holds.
func FuzzProductPage(f *testing.F) {
	seedPages(f)
	base := &url.URL{Scheme: "https", Host: "www.ceneo.pl", Path: "/1"}
	f.Fuzz(func(t *testing.T, page []byte) {
		p, err := parseProduct(bytes.NewReader(page), base, knownMarkup().product)
		if err != nil {
			if !errors.Is(err, errLayout) || !reflect.DeepEqual(p, product{}) {
				t.Fatalf("%+v, %v", p, err)
			}
			return
		}
		requireSummary(t, summary{name: p.name, count: p.count, low: p.low, high: p.high})
		requireOffers(t, p.offers)
		price := prices.Price{Source: "ceneo.pl", Finding: prices.Finding{ProductName: p.name, Offers: p.offers, OfferCount: p.count}}
		if body, err := httpapi.PriceJSON(&prices.Answer{Value: price}, "abc"); err != nil || !json.Valid(body) || !utf8.Valid(body) {
			t.Errorf("answer %q, %v", body, err)
		}
	})
}

func requireOffers(t *testing.T, offers []prices.Offer) {
	t.Helper()
	sorted := slices.IsSortedFunc(offers, func(a, b prices.Offer) int { return cmp.Compare(a.Price, b.Price) })
	if len(offers) > prices.MaxOffers || !sorted {
		t.Errorf("offers %+v", offers)
	}
	for _, o := range offers {
		if o.Store == "" || o.StoreLabel == "" || !isPrice(o.Price) || o.Price == 0 || !isWebAddress(o.URL) && o.URL != "" {
			t.Errorf("offer %+v", o)
		}
		if !isPrice(o.PriceWithDelivery) || o.PriceWithDelivery != 0 && o.PriceWithDelivery < o.Price || !(o.ShopRating >= 0 && o.ShopRating <= prices.MaxShopRating) {
			t.Errorf("more about an offer %+v", o)
		}
	}
}

// FuzzSummary: a JSON-LD block of any content makes figures that agree.
func FuzzSummary(f *testing.F) {
	for _, seed := range []string{
		`{"name":"RTX &amp; co","offers":{"@type":"AggregateOffer","offerCount":"26","lowPrice":"2649","highPrice":5039.7}}`,
		`[{"offers":[{"price":1},{"price":"2,50 zł"},{"offerCount":3}]}]`, `{"@graph":[{"@graph":{"offers":{"price":1e300}}}]}`,
		`{"offers":{"offerCount":"99999999999999999999","lowPrice":-1}}`, `{"offers":{"lowPrice":9,"highPrice":3}}`, `null`, `{"offers":[]}`,
		`{"offers":[{"offerCount":999999},{"offerCount":999999}]}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, block string) {
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(`<script type="application/ld+json">` + block + `</script>`))
		if err != nil {
			t.Fatal(err)
		}
		s, ok := readSummary(doc, knownMarkup().product)
		if !ok && s != (summary{}) {
			t.Errorf("nothing found: %+v", s)
		}
		requireSummary(t, s)
	})
}

func requireSummary(t *testing.T, s summary) {
	t.Helper()
	if !isClean(s.name) || s.count < 0 || s.count > maxCount || !isPrice(s.low) || !isPrice(s.high) || s.high > 0 && s.low > s.high {
		t.Errorf("summary %+v", s)
	}
}

// FuzzRanking: a file is refused, or its rows can be written, read again and
// answered.
func FuzzRanking(f *testing.F) {
	f.Add([]byte(ranking(plainLine)))
	f.Add([]byte(csvHeader + "\n"))
	f.Add([]byte(csvHeader + "\nGPU,,,,,,,\n"))
	f.Add([]byte("<html><title>Just a moment...</title>"))
	f.Add([]byte(ranking("GPU,,,,0,1,0,https://x.example/")))
	f.Add([]byte(ranking("GPU,,,,1,-1,0,https://x.example/")))
	f.Add([]byte(ranking("GPU,\u200eX\u200e,a\"b, c ,1,0x1p4,0,https://x.example/ą")))
	f.Fuzz(func(t *testing.T, body []byte) {
		rows, _, err := ParseRanking(string(body), "gpu")
		if err != nil {
			if rows != nil {
				t.Errorf("%d rows beside %v", len(rows), err)
			}
			return
		}
		again, _, err := ParseRanking(written(rows), "gpu")
		if err != nil || !slices.Equal(rows, again) {
			t.Fatalf("%+v is read again as %+v, %v", rows, again, err)
		}
		requireRanking(t, rows)
	})
}

// written is the file that holds rows.
func written(rows []rankings.Row) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, fmt.Sprintf("%s,%s,%s,%s,%d,%v,%d,%s", r.Type, r.PartNumber, r.Brand, r.Model, r.Rank, r.Benchmark, r.Samples, r.URL))
	}
	return ranking(lines...)
}

// requireRanking holds every prefix of the answer to valid JSON.
func requireRanking(t *testing.T, rows []rankings.Row) {
	t.Helper()
	answer := &rankings.Answer{Value: rankings.Ranking{Source: "userbenchmark.com", Rows: rows}}
	for n := range min(len(rows), 3) + 1 {
		if body, err := httpapi.RankingJSON(answer, "gpu", n); err != nil || !json.Valid(body) || !utf8.Valid(body) {
			t.Errorf("answer of %d rows: %q, %v", n, body, err)
		}
	}
	for _, r := range rows {
		if r.Rank < 1 || r.Samples < 0 || !(r.Benchmark >= 0) || math.IsInf(r.Benchmark, 0) {
			t.Errorf("row %+v", r)
		}
	}
}

// FuzzSearchAddress: no query leads anywhere but to the search.
func FuzzSearchAddress(f *testing.F) {
	for _, seed := range []string{"RTX 4070", "../../Click/Offer", "a//b\\c", "x;0280-0.htm#?q=1", "80+ Gold", "%2e%2e%2f", "żółć", "\x00\xff"} {
		f.Add(seed)
	}
	a := NewAggregator(AggregatorOptions{BaseURL: &url.URL{Scheme: "https", Host: "www.ceneo.pl", Path: "/pl/"}, Now: time.Now})
	f.Fuzz(func(t *testing.T, q string) {
		u, err := url.Parse(a.SearchURL(q))
		if err != nil {
			t.Fatal(err)
		}
		text, found := strings.CutPrefix(u.EscapedPath(), "/pl/;szukaj-")
		if u.Host != "www.ceneo.pl" || !found || strings.ContainsAny(text, "/\\;") || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
			t.Errorf("%q is searched at %s", q, u)
		}
	})
}

// FuzzLink: a link of a page becomes a web address or nothing.
func FuzzLink(f *testing.F) {
	for _, seed := range []string{"/Click/Offer/?e=1", "javascript:alert(1)", "//evil.example/x", "https:///x", " http://a b/", "data:text/html,x", "ftp://evil.example/x", "https://user@evil.example/", "#top", "\x00", "http://[::1"} {
		f.Add(seed)
	}
	base := &url.URL{Scheme: "https", Host: "www.ceneo.pl", Path: "/1"}
	f.Fuzz(func(t *testing.T, href string) {
		if got := absolute(base, href); got != "" && !isWebAddress(got) {
			t.Errorf("%q becomes %q", href, got)
		}
	})
}

func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && utf8.ValidString(address) && !strings.ContainsAny(address, "\r\n\t\x00<>\"")
}
