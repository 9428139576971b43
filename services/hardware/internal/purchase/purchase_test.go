package purchase_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/purchase"
)

// sold takes the name, price and delivery of each shop; a negative delivery is not stated.
func sold(offers ...any) prices.Quote {
	var f prices.Finding
	for o := range len(offers) / 3 {
		price, delivery := offers[3*o+1].(int), offers[3*o+2].(int)
		offer := prices.Offer{Store: offers[3*o].(string), Price: float64(price)}
		if delivery >= 0 {
			offer.PriceWithDelivery = float64(price + delivery)
		}
		f.Offers = append(f.Offers, offer)
	}
	return prices.Quote{Answer: &prices.Answer{Value: prices.Price{Finding: f}}}
}

func totalOf(p purchase.Way) float64 {
	delivery, _ := p.Delivery()
	return p.Sum + delivery
}

func TestCheapestWithDelivery(t *testing.T) {
	for name, tt := range map[string]struct {
		quotes []prices.Quote
		total  float64
		stores int
	}{
		"nothing is known":         {[]prices.Quote{{}}, 0, 0},
		"one parcel saves another": {[]prices.Quote{sold("a", 100, 15, "b", 105, 15), sold("b", 200, 15)}, 320, 1},
		"two shops are cheaper":    {[]prices.Quote{sold("a", 100, 5, "b", 150, 5), sold("b", 200, 5)}, 310, 2},
		"a third shop has both": {[]prices.Quote{sold("a", 10, 20, "c", 12, 20), sold("b", 10, 20, "c", 12, 20)},
			44, 1},
		"delivery is free":          {[]prices.Quote{sold("a", 100, 0, "b", 99, 9)}, 100, 1},
		"stated before not stated":  {[]prices.Quote{sold("a", 90, -1, "b", 100, 5)}, 105, 1},
		"not stated, but the only":  {[]prices.Quote{sold("a", 90, -1)}, 90, 1},
		"what has no offer is left": {[]prices.Quote{sold("a", 90, 5), sold()}, 95, 1},
	} {
		got := purchase.Compare(tt.quotes).Delivered
		if total := totalOf(got); total != tt.total || got.Stores() != tt.stores {
			t.Errorf("%s: %g at %d shops, want %g at %d", name, total, got.Stores(), tt.total, tt.stores)
		}
	}
}

func TestDeliveredIsNearTheOptimum(t *testing.T) {
	// lowest returns the lowest total over every choice of offers after those bought.
	var lowest func(quotes []prices.Quote, bought []*prices.Offer) float64
	lowest = func(quotes []prices.Quote, bought []*prices.Offer) float64 {
		if len(bought) == len(quotes) {
			p := purchase.Way{Offers: bought}
			for _, o := range bought {
				p.Sum += o.Price
			}
			return totalOf(p)
		}
		least := math.Inf(1)
		for _, o := range quotes[len(bought)].Answer.Value.Offers {
			least = min(least, lowest(quotes, append(bought[:len(bought):len(bought)], &o)))
		}
		return least
	}
	rng := rand.New(rand.NewPCG(1, 2))
	found := 0
	const tries = 300
	for range tries {
		quotes := make([]prices.Quote, 4)
		for i := range quotes {
			var offers []any
			price := 50 + rng.IntN(50)
			for range 4 {
				offers = append(offers, "s"+strconv.Itoa(rng.IntN(6)), price, rng.IntN(25))
				price += rng.IntN(10)
			}
			quotes[i] = sold(offers...)
		}
		got, optimum := totalOf(purchase.Compare(quotes).Delivered), lowest(quotes, nil)
		if got < optimum {
			t.Fatalf("%g is less than the optimum %g", got, optimum)
		}
		if got == optimum {
			found++
		}
	}
	if found < tries*9/10 {
		t.Errorf("the optimum was found %d times of %d", found, tries)
	}
}
