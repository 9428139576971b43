package ceneo

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/PuerkitoBio/goquery"

	"backend.example/services/hardware/internal/match"
	"backend.example/services/hardware/internal/prices"
)

type product struct {
	summary
	offers []prices.Offer // of the product itself, ascending by price
	shown  int            // number of offers on the page
}

// parseProduct reads a product page, with links relative to base. A page with a summary and no offers is a product
// that no shop sells.
func parseProduct(page []byte, base *url.URL) (product, error) {
	doc, err := goquery.NewDocumentFromReader(bytes.NewReader(page))
	if err != nil {
		return product{}, fmt.Errorf("%w: %w", errLayout, err)
	}
	s, hasSummary := readSummary(doc)
	hasCount := s.count > 0
	if !hasCount {
		s.count, hasCount = tabCount(doc)
	}
	// the heading may be the name of a group of variants
	s.name = cmp.Or(s.name, textOf(first(doc.Selection, productName)))
	offers, shown, outOfStock := readOffers(doc, base)
	switch {
	case s.name == "":
		return product{}, fmt.Errorf("%w: product page without a name", errLayout)
	case len(offers) == 0 && outOfStock < shown:
		return product{}, fmt.Errorf("%w: none of %d offers can be read", errLayout, shown)
	case shown == 0 && s.count > 0:
		return product{}, fmt.Errorf("%w: product page shows none of %d offers", errLayout, s.count)
	case shown == 0 && !hasSummary && !hasCount:
		return product{}, fmt.Errorf("%w: product page with neither offers nor a summary", errLayout)
	}
	plain := slices.DeleteFunc(slices.Clone(offers), func(o prices.Offer) bool {
		return !match.IsPlain(s.name, o.Title)
	})
	plain = withoutPlaceholders(plain)
	switch {
	case shown > 0 && len(plain) == 0:
		s.low, s.high = 0, 0
	case len(plain) < len(offers):
		s.leaveOut(offers, plain)
	}
	return product{summary: s, offers: cheapest(plain), shown: shown}, nil
}

// leaveOut corrects the page's lowest price if that offer is not plain.
func (s *summary) leaveOut(offers, plain []prices.Offer) {
	lowest := func(offers []prices.Offer) float64 {
		return slices.MinFunc(offers, comparePrices).Price
	}
	if lowest(offers) == lowest(plain) || lowest(offers) > s.low {
		return
	}
	if s.low = lowest(plain); s.high < s.low {
		s.high = 0
	}
}

const placeholderRatio = 10

// withoutPlaceholders sorts offers and drops the first while their price, such as 1 zł, is under a tenth of the
// next.
func withoutPlaceholders(offers []prices.Offer) []prices.Offer {
	slices.SortStableFunc(offers, comparePrices)
	for len(offers) > 1 && offers[0].Price*placeholderRatio < offers[1].Price {
		offers = offers[1:]
	}
	return offers
}

// comparePrices orders by price, then by price with delivery, unknown ones last.
func comparePrices(a, b prices.Offer) int {
	delivered := func(o prices.Offer) float64 { return cmp.Or(o.PriceWithDelivery, math.Inf(1)) }
	return cmp.Or(cmp.Compare(a.Price, b.Price), cmp.Compare(delivered(a), delivered(b)))
}

func tabCount(doc *goquery.Document) (count int, found bool) {
	doc.Find(productTabs).EachWithBreak(func(_ int, tab *goquery.Selection) bool {
		text := textOf(tab)
		if found = strings.HasPrefix(text, offersTab) && strings.ContainsAny(text, "0123456789"); found {
			count = firstNumber(text)
		}
		return !found
	})
	return count, found
}

// readOffers reads the standard and the bidding list, which may share offers. shown counts different offers,
// readable or not.
func readOffers(doc *goquery.Document, base *url.URL) (offers []prices.Offer, shown, outOfStock int) {
	seen := map[string]bool{}
	outermost(outermost(doc.Find(offerLists), offerLists).Find(offerItem), offerItem).
		Each(func(_ int, item *goquery.Selection) {
			if item.Closest(offerForeign).Length() > 0 {
				return
			}
			offer, ok := readOffer(item, base)
			id, content := offerID(item), fmt.Sprintf("%s %.2f %s", offer.Store, offer.Price, offer.Title)
			if id != "" && seen[id] || seen[content] {
				return
			}
			seen[id], seen[content] = true, ok
			shown++
			switch {
			case isOutOfStock(item):
				outOfStock++
			case ok:
				offers = append(offers, offer)
			}
		})
	return offers, shown, outOfStock
}

func cheapest(offers []prices.Offer) []prices.Offer {
	shops := map[string]bool{}
	offers = slices.DeleteFunc(offers, func(o prices.Offer) bool {
		repeated := shops[o.Store]
		shops[o.Store] = true
		return repeated
	})
	return offers[:min(len(offers), prices.MaxOffers)]
}

func offerID(item *goquery.Selection) string {
	for _, attr := range offerIDs {
		if id := attrWithin(item, attr); id != "" {
			return "offer " + id
		}
	}
	return ""
}

func readOffer(item *goquery.Selection, base *url.URL) (prices.Offer, bool) {
	price, ok := parseAttrPrice(attrWithin(item, attrPrice))
	if !ok {
		price, ok = readPrice(item.Find(offerPrice))
	}
	logo := logoText(item)
	name, _ := strings.CutPrefix(textOf(first(item, offerShopName)), shopNameStart)
	offer := shopOffer(cmp.Or(attrWithin(item, attrShop), logo), cmp.Or(name, logo), price)
	offer.Title = title(item)
	offer.PriceWithDelivery = priceWithDelivery(item, price)
	offer.Stock = stock(item)
	offer.ShopRating = shopRating(item)
	offer.URL = offerLink(item, base)
	return offer, ok && offer.Store != ""
}

const maxTitle = 200

func title(item *goquery.Selection) string {
	text := []rune(
		cmp.Or(textOf(first(item, offerTitle)), collapseSpace(first(item, offerTitleLink).AttrOr("title", ""))),
	)
	return strings.TrimSpace(string(text[:min(len(text), maxTitle)]))
}

func logoText(item *goquery.Selection) string {
	text := ""
	item.Find(offerLogos).EachWithBreak(func(_ int, logo *goquery.Selection) bool {
		if logo.Closest(offerBadges).Length() == 0 {
			text = collapseSpace(logo.AttrOr("alt", ""))
		}
		return text == ""
	})
	return text
}

func priceWithDelivery(item *goquery.Selection, price float64) float64 {
	if hasFreeDelivery(item) {
		return price
	}
	total, _ := strings.CutPrefix(strings.ToLower(textOf(first(item, offerDelivery))), deliveryStart)
	if sum, _ := parseShownPrice(total); sum >= price {
		return sum
	}
	return 0
}

func stock(item *goquery.Selection) prices.Stock {
	switch text := textOf(first(item, offerStock)); {
	case startsWith(text, inStockStarts):
		return prices.InStock
	case startsWith(text, onOrderStarts):
		return prices.OnOrder
	}
	return prices.StockUnknown
}

// shopRating reads "Ocena 4,83 / 5", zero for a shop without ratings.
func shopRating(item *goquery.Selection) float64 {
	rating := 0.0
	item.Find(offerRatings).EachWithBreak(func(_ int, s *goquery.Selection) bool {
		text, isRating := strings.CutPrefix(textOf(s), ratingStart)
		text, outOfFive := strings.CutSuffix(text, ratingEnd)
		v, _ := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64) // zero or infinite if it is none
		isInRange := v > 0 && v <= prices.MaxShopRating
		if isRating && outOfFive && isInRange {
			rating = math.Round(v*100) / 100
		}
		return rating == 0
	})
	return rating
}

func offerLink(item *goquery.Selection, base *url.URL) string {
	for _, link := range offerLinks {
		element := item.Filter(link.selector).AddSelection(item.Find(link.selector)).First()
		if address := absolute(base, element.AttrOr(link.attr, "")); address != "" {
			return address
		}
	}
	return ""
}

// isOutOfStock ignores collection in person, and variants folded away.
func isOutOfStock(item *goquery.Selection) bool {
	shown := item.Clone()
	shown.Find(offerDetails + ", " + offerTitle).Remove()
	states := shown.Find(offerStock)
	boxes := shown.AddSelection(shown.Find(offerBoxes)).AddSelection(states)
	isMarked := func(_ int, s *goquery.Selection) bool {
		class := strings.ToLower(s.AttrOr("class", ""))
		return slices.ContainsFunc(outOfStockClasses, func(part string) bool { return strings.Contains(class, part) })
	}
	says := func(pattern *regexp.Regexp) func(int, *goquery.Selection) bool {
		return func(_ int, s *goquery.Selection) bool { return pattern.MatchString(strings.ToLower(textOf(s))) }
	}
	isLeaf := func(_ int, s *goquery.Selection) bool { return s.Children().Length() == 0 }
	return boxes.IsFunction(isMarked) || outermost(states, offerStock).IsFunction(says(soldOutOffer)) ||
		shown.Find("*").FilterFunction(isLeaf).IsFunction(says(soldOutWithASubject))
}

// summary describes all offers, hidden ones included. Figures that the page lacks are zero.
type summary struct {
	name      string
	count     int
	low, high float64
}

func readSummary(doc *goquery.Document) (summary, bool) {
	var s summary
	found := false
	doc.Find(productSummary).EachWithBreak(func(_ int, block *goquery.Selection) bool {
		var v any
		if json.Unmarshal([]byte(block.Text()), &v) == nil {
			s, found = findOffers(v)
		}
		return !found
	})
	return s, found
}

func findOffers(v any) (summary, bool) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			if s, ok := findOffers(element); ok {
				return s, true
			}
		}
	case map[string]any:
		if s, ok := offersOf(v["offers"]); ok {
			name, _ := v["name"].(string)
			s.name = collapseSpace(html.UnescapeString(name))
			return s, true
		}
		return findOffers(v["@graph"])
	}
	return summary{}, false
}

func offersOf(v any) (summary, bool) {
	switch v := v.(type) {
	case []any:
		return sumOffers(v)
	case map[string]any:
		s := summary{count: jsonCount(v["offerCount"]), low: jsonPrice(v["lowPrice"]), high: jsonPrice(v["highPrice"])}
		if currency, _ := v["priceCurrency"].(string); currency != "" && currency != "PLN" {
			return summary{count: s.count}, s.count > 0
		}
		if price := jsonPrice(v["price"]); s.low == 0 && price > 0 {
			s.low = price
			s.high = price
			s.count = max(s.count, 1)
		}
		if s.high < s.low {
			s.high = 0
		}
		_, hasCount := v["offerCount"]
		return s, hasCount || s.low > 0
	}
	return summary{}, false
}

func sumOffers(list []any) (summary, bool) {
	var all summary
	for _, element := range list {
		s, ok := offersOf(element)
		if !ok {
			continue
		}
		if s.low > 0 {
			all.low = min(cmp.Or(all.low, s.low), s.low)
		}
		all.high = max(all.high, s.high)
		all.count += s.count
	}
	all.count = min(all.count, maxCount)
	return all, all.count > 0
}

func jsonPrice(v any) float64 {
	switch v := v.(type) {
	case float64:
		price, _ := parsePrice(strconv.FormatFloat(v, 'f', -1, 64))
		return price
	case string:
		price, _ := parseAttrPrice(v)
		return price
	}
	return 0
}

func jsonCount(v any) int {
	switch v := v.(type) {
	case float64:
		if v <= maxCount {
			return int(max(v, 0))
		}
	case string:
		return firstNumber(v)
	}
	return 0
}
