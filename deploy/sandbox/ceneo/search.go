package ceneo

import (
	"cmp"
	"embed"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"backend.example/deploy/sandbox/fake"
)

// noResultWord makes every query that contains it find nothing.
const noResultWord = "brakwyniku"

const (
	componentsSlug = "Podzespoly_komputerowe" // all components
	departmentSlug = "Komputery"              // everything
	inventedSlug   = "Pozostale_podzespoly"   // the products that are made up for queries
)

//go:embed *.csv
var files embed.FS

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

// inventory is the fixed list of products, and those that were made up for queries.
type inventory struct {
	categories map[string]category // by slug
	shops      []shop
	products   []product // the most popular first
	byID       map[int]product

	mu       sync.Mutex
	invented map[int]product
}

func newInventory() *inventory {
	list := &inventory{categories: map[string]category{}, byID: map[int]product{}, invented: map[int]product{}}
	for _, line := range read("categories.csv") {
		id, _ := strconv.Atoi(line[0])
		list.categories[line[1]] = category{ID: id, Slug: line[1], Name: line[2], Parent: line[3], Keywords: line[4],
			Boxes: line[5] != ""}
	}
	for place, line := range read("shops.csv") {
		list.shops = append(list.shops, shop{
			ID: 300 + 37*place, Domain: line[0], Label: line[1], Rating: "4," + strconv.Itoa(2+5*place%8),
			Opinions: 1 + 1571*place%4000,
		})
	}
	for _, line := range read("products.csv") {
		p := newProduct(line, list.categories[line[0]])
		list.byID[p.ID] = p
		list.products = append(list.products, p)
	}
	slices.SortStableFunc(list.products, func(a, b product) int { return cmp.Compare(b.Popularity, a.Popularity) })
	return list
}

func (l *inventory) product(id int) (product, bool) {
	if p, found := l.byID[id]; found {
		return p, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p, found := l.invented[id]
	return p, found
}

// exact returns the product whose full name, short name or code is the query, if there is exactly one.
func (l *inventory) exact(query, slug string) (product, bool) {
	wanted := strings.Join(words(query), " ")
	if wanted == "" {
		return product{}, false
	}
	var found []product
	for _, p := range l.products {
		if p.in(slug) && !p.OfferOnly && slices.Contains(p.keys, wanted) {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		return product{}, false
	}
	return found[0], true
}

// search returns full matches, the most popular first, then near misses. If nothing in the whole range matches, it
// makes up products for a query with a plausible word.
func (l *inventory) search(query, slug string) []product {
	wanted := words(query)
	if len(wanted) == 0 || slices.Contains(wanted, noResultWord) {
		return nil
	}
	scores := map[int]int{}
	var found []product
	for _, p := range l.products {
		if score := p.score(wanted); score > 0 && p.in(slug) {
			scores[p.ID] = score
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b product) int { return cmp.Compare(scores[b.ID], scores[a.ID]) })
	wholeRange := slug == "" || slug == departmentSlug
	if len(found) == 0 && wholeRange && slices.ContainsFunc(wanted, plausible) {
		return l.invent(query, strings.Join(wanted, " "))
	}
	return found
}

// score says how well a product matches the words of a query; 0 is not at all. In a query of three or more words one
// without a digit may be missing.
func (p product) score(wanted []string) int {
	total, missing := 0, 0
	for _, word := range wanted {
		switch {
		case slices.Contains(p.words, word):
			total += 3
		case len(word) >= 4 && strings.Contains(p.glued, word): // "rtx4070"
			total++
		case strings.ContainsAny(word, "0123456789"):
			return 0
		default:
			missing++
		}
	}
	if missing > 1 || missing == 1 && len(wanted) < 3 {
		return 0
	}
	return total
}

// plausible reports whether a word may be one of a language: it has three letters, one of them a vowel.
func plausible(word string) bool {
	letters := strings.Trim(word, "0123456789")
	return utf8.RuneCountInString(letters) >= 3 && strings.ContainsAny(letters, "aeiouy")
}

// invent makes up products whose names begin with the query, and keeps them for their pages. key is the query as the
// seed: the same words find the same products.
func (l *inventory) invent(query, key string) []product {
	makers := []string{"Nordvik", "Halny", "Orbitek", "Lumio", "Kaskada", "Zefir", "Tarcza"}
	title := []rune(query)
	name := string(unicode.ToUpper(title[0])) + string(title[1:min(len(title), 60)])
	random := fake.Rand("invention", key)
	base := 30 + random.IntN(1500)
	var products []product
	for place := range 3 + random.IntN(4) {
		p := product{
			ID: 200_000_000 + random.IntN(800_000_000), Name: name, Brand: makers[(base+place)%len(makers)],
			Category: l.categories[inventedSlug], Price: shopPrice(base+random.IntN(base), random.IntN(6)),
			Shops: 1 + random.IntN(20), Rating: "4," + strconv.Itoa(random.IntN(10)), Opinions: 1 + random.IntN(60),
		}
		if place > 0 {
			p.Name += fmt.Sprintf(" %s %c-%d", p.Brand, 'A'+random.Int32N(26), 100+10*random.IntN(90))
		}
		p.Short = p.Name
		products = append(products, p)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.invented) > 50_000 { // a bound on memory
		clear(l.invented)
	}
	for _, p := range products {
		l.invented[p.ID] = p
	}
	return products
}

// words splits a text into words. A number and its unit are one word: "2 TB" is "2tb".
func words(text string) []string {
	var list []string
	for _, word := range fake.Words(text) {
		switch last := len(list) - 1; word {
		case "gb", "tb", "mb", "mhz", "ghz", "w", "mm":
			if last >= 0 && strings.Trim(list[last], "0123456789") == "" {
				list[last] += word
				continue
			}
		}
		list = append(list, word)
	}
	return list
}
