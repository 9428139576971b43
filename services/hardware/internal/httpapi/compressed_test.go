package httpapi

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

// gunzip reads one member, and nothing may follow it: browsers stop there.
func gunzip(t *testing.T, parts ...[]byte) []byte {
	t.Helper()
	from := bytes.NewReader(bytes.Join(parts, nil))
	r, err := gzip.NewReader(from)
	if err != nil {
		t.Fatal(err)
	}
	r.Multistream(false)
	body, err := io.ReadAll(r)
	if err != nil || from.Len() > 0 {
		t.Fatalf("%v, %d bytes behind the end", err, from.Len())
	}
	return body
}

// kept is the form that is kept beside the ranking of n parts.
func kept(t *testing.T, n int) *rendered {
	t.Helper()
	rows := make([]rankings.Row, n)
	for i := range rows {
		rows[i] = rankings.Row{Type: "GPU", Model: fmt.Sprintf("GeForce RTX %d", 1000+i), Rank: i + 1, URL: fmt.Sprintf("https://gpu.userbenchmark.com/SpeedTest/%d", 4000000+i*37)}
	}
	form, _ := KeepRanking(rankingOf("userbenchmark.com", rows))
	return form.(*rendered)
}

func TestGzipHoldsTheSameBody(t *testing.T) {
	r := kept(t, 303)
	for _, limit := range []int{1, 9, 10, 11, 199, 200, 201, 299, 300, 303, 500} {
		head, rows, tail := r.rankingBody(make([]byte, gzipSpace), "userbenchmark.com", "gpu", limit)
		want := slices.Concat(head[gzipSpace:], rows, tail)
		start, middle, end := r.compressed.gzip(head, rows, tail)
		if got := gunzip(t, start, middle, end); !bytes.Equal(got, want) {
			t.Errorf("limit %d: %d bytes, want %d", limit, len(got), len(want))
		}
		if limit >= 199 && len(start)+len(middle)+len(end) > len(want)/3 {
			t.Errorf("limit %d: %d bytes of %d", limit, len(start)+len(middle)+len(end), len(want))
		}
	}
}

func TestGzipOfAPrice(t *testing.T) {
	price := prices.Price{Source: "ceneo.pl", Finding: prices.Finding{ProductName: "RTX 4070"}}
	for i := range prices.MaxOffers {
		price.Offers = append(price.Offers, prices.Offer{Store: "sklep.example", StoreLabel: "Sklep", Price: float64(100 + i), URL: "https://www.ceneo.pl/" + strings.Repeat(string(rune('a'+i)), 300)})
	}
	form, _ := KeepPrice(priceOf(price))
	r := form.(*rendered)
	head, rows := r.priceBody(make([]byte, gzipSpace), `rtx "4070"`)
	want := slices.Concat(head[gzipSpace:], rows)
	start, middle, end := r.compressed.gzip(head, rows, nil)
	if got := gunzip(t, start, middle, end); !bytes.Equal(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestAShortFormIsNotCompressed(t *testing.T) {
	if r := kept(t, 1); r.compressed != nil {
		t.Errorf("%d bytes were compressed", len(r.payload))
	}
}
