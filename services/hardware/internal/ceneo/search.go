package ceneo

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/match"
)

// searchResult is what a search led to: rows to choose from, or the one product to
// which the site itself redirected.
type searchResult struct {
	rows    []searchRow
	product string // number of that product, empty when there are rows
	outcome searchOutcome
}

// searchOutcome says how far a search in a category got.
type searchOutcome int

const (
	searched    searchOutcome = iota
	nothingInIt               // the site left the category
	unknownSlug               // the site does not know the category
)

// best is the row that matches q best. Any row of a product, which has the offers of
// many shops, goes before those of a single shop.
func (s searchResult) best(q catalog.Query) (searchRow, bool) {
	for _, single := range []bool{false, true} {
		var rows []searchRow
		var candidates []match.Candidate
		for _, row := range s.rows {
			if row.isSingleShop() == single {
				rows = append(rows, row)
				candidates = append(candidates, match.Candidate{Name: row.name, Department: row.department})
			}
		}
		if i, ok := match.Best(q, candidates); ok {
			return rows[i], true
		}
	}
	return searchRow{}, false
}

// search searches the category of q, and the site's computer department when that
// category is not known or has nothing.
func (a *Aggregator) search(s *session, q catalog.Query) (searchResult, error) {
	slug := a.slugs.of(match.Category(q))
	found, err := a.searchIn(s, slug, q.Text)
	if err != nil || slug == department || found.product != "" || found.outcome == searched {
		return found, err
	}
	if found.outcome == unknownSlug {
		a.slugs.reject(slug)
	}
	return a.searchIn(s, department, q.Text)
}

// searchIn makes one search. Its last page decides how it is read, because the site
// answers an exact match with a redirect to the product, and a search that finds
// nothing in its category with one to the search over the whole site. Neither
// redirect is followed.
func (a *Aggregator) searchIn(s *session, slug, text string) (searchResult, error) {
	p, err := s.open(a.searchURL(slug, text), func(u *url.URL) bool { return a.productAt(u) != "" || a.searchesAll(u) })
	switch {
	case err != nil:
		return searchResult{}, err
	case a.searchesAll(p.url):
		return searchResult{outcome: nothingInIt}, nil
	case a.productAt(p.url) != "":
		return searchResult{product: a.productAt(p.url)}, nil
	case slug != department && p.status == http.StatusNotFound:
		return searchResult{outcome: unknownSlug}, nil
	case p.status != http.StatusOK:
		return searchResult{}, unexpectedStatus("search", p.status)
	}
	rows, err := parseSearch(bytes.NewReader(p.body), a.markup.search)
	if len(rows) == 0 && slug != department && !strings.Contains(p.url.Path, a.markup.address.search[1:]) {
		return searchResult{outcome: unknownSlug}, nil
	}
	if err != nil {
		return searchResult{}, a.unreadable(p, err)
	}
	return searchResult{rows: rows}, nil
}

// searchesAll reports whether u is the search over the whole site.
func (a *Aggregator) searchesAll(u *url.URL) bool {
	return strings.HasPrefix(u.EscapedPath(), a.client.baseURL.root()+"/"+a.markup.address.search)
}

// unreadable is the fault for a page from which nothing could be read.
func (a *Aggregator) unreadable(p page, err error) error {
	if a.client.challenge.matches(p.body) {
		return lookup.Blocked(fmt.Errorf("%w: %w", errChallenge, err), 0)
	}
	return lookup.Unreadable(err)
}
