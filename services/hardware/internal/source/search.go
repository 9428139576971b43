package source

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/match"
	"backend.example/services/hardware/internal/upstream"
)

// searchResult is what a search led to: rows to choose from, or the one product to
// which the site itself redirected.
type searchResult struct {
	rows    []searchRow
	product string // number of that product, empty when there are rows
	known   bool   // false when the site does not know the category
}

// best is the row that matches q best. Any row with a product page, which has the
// offers of many shops, goes before those of a single shop.
func (s searchResult) best(q catalog.Query) (searchRow, bool) {
	for _, single := range []bool{false, true} {
		var rows []searchRow
		var names []string
		for _, row := range s.rows {
			if (row.id == "") == single {
				rows, names = append(rows, row), append(names, row.name)
			}
		}
		if i, ok := match.Best(q, names); ok {
			return rows[i], true
		}
	}
	return searchRow{}, false
}

// search searches the category of q where the site has a slug for it, and the whole
// site when it has none or does not know that slug.
func (a *Aggregator) search(s *session, q catalog.Query) (searchResult, error) {
	if slug := a.slugs.of(q.Category); slug != "" {
		if found, err := a.searchOnce(s, slug, q.Text); err != nil || found.known {
			return found, err
		}
		a.slugs.reject(slug)
	}
	return a.searchOnce(s, "", q.Text)
}

// searchOnce makes one search. Its last page decides how it is read, because the
// site answers an exact match with a redirect to the product.
func (a *Aggregator) searchOnce(s *session, slug, text string) (searchResult, error) {
	p, err := s.open(a.searchURL(slug, text), func(u *url.URL) bool { return a.productAt(u) != "" })
	if err != nil {
		return searchResult{}, err
	}
	if id := a.productAt(p.url); id != "" {
		return searchResult{product: id, known: true}, nil
	}
	if slug != "" && p.status == http.StatusNotFound {
		return searchResult{}, nil
	}
	if p.status != http.StatusOK {
		return searchResult{}, upstream.Unreachable(fmt.Errorf("search: status %d", p.status))
	}
	rows, err := parseSearch(bytes.NewReader(p.body), a.markup.search)
	if len(rows) == 0 && a.endedElsewhere(slug, p) {
		return searchResult{}, nil
	}
	if err != nil {
		return searchResult{}, a.unreadable(p, err)
	}
	return searchResult{rows: rows, known: true}, nil
}

// endedElsewhere reports whether a search in a category ended on a page of another
// kind, as a search with an unknown slug does.
func (a *Aggregator) endedElsewhere(slug string, p page) bool {
	return slug != "" && !strings.Contains(p.url.Path, a.markup.address.search[1:])
}

// unreadable is the fault for a page from which nothing could be read.
func (a *Aggregator) unreadable(p page, err error) error {
	if a.markup.challenge.matches(p.body) {
		return upstream.Blocked(fmt.Errorf("%w: %w", errChallenge, err), 0)
	}
	return upstream.Changed(err)
}
