package ceneo

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gocolly/colly/v2"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
)

// AggregatorOptions are what an Aggregator needs. Zero MaxBody is DefaultMaxBody.
type AggregatorOptions struct {
	BaseURL   *url.URL
	UserAgent string                      // names the software and a contact address
	Timeout   time.Duration               // of one request, counted from its turn
	MaxBody   int64                       // bytes
	Slugs     map[catalog.Category]string // the site's name of a category of ours
	Transport http.RoundTripper           // makes the requests; guards against private addresses
	Pacer     Pacer
	Now       func() time.Time
}

// Aggregator finds offers at the price aggregator. It is safe for concurrent use.
type Aggregator struct {
	client *siteClient
	markup markup
	slugs  *slugs
}

// NewAggregator returns an Aggregator. Entries of o.Slugs replace those of
// DefaultSlugs; an empty one searches that
// category's products in the computer department.
func NewAggregator(o AggregatorOptions) *Aggregator {
	m := knownMarkup()
	return &Aggregator{
		markup: m,
		slugs:  newSlugs(o.Slugs, o.Now),
		client: &siteClient{
			baseURL: baseURL{o.BaseURL}, addresses: m.address, challenge: m.challenge, userAgent: o.UserAgent,
			timeout: o.Timeout, maxBody: cmp.Or(o.MaxBody, DefaultMaxBody),
			transport: o.Transport, pacer: o.Pacer, now: o.Now,
			robots: newRobotsCache(m.challenge, o.Now, func(rules string) { o.Pacer.KeepApart(crawlDelay(rules, o.UserAgent)) }),
		},
	}
}

// Domain is the host of the base URL without "www.", e.g. "ceneo.pl".
func (a *Aggregator) Domain() string { return a.client.baseURL.domain() }

// SearchURL is the address at which the site searches all its products for text. It is
// for people: robots.txt closes it to programs, and it is never requested.
func (a *Aggregator) SearchURL(text string) string { return a.searchURL("", text) }

func (a *Aggregator) searchURL(slug, text string) string {
	return a.client.baseURL.address(slug + a.markup.address.search + url.QueryEscape(searchable(text)))
}

// searchable is what of a text the site can search for. Characters that it takes for
// parts of the address become spaces.
func searchable(text string) string {
	const reserved = "`~#%^&*{}[]:;|\\\"'<>/?"
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(reserved, r) {
			return ' '
		}
		return r
	}, text)
	return collapseSpace(plain)
}

// Search finds the product that q means: one request, or two where the site does not know
// the category or has nothing in it. Every request takes a turn.
//
// The errors are the faults of package lookup, the pacer's, and ctx's own.
func (a *Aggregator) Search(ctx context.Context, r *lookup.Request, q catalog.Query) (number string, told prices.Finding, err error) {
	if utf8.RuneCountInString(searchable(q.Text)) < catalog.MinQueryLength {
		told = a.noMatch(q)
		told.NotAsked = true // the site answers a text that is too short with 500
		return "", told, nil
	}
	found, err := a.search(newSession(ctx, r, a.client), q)
	if err != nil {
		return "", prices.Finding{}, failure(ctx, err)
	}
	number, told = a.choose(q, found)
	return number, told, nil
}

// choose is the product that a search led to. Where the site itself named one, only its
// page tells whether it is meant.
func (a *Aggregator) choose(q catalog.Query, found searchResult) (number string, told prices.Finding) {
	if found.product != "" {
		return found.product, a.noMatch(q)
	}
	row, ok := found.best(q)
	switch {
	case !ok:
		told = a.noMatch(q)
	case row.isSingleShop():
		told = a.singleShop(q, row)
	default:
		number = row.id
		told = prices.Finding{
			ProductName: row.name, ProductURL: a.client.baseURL.address(row.id), OfferCount: row.shops, PriceLow: row.minPrice,
		}
	}
	told.Alternatives = a.alternatives(found.rows, row)
	return number, told
}

// Product reads the page with the offers of a product: one request, or two where the
// site refuses their order. Its errors are those of Search.
func (a *Aggregator) Product(ctx context.Context, r *lookup.Request, number string, shops int) (prices.Finding, error) {
	f, err := a.offers(newSession(ctx, r, a.client), number, shops)
	if err != nil {
		return prices.Finding{}, failure(ctx, err)
	}
	return f, nil
}

// alternatives are the rows with a product page besides the chosen one, which may be
// empty. Those of another category than the chosen one's are left out.
func (a *Aggregator) alternatives(rows []searchRow, chosen searchRow) []prices.Alternative {
	var others []prices.Alternative
	for _, row := range rows {
		isOther := row.id != "" && row.id != chosen.id && (chosen.department == "" || row.department == chosen.department)
		if !isOther || len(others) == prices.MaxAlternatives {
			continue
		}
		others = append(others, prices.Alternative{
			ProductName: row.name, ProductURL: a.client.baseURL.address(row.id), PriceLow: row.minPrice, OfferCount: row.shops,
		})
	}
	return others
}

// noMatch is the finding that no product matches q.
func (a *Aggregator) noMatch(q catalog.Query) prices.Finding {
	return prices.Finding{ProductURL: a.SearchURL(q.Text)}
}

// singleShop is the finding for a row that says all about its one offer. Where the row
// has no number, the search is the page to show.
func (a *Aggregator) singleShop(q catalog.Query, row searchRow) prices.Finding {
	offer := shopOffer(row.shop, row.logo, row.minPrice)
	if offer.Store == "" { // the link leads to the shop by way of the aggregator
		offer.Store, offer.StoreLabel = a.Domain(), a.Domain()
	}
	if row.freeDelivery {
		offer.PriceWithDelivery = offer.Price
	}
	offer.URL = absolute(a.client.baseURL.URL, row.shopLink)
	page := a.SearchURL(q.Text)
	if row.id != "" {
		page = a.client.baseURL.address(row.id)
	}
	return prices.Finding{
		ProductName: row.name, ProductURL: page, OfferCount: 1,
		PriceLow: row.minPrice, PriceHigh: row.minPrice, Offers: []prices.Offer{offer},
	}
}

// offers reads the offers of product id, cheapest first. Where the site refuses
// that order, it reads the page in the site's own order, which may not show all of
// them. shops is the number of offers to assume when the page does not say.
func (a *Aggregator) offers(s *session, id string, shops int) (prices.Finding, error) {
	tail := a.markup.address.productTail
	p, err := s.open(a.client.baseURL.address(id+tail), nil)
	if orderRefused(p, err) {
		p, err = s.open(a.client.baseURL.address(id), nil)
	}
	if err != nil {
		return prices.Finding{}, err
	}
	if p.status != http.StatusOK {
		return prices.Finding{}, unexpectedStatus("product page", p.status)
	}
	read, err := parseProduct(bytes.NewReader(p.body), p.url, a.markup.product)
	if err != nil {
		return prices.Finding{}, a.unreadable(p, err)
	}
	count := max(cmp.Or(read.count, shops), read.shown)
	sorted := strings.HasSuffix(p.url.Path, tail)
	return prices.Finding{
		ProductName: read.name,
		ProductURL:  a.client.baseURL.address(cmp.Or(a.productAt(p.url), id)),
		OfferCount:  count,
		PriceLow:    read.low,
		PriceHigh:   read.high,
		Offers:      read.offers,
		Partial:     !sorted && count > read.shown,
	}, nil
}

// orderRefused reports whether the site, or its robots.txt, does not give the
// offers in the order asked for.
func orderRefused(p page, err error) bool {
	if err != nil {
		return errors.Is(err, colly.ErrRobotsTxtBlocked)
	}
	return p.status == http.StatusNotFound || p.status == http.StatusBadRequest
}

// productAt is the number of the product whose page u is, empty for other pages.
func (a *Aggregator) productAt(u *url.URL) string {
	return productNumber(strings.TrimPrefix(u.EscapedPath(), a.client.baseURL.root()))
}
