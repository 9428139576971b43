package ceneo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/match"
)

var errLayout = errors.New("page layout not recognised")

const endOfPage = 4096

// checkEnd returns fetch.Changed for a page that an interrupted transfer cut short.
func checkEnd(page []byte) error {
	tail := page[max(0, len(page)-endOfPage):]
	if bytes.Contains(bytes.ToLower(tail), []byte("</html>")) {
		return nil
	}
	return fetch.Changed.Wrap(fmt.Errorf("%w: page without its end", errLayout))
}

// maxRows bounds what is read from a page, which shows about 30 rows or offers.
const maxRows = 200

type searchRow struct {
	id           string // product number; may be empty
	name         string
	category     string  // in the site's words; may be empty
	minPrice     float64 // zero if the row does not say
	shops        int     // zero if the row does not say
	freeDelivery bool
	shopLink     string // if the row leads to a shop
	shop         string // that shop's address; may be empty
	logo         string // that shop's name; may be empty
}

// isSingleShop reports whether the row itself has its one offer, or no number to open.
func (r searchRow) isSingleShop() bool {
	named := shopOffer(r.shop, r.logo, r.minPrice).Store != ""
	return r.id == "" || r.shopLink != "" && r.shops <= 1 && r.minPrice > 0 && named
}

func candidates(rows []searchRow) []match.Candidate {
	all := make([]match.Candidate, len(rows))
	for i, row := range rows {
		all[i] = match.Candidate{Name: row.name, Department: row.category, Price: row.minPrice,
			Single: row.isSingleShop()}
	}
	return all
}

// parseSearch reads the rows without adverts. None and no error mean that the site found nothing.
func parseSearch(page []byte) ([]searchRow, error) {
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(page))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLayout, err)
	}
	rows := outermost(doc.Find(rowItem), rowItem)
	var results []searchRow
	unreadable := 0
	rows.Each(func(_ int, row *goquery.Selection) {
		if isAdvert(row) {
			return
		}
		r := readRow(row)
		isOffer := r.shopLink != "" && r.minPrice > 0
		if r.name != "" && (r.id != "" || isOffer) {
			results = append(results, r)
		} else {
			unreadable++
		}
	})
	if len(results) > 0 || unreadable == 0 && isEmptyResult(doc, rows) {
		return results, nil
	}
	return nil, fmt.Errorf("%w: search page with %d rows, %d unreadable", errLayout, rows.Length(), unreadable)
}

// outermost drops elements inside others that match selector, and those beyond maxRows.
func outermost(found *goquery.Selection, selector string) *goquery.Selection {
	found = found.Slice(0, min(found.Length(), maxRows))
	return found.FilterFunction(func(_ int, s *goquery.Selection) bool {
		return s.ParentsFiltered(selector).Length() == 0
	})
}

// isEmptyResult reports whether a page without rows says so, or is a list without any part of a product.
func isEmptyResult(doc *goquery.Document, adverts *goquery.Selection) bool {
	doc.Find("script, style, template, noscript").Remove()
	text := strings.ToLower(doc.Find("body").Text())
	if slices.ContainsFunc(noResults, func(t string) bool { return strings.Contains(text, t) }) {
		return true
	}
	products := doc.Find(anyProduct).NotSelection(adverts)
	return doc.Find(resultList).Length() > 0 && products.NotSelection(adverts.Find(anyProduct)).Length() == 0
}

func isAdvert(row *goquery.Selection) bool {
	return row.Is(rowAdvert) || row.Find(rowAdvert).Length() > 0 || startsWith(textOf(row), advertStarts)
}

func readRow(row *goquery.Selection) searchRow {
	r := searchRow{
		name: nameOf(row), shops: firstNumber(first(row, rowShops).Text()),
		category:     textOf(first(row, rowCategory)),
		freeDelivery: hasFreeDelivery(row),
	}
	if r.category == "" {
		r.category = collapseSpace(first(row, rowWishes).AttrOr(attrCategory, ""))
	}
	var priced bool
	if r.minPrice, priced = parseAttrPrice(row.AttrOr(attrMinPrice, "")); !priced {
		r.minPrice, _ = readPrice(row.Find(rowPrice))
	}
	if r.shopLink = shopLink(row); r.shopLink != "" {
		r.shop = attrWithin(row, attrShop)
		r.logo = collapseSpace(first(row, rowShopLogos).AttrOr("alt", ""))
	}
	for _, attr := range rowIDs {
		if id := row.AttrOr(attr, ""); r.id == "" && leadingDigits(id) == id {
			r.id = id
		}
	}
	if r.id == "" {
		r.id = productNumber(first(row, rowName).AttrOr("href", ""))
	}
	return r
}

// nameOf prefers the link's text, because the site cuts the attribute short.
func nameOf(row *goquery.Selection) string {
	link := first(row, rowName).Clone()
	link.Find(rowLabel).Remove()
	if name := textOf(link); name != "" {
		return name
	}
	return collapseSpace(row.AttrOr(attrName, ""))
}

// shopLink returns the link to a shop of a row without a product page. A linked name decides.
func shopLink(row *goquery.Selection) string {
	if name := first(row, rowName); name.AttrOr("href", "") != "" {
		return name.Filter(rowShopLinks).AttrOr("href", "")
	}
	if row.Find(rowProductLinks).Length() > 0 {
		return ""
	}
	return first(row, rowShopLinks).AttrOr("href", "")
}
