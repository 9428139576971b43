package products

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"backend.example/deploy/sandbox/internal/fixtures"
)

const (
	firstInventedID = 200_000_000
	inventedIDs     = 800_000_000
	maxInventions   = 10_000
	maxInventedName = 60 // letters taken of the query
)

// inventions remembers the products made up for queries, so that their pages
// can be opened; the oldest are forgotten first.
type inventions struct {
	mu   sync.Mutex
	byID map[int]Product
	ids  []int
}

func newInventions() *inventions {
	return &inventions{byID: make(map[int]Product)}
}

func (i *inventions) product(id int) (Product, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	product, found := i.byID[id]
	return product, found
}

// forQuery makes three to six products whose names begin with the query. The first is
// the product that is meant; the others have a model of their own.
func (i *inventions) forQuery(query string) []Product {
	words := key(query)
	var products []Product
	for place := range 3 + fixtures.IntN(4, "inventions", words) {
		products = append(products, invent(words, capitalised(query), place))
	}
	i.remember(products)
	return products
}

func (i *inventions) remember(products []Product) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, product := range products {
		if _, known := i.byID[product.ID]; !known {
			i.ids = append(i.ids, product.ID)
		}
		i.byID[product.ID] = product
	}
	for len(i.ids) > maxInventions {
		delete(i.byID, i.ids[0])
		i.ids = i.ids[1:]
	}
}

func invent(words, title string, place int) Product {
	makers := []string{"Nordvik", "Halny", "Orbitek", "Lumio", "Kaskada", "Zefir", "Tarcza"}
	random := fixtures.Rand("invention", words, strconv.Itoa(place))
	brand := makers[(fixtures.IntN(len(makers), words)+place)%len(makers)]
	base := 30 + fixtures.IntN(1500, "price", words)
	name := title
	if place > 0 {
		name = fmt.Sprintf("%s %s %c-%d", title, brand, 'A'+rune(random.IntN(26)), 100+10*random.IntN(90))
	}
	return Product{
		ID: firstInventedID + random.IntN(inventedIDs), Name: name, Short: name, Brand: brand,
		Category: inventedCategory(), Price: psychological(PLN(base+random.IntN(base)), random.IntN(6)),
		Shops: 1 + random.IntN(20), Popularity: random.IntN(1000), Rating: "4," + strconv.Itoa(random.IntN(10)),
		Opinions: 1 + random.IntN(60),
	}
}

// capitalised is the query as the beginning of a name: letters, digits and
// single spaces only, cut to a sensible length.
func capitalised(query string) string {
	clean := strings.Join(strings.FieldsFunc(query, splits), " ")
	if letters := []rune(clean); len(letters) > maxInventedName {
		clean = strings.TrimSpace(string(letters[:maxInventedName]))
	}
	first, size := utf8.DecodeRuneInString(clean)
	return string(unicode.ToUpper(first)) + clean[size:]
}
