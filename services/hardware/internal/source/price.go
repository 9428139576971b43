package source

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"
)

// maxPrice is above any price of a component, in PLN.
const maxPrice = 10_000_000

// attributePrice reads a price from an attribute or from JSON: a plain decimal
// with a dot, or else what shownPrice reads.
func attributePrice(s string) (float64, bool) {
	if s = strings.TrimSpace(s); strings.Trim(s, "0123456789.") == "" && strings.Count(s, ".") <= 1 {
		return asPrice(s)
	}
	return textPrice(s)
}

// textPrice reads a price as shown to people: "2 892,28 zł" with any kind of
// space, "1.049,99", "449,-". Three digits behind a separator are thousands.
func textPrice(s string) (float64, bool) {
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
	return asPrice(whole + "." + decimals)
}

func dropSpace(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return dropInvisible(r)
}

// asPrice converts a decimal to PLN with two decimals; zero and less is no price.
func asPrice(decimal string) (float64, bool) {
	v, err := strconv.ParseFloat(decimal, 64)
	if v = math.Round(v*100) / 100; err != nil || !(v > 0 && v <= maxPrice) {
		return 0, false
	}
	return v, true
}

// shownPrice reads a price that the page shows in two parts.
func shownPrice(s *goquery.Selection) (float64, bool) {
	value := first(s, priceValue).Text()
	return textPrice(value + first(s, pricePenny).Text())
}
