package catalogue

import "testing"

func TestTwoProductsOfOneNameAreNoExactMatch(t *testing.T) {
	drafts := []draft{
		{brand: "Nordvik", short: "A-1", detail: "Black", code: "N1B", zlotys: 100},
		{brand: "Nordvik", short: "A-1", detail: "White", code: "N1W", zlotys: 100},
	}
	goods := &Catalogue{products: stock(caseCategory(), drafts)}
	if product, exact := goods.Exact("nordvik a-1", ""); exact {
		t.Errorf("got %q", product.Name)
	}
	if product, exact := goods.Exact("Nordvik A-1 White (N1W)", ""); !exact || product.Code != "N1W" {
		t.Errorf("full name: got %q, %t", product.Name, exact)
	}
}

func TestASingleShopProductIsNoExactMatch(t *testing.T) {
	goods := &Catalogue{products: stock(caseCategory(), []draft{{brand: "Nordvik", short: "A-1", zlotys: 100, offerOnly: true}})}
	if product, exact := goods.Exact("Nordvik A-1", ""); exact {
		t.Errorf("got %q, which has no page", product.Name)
	}
}
