// Package ceneo finds products and their offers at the price aggregator ceneo.pl. It owns the site's addresses
// (ceneo.go), selectors and texts (markup.go), and parses its pages.
package ceneo

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"net/url"
	"strconv"
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

// defaultSections returns the site's names of our categories, those of the parent category where the exact one is
// not certain. A section that the site does not know costs one more request a day.
func defaultSections() map[catalog.Category]string {
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

// New returns the Site. sections and lists replace entries of defaultSections and DefaultLists; an empty section
// stands for the computer department.
func New(o fetch.Options, sections map[catalog.Category]string, lists map[string]string) *Site {
	o.Accept = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"
	o.Forbidden, o.Challenges = clickCounter, challenges
	s := &Site{Client: fetch.New(o), sections: defaultSections(), lists: lists, unknown: map[string]time.Time{}}
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
		return "", noMatch, nil // the site responds to a text that is too short with 500
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
	found.Alternatives = s.alternatives(result.rows, choice, row)
	return number, found, nil
}

// searchResult is what a search led to: rows, or the product to which the site redirected.
type searchResult struct {
	rows    []searchRow
	product string // its number
	left    bool   // the site does not know the section, or has nothing in it
}

// search searches the section of q, and the department if the site leaves that section.
func (s *Site) search(ctx context.Context, r *fetch.Request, q catalog.Query) (searchResult, error) {
	section := s.section(match.Category(q))
	found, err := s.searchIn(ctx, r, section, q.Text)
	if found.left && section != department {
		return s.searchIn(ctx, r, department, q.Text)
	}
	return found, err
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
		return searchResult{left: true}, nil
	case number != "":
		return searchResult{product: number}, nil
	case section != department && p.Status == http.StatusNotFound:
		s.rejectSection(section)
		return searchResult{left: true}, nil
	case p.Status != http.StatusOK:
		return searchResult{}, p.UnexpectedStatus("search")
	}
	rows, err := parseSearch(p.Body)
	if len(rows) == 0 && section != department && !strings.Contains(p.URL.Path, searchPath[1:]) {
		s.rejectSection(section)
		return searchResult{left: true}, nil
	}
	if err != nil {
		return searchResult{}, s.Unreadable(p, err)
	}
	return searchResult{rows: rows}, checkEnd(p.Body)
}

// searchesAll reports whether u is the search over the whole site.
func (s *Site) searchesAll(u *url.URL) bool { return strings.HasPrefix(s.Path(u), "/"+searchPath) }

// alternatives returns the rows with a product page that a query means as well as chosen, or else all others. Those
// of another category than that of chosen, which may be empty, are left out.
func (s *Site) alternatives(rows []searchRow, choice match.Choice, chosen searchRow) (found []prices.Alternative) {
	var meant []searchRow
	for _, i := range choice.Others {
		meant = append(meant, rows[i])
	}
	if meant == nil {
		meant = rows
	}
	for _, row := range meant {
		isOther := row.id != "" && row.id != chosen.id && (chosen.category == "" || row.category == chosen.category)
		if isOther && len(found) < prices.MaxAlternatives {
			found = append(found, prices.Alternative{
				ProductName: row.name, ProductURL: s.Address(row.id), PriceLow: row.minPrice, OfferCount: row.shops,
			})
		}
	}
	return found
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
		isRefused = fault.Is(err, fetch.Disallowed)
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
	read, err := parseProduct(p.Body, p.URL)
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

// Parts of a list's address: most bought first; a page of 30 products, from 0.
const (
	popularFirst = ";0115-1"
	pageOfList   = ";0020-30-0-0-"
)

// DefaultLists returns the lists of all categories. Only the section of graphics cards is certain; one that the
// site lacks is skipped.
func DefaultLists() []prices.List {
	return []prices.List{
		{Name: "cpu", Category: "cpu", Section: "Procesory"},
		{Name: "gpu", Category: "gpu", Section: "Karty_graficzne"},
		{Name: "ram", Category: "ram", Section: "Pamieci_RAM"},
		{Name: "ssd", Category: "storage", Section: "Dyski_SSD"},
		{Name: "hdd", Category: "storage", Section: "Dyski_HDD"},
		{Name: "motherboard", Category: "motherboard", Section: "Plyty_glowne"},
		{Name: "psu", Category: "psu", Section: "Zasilacze"},
		{Name: "cooling", Category: "cooling", Section: "Chlodzenie_komputerowe"},
		{Name: "case", Category: "case", Section: "Obudowy"},
	}
}

// Lists implements prices.Source.
func (s *Site) Lists() []prices.List {
	lists := DefaultLists()
	for i, list := range lists {
		lists[i].Section = cmp.Or(s.lists[list.Name], list.Section)
	}
	return lists
}

// List implements prices.Source. A page that the site does not have is 404, leads to another section, or has no
// rows.
func (s *Site) List(ctx context.Context, r *fetch.Request, list prices.List, page int) ([]prices.Listed, error) {
	address := s.Address(list.Section + popularFirst)
	if page > 0 {
		address += pageOfList + strconv.Itoa(page)
	}
	leaves := func(u *url.URL) bool { return !strings.HasPrefix(s.Path(u), "/"+list.Section) }
	p, err := s.Get(ctx, r, address+".htm", leaves)
	if err != nil {
		return nil, err
	}
	if leaves(p.URL) || p.Status == http.StatusNotFound {
		return nil, nil
	}
	if p.Status != http.StatusOK {
		return nil, p.UnexpectedStatus("list " + list.Name)
	}
	rows, err := parseSearch(p.Body)
	if err != nil {
		return nil, s.Unreadable(p, err)
	}
	if err := checkEnd(p.Body); err != nil {
		return nil, err
	}
	var products []prices.Listed
	for _, row := range rows {
		if row.id != "" {
			products = append(
				products, prices.Listed{Number: row.id, Name: row.name, PriceLow: row.minPrice, Shops: row.shops},
			)
		}
	}
	return products, nil
}
