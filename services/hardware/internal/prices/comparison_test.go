package prices_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

// quoteOf has an offer for each "shop price".
func quoteOf(offers ...string) prices.Quote {
	price := prices.Price{Finding: prices.Finding{ProductName: "product", ProductURL: "https://aggregator.example/1"}}
	for _, text := range offers {
		var o prices.Offer
		if _, err := fmt.Sscan(text, &o.Store, &o.Price); err != nil {
			panic(err)
		}
		o.StoreLabel = strings.ToUpper(o.Store)
		price.Offers = append(price.Offers, o)
	}
	return prices.Quote{Answer: &prices.Answer{Value: price}}
}

func TestCompare(t *testing.T) {
	failed := prices.Quote{Fault: fault.New(fault.Upstream, "source_unavailable", "")}
	tests := map[string]struct {
		quotes []prices.Quote
		split  string
		shops  []string
	}{
		"nothing":           {nil, "0 of 0 shops: 0.00", nil},
		"without an answer": {[]prices.Quote{failed, {}, quoteOf()}, "0 of 0 shops: 0.00", nil},
		"one": {
			[]prices.Quote{quoteOf("a 10", "b 12")}, "1 of 1 shops: 10.00",
			[]string{"a A 1: 10.00", "b B 1: 12.00"},
		},
		"split is cheaper": {
			[]prices.Quote{quoteOf("a 10", "b 12"), failed, quoteOf("c 1", "b 2", "a 5")}, "2 of 2 shops: 11.00",
			[]string{"b B 2: 14.00", "a A 2: 15.00", "c C 1: 1.00"},
		},
		"the same twice, and two offers of a shop": {
			[]prices.Quote{quoteOf("a 0.1", "a 0.2"), quoteOf("a 0.1", "a 0.2"), quoteOf("a 0.1")}, "3 of 1 shops: 0.30",
			[]string{"a A 3: 0.30"},
		},
		"equal sums": {
			[]prices.Quote{quoteOf("b 3", "a 3")}, "1 of 1 shops: 3.00",
			[]string{"a A 1: 3.00", "b B 1: 3.00"},
		},
	}
	for name, test := range tests {
		got := prices.Compare(test.quotes)
		if split := fmt.Sprintf("%d of %d shops: %.2f", got.Split.Count, got.Split.Stores(), got.Split.Sum); split != test.split {
			t.Errorf("%s: split %s, want %s", name, split, test.split)
		}
		var shops []string
		for _, p := range got.Shops {
			shops = append(shops, fmt.Sprintf("%s %s %d: %.2f", p.Store, p.StoreLabel, p.Count, p.Sum))
		}
		if !slices.Equal(shops, test.shops) {
			t.Errorf("%s: shops %q, want %q", name, shops, test.shops)
		}
	}
}

func TestComparedOffersKeepTheirPlaces(t *testing.T) {
	got := prices.Compare([]prices.Quote{{}, quoteOf("a 10", "b 12")})
	if o := got.Split.Offers; len(o) != 2 || o[0] != nil || o[1].Store != "a" || o[1].URL != "https://aggregator.example/1" {
		t.Errorf("split %+v", o)
	}
	if o := got.Shops[1].Offers; len(o) != 2 || o[0] != nil || o[1].Price != 12 {
		t.Errorf("shop b %+v", o)
	}
}

func TestDeliveryIsOneParcelFromEachShop(t *testing.T) {
	offer := func(store string, price, delivered float64) *prices.Offer {
		return &prices.Offer{Store: store, Price: price, PriceWithDelivery: delivered}
	}
	tests := map[string]struct {
		offers []*prices.Offer
		want   float64
		known  bool
	}{
		"nothing":       {nil, 0, false},
		"not bought":    {[]*prices.Offer{nil}, 0, false},
		"free":          {[]*prices.Offer{offer("a", 10, 10)}, 0, true},
		"the dearest":   {[]*prices.Offer{offer("a", 10, 15.10), nil, offer("a", 20, 30.2), offer("a", 5, 5)}, 10.2, true},
		"two shops":     {[]*prices.Offer{offer("a", 10, 15.1), offer("b", 20, 30.2)}, 15.3, true},
		"one is silent": {[]*prices.Offer{offer("a", 10, 15), offer("b", 20, 0)}, 0, false},
	}
	for name, test := range tests {
		p := prices.Purchase{Offers: test.offers}
		if got, known := p.Delivery(); got != test.want || known != test.known {
			t.Errorf("%s: %v, %v", name, got, known)
		}
	}
}
