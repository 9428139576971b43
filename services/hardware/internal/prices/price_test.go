package prices_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
)

func TestAPriceSaysWhatWasFoundAndWhen(t *testing.T) {
	for name, tt := range map[string]struct {
		finding prices.Finding
		noted   bool
	}{
		"found":           {twoOffers, false},
		"nothing matched": {prices.Finding{ProductURL: "https://prices.example/;szukaj-x"}, true},
	} {
		before := time.Now()
		a, _, err := newPrices(&shop{finding: tt.finding}).Get(t.Context(), lookup.Caller{}, catalog.Query{Text: "dysk"})
		if err != nil {
			t.Fatal(err)
		}
		p := a.Value
		if p.Source != "prices.example" || p.ProductURL != tt.finding.ProductURL || len(p.Offers) != len(tt.finding.Offers) {
			t.Errorf("%s: %+v", name, p)
		}
		if noted := strings.HasPrefix(p.Note, "Nie znaleziono produktu pasującego"); noted != tt.noted || !noted && p.Note != "" {
			t.Errorf("%s: note %q", name, p.Note)
		}
		if p.ScrapedAt.Before(before) || p.ScrapedAt.After(time.Now()) || !p.ScrapedAt.Equal(a.FetchedAt) {
			t.Errorf("%s: scraped at %v, fetched at %v", name, p.ScrapedAt, a.FetchedAt)
		}
	}
}

func TestLowestLeadsSomewhere(t *testing.T) {
	p := prices.Price{Finding: twoOffers}
	if got := p.Lowest(); got != p.Offers[0] {
		t.Errorf("with a link: %+v", got)
	}
	p.Offers = p.Offers[1:]
	if got := p.Lowest(); got.URL != p.ProductURL || got.Store != "b.example" || p.Offers[0].URL != "" {
		t.Errorf("without a link: %+v, and the offer is %+v", got, p.Offers[0])
	}
}

func TestSizeGrowsWithTheOffers(t *testing.T) {
	text := strings.Repeat("x", 1000)
	bare := prices.Price{}.Size()
	offer := prices.Offer{Store: text, StoreLabel: text, URL: text}
	if got := (prices.Price{Finding: prices.Finding{ProductName: text, Offers: []prices.Offer{offer, offer}}}).Size() - bare; got < 7000 || got > 8000 {
		t.Errorf("7000 bytes of text count %d", got)
	}
}
