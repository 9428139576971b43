package prices_test

import (
	"testing"

	"backend.example/services/hardware/internal/prices"
)

func TestTheCheapestOffer(t *testing.T) {
	offer := func(price, delivered float64) prices.Offer {
		return prices.Offer{Store: "a.example", Price: price, PriceWithDelivery: delivered}
	}
	ordered := func(price, delivered float64) prices.Offer {
		o := offer(price, delivered)
		o.Stock = prices.OnOrder
		return o
	}
	for name, tt := range map[string]struct {
		price            prices.Price
		cheapest, toDoor int
	}{
		"no offer":                 {prices.Price{}, -1, -1},
		"delivery decides":         {of(offer(2569, 2587.99), offer(2580.90, 2580.90)), 0, 1},
		"one has both":             {of(offer(10, 11), offer(20, 21)), 0, 0},
		"below one złoty":          {of(offer(0.4, 0.9), offer(0.5, 0.8)), 0, 1},
		"equal, the first":         {of(offer(10, 15), offer(11, 15)), 0, 0},
		"delivery is not known":    {of(offer(10, 15), offer(11, 0)), 0, -1},
		"not known of the first":   {of(offer(10, 0), offer(11, 12)), 0, -1},
		"not known of a dear one":  {of(offer(10, 15), offer(15, 0), offer(16, 0)), 0, 0},
		"not known of any":         {of(offer(10, 0), offer(11, 0)), 0, -1},
		"ordered first":            {of(ordered(9, 9), offer(10, 15), offer(11, 12)), 1, 2},
		"all ordered first":        {of(ordered(9, 9), ordered(10, 10)), -1, -1},
		"ordered, without a total": {of(ordered(9, 0), offer(10, 15)), 1, 1},
		"offers are missing": {
			prices.Price{Finding: prices.Finding{Partial: true, Offers: []prices.Offer{offer(10, 11)}}}, -1, -1,
		},
	} {
		if cheapest, toDoor := tt.price.Cheapest(); cheapest != tt.cheapest || toDoor != tt.toDoor {
			t.Errorf("%s: %d, with delivery %d, want %d and %d", name, cheapest, toDoor, tt.cheapest, tt.toDoor)
		}
	}
}

func of(offers ...prices.Offer) prices.Price {
	return prices.Price{Finding: prices.Finding{Offers: offers}}
}
