package catalogue

import (
	"strconv"

	"backend.example/deploy/sandbox/internal/seeded"
)

// Product is one entry of the catalogue.
type Product struct {
	ID         int // 8 or 9 digits
	Name       string
	Short      string // brand and model; this, Name and Code are exact matches
	Code       string // the maker's number, made up; may be empty
	Brand      string
	Category   Category
	Price      Price // of the cheapest offer in stock
	Shops      int   // number of offers in stock
	OfferOnly  bool  // sold by one shop and without a page of its own
	Popularity int   // 0 to 999, orders search results
	Rating     string
	Opinions   int
	words      wordSet
	keys       []string // name, short name and code as exact queries
}

// draft is what the lists of real product names state.
type draft struct {
	brand     string
	short     string // without the brand
	detail    string // what follows in the full name
	code      string
	zlotys    int
	offerOnly bool
	rare      bool // never before ordinary products, few shops
}

const (
	firstCatalogueID = 50_000_000
	catalogueIDs     = 150_000_000
)

// stock turns drafts into products of a category.
func stock(category Category, drafts []draft) []Product {
	products := make([]Product, 0, len(drafts))
	for _, d := range drafts {
		products = append(products, d.product(category))
	}
	return products
}

func (d draft) product(category Category) Product {
	short := d.brand + " " + d.short
	name := short
	if d.detail != "" {
		name += " " + d.detail
	}
	if d.code != "" {
		name += " (" + d.code + ")"
	}
	random := seeded.Rand("product", name)
	product := Product{
		ID: firstCatalogueID + random.IntN(catalogueIDs), Name: name, Short: short, Code: d.code,
		Brand: d.brand, Category: category, OfferOnly: d.offerOnly,
		Price: psychological(PLN(d.zlotys), random.IntN(6)),
		Shops: 4 + random.IntN(37), Popularity: 100 + random.IntN(900),
		Rating: "4," + strconv.Itoa(2+random.IntN(8)), Opinions: 1 + random.IntN(140),
	}
	if d.rare {
		product.Popularity, product.Shops = random.IntN(100), 1+random.IntN(3)
	}
	if d.offerOnly {
		product.Shops = 1
	}
	product.words = newWordSet(name + " " + category.Keywords)
	product.keys = []string{key(name), key(short), key(d.code)}
	return product
}
