package purchase_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/purchase"
	"backend.example/services/internal/kit/testkit"
)

// notStated is the delivery of an offer that does not state it.
const notStated = -1

func offer(store string, price, delivery int) prices.Offer {
	o := prices.Offer{Store: store, Price: float64(price)}
	if delivery != notStated {
		o.PriceWithDelivery = float64(price + delivery)
	}
	return o
}

// sold returns what is known of a product with these offers.
func sold(offers ...prices.Offer) prices.Quote {
	return prices.Quote{Answer: &prices.Answer{Value: prices.Price{Finding: prices.Finding{Offers: offers}}}}
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
		"nothing is known": {[]prices.Quote{{}}, 0, 0},
		"one parcel saves another": {[]prices.Quote{
			sold(offer("a", 100, 15), offer("b", 105, 15)), sold(offer("b", 200, 15)),
		}, 320, 1},
		"two shops are cheaper": {[]prices.Quote{
			sold(offer("a", 100, 5), offer("b", 150, 5)), sold(offer("b", 200, 5)),
		}, 310, 2},
		"a third shop has both": {[]prices.Quote{
			sold(offer("a", 10, 20), offer("c", 12, 20)), sold(offer("b", 10, 20), offer("c", 12, 20)),
		}, 44, 1},
		"delivery is free":          {[]prices.Quote{sold(offer("a", 100, 0), offer("b", 99, 9))}, 100, 1},
		"stated before not stated":  {[]prices.Quote{sold(offer("a", 90, notStated), offer("b", 100, 5))}, 105, 1},
		"not stated, but the only":  {[]prices.Quote{sold(offer("a", 90, notStated))}, 90, 1},
		"what has no offer is left": {[]prices.Quote{sold(offer("a", 90, 5)), sold()}, 95, 1},
	} {
		got := purchase.Compare(tt.quotes).Delivered
		if total := totalOf(got); total != tt.total {
			t.Errorf("%s: total %g, want %g", name, total, tt.total)
		}
		testkit.Equal(t, name+": shops", got.Stores(), tt.stores)
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
			var offers []prices.Offer
			price := 50 + rng.IntN(50)
			for range 4 {
				offers = append(offers, offer("s"+strconv.Itoa(rng.IntN(6)), price, rng.IntN(25)))
				price += rng.IntN(10)
			}
			quotes[i] = sold(offers...)
		}
		got, optimum := totalOf(purchase.Compare(quotes).Delivered), lowest(quotes, nil)
		if got < optimum {
			t.Fatalf("total %g is less than the optimum %g", got, optimum)
		}
		if got == optimum {
			found++
		}
	}
	if found < tries*9/10 {
		t.Errorf("the optimum was found %d times of %d, want nine of ten", found, tries)
	}
}
