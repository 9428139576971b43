package products

import (
	"strconv"

	"backend.example/deploy/sandbox/internal/fixtures"
)

// Product is one thing that shops offer.
type Product struct {
	ID         int // 8 or 9 digits
	Name       string
	Short      string // brand and model
	Brand      string
	Category   Category
	Price      Price // of the cheapest offer in stock
	Shops      int   // number of offers in stock
	OfferOnly  bool  // sold by one shop, to which its row leads
	Popularity int   // 0 to 999, orders search results
	Rating     string
	Opinions   int
	words      wordSet
	keys       []string // name, short name and the maker's code as exact queries
}

const (
	firstID = 50_000_000
	ids     = 150_000_000
)

// newProduct reads a line of products.csv. The note "rare" puts a product behind
// ordinary ones, the note "single" gives it to one shop.
func newProduct(line []string) Product {
	slug, brand, model, detail, code, note := line[0], line[1], line[2], line[3], line[4], line[6]
	category, _ := FindCategory(slug)
	zlotys, err := strconv.Atoi(line[5])
	if err != nil {
		panic(err)
	}
	short := brand + " " + model
	name := short
	if detail != "" {
		name += " " + detail
	}
	if code != "" {
		name += " (" + code + ")"
	}
	random := fixtures.Rand("product", name)
	product := Product{
		ID: firstID + random.IntN(ids), Name: name, Short: short, Brand: brand, Category: category,
		OfferOnly: note == "single", Price: psychological(PLN(zlotys), random.IntN(6)),
		Shops: 4 + random.IntN(37), Popularity: 100 + random.IntN(900),
		Rating: "4," + strconv.Itoa(2+random.IntN(8)), Opinions: 1 + random.IntN(140),
		words: newWordSet(name + " " + category.Keywords), keys: []string{key(name), key(short), key(code)},
	}
	switch note {
	case "rare":
		product.Popularity, product.Shops = random.IntN(100), 1+random.IntN(3)
	case "single":
		product.Shops = 1
	}
	return product
}

// Variants is the size of the group to which the product belongs, zero where there is
// none. The heading of its page is then the group's, Short.
func (p Product) Variants() int {
	if n := fixtures.IntN(12, "variants", p.Name); n > 1 && n < 5 {
		return n
	}
	return 0
}

// isEverything tells whether the slug leaves nothing out.
func isEverything(slug string) bool { return slug == "" || slug == DepartmentSlug }

// in tells whether the product belongs to the category of a slug.
func (p Product) in(slug string) bool {
	return isEverything(slug) || slug == p.Category.Slug || slug == ParentSlug && p.Category.Parent == components
}
