package products

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// NoResultWord makes every query that holds it find nothing.
const NoResultWord = "brakwyniku"

// nearMissWords is how long a query has to be for products that lack one of
// its words to be listed after the full matches.
const nearMissWords = 3

// Exact returns the one product with a page whose full name, short name or code the
// query is. Two such products are no exact match.
func (l *Inventory) Exact(query, slug string) (Product, bool) {
	wanted := key(query)
	if wanted == "" {
		return Product{}, false
	}
	var found []Product
	for _, product := range l.products {
		if product.in(slug) && !product.OfferOnly && slices.Contains(product.keys, wanted) {
			found = append(found, product)
		}
	}
	if len(found) != 1 {
		return Product{}, false
	}
	return found[0], true
}

// Search returns what a query finds in the category of a slug, best first: full
// matches by popularity, then near misses. Among everything, a query of sensible words
// that no product has finds a few that are made up for it.
func (l *Inventory) Search(query, slug string) []Product {
	words := Words(query)
	if len(words) == 0 || slices.Contains(words, NoResultWord) {
		return nil
	}
	found := l.ranked(words, slug)
	if len(found) == 0 && isEverything(slug) && sensible(words) {
		return l.invented.forQuery(query)
	}
	return found
}

type hit struct {
	product Product
	score   int
}

func (l *Inventory) ranked(words []string, slug string) []Product {
	var hits []hit
	for _, product := range l.products {
		if !product.in(slug) {
			continue
		}
		if score, matches := product.score(words); matches {
			hits = append(hits, hit{product, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := make([]Product, 0, len(hits))
	for _, h := range hits {
		found = append(found, h.product)
	}
	return found
}

// score sums how well the words agree. All have to; one word without a digit
// may be missing from a long query, and that is a near miss.
func (p Product) score(words []string) (int, bool) {
	total, missing := 0, 0
	for _, word := range words {
		match := p.words.match(word)
		if match == noMatch {
			if hasDigit(word) {
				return 0, false
			}
			missing++
		}
		total += match
	}
	return total, missing == 0 || missing == 1 && len(words) >= nearMissWords
}

// sensible tells whether at least one word could be one: three letters or
// more, with a vowel among them.
func sensible(words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool {
		letters := strings.Trim(word, "0123456789")
		return utf8.RuneCountInString(letters) >= 3 && strings.ContainsAny(letters, "aeiouy")
	})
}
