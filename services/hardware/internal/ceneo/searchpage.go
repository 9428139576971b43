package ceneo

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"
)

// errLayout says that a page lacks the parts that it had when markup was written.
var errLayout = errors.New("page layout not recognised")

// maxRows bounds the rows, and the offers, that are read from one page. The site
// shows about 30 of either.
const maxRows = 200

// searchRow is one row of a page of search results.
type searchRow struct {
	id           string // product number; empty when the row has none
	name         string
	department   string  // the site's category of the product, "Karty graficzne"; may be empty
	minPrice     float64 // zero when the row does not say
	shops        int     // zero when the row does not say
	freeDelivery bool    // the row says that delivery costs nothing
	shopLink     string  // href to the shop, for a row that leads to one
	shop         string  // that shop's address; may be empty
	logo         string  // that shop's name; may be empty
}

// isSingleShop reports whether the row itself tells its one offer, or has no number
// by which to open the product.
func (r searchRow) isSingleShop() bool {
	named := shopOffer(r.shop, r.logo, r.minPrice).Store != ""
	return r.id == "" || r.shopLink != "" && r.shops <= 1 && r.minPrice > 0 && named
}

// parseSearch reads the rows of a page of search results, without adverts. No rows
// and no error mean that the site found nothing. The error is errLayout when the
// page cannot be read.
func parseSearch(page io.Reader, m searchMarkup) ([]searchRow, error) {
	doc, err := goquery.NewDocumentFromReader(page)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errLayout, err)
	}
	rows := outermost(doc.Find(m.row), m.row)
	var results []searchRow
	unreadable := 0
	rows.Each(func(_ int, row *goquery.Selection) {
		if m.isAdvert(row) {
			return
		}
		if r := m.readRow(row); r.name != "" && (r.id != "" || r.shopLink != "" && r.minPrice > 0) {
			results = append(results, r)
		} else {
			unreadable++
		}
	})
	if len(results) > 0 || unreadable == 0 && m.isEmptyResult(doc, rows) {
		return results, nil
	}
	return nil, fmt.Errorf("%w: search page with %d rows, %d unreadable", errLayout, rows.Length(), unreadable)
}

// outermost leaves out the elements found by selector that stand inside another
// one, so that no part of a page is read twice, and those beyond maxRows.
func outermost(found *goquery.Selection, selector string) *goquery.Selection {
	found = found.Slice(0, min(found.Length(), maxRows))
	return found.FilterFunction(func(_ int, s *goquery.Selection) bool {
		return s.ParentsFiltered(selector).Length() == 0
	})
}

// isEmptyResult reports whether a page without rows is a page of results that has
// none: it says so, or it has the list of results and no part of a product.
func (m searchMarkup) isEmptyResult(doc *goquery.Document, adverts *goquery.Selection) bool {
	doc.Find("script, style, template, noscript").Remove()
	text := strings.ToLower(doc.Find("body").Text())
	for _, t := range m.noResults {
		if strings.Contains(text, t) {
			return true
		}
	}
	products := doc.Find(m.anyProduct).NotSelection(adverts)
	inAdverts := adverts.Find(m.anyProduct)
	return doc.Find(m.container).Length() > 0 && products.NotSelection(inAdverts).Length() == 0
}

func (m searchMarkup) isAdvert(row *goquery.Selection) bool {
	if row.Is(m.advert) || row.Find(m.advert).Length() > 0 {
		return true
	}
	text := strings.ToLower(collapseSpace(row.Text()))
	for _, start := range m.advertTexts {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

func (m searchMarkup) readRow(row *goquery.Selection) searchRow {
	r := searchRow{
		name: m.nameOf(row), shops: firstNumber(first(row, m.shops).Text()),
		department:   m.departmentOf(row),
		freeDelivery: saysFreeDelivery(row),
	}
	var priced bool
	if r.minPrice, priced = parseAttrPrice(row.AttrOr(m.minPriceAttr, "")); !priced {
		r.minPrice, _ = readPrice(row.Find(m.price))
	}
	if href, single := m.shopLink(row); single {
		r.shopLink = href
		r.shop = attrWithin(row, m.shopAttr)
		r.logo = collapseSpace(first(row, m.shopLogos).AttrOr("alt", ""))
	}
	for _, attr := range m.idAttrs {
		if id := row.AttrOr(attr, ""); r.id == "" && isNumber(id) {
			r.id = id
		}
	}
	if r.id == "" {
		r.id = productNumber(first(row, m.name).AttrOr("href", ""))
	}
	return r
}

// nameOf is the text of the link. The attribute is only the second choice, because
// the site cuts it short.
func (m searchMarkup) nameOf(row *goquery.Selection) string {
	link := first(row, m.name).Clone()
	link.Find(m.label).Remove()
	if name := collapseSpace(link.Text()); name != "" {
		return name
	}
	return collapseSpace(row.AttrOr(m.nameAttr, ""))
}

// departmentOf is the category that a row names for people, as in a search over many, or
// else the one that its button for a list of wishes carries.
func (m searchMarkup) departmentOf(row *goquery.Selection) string {
	if named := collapseSpace(first(row, m.department).Text()); named != "" {
		return named
	}
	return collapseSpace(first(row, m.wishes).AttrOr(m.departmentAttr, ""))
}

// shopLink is the link of a row that leads to a shop instead of a product page.
// Where the name is a link, that one decides.
func (m searchMarkup) shopLink(row *goquery.Selection) (href string, single bool) {
	if name := first(row, m.name); name.AttrOr("href", "") != "" {
		return name.AttrOr("href", ""), name.Is(m.shopLinks)
	}
	if row.Find(m.productLinks).Length() > 0 {
		return "", false
	}
	link := first(row, m.shopLinks)
	return link.AttrOr("href", ""), link.Length() > 0
}

// first is the first element inside s that matches selector.
func first(s *goquery.Selection, selector string) *goquery.Selection {
	return s.FindMatcher(goquery.Single(selector))
}

// attrWithin is the attribute's value on s, or else on the first element inside s
// that has it.
func attrWithin(s *goquery.Selection, attr string) string {
	if v := strings.TrimSpace(s.AttrOr(attr, "")); v != "" {
		return v
	}
	return strings.TrimSpace(first(s, "["+attr+"]").AttrOr(attr, ""))
}

// collapseSpace trims s and makes every run of white space one space.
func collapseSpace(s string) string {
	return strings.Join(strings.Fields(strings.Map(dropInvisible, s)), " ")
}

// productNumber is the number in the path of a product page: 102723109 in
// "/102723109##;02514#tag=x". It is empty for the path of any other page.
func productNumber(path string) string {
	rest, found := strings.CutPrefix(path, "/")
	if !found {
		return ""
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return rest
	}
	if !strings.ContainsRune(";#?", rune(rest[end])) {
		return ""
	}
	return rest[:end]
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// firstNumber is the first number in s, zero when there is none up to maxCount.
func firstNumber(s string) int {
	start := strings.IndexAny(s, "0123456789")
	if start < 0 {
		return 0
	}
	n := strings.Map(dropSpace, s[start:])
	if end := strings.IndexFunc(n, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
		n = n[:end]
	}
	v, err := strconv.Atoi(n)
	if err != nil || v > maxCount {
		return 0
	}
	return v
}
