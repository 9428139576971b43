package ceneo

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"
	"testing"
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
		if rows, _, err := ParseRanking(file, "gpu"); err != nil || len(rows) != madeRows {
			b.Fatal(err)
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

// longProductPage is the fixture with as many further elements as a real page has:
// about 300 KB of menus, tables and comments.
func longProductPage(b *testing.B) []byte {
	b.Helper()
	const element = `<div class="user-post js_product-review"><span class="user-post__author-name">Jan</span><ul><li><a href="/x">5/5</a></li></ul></div>`
	page := fixture(b, "product.html")
	return []byte(page + strings.Repeat(element, 300_000/len(element)))
}

// BenchmarkOffers is what a fetched product page costs until its offers are known.
func BenchmarkOffers(b *testing.B) {
	page, base, markup := longProductPage(b), &url.URL{Scheme: "https", Host: "www.ceneo.pl", Path: "/1"}, knownMarkup().product
	b.ReportAllocs()
	b.SetBytes(int64(len(page)))
	for b.Loop() {
		if p, err := parseProduct(bytes.NewReader(page), base, markup); err != nil || len(p.offers) != 5 {
			b.Fatal(err)
		}
	}
}
