// Package catalogue owns what the aggregator's stand-in sells: products,
// offers and shops, and which of them a query finds. Product names are real
// for the most part; numbers, prices, offers and ratings are made up, the same
// ones on every start. How pages look stays in the aggregator package.
package catalogue

import (
	"cmp"
	"slices"
)

// Catalogue is the fixed list of products together with what was made up for
// queries since the start. It is safe for concurrent use.
type Catalogue struct {
	products []Product
	byID     map[int]Product
	invented *inventions
}

// New builds the catalogue.
func New() *Catalogue {
	c := &Catalogue{byID: make(map[int]Product), invented: newInventions()}
	for _, shelf := range shelves() {
		for _, product := range shelf {
			for taken := true; taken; {
				if _, taken = c.byID[product.ID]; taken {
					product.ID++
				}
			}
			c.byID[product.ID] = product
			c.products = append(c.products, product)
		}
	}
	slices.SortStableFunc(c.products, func(a, b Product) int { return cmp.Compare(b.Popularity, a.Popularity) })
	return c
}

func shelves() [][]Product {
	return [][]Product{
		stock(graphicsCategory(), graphicsCards()),
		stock(processorCategory(), processors()),
		stock(memoryCategory(), memoryKits()),
		stock(storageCategory(), drives()),
		stock(motherboardCategory(), motherboards()),
		stock(powerCategory(), powerSupplies()),
		stock(coolingCategory(), coolers()),
		stock(caseCategory(), cases()),
		stock(accessoryCategory(), accessoryParts()),
		stock(computerCategory(), computers()),
	}
}

// Product returns the product that has a page of its own under the number.
func (c *Catalogue) Product(id int) (Product, bool) {
	product, found := c.byID[id]
	if !found {
		product, found = c.invented.product(id)
	}
	return product, found && !product.OfferOnly
}

// Shelf returns the products of a category, most popular first. The parent
// slug stands for all component categories; an unknown slug has none.
func (c *Catalogue) Shelf(slug string) []Product {
	var found []Product
	for _, product := range c.products {
		if product.on(slug) {
			found = append(found, product)
		}
	}
	return found
}

// Similar returns up to n other products of the same category.
func (c *Catalogue) Similar(product Product, n int) []Product {
	var found []Product
	for _, other := range c.products {
		if len(found) < n && other.ID != product.ID && !other.OfferOnly && other.Category.ID == product.Category.ID {
			found = append(found, other)
		}
	}
	return found
}

// Exact returns the one product with a page whose full name, short name or
// code the query is. Two such products are no exact match.
func (c *Catalogue) Exact(query, slug string) (Product, bool) {
	wanted := key(query)
	if wanted == "" {
		return Product{}, false
	}
	var found []Product
	for _, product := range c.products {
		if product.on(slug) && !product.OfferOnly && slices.Contains(product.keys, wanted) {
			found = append(found, product)
		}
	}
	if len(found) != 1 {
		return Product{}, false
	}
	return found[0], true
}

// on tells whether the product stands on the shelf; no slug means any.
func (p Product) on(slug string) bool {
	return slug == "" || slug == p.Category.Slug || slug == ParentSlug && p.Category.Parent == components
}
