package ceneo

import (
	"encoding/json"
	"html"
	"strconv"

	"github.com/PuerkitoBio/goquery"
)

// summary describes a product and all its offers, hidden ones included. Figures that the
// page does not give are zero.
type summary struct {
	name      string
	count     int
	low, high float64
}

// readSummary reads the first JSON-LD block that describes offers, as
// schema.org's AggregateOffer or Offer.
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

// findOffers looks for an object with offers: v itself, one of its elements, or one
// in its @graph.
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

// offersOf reads an AggregateOffer, an Offer or a list of either.
func offersOf(v any) (summary, bool) {
	switch v := v.(type) {
	case []any:
		return sumOffers(v)
	case map[string]any:
		s := summary{count: jsonCount(v["offerCount"]), low: jsonPrice(v["lowPrice"]), high: jsonPrice(v["highPrice"])}
		if price := jsonPrice(v["price"]); s.low == 0 && price > 0 {
			s.low, s.high, s.count = price, price, max(s.count, 1)
		}
		if s.high < s.low {
			s.high = 0
		}
		_, hasCount := v["offerCount"]
		return s, hasCount || s.low > 0
	}
	return summary{}, false
}

// sumOffers adds up a list of single offers.
func sumOffers(list []any) (summary, bool) {
	var all summary
	for _, element := range list {
		s, ok := offersOf(element)
		if !ok {
			continue
		}
		if all.low == 0 || s.low > 0 && s.low < all.low {
			all.low = s.low
		}
		all.high = max(all.high, s.high)
		all.count += s.count
	}
	all.count = min(all.count, maxCount)
	return all, all.count > 0
}

// jsonPrice reads a price that is a JSON number or a string. It returns zero for others.
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

// jsonCount reads a number of offers that is a JSON number or a string. It returns zero
// for others.
func jsonCount(v any) int {
	switch v := v.(type) {
	case float64:
		if v >= 0 && v <= maxCount {
			return int(v)
		}
	case string:
		return firstNumber(v)
	}
	return 0
}
