package source

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"backend.example/services/hardware/internal/hardware"
)

// searched is what a search led to: rows to choose from, or the one product that
// the site itself took the text for.
type searched struct {
	rows    []result
	product string // number of that product, empty when there are rows
	known   bool   // false when the site does not know the category
}

// best is the row that q means. A product page with its many offers goes before
// a row of a single shop, however few words that one has.
func (s searched) best(q hardware.Query) (result, bool) {
	for _, single := range []bool{false, true} {
		var rows []result
		var names []string
		for _, row := range s.rows {
			if (row.id == "") == single {
				rows, names = append(rows, row), append(names, row.name)
			}
		}
		if i, ok := hardware.BestMatch(q, names); ok {
			return rows[i], true
		}
	}
	return result{}, false
}

// search looks in the category of q first, where it has a slug, and everywhere
// when the site does not know that one.
func (a *Aggregator) search(s *session, q hardware.Query) (searched, error) {
	if slug := a.slugs.of(q.Category); slug != "" {
		if found, err := a.results(s, slug, q.Text); err != nil || found.known {
			return found, err
		}
		a.slugs.reject(slug)
	}
	return a.results(s, "", q.Text)
}

// results makes one search. The page where it ends decides how it is read, as an
// exact match is answered with a redirect to the product.
func (a *Aggregator) results(s *session, slug, text string) (searched, error) {
	p, err := s.open(a.searchURL(slug, text), func(u *url.URL) bool { return a.productAt(u) != "" })
	if err != nil {
		return searched{}, err
	}
	if id := a.productAt(p.url); id != "" {
		return searched{product: id, known: true}, nil
	}
	if slug != "" && p.status == http.StatusNotFound {
		return searched{}, nil
	}
	if p.status != http.StatusOK {
		return searched{}, hardware.Unreachable(fmt.Errorf("search: status %d", p.status))
	}
	rows, err := parseSearch(bytes.NewReader(p.body), a.markup.search)
	if len(rows) == 0 && a.strayed(slug, p) {
		return searched{}, nil
	}
	if err != nil {
		return searched{}, a.unreadable(p, err)
	}
	return searched{rows: rows, known: true}, nil
}

// strayed reports whether a search in a category ended on a page of another
// kind, as one with an unknown slug does.
func (a *Aggregator) strayed(slug string, p page) bool {
	return slug != "" && !strings.Contains(p.url.Path, a.markup.address.search[1:])
}

// unreadable is the fault for a page of which nothing could be read.
func (a *Aggregator) unreadable(p page, err error) error {
	if a.markup.challenge.looksLike(p.body) {
		return hardware.Blocked(fmt.Errorf("%w: %w", errChallenge, err), 0)
	}
	return hardware.Changed(err)
}
