package catalogue

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

// Search returns what a query finds on the shelf of a slug ("" = anywhere),
// best first: full matches by popularity, then near misses. Anywhere, a query
// of sensible words outside the catalogue finds a few made-up products.
func (c *Catalogue) Search(query, slug string) []Product {
	words := Words(query)
	if len(words) == 0 || slices.Contains(words, NoResultWord) {
		return nil
	}
	found := c.ranked(words, slug)
	if len(found) == 0 && slug == "" && sensible(words) {
		return c.invented.forQuery(query)
	}
	return found
}

type hit struct {
	product Product
	score   int
}

func (c *Catalogue) ranked(words []string, slug string) []Product {
	var hits []hit
	for _, product := range c.products {
		if !product.on(slug) {
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
