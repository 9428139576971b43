// Package ceneo finds products and their offers at the price aggregator ceneo.pl. It owns the site's addresses
// (ceneo.go), selectors and texts (markup.go), and parses its pages.
package ceneo

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/match"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fault"
)

// DefaultSections returns the site's names of our categories, those of the parent category where the exact one is
// not certain. A section that the site does not know costs one more request a day.
func DefaultSections() map[catalog.Category]string {
	const components = "Podzespoly_komputerowe"
	return map[catalog.Category]string{
		"cpu": components, "gpu": "Karty_graficzne", "ram": components, "storage": "Dyski",
		"motherboard": components, "psu": components, "cooling": components, "case": components,
	}
}

const unknownFor = 24 * time.Hour

// Name is what people call the aggregator. Domain names it in answers, whatever address is used.
const (
	Name   = "Ceneo"
	Domain = "ceneo.pl"
)

// Site is the price aggregator. It implements prices.Source and is safe for concurrent use.
type Site struct {
	*fetch.Client
	sections map[catalog.Category]string
	lists    map[string]string // sections of lists by name

	mu      sync.Mutex
	unknown map[string]time.Time // until when sections are not tried
}

// New returns the Site. sections and lists replace entries of DefaultSections and DefaultLists; an empty section
// stands for the computer department.
func New(o fetch.Options, sections map[catalog.Category]string, lists map[string]string) *Site {
	o.Accept = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"
	o.Forbidden, o.Challenges = clickCounter, challenges
	s := &Site{Client: fetch.New(o), sections: DefaultSections(), lists: lists, unknown: map[string]time.Time{}}
	maps.Copy(s.sections, sections)
	return s
}

// section returns where to search for products of c. robots.txt disallows the search over the whole site.
func (s *Site) section(c catalog.Category) string {
	section := s.sections[c]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Now().Before(s.unknown[section]) {
		return department
	}
	return cmp.Or(section, department)
}

func (s *Site) rejectSection(section string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unknown[section] = s.Now().Add(unknownFor)
}

// SearchURL returns the address of a search over the whole site, for people. robots.txt disallows it; it is never
// requested.
func (s *Site) SearchURL(text string) string { return s.searchURL("", text) }

func (s *Site) searchURL(section, text string) string {
	return s.Address(section + searchPath + url.QueryEscape(searchable(text)))
}

// searchable replaces characters that the site takes for parts of the address.
func searchable(text string) string {
	const reserved = "`~#%^&*{}[]:;|\\\"'<>/?"
	return collapseSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune(reserved, r) {
			return ' '
		}
		return r
	}, text))
}

// Search implements prices.Source with one request, or two if the site does not know the
// category or has nothing in it.
func (s *Site) Search(ctx context.Context, r *fetch.Request, q catalog.Query) (number string, found prices.Finding,
	err error) {
	noMatch := prices.Finding{ProductURL: s.SearchURL(q.Text)}
	if utf8.RuneCountInString(searchable(q.Text)) < catalog.MinQueryLength {
		noMatch.NotAsked = true // the site responds to a text that is too short with 500
		return "", noMatch, nil
	}
	result, err := s.search(ctx, r, q)
	if err != nil {
		return "", prices.Finding{}, err
	}
	if result.product != "" {
		return result.product, noMatch, nil // only its page says whether it is meant
	}
	choice := match.Choose(q, candidates(result.rows))
	var row searchRow
	if choice.Index >= 0 {
		row = result.rows[choice.Index]
	}
	switch {
	case choice.Index < 0:
		found = noMatch
		found.Ambiguous = choice.Ambiguous
	case row.isSingleShop():
		found = s.singleShop(q, row)
	default:
		number = row.id
		found = prices.Finding{ProductName: row.name, ProductURL: s.Address(row.id), OfferCount: row.shops,
			PriceLow: row.minPrice}
	}
	found.Alternatives = s.alternatives(others(result.rows, choice), row)
	return number, found, nil
}

// searchResult is what a search led to: rows to choose from, or the one product to
// which the site itself redirected.
type searchResult struct {
	rows    []searchRow
	product string // number of that product, empty if there are rows
	outcome searchOutcome
}

// searchOutcome says how far a search in a section got.
type searchOutcome int

const (
	searched       searchOutcome = iota
	nothingFound                 // the site left the section
	unknownSection               // the site does not know the section
)

// others returns the rows that a query means as well, in the order of choice, or all rows if
// there are none.
func others(rows []searchRow, choice match.Choice) []searchRow {
	if len(choice.Others) == 0 {
		return rows
	}
	var meant []searchRow
	for _, i := range choice.Others {
		meant = append(meant, rows[i])
	}
	return meant
}

// search searches the section of q, and the department if that section is not known or
// has nothing.
func (s *Site) search(ctx context.Context, r *fetch.Request, q catalog.Query) (searchResult, error) {
	section := s.section(match.Category(q))
	found, err := s.searchIn(ctx, r, section, q.Text)
	if section == department || found.outcome == searched { // or failed
		return found, err
	}
	if found.outcome == unknownSection {
		s.rejectSection(section)
	}
	return s.searchIn(ctx, r, department, q.Text)
}

// searchIn makes one search. The site responds to an exact match with a redirect to the
// product, and to a search that finds nothing in its section with one to the search over
// the whole site. Neither redirect is followed.
func (s *Site) searchIn(ctx context.Context, r *fetch.Request, section, text string) (searchResult, error) {
	p, err := s.Get(ctx, r, s.searchURL(section, text), func(u *url.URL) bool {
		return productNumber(s.Path(u)) != "" || s.searchesAll(u)
	})
	if err != nil {
		return searchResult{}, err
	}
	number := productNumber(s.Path(p.URL))
	switch {
	case s.searchesAll(p.URL):
		return searchResult{outcome: nothingFound}, nil
	case number != "":
		return searchResult{product: number}, nil
	case section != department && p.Status == http.StatusNotFound:
		return searchResult{outcome: unknownSection}, nil
	case p.Status != http.StatusOK:
		return searchResult{}, p.UnexpectedStatus("search")
	}
	rows, err := parseSearch(bytes.NewReader(p.Body))
	if len(rows) == 0 && section != department && !strings.Contains(p.URL.Path, searchPath[1:]) {
		return searchResult{outcome: unknownSection}, nil
	}
	if err != nil {
		return searchResult{}, s.Unreadable(p, err)
	}
	return searchResult{rows: rows}, checkEnd(p.Body)
}

// searchesAll reports whether u is the search over the whole site.
func (s *Site) searchesAll(u *url.URL) bool { return strings.HasPrefix(s.Path(u), "/"+searchPath) }

// alternatives returns the rows with a product page other than chosen, which may be
// empty. Those of another category than that of chosen are left out.
func (s *Site) alternatives(rows []searchRow, chosen searchRow) []prices.Alternative {
	var others []prices.Alternative
	for _, row := range rows {
		isOther := row.id != "" && row.id != chosen.id && (chosen.category == "" || row.category == chosen.category)
		if !isOther || len(others) == prices.MaxAlternatives {
			continue
		}
		others = append(others, prices.Alternative{
			ProductName: row.name, ProductURL: s.Address(row.id), PriceLow: row.minPrice, OfferCount: row.shops,
		})
	}
	return others
}

// singleShop returns the finding for a row that holds its one offer. If the row has no
// number, the search is the page to show.
func (s *Site) singleShop(q catalog.Query, row searchRow) prices.Finding {
	offer := shopOffer(row.shop, row.logo, row.minPrice)
	if offer.Store == "" { // the link leads to the shop through the aggregator
		offer.Store, offer.StoreLabel = Domain, Domain
	}
	if row.freeDelivery {
		offer.PriceWithDelivery = offer.Price
	}
	offer.URL = absolute(s.BaseURL, row.shopLink)
	page := s.SearchURL(q.Text)
	if row.id != "" {
		page = s.Address(row.id)
	}
	return prices.Finding{
		ProductName: row.name, ProductURL: page, OfferCount: 1,
		PriceLow: row.minPrice, PriceHigh: row.minPrice, Offers: []prices.Offer{offer},
	}
}

// Product implements prices.Source with one request, cheapest offers first. If the site or
// its robots.txt refuses that order, a second one reads the page in the site's own order,
// which may not show all offers.
func (s *Site) Product(ctx context.Context, r *fetch.Request, number string, shops int) (prices.Finding, error) {
	p, err := s.Get(ctx, r, s.Address(number+productTail), nil)
	isRefused := p.Status == http.StatusNotFound || p.Status == http.StatusBadRequest
	if err != nil {
		isRefused = fault.Is(err, fetch.CodeDisallowed)
	}
	if isRefused {
		p, err = s.Get(ctx, r, s.Address(number), nil)
	}
	if err != nil {
		return prices.Finding{}, err
	}
	if p.Status != http.StatusOK {
		return prices.Finding{}, p.UnexpectedStatus("product page")
	}
	read, err := parseProduct(bytes.NewReader(p.Body), p.URL)
	if err != nil {
		return prices.Finding{}, s.Unreadable(p, err)
	}
	if err := checkEnd(p.Body); err != nil {
		return prices.Finding{}, err
	}
	count := max(cmp.Or(read.count, shops), read.shown)
	sorted := strings.HasSuffix(p.URL.Path, productTail)
	return prices.Finding{
		ProductName: read.name,
		ProductURL:  s.Address(cmp.Or(productNumber(s.Path(p.URL)), number)),
		OfferCount:  count,
		PriceLow:    read.low,
		PriceHigh:   read.high,
		Offers:      read.offers,
		Partial:     !sorted && count > read.shown,
	}, nil
}
