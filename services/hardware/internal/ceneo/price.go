package ceneo

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"
)

// maxPrice is above any price of a component, in PLN.
const maxPrice = 10_000_000

// parseAttrPrice reads a price from an attribute or from JSON: a plain decimal with a
// dot, or else a price as parseShownPrice reads it.
func parseAttrPrice(s string) (float64, bool) {
	if s = strings.TrimSpace(s); strings.Trim(s, "0123456789.") == "" && strings.Count(s, ".") <= 1 {
		return parsePrice(s)
	}
	return parseShownPrice(s)
}

// parseShownPrice reads a price as it is shown to people: "2 892,28 zł" with any kind of
// space, "1.049,99", "449,-". Three digits behind a separator are thousands.
func parseShownPrice(s string) (float64, bool) {
	s = strings.Map(dropSpace, s)
	for _, suffix := range []string{"zł", "PLN", ",-", ".-"} {
		s = strings.TrimSuffix(s, suffix)
	}
	whole, decimals := s, ""
	if i := strings.LastIndexAny(s, ",."); i >= 0 && len(s)-i-1 < 3 {
		whole, decimals = s[:i], s[i+1:]
	}
	whole = strings.NewReplacer(",", "", ".", "").Replace(whole)
	if strings.Trim(whole+decimals, "0123456789") != "" {
		return 0, false
	}
	return parsePrice(whole + "." + decimals)
}

func dropSpace(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return dropInvisible(r)
}

// parsePrice reads a decimal and rounds it to whole groszy. Zero and less is no price.
func parsePrice(decimal string) (float64, bool) {
	v, err := strconv.ParseFloat(decimal, 64)
	if v = math.Round(v*100) / 100; err != nil || !(v > 0 && v <= maxPrice) {
		return 0, false
	}
	return v, true
}

// readPrice reads a price that a page shows in two elements.
func readPrice(s *goquery.Selection) (float64, bool) {
	value := first(s, priceValue).Text()
	return parseShownPrice(value + first(s, pricePenny).Text())
}
