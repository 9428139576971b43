package products_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/sandbox/aggregator/products"
)

func TestOffersOfEveryProduct(t *testing.T) {
	list, outOfStock, onSite := products.New(), 0, 0
	for _, product := range all(list) {
		inStock, shops := 0, map[string]bool{}
		for _, offer := range product.Offers() {
			if offer.InStock {
				inStock++
			} else {
				outOfStock++
			}
			if offer.OnSite {
				onSite++
			}
			if shops[offer.Shop.Domain] || offer.Price < 100 {
				t.Errorf("%s: shop twice or price too low: %+v", product.Name, offer)
			}
			shops[offer.Shop.Domain] = true
		}
		low, high := product.PriceRange()
		if inStock != product.Shops || low != product.Price || high < low || high > low*13/10 {
			t.Errorf("%s: %d of %d offers in stock, prices %d to %d, want from %d", product.Name, inStock, product.Shops, low, high, product.Price)
		}
	}
	if outOfStock == 0 || onSite == 0 {
		t.Errorf("%d offers out of stock, %d bought on the site", outOfStock, onSite)
	}
}

func TestOffersAreTheSameEveryTimeAndNotSorted(t *testing.T) {
	product, _ := products.New().Exact("AMD Ryzen 7 7800X3D", "")
	offers := product.Offers()
	if !slices.Equal(offers, product.Offers()) {
		t.Error("two calls give different offers")
	}
	sorted := products.ByPrice(offers)
	if slices.Equal(offers, sorted) || !slices.IsSortedFunc(sorted, func(a, b products.Offer) int { return cmp.Compare(a.Price, b.Price) }) {
		t.Error("only ByPrice should be sorted by price")
	}
	if sorted[0].InStock {
		t.Error("the cheapest offer of this product should be out of stock, as a trap")
	}
}

func TestWords(t *testing.T) {
	cases := map[string][]string{
		"Płyta GŁÓWNA":               {"plyta", "glowna"},
		"990 PRO 2 TB":               {"990", "pro", "2tb"},
		"2,5\" SATA":                 {"2", "5", "sata"},
		"RTX-4070/Ti":                {"rtx", "4070", "ti"},
		"zażółć gęślą jaźń":          {"zazolc", "gesla", "jazn"},
		"GB 850 W":                   {"gb", "850w"},
		"  ":                         nil,
		"32GB (2x16GB) 6000MHz CL30": {"32gb", "2x16gb", "6000mhz", "cl30"},
	}
	for text, want := range cases {
		if got := products.Words(text); !slices.Equal(got, want) {
			t.Errorf("Words(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPriceForms(t *testing.T) {
	for price, want := range map[products.Price]string{
		264900: "2649.00 2649 2\u00a0649,00 00", 66499: "664.99 664.99 664,99 99", 5: "0.05 0.05 0,05 05",
		123456789: "1234567.89 1234567.89 1\u00a0234\u00a0567,89 89",
	} {
		if got := strings.Join([]string{price.Fixed(), price.Short(), price.Text(), price.Grosze()}, " "); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
