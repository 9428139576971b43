package source

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

const madeRows = 1500

// madeRanking is a file of the usual length, its fields about as long as those of
// the site's files, with the odd inch mark and character beyond ASCII.
func madeRanking() string {
	var b strings.Builder
	b.WriteString(csvHeader + "\n")
	for i := range madeRows {
		model := "GTX 1080 ROG Strix Gaming"
		switch {
		case i%10 == 3:
			model = `Travelmate 2.5" 1TB`
		case i%50 == 4:
			model = "Turbo™ 8GB"
		}
		fmt.Fprintf(&b, "GPU,%04d-STRIX-A8G,Asus,%s %d,%d,%d.%d,%d,https://gpu.userbenchmark.com/Nvidia-GTX-1080/Rating/%d\n",
			i, model, i, i/4+1, 200-i/10, i%10, 100*i, 3000+i)
	}
	return b.String()
}

// BenchmarkRanking is what a fetched file costs until its rows are read.
func BenchmarkRanking(b *testing.B) {
	file := madeRanking()
	b.ReportAllocs()
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if rows, err := ParseRanking(file, "gpu"); err != nil || len(rows) != madeRows {
			b.Fatal(err)
		}
	}
}

// BenchmarkRankingStandard is the yardstick: encoding/csv, without any checks.
func BenchmarkRankingStandard(b *testing.B) {
	file := madeRanking()
	b.ReportAllocs()
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		r := csv.NewReader(strings.NewReader(file))
		r.ReuseRecord, r.LazyQuotes = true, true
		for {
			if _, err := r.Read(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestRankingIsFrugal holds all that is allocated for the rows of a file to less than
// twice the file.
func TestRankingIsFrugal(t *testing.T) {
	result := testing.Benchmark(BenchmarkRanking)
	if got, limit := result.AllocedBytesPerOp(), int64(2*len(madeRanking())); got == 0 || got >= limit {
		t.Errorf("%d bytes, want less than %d", got, limit)
	}
}

// madeOffers is a product page of about 300 KB in the structure of the site's: a
// menu, scripts, 15 offers with what surrounds each, a table, comments.
func madeOffers() []byte {
	var b bytes.Buffer
	b.WriteString(`<!doctype html><html lang="pl"><head><meta charset="utf-8"><title>Karta 4070 - Cena</title>
<script type="application/ld+json">{"@type":"Product","name":"Karta 4070","offers":{"@type":"AggregateOffer","lowPrice":2549.00,"highPrice":5039.70,"offerCount":15}}</script>
<script>` + strings.Repeat("window.dataLayer.push({event:'view',id:155000002});\n", 800) + `</script></head><body>`)
	for i := range 500 {
		fmt.Fprintf(&b, `<div class="menu__group"><ul class="menu__list"><li class="menu__item js_item"><a class="menu__link" href="/Grupa_%d" data-category="%d" title="Grupa"><span class="menu__label">Grupa %d</span></a></li></ul></div>
`, i, i, i)
	}
	b.WriteString(`<div class="product-top__title"><h1 class="product-top__product-info__name">Karta 4070</h1></div><span class="page-tab__title">Oferty (15)</span>
<section class="product-offers"><ul class="product-offers__list js_normal-offers">`)
	for i := range 15 {
		fmt.Fprintf(&b, `<li class="product-offers__list__item js_productOfferGroupItem"><div class="product-offer" data-offer="o-%d" data-price="%d.00" data-shopurl="sklep%d.example" data-click-url="/Click/Offer/?e=%d">
<div class="product-offer__logo"><img alt="Sklep %d" src="data:,"></div><span class="product-offer__product__price"><span class="value">2 %d</span><span class="penny">,00</span> zł</span>%s</div></li>
`, i, 2600+i, i, i, i, 600+i, strings.Repeat(`<div class="product-offer__details"><span class="screening-stars"><i style="width:98%"></i></span><a class="link js_opinions" href="/sklepy/opinie" title="Opinie">Liczba opinii: 1 204</a></div>`, 12))
	}
	b.WriteString(`</ul></section><table>`)
	for i := range 400 {
		fmt.Fprintf(&b, `<tr class="specification__row"><th class="specification__name">Cecha %d</th><td class="specification__value"><ul><li class="attr-value"><a href="/cecha/%d">Wartość cechy numer %d</a></li></ul></td></tr>
`, i, i, i)
	}
	b.WriteString(`</table>`)
	for i := range 100 {
		fmt.Fprintf(&b, `<div class="user-post js_product-review" data-entry-id="%d"><span class="user-post__author-name">Jan</span><span class="user-post__score-count">5/5</span><div class="user-post__text">%s</div></div>
`, i, strings.Repeat("Działa cicho i bez zarzutu, polecam każdemu. ", 5))
	}
	b.WriteString(`</body></html>`)
	return b.Bytes()
}

// BenchmarkOffers is what a fetched product page costs until its offers are known.
func BenchmarkOffers(b *testing.B) {
	page, base, markup := madeOffers(), &url.URL{Scheme: "https", Host: "www.ceneo.pl", Path: "/1"}, knownMarkup().product
	b.ReportAllocs()
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if p, err := parseProduct(bytes.NewReader(page), base, markup); err != nil || len(p.offers) != 5 {
			b.Fatal(err)
		}
	}
}

// BenchmarkOffersStandard is the yardstick: goquery's parse alone.
func BenchmarkOffersStandard(b *testing.B) {
	page := madeOffers()
	b.ReportAllocs()
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if _, err := goquery.NewDocumentFromReader(bytes.NewReader(page)); err != nil {
			b.Fatal(err)
		}
	}
}
