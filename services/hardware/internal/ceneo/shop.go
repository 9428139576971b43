package ceneo

import (
	"cmp"
	"strings"
	"unicode"

	"backend.example/services/hardware/internal/prices"
)

// shopOffer is an offer of the shop with this address and label, either of which may
// be empty. Its Store is empty when both are. An address without a dot is a mark of the
// aggregator's own, and one with a space is a name.
func shopOffer(address, label string, price float64) prices.Offer {
	domain := domainOf(address)
	if !strings.Contains(domain, ".") || strings.Contains(domain, " ") {
		domain = ""
	}
	return prices.Offer{Store: cmp.Or(domain, slug(label)), StoreLabel: cmp.Or(label, domain), Price: price}
}

// domainOf is a shop's address without scheme, "www.", path and query.
func domainOf(address string) string {
	address = strings.ToLower(strings.TrimSpace(address))
	if _, rest, found := strings.Cut(address, "://"); found {
		address = rest
	}
	host, _, _ := strings.Cut(strings.TrimPrefix(address, "//"), "/")
	host, _, _ = strings.Cut(host, "?")
	return strings.TrimPrefix(host, "www.")
}

// slug makes an identifier of a name: "Media Expert" becomes "media-expert", and
// "morele.net" stays as it is.
func slug(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		r = withoutDiacritic(r)
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(r)
		gap = false
	}
	return strings.Trim(b.String(), ".-")
}

// withoutDiacritic replaces a lower-case Polish letter by the plain Latin one.
func withoutDiacritic(r rune) rune {
	const marked, plain = "ąćęłńóśźż", "acelnoszz"
	if i := strings.IndexRune(marked, r); i >= 0 {
		return rune(plain[i/2]) // every marked letter takes two bytes
	}
	return r
}
