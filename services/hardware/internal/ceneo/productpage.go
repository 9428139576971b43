package ceneo

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"backend.example/services/hardware/internal/prices"
)

// product is what a product page says.
type product struct {
	name      string
	count     int // all offers, hidden ones included; zero when the page does not say
	low, high float64
	offers    []prices.Offer // ascending by price, at most prices.MaxOffers
	shown     int            // number of offers on the page
}

// parseProduct reads a product page whose links are relative to base. A page with a
// summary and without offers is a product that nobody sells. The error is errLayout
// when the page, or none of the offers that it announces, can be read.
func parseProduct(page io.Reader, base *url.URL, m productMarkup) (product, error) {
	doc, err := goquery.NewDocumentFromReader(page)
	if err != nil {
		return product{}, fmt.Errorf("%w: %w", errLayout, err)
	}
	s, hasSummary := readSummary(doc, m)
	hasCount := s.count > 0
	if !hasCount {
		s.count, hasCount = m.tabCount(doc)
	}
	list := m.readOffers(doc, base)
	p := product{name: m.productName(doc, s), count: s.count, low: s.low, high: s.high, shown: list.shown}
	switch {
	case p.name == "":
		return product{}, fmt.Errorf("%w: product page without a name", errLayout)
	case list.shown > 0 && len(list.offers) == 0 && list.outOfStock < list.shown:
		return product{}, fmt.Errorf("%w: none of %d offers can be read", errLayout, list.shown)
	case list.shown == 0 && s.count > 0:
		return product{}, fmt.Errorf("%w: product page shows none of %d offers", errLayout, s.count)
	case list.shown == 0 && !hasSummary && !hasCount:
		return product{}, fmt.Errorf("%w: product page with neither offers nor a summary", errLayout)
	}
	p.offers = cheapest(list.offers)
	return p, nil
}

// productName is the name in the summary, or else the heading: that may be the name of
// a whole group of variants.
func (m productMarkup) productName(doc *goquery.Document, s summary) string {
	return cmp.Or(s.name, collapseSpace(first(doc.Selection, m.name).Text()))
}

// tabCount reads the number of offers from the tab "Oferty (26)".
func (m productMarkup) tabCount(doc *goquery.Document) (count int, found bool) {
	doc.Find(m.tabs).EachWithBreak(func(_ int, tab *goquery.Selection) bool {
		text := collapseSpace(tab.Text())
		found = strings.HasPrefix(text, m.offersTab) && strings.ContainsAny(text, "0123456789")
		if found {
			count = firstNumber(text)
		}
		return !found
	})
	return count, found
}

// offerList is what the lists of offers on a page hold.
type offerList struct {
	offers     []prices.Offer
	shown      int // different offers, readable or not
	outOfStock int // of those shown
}

// readOffers reads the standard list of offers and the bidding list. The same offer
// can stand in both, and is read once.
func (m productMarkup) readOffers(doc *goquery.Document, base *url.URL) offerList {
	var list offerList
	seen := map[string]bool{}
	outermost(outermost(doc.Find(m.lists), m.lists).Find(m.offer), m.offer).Each(func(_ int, item *goquery.Selection) {
		if item.Closest(m.foreign).Length() > 0 {
			return
		}
		offer, ok := m.offerIn(item, base)
		id, shopAndPrice := m.offerID(item), fmt.Sprintf("%s %.2f", offer.Store, offer.Price)
		if id != "" && seen[id] || ok && seen[shopAndPrice] {
			return
		}
		seen[id], seen[shopAndPrice] = true, ok
		list.shown++
		switch {
		case m.isOutOfStock(item):
			list.outOfStock++
		case ok:
			list.offers = append(list.offers, offer)
		}
	})
	return list
}

// cheapest keeps the first prices.MaxOffers of the offers sorted by price. Equal
// prices stay in the order of the page.
func cheapest(offers []prices.Offer) []prices.Offer {
	slices.SortStableFunc(offers, func(a, b prices.Offer) int { return cmp.Compare(a.Price, b.Price) })
	return offers[:min(len(offers), prices.MaxOffers)]
}
