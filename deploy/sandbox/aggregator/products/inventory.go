// Package products owns what the aggregator lists: products, offers and shops, and
// which of them a query finds. The names in products.csv are real for the most part.
// Numbers, prices, offers and ratings are invented from the names, the same on every
// start. How pages look stays in package aggregator.
package products

import (
	"cmp"
	"embed"
	"encoding/csv"
	"slices"
)

//go:embed products.csv shops.csv
var files embed.FS

// read returns the lines of an embedded file without its header.
func read(name string) [][]string {
	file, err := files.Open(name)
	if err != nil {
		panic(err) // the file is part of the binary
	}
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		panic(err)
	}
	return lines[1:]
}

// Inventory is the fixed list of products, and those that were made up for queries
// since the start. It is safe for concurrent use.
type Inventory struct {
	products []Product
	byID     map[int]Product
	invented *inventions
}

// New reads the products.
func New() *Inventory {
	list := &Inventory{byID: make(map[int]Product), invented: newInventions()}
	for _, line := range read("products.csv") {
		product := newProduct(line)
		for taken := true; taken; {
			if _, taken = list.byID[product.ID]; taken {
				product.ID++
			}
		}
		list.byID[product.ID] = product
		list.products = append(list.products, product)
	}
	slices.SortStableFunc(list.products, func(a, b Product) int { return cmp.Compare(b.Popularity, a.Popularity) })
	return list
}

// Product returns the product that has the number.
func (l *Inventory) Product(id int) (Product, bool) {
	product, found := l.byID[id]
	if !found {
		product, found = l.invented.product(id)
	}
	return product, found
}

// Similar returns up to n other products of the same category.
func (l *Inventory) Similar(product Product, n int) []Product {
	var found []Product
	for _, other := range l.products {
		if len(found) < n && other.ID != product.ID && !other.OfferOnly && other.Category.ID == product.Category.ID {
			found = append(found, other)
		}
	}
	return found
}
