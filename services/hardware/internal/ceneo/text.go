package ceneo

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/PuerkitoBio/goquery"

	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/internal/kit/fold"
)

func first(s *goquery.Selection, selector string) *goquery.Selection {
	return s.FindMatcher(goquery.Single(selector))
}

func attrWithin(s *goquery.Selection, attr string) string {
	if v := strings.TrimSpace(s.AttrOr(attr, "")); v != "" {
		return v
	}
	return strings.TrimSpace(first(s, "["+attr+"]").AttrOr(attr, ""))
}

func textOf(s *goquery.Selection) string { return collapseSpace(s.Text()) }

func hasFreeDelivery(s *goquery.Selection) bool {
	return slices.Contains(freeDeliveryTexts, textOf(first(s, freeDelivery)))
}

func collapseSpace(s string) string {
	return strings.Join(strings.Fields(strings.Map(fetch.DropInvisible, s)), " ")
}

func startsWith(s string, starts []string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(s, start) })
}

// productNumber returns the 102723109 of "/102723109##;02514#tag=x", "" for any other page.
func productNumber(path string) string {
	rest, found := strings.CutPrefix(path, "/")
	if !found {
		return ""
	}
	number := leadingDigits(rest)
	if len(number) < len(rest) && !strings.ContainsRune(";#?", rune(rest[len(number)])) {
		return ""
	}
	return number
}

func leadingDigits(s string) string { return s[:len(s)-len(strings.TrimLeft(s, "0123456789"))] }

const maxCount = 1_000_000

func firstNumber(s string) int {
	start := strings.IndexAny(s, "0123456789")
	if start < 0 {
		return 0
	}
	v, _ := strconv.Atoi(leadingDigits(strings.Map(dropSpace, s[start:]))) // the greatest int if it is too long
	if v > maxCount {
		return 0
	}
	return v
}

func dropSpace(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return fetch.DropInvisible(r)
}

const maxPrice = 10_000_000

func readPrice(box *goquery.Selection) (float64, bool) {
	if strings.Contains(box.Text(), "€") || strings.Contains(box.Text(), "EUR") {
		return 0, false
	}
	value := box.Find(priceValue).FilterFunction(func(_ int, s *goquery.Selection) bool {
		return s.Closest(priceOther).Length() == 0
	}).First()
	return parseShownPrice(value.Text() + value.SiblingsFiltered(pricePenny).First().Text())
}

// parseAttrPrice reads a plain decimal of an attribute or of JSON, or else a shown price.
func parseAttrPrice(s string) (float64, bool) {
	if s = strings.TrimSpace(s); strings.Trim(s, "0123456789.") == "" && strings.Count(s, ".") <= 1 {
		return parsePrice(s)
	}
	return parseShownPrice(s)
}

// parseShownPrice reads "2 892,28 zł" with any kind of space, "1.049,99", "449,-". Three digits behind a separator
// are thousands.
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

// parsePrice reads a positive decimal and rounds it to groszy.
func parsePrice(decimal string) (float64, bool) {
	v, _ := strconv.ParseFloat(decimal, 64) // zero or infinite if it is none
	if v = math.Round(v*100) / 100; !(v > 0 && v <= maxPrice) {
		return 0, false
	}
	return v, true
}

// shopOffer names the shop by address and label, either of which may be empty. An address without a dot is the
// aggregator's own mark, one with a space a name.
func shopOffer(address, label string, price float64) prices.Offer {
	domain := domainOf(address)
	if !strings.Contains(domain, ".") || strings.Contains(domain, " ") {
		domain = ""
	}
	return prices.Offer{Store: cmp.Or(domain, slug(label)), StoreLabel: cmp.Or(label, domain), Price: price}
}

func domainOf(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "//"), "/")
	host, _, _ = strings.Cut(host, "?")
	return strings.TrimPrefix(host, "www.")
}

// slug makes "media-expert" of "Media Expert", and leaves "morele.net".
func slug(name string) string {
	words := strings.FieldsFunc(fold.Polish(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.'
	})
	return strings.Trim(strings.Join(words, "-"), ".-")
}

// absolute resolves a link of a page, "" for anything but a web address without user information.
func absolute(base *url.URL, href string) string {
	href = strings.TrimSpace(href)
	if href == "" || strings.HasPrefix(href, "#") {
		return ""
	}
	u, err := base.Parse(href)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	if u.Host == "" || u.User != nil || strings.ContainsAny(u.Host, notInURL) {
		return ""
	}
	u.RawQuery = escapeQuery(u.RawQuery)
	address := u.String()
	if _, err := url.Parse(address); err != nil {
		return "" // net/url reads "//0::0", but not what it makes of it
	}
	return address
}

// notInURL are visible characters that an address may not contain (RFC 3986, section 2), but net/url accepts.
const notInURL = "\"<>\\^`{|}"

// escapeQuery percent-encodes what is not allowed in a query, as a browser does.
func escapeQuery(query string) string {
	var b strings.Builder
	for _, c := range []byte(query) {
		if c <= ' ' || c > '~' || strings.IndexByte(notInURL, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
